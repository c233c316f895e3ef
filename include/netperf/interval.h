/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * interval: when the next report is due, and which span it covers: the run's whole life, or the
 * time since the last report ("now"). Pure: the clock is an argument. Reports stay on the grid
 * begun at the start; one that was missed is not made up for.
 */
#ifndef NETPERF_INTERVAL_H
#define NETPERF_INTERVAL_H

#include <netperf/clock.h>
#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_interval {
	np_time begin;	/* of the run */
	np_time mark;	/* of the running interval */
	np_time period; /* 0: reports only on demand */
	np_time due;	/* NP_TIME_NEVER when @period is 0 */
};

void np_interval_start(struct np_interval *interval, np_time now, np_time period);

/* True when a report is due at @now. */
static inline bool np_interval_due(const struct np_interval *interval, np_time now)
{
	return now >= interval->due;
}

/* Closes the running interval at @now and opens the next one. Returns its true length. */
np_time np_interval_turn(struct np_interval *interval, np_time now);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
