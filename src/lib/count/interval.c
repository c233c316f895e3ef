// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* interval: keeps reports on the grid that starts with the run. */
#include <netperf/interval.h>

/* The first moment of the grid after @now. */
static np_time next_due(const struct np_interval *interval, np_time now)
{
	if (interval->period <= 0)
		return NP_TIME_NEVER;

	const np_time passed =
		now > interval->begin ? (now - interval->begin) / interval->period : 0;
	np_time due;

	if (__builtin_mul_overflow(passed + 1, interval->period, &due) ||
	    __builtin_add_overflow(due, interval->begin, &due))
		return NP_TIME_NEVER;
	return due;
}

void np_interval_start(struct np_interval *interval, np_time now, np_time period)
{
	interval->begin = now;
	interval->mark = now;
	interval->period = period;
	interval->due = next_due(interval, now);
}

np_time np_interval_next(struct np_interval *interval, np_time now)
{
	const np_time length = now - interval->mark;

	interval->mark = now;
	interval->due = next_due(interval, now);
	return length;
}
