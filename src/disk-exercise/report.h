/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* report: prints the result as text and as records. */
#ifndef REPORT_H
#define REPORT_H

#include "result.h"
#include "target.h"

struct reporter {
	const struct options *options;
	const struct target *target;
	const struct np_log *log;
	struct np_report *out;
	const char *engine;
	unsigned depth;	    /* most I/Os in flight; fewer than asked for when the region has fewer
			       chunks */
	bool progress;	    /* draw a progress line: stderr is a terminal */
	bool drawn;	    /* a progress line is on the screen */
	unsigned intervals; /* reported so far */
	struct np_block_full *full; /* collects them for --report=full; else NULL */
};

/*
 * Opens the outputs. Returns 0, or exit status 2 after logging the error. report_close in any case.
 */
int report_open(struct reporter *reporter, const struct options *options, const struct np_log *log);

/* Returns @status, or 1 in place of 0 after logging that a result could not be written. */
int report_close(struct reporter *reporter, int status);

/* Reports the options, the target, the engine and its queue depth. */
void report_start(struct reporter *reporter, const struct target *target,
		  const struct np_engine *engine, unsigned depth);

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

/* The text form, report_text.c, and the record form, report_record.c. */
void report_text_interval(FILE *out, const struct reporter *reporter, const struct result *result,
			  np_time at, np_time length);
void report_text_summary(FILE *out, const struct reporter *reporter, const struct result *result);
struct np_record *report_record_start(const struct reporter *reporter);
struct np_record *report_record_interval(const struct result *result, np_time at, np_time length);
struct np_record *report_record_summary(const struct reporter *reporter,
					const struct result *result);

#endif
