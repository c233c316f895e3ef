/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* run: keeps the queue filled until the test ends, and counts what completes. */
#ifndef RUN_H
#define RUN_H

#include "report.h"

struct watch {
	struct np_signals *signals;
	struct reporter *reporter;
	struct np_interval interval;
	np_time next_look;
	np_time next_progress; /* NP_TIME_NEVER when none is drawn */
	bool report_asked;     /* by a signal, also before the measured run */
};

/* Returns 0 or -errno; watch_close in any case. */
int watch_open(struct watch *watch, struct reporter *reporter);
void watch_close(struct watch *watch);

/* Called after privileges are dropped. Returns 0 or -errno of np_signals_start. */
int watch_start(struct watch *watch);

/* The measured run starts: the first report is due an interval later. */
void watch_begin(struct watch *watch, np_time now);

/* To be called at @next_look or later. Returns false when a signal asks to end the run. */
bool watch_look(struct watch *watch, np_time now, struct result *result);

/*
 * The measured run is over: reports the rest after the last interval. That and @result end at one
 * moment.
 */
void watch_end(struct watch *watch, struct result *result);

struct run;

/*
 * Allocates everything that the run needs. Returns 0 or -errno of np_engine_open; then *@run is
 * NULL.
 */
int run_create(struct run **run, const struct options *options, const struct target *target);

/* NULL is allowed. */
void run_free(struct run *run);

const struct np_engine *run_engine(const struct run *run);

/* Most I/Os in flight: as many as asked for, or as the region has chunks if that is less. */
unsigned run_depth(const struct run *run);

/* Runs until the time is over, a signal comes, or too many I/Os fail. Fills @result. */
void run_measure(struct run *run, struct watch *watch, struct result *result);

#endif
