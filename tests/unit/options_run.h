/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options_run: one command line parsed by the sample table. */
#pragma once

#include "options_sample.h"

/* One command line, taken apart; free() it with done(). */
struct run {
	struct options values;
	struct np_options_result result;
	int rc;
	char line[256]; /* what texts point into */
};

/* The words of @line, separated by blanks, and the word @last, which may be NULL. */
static void parse_words(struct run *run, const struct np_options *options, const char *line,
			char *last)
{
	char *argv[16] = {(char *)"program"}, *save = NULL;
	int argc = 1;

	snprintf(run->line, sizeof(run->line), "%s", line);
	for (char *word = strtok_r(run->line, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	if (last)
		argv[argc++] = last;
	memset(&run->values, 0, sizeof(run->values));
	run->rc = options_parse(options, argc, argv, &run->values, &run->result);
}

#define PARSE(run, options, line) parse_words(run, options, line, NULL)

static void done(struct run *run)
{
	np_options_result_free(&run->result);
	np_options_result_free(&run->result);
}
