// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp: throughput and delay of TCP, UDP and multicast. */
#include "config/options.h"
#include "files/convert.h"
#include "session/session_state.h"

#include <netperf/process.h>
#include <netperf/report.h>

static int run(int argc, char **argv, struct np_log *log)
{
	struct options options;
	char text[NP_PROCESS_REASON_BYTES];
	int status;

	status = np_process_begin();
	if (status)
		return np_log_refuse(log, NULL, "%s", np_process_reason(status, text));
	status = options_read(&options, argc, argv, log);
	if (status < 0 && options_converts(&options))
		status = convert_run(&options, log);
	if (status < 0)
		status = session_run(&options, log);
	options_free(&options);
	return status;
}

int main(int argc, char **argv)
{
	struct np_log_reason reason = {.error = false};
	struct np_log log = {.program = "ttcp", .stream = stderr, .reason = &reason};

	return np_report_conclude(&log, run(argc, argv, &log));
}
