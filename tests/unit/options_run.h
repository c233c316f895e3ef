/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options_run: one command line parsed by the sample table, and what its error should be. */
#ifndef TESTS_OPTIONS_RUN_H
#define TESTS_OPTIONS_RUN_H

#include "options_sample.h"

/* One command line, taken apart; free() it with done(). */
struct run {
	struct sample values;
	struct np_options_result result;
	int rc;
};

static void parse_in(struct run *run, const struct np_options *options, char *const argv[])
{
	int argc = 0;

	while (argv[argc])
		argc++;
	memset(&run->values, 0xA5, sizeof(run->values)); /* defaults must not rely on zeros */
	run->rc = np_options_parse(options, argc, argv, &run->values, &run->result);
}

#define PARSE(run, options, ...)                                                                   \
	parse_in(run, options, (char *const[]){(char *)"program", ##__VA_ARGS__, NULL})

static void done(struct run *run)
{
	np_options_result_free(&run->result);
	np_options_result_free(&run->result);
}

#define assert_error(options, words, ...)                                                          \
	do {                                                                                       \
		struct run bad;                                                                    \
		PARSE(&bad, options, ##__VA_ARGS__);                                               \
		assert_int_equal(bad.rc, -EINVAL);                                                 \
		assert_string_equal(bad.result.error, words);                                      \
		done(&bad);                                                                        \
	} while (0)

#endif
