/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* example: finds the installed example files by their names. */
#ifndef GROUP_TEST_CONFIG_EXAMPLE_H
#define GROUP_TEST_CONFIG_EXAMPLE_H

#include <limits.h>
#include <netperf/log.h>

/*
 * The path to read for @name. If it has no directory, does not exist in the current one, and is the
 * name of an example, that is the example: its path is written to @room and logged. Returns @room,
 * else @name.
 */
const char *example_find(const char *name, char room[PATH_MAX], const struct np_log *log);

#endif
