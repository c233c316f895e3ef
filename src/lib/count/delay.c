// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delay: keeps the exchange that bounds the other clock's offset best; corrects delays by it. */
#include <netperf/histogram.h>

static int64_t minus(int64_t a, int64_t b)
{
	return np_delay_between(b, a);
}

void np_delay_correct(const struct np_histogram_figures *raw, np_time offset,
		      struct np_histogram_figures *corrected)
{
	*corrected = (struct np_histogram_figures){
		.count = raw->count,
		.min = minus(raw->min, offset),
		.mean = minus(raw->mean, offset),
		.p50 = minus(raw->p50, offset),
		.p90 = minus(raw->p90, offset),
		.p99 = minus(raw->p99, offset),
		.p999 = minus(raw->p999, offset),
		.max = minus(raw->max, offset),
	};
}

#define DRIFT	   10000 /* one part in this many: 100 ppm, the worst of two crystals */
#define MOMENT_MAX (INT64_C(1) << 62)

/* The values may be anything; for two true times the difference is exact. */
static np_time apart(np_time a, np_time b)
{
	return (np_time)((uint64_t)a - (uint64_t)b);
}

np_time np_offset_bound(const struct np_offset *offset, np_time now)
{
	uint64_t since = now > offset->at ? (uint64_t)now - (uint64_t)offset->at : 0;

	return offset->bound + (np_time)(since / DRIFT);
}

bool np_offset_add(struct np_offset *offset, np_time t1, np_time t2, np_time t3, np_time t4)
{
	np_time away = apart(t4, t1), there = apart(t3, t2), under_way, bound;

	if (away < 0 || away > NP_OFFSET_EXCHANGE_MAX || there < 0 || there > away)
		return false;
	under_way = away - there;
	bound = (under_way + 1) / 2 + away / DRIFT;
	if (offset->known && bound > np_offset_bound(offset, t4))
		return false;
	/*
	 * t2 - t1 and t3 - t4 differ by the travel time: half the sum is the offset if both ways
	 * are equal.
	 */
	*offset = (struct np_offset){
		.known = true,
		.offset = apart(apart(t2, t1), under_way / 2),
		.bound = bound,
		.at = t4,
	};
	return true;
}

np_time np_offset_correct(const struct np_offset *offset, np_time theirs)
{
	np_time ours;

	if (__builtin_sub_overflow(theirs, offset->offset, &ours))
		return theirs < 0 ? -MOMENT_MAX : MOMENT_MAX;
	if (ours > MOMENT_MAX)
		return MOMENT_MAX;
	return ours < -MOMENT_MAX ? -MOMENT_MAX : ours;
}
