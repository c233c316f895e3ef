// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * delay: counts one-way delays from a base near the smallest of them; keeps the exchange that
 * bounds the other clock's offset best.
 */
#include <errno.h>
#include <netperf/histogram.h>
#include <stdbool.h>
#include <stdlib.h>

/* How far delays may fall below the first one, when the clocks' offset is unknown. */
#define MARGIN (10 * NP_MILLISECOND)

struct np_delay {
	uint64_t count;
	__int128 sum; /* exact, ns */
	int64_t min, max;
	bool based;
	int64_t base; /* the histogram counts delay - base: small numbers are resolved finely */
	struct np_histogram *histogram;
};

static int64_t minus(int64_t a, int64_t b)
{
	return np_delay_between(b, a);
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

int np_delay_create(struct np_delay **delay)
{
	struct np_delay *d = calloc(1, sizeof(*d));

	*delay = NULL;
	if (!d)
		return -ENOMEM;
	if (np_histogram_create_sparse(&d->histogram)) {
		free(d);
		return -ENOMEM;
	}
	*delay = d;
	return 0;
}

void np_delay_free(struct np_delay *delay)
{
	if (!delay)
		return;
	np_histogram_free(delay->histogram);
	free(delay);
}

void np_delay_clear(struct np_delay *delay)
{
	np_histogram_clear(delay->histogram);
	*delay = (struct np_delay){.histogram = delay->histogram};
}

void np_delay_expect(struct np_delay *delay, np_time offset, np_time bound)
{
	if (delay->count)
		return;
	delay->based = true;
	delay->base = offset;
	/* An estimate is wrong by at most its bound; twice that allows for the clocks' drift. */
	if (bound)
		delay->base = minus(minus(minus(offset, bound), bound), NP_MICROSECOND);
}

void np_delay_add(struct np_delay *delay, int64_t delay_ns, uint64_t times)
{
	if (!delay->based) {
		delay->based = true;
		delay->base = minus(delay_ns, MARGIN);
	}
	if (!delay->count || delay_ns < delay->min)
		delay->min = delay_ns;
	if (!delay->count || delay_ns > delay->max)
		delay->max = delay_ns;
	delay->count += times;
	delay->sum += (__int128)delay_ns * (__int128)times;
	np_histogram_add_times(delay->histogram, minus(delay_ns, delay->base), times);
}

/*
 * Counts from the lower base @base from now on; without memory, lower delays count as the old base.
 */
static void lower_base(struct np_delay *delay, int64_t base)
{
	struct np_histogram *moved;

	if (np_histogram_create_sparse(&moved))
		return;
	np_histogram_merge_moved(moved, delay->histogram, minus(delay->base, base));
	np_histogram_free(delay->histogram);
	delay->histogram = moved;
	delay->base = base;
}

void np_delay_merge(struct np_delay *into, const struct np_delay *from)
{
	if (!from->count)
		return;
	if (!into->count) {
		into->based = true;
		into->base = from->base;
		into->min = from->min;
		into->max = from->max;
	}
	if (from->base < into->base)
		lower_base(into, from->base);
	np_histogram_merge_moved(into->histogram, from->histogram, minus(from->base, into->base));
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
}

/* Below the base the histogram has no information, and its ends are not exact. */
static int64_t percentile(const struct np_delay *delay, double percent)
{
	const int64_t value = plus(np_histogram_percentile(delay->histogram, percent), delay->base);

	if (value < delay->min)
		return delay->min;
	return value > delay->max ? delay->max : value;
}

void np_delay_figures(const struct np_delay *delay, struct np_histogram_figures *figures)
{
	*figures = (struct np_histogram_figures){.count = delay->count};
	if (!delay->count)
		return;
	figures->min = delay->min;
	figures->mean = (int64_t)(delay->sum / (__int128)delay->count);
	figures->p50 = percentile(delay, 50);
	figures->p90 = percentile(delay, 90);
	figures->p99 = percentile(delay, 99);
	figures->p999 = percentile(delay, 99.9);
	figures->max = delay->max;
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
