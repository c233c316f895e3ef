/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* report: the result as text for people and as records for programs. */
#ifndef REPORT_H
#define REPORT_H

#include "options.h"
#include "result.h"
#include "target.h"

struct reporter {
	const struct options *options;
	const struct target *target;
	const struct np_log *log;
	struct np_report *out;
	const char *engine;
	unsigned depth; /* most I/Os in flight; less than asked when the region has fewer chunks */
	bool progress;	/* stderr is a terminal that wants a line */
	bool drawn;	/* there is one */
	unsigned intervals; /* reported so far */
};

/* Opens the outputs. Returns 0, or exit status 2 after logging what failed. Close in any case. */
int report_open(struct reporter *reporter, const struct options *options, const struct np_log *log);

/* Returns @status, or 1 in place of 0 after logging that a result was not written. */
int report_close(struct reporter *reporter, int status);

/* The options, the target, the engine and its queue depth. */
void report_start(struct reporter *reporter, const struct target *target,
		  const struct np_engine *engine, unsigned depth);

/* What was done since @result->mark, in @length ns, @at ns into the run. */
void report_interval(struct reporter *reporter, const struct result *result, np_time at,
		     np_time length);

/* The same of what is left at the end, where intervals were asked for and there is any. */
void report_rest(struct reporter *reporter, const struct result *result, np_time at,
		 np_time length);

/* One line on the terminal that the next one overwrites. */
void report_progress(struct reporter *reporter, const struct result *result, np_time at);

void report_summary(struct reporter *reporter, const struct result *result);

/* report_text.c and report_record.c: the two forms. */
void report_text_interval(FILE *out, const struct reporter *reporter, const struct result *result,
			  np_time at, np_time length);
void report_text_summary(FILE *out, const struct reporter *reporter, const struct result *result);
struct np_record *report_record_start(const struct reporter *reporter);
struct np_record *report_record_interval(const struct result *result, np_time at, np_time length);
struct np_record *report_record_summary(const struct reporter *reporter,
					const struct result *result);

#endif
