/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: what the parser, the values and the help of options share. */
#pragma once

#include <netperf/options.h>

/*
 * The rows of the table, then those that every program has: help, version, completion. NULL after
 * the last.
 */
const struct np_option *option_row(const struct np_options *options, size_t index);

/*
 * np_options_read without logs and answers; functions that log need @result->log then. Returns
 * 0, -EINVAL with @result->error set, or -ENOMEM.
 */
int options_parse(const struct np_options *options, int argc, char *const argv[], void *values,
		  struct np_options_result *result);

/*
 * Writes to @out what @result->action asks for: the help text, "PROGRAM VERSION", or a
 * completion script of the shell. Returns 0 or -errno of the stream.
 */
int options_answer(const struct np_options_result *result, FILE *out);
