/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* report: prints the result as text and as records. */
#ifndef REPORT_H
#define REPORT_H

#include "result.h"
#include "target.h"

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

#endif
