/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* watch: what happens beside the I/O: signals, interval reports, the progress line. */
#ifndef WATCH_H
#define WATCH_H

#include "report.h"
#include "result.h"

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

#endif
