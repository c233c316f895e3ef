// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram-test: what UDP rate do these machines sustain, with what loss and disorder? */
#include "options.h"
#include "session.h"

#include <netperf/process.h>
#include <netperf/report.h>

/* malloc maps blocks from this size on: the windows of flows are large and mostly untouched. */
#define WINDOW_LEAST (32 * 1024)

static int run(int argc, char **argv, struct np_log *log)
{
	struct options options = {0};
	char text[NP_PROCESS_REASON_BYTES];
	int status;

	np_process_map_blocks(WINDOW_LEAST);
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
	struct np_log log = {.program = "datagram-test", .stream = stderr, .reason = &reason};

	return np_report_conclude(&log, run(argc, argv, &log));
}
