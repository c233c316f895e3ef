/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* report: turns targets and results into text for people and records for programs. */
#ifndef AOE_EXERCISE_REPORT_H
#define AOE_EXERCISE_REPORT_H

#include "options.h"
#include "result.h"

struct reporter {
	const struct np_run *run;
	const struct options *options;
	const struct target *target;
	const char *link;   /* variant in use */
	const char *stamps; /* where arrival times come from */
	struct {
		struct tally last;     /* as of the last interval */
		uint64_t last_damaged; /* sectors, at that time */
		np_time last_at;
		np_time at;	/* time of the last interval or progress line */
		uint64_t bytes; /* at that time */
		unsigned rows;	/* reported */
	} exchange;		/* the present one: zeros when it begins */
	bool in_sweep;
	unsigned steps; /* printed */
};

/* Writes the "start" record, with what is known of target and link. */
void report_start(struct reporter *reporter);

/* Reports an interval: an exchange_observer's function; @owner is the reporter. */
void report_interval(void *owner, const struct result *life, np_time length, bool asked);

/* Reports the rest after the last interval, at the end: the observer's other function. */
void report_rest(void *owner, const struct result *life, np_time length);

/* Reports one step of a sweep. */
void report_step(struct reporter *reporter, const struct result *result);

/*
 * Reports the knee of a sweep among @count steps; @knee may be -1 (every step lost packets),
 * SWEEP_CUT_SHORT or SWEEP_HELD_BACK.
 */
void report_knee(struct reporter *reporter, const struct sweep_step *steps, size_t count, int knee);

/* Reports the summary of a single exchange, or of a sweep's knee or last step. */
void report_summary(struct reporter *reporter, const struct result *result, int knee_window);

/* The unit of rates by --unit, and a rate in it. */
const char *report_rate_unit(const struct options *options);
double report_rate(const struct options *options, uint64_t bytes, np_time elapsed);

/* "  errors 5": those counts that are not 0. Returns @text. */
struct report_extra {
	uint64_t count;
	const char *name;
};
#define REPORT_EXTRAS 256
const char *report_extras(const struct report_extra *extra, size_t count, char text[REPORT_EXTRAS]);

/* Reports what --list found. */
void report_targets(struct reporter *reporter, const struct target *targets, unsigned count);

/* Each returns a record to be handed to np_report_write, or NULL when out of memory. */
struct np_record *record_start(const struct reporter *reporter);
struct np_record *record_interval(const struct reporter *reporter, const struct result *life,
				  const struct tally *now, np_time length);
struct np_record *record_step(const struct reporter *reporter, const struct result *result);
struct np_record *record_summary(const struct reporter *reporter, const struct result *result,
				 int knee_window);
struct np_record *record_target(const struct target *target);

/* The word for it, as in netperf-json(5). */
const char *record_ending(enum ending ending);

#endif
