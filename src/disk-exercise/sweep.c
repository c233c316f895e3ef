// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * sweep: measures several chunk sizes, one after the other, with a row for each; the summary is
 * that of the smallest with which the disk is about as fast as with any.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sweep {
	struct run *run;
	struct result step[STEPS_MAX];
	double rate[STEPS_MAX]; /* 0: does not count */
	unsigned count;
	char name[24]; /* of the present one: its bytes */
	bool bad;      /* a step failed, or found damage that counts */
};

/* What makes the next step pointless. */
static bool is_last(const struct result *result)
{
	return result->interrupted || result->given_up_after || result->engine_error ||
	       result->cut || result->replaced;
}

static void report_step(struct run *run)
{
	FILE *text = np_report_text(run->tool->report);

	if (text) {
		report_target(text, run->flow, &run->result, run_is_bad(run) ? "  failed" : "");
		fflush(text);
	}
	if (np_report_wants_records(run->tool->report))
		np_report_write(run->tool->report, record_result(run, "result"));
}

/* Makes @step that of the run. */
static void choose(struct sweep *sweep, unsigned step)
{
	struct run *run = sweep->run;
	const struct result last = run->result;

	run->result = sweep->step[step];
	sweep->step[step] = last;
	run_set_chunk(run, run->options->chunk[step]);
}

/* Measures all; 0 or -ENOMEM. The result of the last one stays in the run. */
static int measure(struct sweep *sweep)
{
	struct run *run = sweep->run;
	const struct options *options = run->options;

	for (unsigned i = 0; i < options->chunks; i++) {
		/* Each step has codes of its own: data of the one before is stale. */
		const uint64_t pass = i ? run->cursor.passes + 1 : 0;

		if (i)
			sweep->step[sweep->count - 1] = run->result;
		run_set_chunk(run, options->chunk[i]);
		run->cursor.passes = run->first_pass = pass;
		run->last_pass = options->passes ? run->first_pass + options->passes : 0;
		if (i && run_begin(run))
			return -ENOMEM;
		snprintf(sweep->name, sizeof(sweep->name), "%" PRIu64, options->chunk[i]);
		run->flow = sweep->name;
		run_measure(run);
		if (run->result.interrupted && !run->result.begin && !run_is_bad(run) && i) {
			choose(sweep, i - 1);
			run->result.interrupted = true;
			break;
		}
		sweep->count++;
		if (!run->result.begin && !run_is_bad(run))
			break;
		report_step(run);
		sweep->bad |= run_is_bad(run);
		if (!run_is_bad(run))
			sweep->rate[i] = np_units_rate(run->result.total.bytes,
						       result_elapsed(&run->result));
		else if (i + 1 < options->chunks && !is_last(&run->result))
			report_remark(run);
		if (is_last(&run->result))
			break;
	}
	return 0;
}

static void report_knee(const struct sweep *sweep, int knee)
{
	const struct run *run = sweep->run;
	FILE *text = np_report_text(run->tool->report);

	if (text && knee < 0)
		fputs("knee: unknown\n\n", text);
	else if (text)
		fprintf(text,
			"knee: %" PRIu64
			" bytes, the smallest with at least 97 %% of the highest rate\n\n",
			run->options->chunk[knee]);
}

int sweep_run(struct run *run)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));
	FILE *text = np_report_text(run->tool->report);
	int status = 0, knee = -1;

	if (!sweep)
		return np_log_refuse(run->tool->log, NULL, "%s", strerror(ENOMEM));
	sweep->run = run;
	if (text)
		np_block_target_heading(text, "chunk", "MB/s", "I/O/s", "I/Os", "failed");
	if (measure(sweep)) {
		np_log_error(run->tool->log, NULL, "%s", strerror(ENOMEM));
		status = 1;
	} else if (run->result.interrupted && !run->result.begin && sweep->count == 1 &&
		   !run_is_bad(run)) {
		status = np_log_refuse(run->tool->log, NULL,
				       "interrupted before the measured run began");
	} else {
		const unsigned last = sweep->count - 1;

		status = sweep->bad;
		/* What was wrong with the last one, if another one is summarised. */
		if (!run->result.interrupted)
			knee = np_block_knee(sweep->rate, sweep->count);
		if (knee >= 0 && run_is_bad(run))
			report_remark(run);
		report_knee(sweep, knee);
		if (knee >= 0 && (unsigned)knee != last)
			choose(sweep, (unsigned)knee);
		report_summary(run);
	}
	for (unsigned i = 0; i < STEPS_MAX; i++)
		result_free(&sweep->step[i]);
	free(sweep);
	return status;
}
