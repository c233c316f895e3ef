// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * several: exercises several disks at the same time, each by a run in a thread of its own, and
 * reports a row for each and their sum; and measures one disk with one chunk size, or with several,
 * one after the other, with a row for each.
 */
#include "run.h"

#include <inttypes.h>

#define INDENT	12
#define LOOK_NS (20 * NP_MILLISECOND)

static void *exercise_one(void *context)
{
	struct run *run = context;

	run_measure(run);
	atomic_store(&run->over, true);
	return NULL;
}

/* Each has signals of its own, which the thread of the program passes on. Returns 0 or 2. */
static int prepare(struct exercise *exercise, const struct np_run *tool)
{
	int rc = 0;

	for (unsigned i = 0; i < exercise->count && !rc; i++) {
		struct run *run = &exercise->run[i];

		run->flow = run->options->path;
		run->own = *tool;
		run->tool = &run->own;
		run->own.signals = NULL;
		rc = np_signals_open_told(&run->own.signals);
	}
	return rc ? np_log_refuse(tool->log, "signals", "%s", strerror(-rc)) : 0;
}

/* Starts them; passes signals on and shows the status line until all have ended. */
static void run_all(struct exercise *exercise, const struct np_run *tool)
{
	const struct options *options = tool->options;
	const np_time begun = np_clock_now() + options->warm_up;
	const np_time end = options->duration ? begun + options->duration : NP_TIME_NEVER;
	unsigned left = exercise->count;

	for (struct run *run = exercise->run; run < exercise->run + exercise->count; run++) {
		const int rc = pthread_create(&run->thread, NULL, exercise_one, run);

		/* It may be over by now. */
		run->started = !rc;
		if (rc) {
			run->result.engine_error = -rc;
			atomic_store(&run->over, true);
		}
	}
	while (left) {
		const np_time now = np_clock_now();
		const unsigned taken = np_signals_take(tool->signals);

		left = exercise->count;
		for (unsigned i = 0; i < exercise->count; i++) {
			left -= atomic_load(&exercise->run[i].over);
			np_signals_tell(exercise->run[i].own.signals, taken);
		}
		if (now >= begun)
			report_status(exercise->run, exercise->count, now, begun, end);
		if (left)
			(void)np_clock_sleep_until(now + LOOK_NS);
	}
	for (unsigned i = 0; i < exercise->count; i++) {
		if (exercise->run[i].started)
			pthread_join(exercise->run[i].thread, NULL);
	}
}

/* A row for each disk, their sum, and what is wrong with any. */
static void report_all(const struct exercise *exercise, const struct result *sum,
		       const struct np_usage *usage)
{
	const struct options *options = exercise->run->options;
	struct np_report *report = exercise->run->tool->report;
	FILE *text = np_report_text(report);
	struct np_record *record;
	uint64_t damaged = 0;

	if (text) {
		np_block_line(text, INDENT,
			      "%s of %u disks: %s, chunks of %" PRIu64
			      " bytes, %s, queue depth %" PRIu64,
			      options_operations[options->operation], exercise->count,
			      options_modes[options->mode], options->chunk_bytes,
			      options->random ? "random" : "linear", options->queue_depth);
		if (options->operation == OPERATION_VERIFIED_WRITE)
			fprintf(text, "seed %" PRIu64 "\n", options->seed);
		np_block_target_heading(text, "disk", "MB/s", "I/O/s", "I/Os", "failed");
	}
	for (unsigned i = 0; i < exercise->count; i++) {
		report_part(&exercise->run[i]);
		damaged += report_damaged(&exercise->run[i]);
	}
	if (text) {
		report_target(text, "total", sum, damaged, "");
		np_block_line(
			text, INDENT, "%.2f MB in %.3f s, from the first I/O to the last of all",
			(double)sum->total.bytes / 1e6, np_clock_seconds(result_elapsed(sum)));
	}
	record = np_record_new("summary");
	np_record_count(record, "disks", exercise->count);
	record_rates(record, sum);
	np_record_count(record, "errors_sectors", sum->total.errors_sectors);
	if (sum->latency)
		np_record_histogram(record, "latency_ns", sum->latency, true);
	np_record_usage(record, usage);
	np_record_flag(record, "interrupted", sum->interrupted);
	np_report_write(report, record);
	for (unsigned i = 0; i < exercise->count; i++)
		report_remark(&exercise->run[i]);
}

int several_run(struct exercise *exercise, struct np_run *tool)
{
	struct np_usage usage = np_usage_now();
	int status = prepare(exercise, tool);
	struct result sum = {0};

	if (!status)
		run_all(exercise, tool);
	for (unsigned i = 0; i < exercise->count; i++) {
		np_signals_free(exercise->run[i].own.signals);
		status |= !status && run_is_bad(&exercise->run[i]);
	}
	if (status == 2)
		return status;
	usage = np_usage_since(&usage);
	/* The time of the sum is from the first I/O of all to the last. */
	(void)np_histogram_create(&sum.latency);
	for (unsigned i = 0; i < exercise->count; i++) {
		const struct result *result = &exercise->run[i].result;

		np_schema_add(result_columns, &sum, result);
		if (sum.latency)
			np_histogram_merge(sum.latency, result->latency);
		sum.interrupted |= result->interrupted;
	}
	if (sum.interrupted && !sum.begin && !status)
		status = -1;
	else
		report_all(exercise, &sum, &usage);
	np_histogram_free(sum.latency);
	return status;
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
		/* What makes the next step pointless. */
		last = run->result.interrupted || run->result.given_up_after ||
		       run->result.engine_error || run->result.cut || run->result.replaced;
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
