/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* path: parses /proc/net/softnet_stat. */
#pragma once

#include <stdint.h>

/*
 * Adds up the second column of all lines, one for each processor: 32-bit hexadecimal numbers
 * separated by blanks. Returns 0, or -ENODATA when there is no line or one without that column;
 * then @dropped is unchanged.
 */
int path_softnet_parse(const char *text, uint64_t *dropped);
