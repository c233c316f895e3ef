// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* offset: keeps the exchange that bounds the other clock's offset best. */
#include <netperf/offset.h>

#define DRIFT	   10000 /* one part in this many: 100 ppm, the worst of two crystals */
#define MOMENT_MAX (INT64_C(1) << 62)

/* The values may be anything; for two true times the difference is exact. */
static np_time minus(np_time a, np_time b)
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
	np_time away = minus(t4, t1), there = minus(t3, t2), under_way, bound;

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
		.offset = minus(minus(t2, t1), under_way / 2),
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
