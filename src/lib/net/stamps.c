// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stamps: reads both clocks once per batch, and handles steps of the wall clock. */
#include "stamps.h"

#include <time.h>

/* The kernel slews the wall clock by at most 500 ppm; its tick may add a little. */
#define SLEW_PER_TIME 1000
#define STEP_MIN      (50 * NP_MICROSECOND)

static np_time by_pair(const struct np_clock_pair *pair, np_time realtime)
{
	return realtime - pair->realtime + pair->monotonic;
}

/* Whether the wall clock was stepped between two pairs: stamps converted by either are void then.
 */
static bool has_stepped(const struct np_clock_pair *before, const struct np_clock_pair *after)
{
	const np_time passed = after->monotonic - before->monotonic;
	const np_time step = after->realtime - before->realtime - passed;
	const np_time tolerance = STEP_MIN + passed / SLEW_PER_TIME + before->error + after->error;

	return step > tolerance || step < -tolerance;
}

void stamps_start(struct stamps *stamps, const char **source)
{
	stamps->source = source;
	stamps->pair = np_clock_pair_read();
	stamps->now = stamps->pair.monotonic;
	stamps->stepped = false;
	*source = "kernel";
}

/* A complete pair takes fifteen clock readings, this check only two per batch. */
static bool still_paired(struct stamps *stamps)
{
	struct timespec wall;
	np_time apart;

	stamps->now = np_clock_now();
	clock_gettime(CLOCK_REALTIME, &wall);
	apart = by_pair(&stamps->pair, wall.tv_sec * NP_SECOND + wall.tv_nsec) - stamps->now;
	return apart >= -NP_MICROSECOND && apart <= NP_MICROSECOND;
}

void stamps_batch(struct stamps *stamps)
{
	struct np_clock_pair pair;

	if (still_paired(stamps))
		return;
	pair = np_clock_pair_read();
	/* The stamps of this batch may be from either side of the step. */
	if (has_stepped(&stamps->pair, &pair)) {
		stamps->stepped = true;
		*stamps->source = "user";
	}
	stamps->pair = pair;
	stamps->now = pair.monotonic;
}

np_time stamps_convert(const struct stamps *stamps, np_time realtime)
{
	np_time stamp;

	if (stamps->stepped)
		return stamps->now;
	stamp = by_pair(&stamps->pair, realtime);
	return stamp < stamps->now ? stamp : stamps->now;
}
