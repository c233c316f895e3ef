// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise: how fast and how clean is ATA over Ethernet between here and a target? */
#include "session.h"

static int run(int argc, char **argv, struct np_log *log)
{
	struct options options = {0};
	char text[NP_PROCESS_REASON_BYTES];
	int status;

	status = np_process_begin();
	if (status)
		return np_log_refuse(log, NULL, "%s", np_process_reason(status, text));
	status = options_read(&options, argc, argv, log);
	if (status >= 0)
		return status;
	if (options.target.list)
		return session_list(&options, log);
	return session_exercise(&options, log);
}

int main(int argc, char **argv)
{
	struct np_log_reason reason = {.error = false};
	struct np_log log = {.program = "aoe-exercise", .stream = stderr, .reason = &reason};

	return np_report_conclude(&log, run(argc, argv, &log));
}
