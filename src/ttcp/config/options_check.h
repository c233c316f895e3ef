/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options_check: from what was typed to what it means, and whether it can be meant. */
#ifndef TTCP_CONFIG_OPTIONS_CHECK_H
#define TTCP_CONFIG_OPTIONS_CHECK_H

#include "options.h"

/* Fills what the words and flags decide. Returns -1 or the exit status 2 after a message. */
int options_digest(struct options *options, const struct np_log *log);

/* The rules that span options. The same return. */
int options_check(struct options *options, const struct np_log *log);

/* Whether the option of this long name was on the command line. */
static inline bool options_given(const struct options *options, const char *name)
{
	return np_options_given(&ttcp_options, &options->parsed, name);
}

/* The row's name as messages have it: "-t", "--stdin". Returns @out. */
#define OPTIONS_TITLE 32
char *options_title(const struct np_option *row, char out[OPTIONS_TITLE]);
const struct np_option *options_row(const char *name);

#endif
