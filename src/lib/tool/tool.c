// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tool: the phases of a program, and what each leaves for the next. */
#include <netperf/tool.h>

#include <errno.h>
#include <netperf/privilege.h>
#include <netperf/process.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_outputs(struct np_run *run, const char *options)
{
	const struct np_report_options *report = (const void *)(options + run->tool->report);
	const unsigned *layout = (const void *)(options + run->tool->layout);

	if (*layout == NP_REPORT_FULL && np_block_full_create(&run->full))
		return np_log_refuse(run->log, NULL, "%s", strerror(ENOMEM));
	if (np_report_begin(&run->report, report, run->log))
		return 2;
	run->progress = np_report_text(run->report) && !report->quiet && report->interval == 0 &&
			isatty(fileno(run->log->stream));
	return 0;
}

/* While the program opens its own, a signal still ends it: a disk may hang. */
static int open_program(struct np_run *run)
{
	int status = run->tool->open(run), rc;

	if (status)
		return status;
	rc = np_signals_open(&run->signals);
	if (rc)
		return np_log_refuse(run->log, "signals", "%s", strerror(-rc));
	rc = np_privilege_drop();
	if (rc)
		return np_log_refuse(run->log, "privileges", "cannot be dropped: %s",
				     strerror(-rc));
	rc = np_signals_start(run->signals);
	return rc ? np_log_refuse(run->log, "signals", "%s", strerror(-rc)) : 0;
}

static int carry_out(struct np_run *run, const char *options)
{
	int status = open_outputs(run, options);

	if (!status) {
		status = open_program(run);
		if (!status)
			status = run->tool->work(run);
		status = run->tool->close(run, status);
	}
	np_drops_free(run->drops);
	np_signals_free(run->signals);
	np_block_full_free(run->full);
	return np_report_end(run->report, status, run->log);
}

int np_tool_main(const struct np_tool *tool, int argc, char *argv[], FILE *errors)
{
	struct np_log_reason reason = {.error = false};
	struct np_log log = {
		.program = tool->options->program, .stream = errors, .reason = &reason};
	char *options = calloc(1, tool->options_bytes);
	struct np_run run = {
		.tool = tool,
		.options = options,
		.state = calloc(1, tool->state_bytes),
		.log = &log,
	};
	char text[NP_PROCESS_REASON_BYTES];
	int status = np_process_begin();

	if (status)
		status = np_log_refuse(&log, NULL, "%s", np_process_reason(status, text));
	else if (!options || !run.state)
		status = np_log_refuse(&log, NULL, "%s", strerror(ENOMEM));
	else
		status = np_options_read(tool->options, argc, argv, options, &run.given, &log);
	if (status < 0)
		status = tool->check(&run);
	if (status < 0 && options)
		status = carry_out(&run, options);
	np_options_result_free(&run.given);
	free(options);
	free(run.state);
	return np_report_conclude(&log, status);
}
