// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* pace: sleeps to absolute moments, with a short spin of adaptive length. */
#include "publisher.h"

#include <netperf/wait.h>

/* A request to stop is noticed within this time. */
#define LOOK (20 * NP_MILLISECOND)
/*
 * The spin's length changes in steps of 1 : 50, so that about one wake-up in fifty is later than
 * the spin allows for.
 */
#define STEP_DOWN (NP_MICROSECOND / 50)
#define STEP_UP	  NP_MICROSECOND

void pace_open(struct pace *pace)
{
	*pace = (struct pace){0};
	np_wait_end_on_time();
}

void pace_start(struct pace *pace, double rate_bytes_per_s, uint64_t bytes, np_time now)
{
	if (pace->pacer.worst_behind > pace->worst_behind)
		pace->worst_behind = pace->pacer.worst_behind;
	np_pacer_start(&pace->pacer, rate_bytes_per_s, now);
	pace->spin_limit = PACE_SPIN_MAX;
	if (rate_bytes_per_s > 0) {
		double gap = (double)bytes / rate_bytes_per_s * (double)NP_SECOND;

		if (gap * PACE_SPIN_PERCENT / 100 < (double)PACE_SPIN_MAX)
			pace->spin_limit = (np_time)(gap * PACE_SPIN_PERCENT / 100);
	}
}

static void adapt(struct pace *pace, np_time woken_late)
{
	pace->spin += woken_late > pace->spin ? STEP_UP : -STEP_DOWN;
	if (pace->spin < 0)
		pace->spin = 0;
	if (pace->spin > pace->spin_limit)
		pace->spin = pace->spin_limit;
}

static np_time sleep_towards(struct pace *pace, np_time wake, np_time deadline, np_time now)
{
	np_time until = wake - now > LOOK ? now + LOOK : wake;

	if (until > deadline)
		until = deadline;
	(void)np_clock_sleep_until(until);
	now = np_clock_now();
	if (until == wake)
		adapt(pace, now - wake);
	return now;
}

np_time pace_wait(struct pace *pace, uint64_t bytes, np_time deadline, const _Atomic int *phase)
{
	np_time due = np_pacer_next(&pace->pacer), now = np_clock_now();

	if (pace->pacer.rate_per_s <= 0)
		return now;
	while (now < due && now < deadline && !atomic_load_explicit(phase, memory_order_relaxed)) {
		if (now < due - pace->spin)
			now = sleep_towards(pace, due - pace->spin, deadline, now);
		else
			now = np_clock_now();
	}
	if (now < due)
		return now;
	np_pacer_took(&pace->pacer, now, bytes);
	if (pace->pacer.worst_behind > pace->worst_behind)
		pace->worst_behind = pace->pacer.worst_behind;
	return now;
}
