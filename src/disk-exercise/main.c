// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* disk-exercise: how fast is this disk, and does it give back what was written? */
#include "run.h"

#include <errno.h>
#include <string.h>

/* What a measurement needs, in the order in which it is created. */
struct session {
	struct reporter reporter;
	struct target target;
	struct run *run;
	struct watch watch;
	struct result result;
};

/* Returns 0, or the exit status after logging what failed. */
static int prepare(struct session *session, const struct options *options, const struct np_log *log)
{
	const char *engine = np_engine_variants[options->engine];
	int error;

	if (target_open(&session->target, options, log))
		return 2;
	error = run_create(&session->run, options, &session->target);
	if (error == -EPROTONOSUPPORT)
		np_log_error(log, "--engine", "%s: the kernel does not allow it here", engine);
	else if (error)
		np_log_error(log, "--engine", "%s: %s", engine, strerror(-error));
	/* Opens the reports last: a run that is refused must not empty a result file. */
	if (error || report_open(&session->reporter, options, log))
		return 2;
	target_introduce(&session->target, options, log);
	error = result_create(&session->result, options->rate.per_s > 0,
			      options->operation == OPERATION_VERIFIED_WRITE);
	if (!error)
		error = watch_open(&session->watch, &session->reporter);
	if (!error)
		error = np_privilege_drop();
	if (!error)
		error = watch_start(&session->watch);
	if (!error && options->drop_cache)
		error = np_disk_drop_cache(session->target.disk);
	if (error)
		np_log_error(log, options->path, "%s", strerror(-error));
	return error ? 2 : 0;
}

static int finish(struct session *session, int status)
{
	result_free(&session->result);
	watch_close(&session->watch);
	run_free(session->run);
	target_close(&session->target);
	return report_close(&session->reporter, status);
}

static int run(int argc, char **argv, struct np_log *log)
{
	struct session session = {0};
	struct options options = {0};
	char text[NP_PROCESS_REASON_BYTES];
	int status;

	status = np_process_begin();
	if (status)
		return np_log_refuse(log, NULL, "%s", np_process_reason(status, text));
	status = options_read(&options, argc, argv, log);
	if (status >= 0)
		return status;
	status = prepare(&session, &options, log);
	if (status)
		return finish(&session, status);
	report_start(&session.reporter, &session.target, run_engine(session.run),
		     run_depth(session.run));
	run_measure(session.run, &session.watch, &session.result);
	report_summary(&session.reporter, &session.result);
	status = result_bad(&session.result,
			    options.strict || options.operation == OPERATION_VERIFIED_WRITE);
	return finish(&session, status);
}

int main(int argc, char **argv)
{
	struct np_log_reason reason = {.error = false};
	struct np_log log = {.program = "disk-exercise", .stream = stderr, .reason = &reason};

	return np_report_conclude(&log, run(argc, argv, &log));
}
