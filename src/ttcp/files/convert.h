/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* convert: -s2d and -smd: converts a file of a run to another, without a network. */
#ifndef TTCP_FILES_CONVERT_H
#define TTCP_FILES_CONVERT_H

#include "../config/options.h"

/*
 * Returns the exit status: 2 when the input cannot be read or the output cannot be created, 1 when
 * the input is damaged or a write fails.
 */
int convert_run(const struct options *options, const struct np_log *log);

#endif
