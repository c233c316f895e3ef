// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * sweep: measures one disk with one chunk size, or with several, one after the other, with a row
 * for each; the summary is that of the smallest with which the disk is about as fast as with any.
 */
#include "run.h"

#include <inttypes.h>

/* What makes the next step pointless. */
static bool is_last(const struct result *result)
{
	return result->interrupted || result->given_up_after || result->engine_error ||
	       result->cut || result->replaced;
}

static void report_knee(const struct exercise *exercise, int knee)
{
	FILE *text = np_report_text(exercise->run->tool->report);

	if (text && knee < 0)
		fputs("knee: unknown\n\n", text);
	else if (text)
		fprintf(text,
			"knee: %" PRIu64
			" bytes, the smallest with at least 97 %% of the highest rate\n\n",
			exercise->run[knee].options->chunk_bytes);
}

int sweep_run(struct exercise *exercise)
{
	struct run *run = exercise->run, *end = run + exercise->count;
	const bool several = exercise->count > 1;
	FILE *text = np_report_text(run->tool->report);
	double rate[STEPS_MAX] = {0}; /* 0: does not count */
	bool bad = false, last = false;
	char bytes[24];
	int knee = -1;

	if (text && several)
		np_block_target_heading(text, "chunk", "MB/s", "I/O/s", "I/Os", "failed");
	for (; run < end && !last; run++) {
		/* Each step has codes of its own: data of the one before is stale. */
		if (run > exercise->run) {
			run->first_pass = run[-1].cursor.passes + 1;
			run->last_pass += run->last_pass ? run->first_pass : 0;
			run->cursor.passes = run->first_pass;
			/* Of what the step before has read. */
			bad |= run_drop_cache(run) != 0;
		}
		snprintf(bytes, sizeof(bytes), "%" PRIu64, run->options->chunk_bytes);
		run->flow = several ? bytes : NULL;
		run_measure(run);
		if (run_is_unbegun(run))
			break;
		last = is_last(&run->result);
		if (several)
			report_part(run);
		bad |= run_is_bad(run);
		if (!run_is_bad(run))
			rate[run - exercise->run] = np_units_rate(run->result.total.bytes,
								  result_elapsed(&run->result));
		else if (run + 1 < end && !last)
			report_remark(run);
	}
	if (run == exercise->run)
		return -1;
	/* A step that a signal ended before it began is as if the one before had been ended. */
	if (run < end && run_is_unbegun(run))
		run[-1].result.interrupted = true;
	run--;
	if (!run->result.interrupted)
		knee = np_block_knee(rate, exercise->count);
	/* What was wrong with the last one, if another one is summarised. */
	if (knee >= 0 && run_is_bad(run))
		report_remark(run);
	if (several)
		report_knee(exercise, knee);
	report_summary(knee >= 0 ? &exercise->run[knee] : run);
	return bad;
}
