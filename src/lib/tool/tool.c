// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tool: reads the command line of a program; its phases, and what each leaves for the next. */
#include <netperf/tool.h>

#include "../base/options.h"
#include "../base/record.h"
#include "../mesh/launch_state.h"
#include "../report/block.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* With fewer no program can run: the standard streams, what it measures by, and signals. */
#define DESCRIPTORS_LEAST 6

/*
 * So that no descriptor or signal state that the program inherits does harm later. Opens closed
 * descriptors among 0 to 2 on /dev/null; otherwise the first socket or disk would get such a
 * number, and with it the text. Reading the first and writing the others still fails (EBADF), so
 * that a result that goes nowhere is an error. With SIGXFSZ ignored a write to a file that reaches
 * its size limit fails, and the summary is still printed; with SIGPIPE ignored a write to a reader
 * that has gone fails, and ends the run in order (report.h). Returns 0 or the exit status 2.
 */
static int begin_process(const struct np_log *log)
{
	struct rlimit files;
	sigset_t report;

	/* open() returns the lowest free number. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return np_log_refuse(log, NULL,
					     "/dev/null: %s, and a standard stream is closed",
					     strerror(errno));
	}
	/* Ranks, clients and streams need descriptors of their own. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
		if (files.rlim_max < DESCRIPTORS_LEAST)
			return np_log_refuse(log, NULL,
					     "%llu file descriptors (ulimit -n) are too few; at "
					     "least %d are needed",
					     (unsigned long long)files.rlim_max, DESCRIPTORS_LEAST);
	}
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	/* Who asks for a report early must not end the program: it waits for np_signals_start. */
	sigemptyset(&report);
	sigaddset(&report, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &report, NULL);
	return 0;
}

int np_options_read(const struct np_options *options, int argc, char *const argv[], void *values,
		    struct np_options_result *result, struct np_log *log)
{
	int rc = options_parse(options, argc, argv, values, result);
	bool json = false, mesh = false;
	uint32_t rank = 0;

	result->log = log;
	/*
	 * Whether standard output is to have JSON, found before the options are known to be right.
	 * Of the ranks of a mesh only the first one writes it.
	 */
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		json |= !strcmp(argv[i], "--json");
		mesh |= !strcmp(argv[i], "--mesh");
	}
	if (mesh)
		(void)launch_expected_rank(&rank);
	if (log->reason)
		log->reason->record = json && !rank;
	if (rc)
		return np_log_refuse(log, NULL, "%s",
				     *result->error ? result->error : strerror(-rc));
	if (result->action != NP_OPTIONS_RUN) {
		rc = options_answer(result, stdout);
		return rc ? np_log_refuse(log, "stdout", "%s", np_output_reason(rc)) : 0;
	}
	log->quiet = np_options_given(result, "quiet");
	log->verbose = np_options_given(result, "verbose");
	if (log->reason)
		log->reason->holds = np_options_given(result, "mesh");
	return -1;
}

static int open_outputs(struct np_run *run)
{
	struct np_report_options *report = (void *)((char *)run->options + run->tool->report);
	const bool records = (report->json && !strcmp(report->json, "-")) ||
			     (report->csv && !strcmp(report->csv, "-"));
	const int terminal = fileno(run->log->stream);

	if (report->metrics && !report->interval)
		report->interval = NP_REPORT_METRICS_INTERVAL;
	run->full = report->layout == NP_REPORT_FULL ? block_full_create() : NULL;
	if (report->layout == NP_REPORT_FULL && !run->full)
		return np_log_refuse(run->log, NULL, "%s", strerror(ENOMEM));
	/* Not among JSON or CSV on the same terminal; and a mesh has many processes on one. */
	if (isatty(terminal) && !report->quiet && !np_options_given(&run->given, "mesh") &&
	    !(records && isatty(STDOUT_FILENO)) && status_create(&run->log->status, terminal))
		return np_log_refuse(run->log, NULL, "%s", strerror(ENOMEM));
	return np_report_begin(&run->report, report, run->log) ? 2 : 0;
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

static int carry_out(struct np_run *run)
{
	int status = open_outputs(run);

	if (!status) {
		status = open_program(run);
		if (!status)
			status = run->tool->work(run);
		status = run->tool->close(run, status);
	}
	np_drops_free(run->drops);
	np_signals_free(run->signals);
	block_full_free(run->full);
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
	int status = begin_process(&log);

	if (!status && (!options || !run.state))
		status = np_log_refuse(&log, NULL, "%s", strerror(ENOMEM));
	else if (!status)
		status = np_options_read(tool->options, argc, argv, options, &run.given, &log);
	if (status < 0)
		status = tool->check(&run);
	if (status < 0)
		status = carry_out(&run);
	np_options_result_free(&run.given);
	free(options);
	free(run.state);
	status_free(log.status);
	log.status = NULL;
	return report_conclude(&log, status);
}
