// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test: how many messages a second, when every member of a group hears every sender? */
#include "config/options.h"
#include "session.h"

#include <netperf/process.h>
#include <netperf/report.h>

static int run(int argc, char **argv, struct np_log *log)
{
	struct options options = {0};
	char text[NP_PROCESS_REASON_BYTES];
	int status;

	status = np_process_begin();
	if (status)
		return np_log_refuse(log, NULL, "%s", np_process_reason(status, text));
	status = options_read(&options, argc, argv, log);
	if (status < 0)
		status = session_run(&options, log);
	options_free(&options);
	return status;
}

int main(int argc, char **argv)
{
	struct np_log_reason reason = {.error = false};
	struct np_log log = {.program = "group-test", .stream = stderr, .reason = &reason};

	return np_report_conclude(&log, run(argc, argv, &log));
}
