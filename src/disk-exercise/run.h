/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * run: the disk under test, the loop that keeps the queue filled until the test ends and counts
 * what completes, and the report of that as text and as records.
 */
#ifndef RUN_H
#define RUN_H

#include "options.h"
#include "result.h"

/* Judged before it is used, with the region of it that the test covers. */
struct target {
	const char *path;
	struct np_disk *disk;
	struct np_guard_verdict verdict; /* FREE when the target is only read */
	uint64_t begin_bytes;		 /* the region: multiples of 512 and, in direct mode, */
	uint64_t length_bytes;		 /* of the logical block */
	uint64_t step_bytes;		 /* an I/O must start and end at multiples of it */
};

struct reporter {
	const struct np_run *run;
	const struct options *options;
	const struct target *target;
	const char *engine;
	unsigned depth;	    /* most I/Os in flight; fewer than asked for when the region has fewer
			       chunks */
	bool drawn;	    /* a progress line is on the screen */
	unsigned intervals; /* reported so far */
};

/* Reports the options, the target, the engine and its queue depth. */
void report_start(struct reporter *reporter, const struct np_engine *engine, unsigned depth);

/*
 * Reports what was done since @result->mark, in @length ns, @at ns into the run. @asked: by a
 * signal.
 */
void report_interval(struct reporter *reporter, const struct result *result, np_time at,
		     np_time length, bool asked);

/* Reports the rest after the last interval, if intervals were asked for and anything is left. */
void report_rest(struct reporter *reporter, const struct result *result, np_time at,
		 np_time length);

/* Draws the progress line over the last one. */
void report_progress(struct reporter *reporter, const struct result *result, np_time at);

void report_summary(struct reporter *reporter, const struct result *result);

struct run;

/*
 * Allocates everything that the run needs. Returns 0 or -errno of np_engine_open; then *@run is
 * NULL.
 */
int run_create(struct run **run, const struct options *options, const struct target *target);

/* NULL is allowed. */
void run_free(struct run *run);

/*
 * Runs until the time is over, a signal comes, or too many I/Os fail. Fills @result, and reports
 * the start and intervals by @reporter.
 */
void run_measure(struct run *run, struct reporter *reporter, struct result *result);

#endif
