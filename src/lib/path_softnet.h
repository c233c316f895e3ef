/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* path_softnet: takes the text of /proc/net/softnet_stat apart. */
#ifndef PATH_SOFTNET_H
#define PATH_SOFTNET_H

#include <stdint.h>

/*
 * Sums the second column of all lines, a processor each: hexadecimal numbers of 32 bits between
 * blanks. 0, or -ENODATA when a line is not so, or there is none; @dropped is unchanged then.
 */
int path_softnet_parse(const char *text, uint64_t *dropped);

#endif
