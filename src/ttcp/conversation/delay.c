// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delay: raw one-way delays, counted from a base near the smallest of them. */
#include "delay.h"

#include <errno.h>

/* What delays may fall below the first one, when nothing tells the clocks apart. */
#define MARGIN (10 * NP_MILLISECOND)

/* Clocks of others may say anything: no difference of them may overflow. */
static int64_t minus(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < b ? INT64_MIN : INT64_MAX;
	return difference;
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

int delay_create(struct delay *delay)
{
	*delay = (struct delay){0};
	return np_histogram_create(&delay->histogram);
}

void delay_free(struct delay *delay)
{
	np_histogram_free(delay->histogram);
	delay->histogram = NULL;
}

void delay_clear(struct delay *delay)
{
	delay->count = 0;
	delay->sum = 0;
	delay->min = 0;
	delay->max = 0;
	delay->based = false;
	np_histogram_clear(delay->histogram);
}

void delay_expect(struct delay *delay, const struct message_clock *clock)
{
	if (delay->count)
		return;
	delay->based = clock && clock->known;
	/* An estimate is wrong by its bound at most; the double for what the clocks drift. */
	if (delay->based)
		delay->base = minus(minus(minus(clock->offset, clock->bound), clock->bound),
				    NP_MICROSECOND);
}

void delay_add(struct delay *delay, int64_t raw, uint64_t times)
{
	if (!delay->based) {
		delay->based = true;
		delay->base = minus(raw, MARGIN);
	}
	if (!delay->count || raw < delay->min)
		delay->min = raw;
	if (!delay->count || raw > delay->max)
		delay->max = raw;
	delay->count += times;
	delay->sum += (__int128)raw * (__int128)times;
	np_histogram_add_times(delay->histogram, minus(raw, delay->base), times);
}

/* Counts from the lower base @base from now on; without memory what is below stays at the old one.
 */
static void lower_base(struct delay *delay, int64_t base)
{
	struct np_histogram *moved;

	if (np_histogram_create(&moved))
		return;
	np_histogram_merge_moved(moved, delay->histogram, minus(delay->base, base));
	np_histogram_free(delay->histogram);
	delay->histogram = moved;
	delay->base = base;
}

void delay_merge(struct delay *into, const struct delay *from)
{
	if (!from->count)
		return;
	if (!into->count) {
		into->based = true;
		into->base = from->base;
	}
	if (from->base < into->base)
		lower_base(into, from->base);
	if (from->base == into->base)
		np_histogram_merge(into->histogram, from->histogram);
	else
		np_histogram_merge_moved(into->histogram, from->histogram,
					 minus(from->base, into->base));
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (!into->count || from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
}

/* Below the base the histogram knows nothing, and its ends are not exact. */
static int64_t percentile(const struct delay *delay, double percent)
{
	const int64_t value = plus(np_histogram_percentile(delay->histogram, percent), delay->base);

	if (value < delay->min)
		return delay->min;
	return value > delay->max ? delay->max : value;
}

void delay_figures(const struct delay *delay, struct np_histogram_figures *figures)
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

bool delay_correct(const struct np_histogram_figures *raw, const struct message_clock *clock,
		   struct np_histogram_figures *corrected)
{
	if (!raw->count || !clock->known)
		return false;
	*corrected = (struct np_histogram_figures){
		.count = raw->count,
		.min = minus(raw->min, clock->offset),
		.mean = minus(raw->mean, clock->offset),
		.p50 = minus(raw->p50, clock->offset),
		.p90 = minus(raw->p90, clock->offset),
		.p99 = minus(raw->p99, clock->offset),
		.p999 = minus(raw->p999, clock->offset),
		.max = minus(raw->max, clock->offset),
	};
	return true;
}
