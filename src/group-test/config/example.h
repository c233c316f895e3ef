/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* example: the example files that are installed beside the program, found by their names. */
#ifndef GROUP_TEST_CONFIG_EXAMPLE_H
#define GROUP_TEST_CONFIG_EXAMPLE_H

#include <limits.h>
#include <netperf/log.h>

/*
 * Where to read @name from: a name without a folder that is not in the current one, but among the
 * examples, is that example, written to @room and said to @log. Returns @room, else @name.
 */
const char *example_find(const char *name, char room[PATH_MAX], const struct np_log *log);

#endif
