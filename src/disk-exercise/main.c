// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* disk-exercise: how fast is this disk, and does it give back what was written? */
#include "run.h"

#include <errno.h>
#include <string.h>

/* What a measurement needs, in the order in which it is created. */
struct session {
	struct target target;
	struct run *run;
	struct result result;
	struct reporter reporter;
};

/* Judges the target before anything else is prepared, and introduces it once all is. */
static int open_target(struct np_run *run)
{
	struct session *session = run->state;
	const struct options *options = run->options;
	const char *engine = np_engine_variants[options->engine];
	int error;

	if (target_open(&session->target, options, run->log))
		return 2;
	error = run_create(&session->run, options, &session->target);
	if (error == -EPROTONOSUPPORT)
		return np_log_refuse(run->log, "--engine", "%s: the kernel does not allow it here",
				     engine);
	if (error)
		return np_log_refuse(run->log, "--engine", "%s: %s", engine, strerror(-error));
	target_introduce(&session->target, options, run->log);
	error = result_create(&session->result, options->rate.per_s > 0,
			      options->operation == OPERATION_VERIFIED_WRITE);
	return error ? np_log_refuse(run->log, options->path, "%s", strerror(-error)) : 0;
}

/* From the first I/O to the summary: the exit status tells whether all went well. */
static int measure(struct np_run *run)
{
	struct session *session = run->state;
	const struct options *options = run->options;
	const bool strict = options->strict || options->operation == OPERATION_VERIFIED_WRITE;
	int error = options->drop_cache ? np_disk_drop_cache(session->target.disk) : 0;

	if (error)
		return np_log_refuse(run->log, options->path, "%s", strerror(-error));
	session->reporter =
		(struct reporter){.run = run, .options = options, .target = &session->target};
	run_measure(session->run, &session->reporter, &session->result);
	/* What the warm-up has found counts, too. */
	if (session->result.interrupted && !session->result.begin &&
	    !result_bad(&session->result, strict))
		return np_log_refuse(run->log, NULL, "interrupted before the measured run began");
	report_summary(&session->reporter, &session->result);
	return result_bad(&session->result, strict);
}

static int close_target(struct np_run *run, int status)
{
	struct session *session = run->state;

	result_free(&session->result);
	run_free(session->run);
	np_disk_free(session->target.disk);
	return status;
}

int main(int argc, char **argv)
{
	static const struct np_tool tool = {
		.options = &options_table,
		.options_bytes = sizeof(struct options),
		.state_bytes = sizeof(struct session),
		.report = offsetof(struct options, report),
		.layout = offsetof(struct options, layout),
		.check = options_check,
		.open = open_target,
		.work = measure,
		.close = close_target,
	};

	return np_tool_main(&tool, argc, argv, stderr);
}
