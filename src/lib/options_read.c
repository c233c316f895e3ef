// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_read: what every program does first with its command line. */
#include <errno.h>
#include <netperf/options.h>
#include <string.h>

static int answer(const struct np_options *options, const struct np_options_result *result,
		  const struct np_log *log)
{
	int rc = np_options_answer(options, result, stdout);

	if (rc)
		np_log_error(log, "stdout", "%s", strerror(-rc));
	return rc ? 1 : 0;
}

int np_options_read(const struct np_options *options, int argc, char *const argv[], void *values,
		    struct np_options_result *result, struct np_log *log)
{
	int rc = np_options_parse(options, argc, argv, values, result);

	if (rc)
		return np_log_refuse(log, NULL, "%s",
				     *result->error ? result->error : strerror(-rc));
	if (result->action != NP_OPTIONS_RUN)
		return answer(options, result, log);
	log->quiet = np_options_given(options, result, "quiet");
	log->verbose = np_options_given(options, result, "verbose");
	return -1;
}
