/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * delay: one-way delays, received - sent by two clocks that are a constant apart. They are kept as
 * the clocks have them; whoever learns the clocks' offset later takes it off any of the figures.
 * Pure; one thread at a time for each.
 */
#ifndef NETPERF_DELAY_H
#define NETPERF_DELAY_H

#include <netperf/clock.h>
#include <netperf/histogram.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_delay;

/* Takes about 280 KiB, touched here. Returns 0 or -ENOMEM. */
int np_delay_create(struct np_delay **delay);

/* NULL is allowed. */
void np_delay_free(struct np_delay *delay);

/* Forgets all. */
void np_delay_clear(struct np_delay *delay);

/*
 * Before the first one: delays will be @offset, give or take @bound ns, and a little more. Without
 * it the first delay tells. Percentiles have three digits counted from there; what is below it is
 * in them as it.
 */
void np_delay_expect(struct np_delay *delay, np_time offset, np_time bound);

/* Counts @delay_ns @times at once. Hot. */
void np_delay_add(struct np_delay *delay, int64_t delay_ns, uint64_t times);

/*
 * Adds @from's. Where the two were counted from different offsets percentiles lose the fourth
 * digit, never the third.
 */
void np_delay_merge(struct np_delay *into, const struct np_delay *from);

/* All 0 when nothing was counted. Count, min, mean and max are exact. */
void np_delay_figures(const struct np_delay *delay, struct np_histogram_figures *figures);

/* @raw with @offset taken off each of them; nothing overflows. */
void np_delay_correct(const struct np_histogram_figures *raw, np_time offset,
		      struct np_histogram_figures *corrected);

/* @received - @sent, or the nearest that there is: clocks of others may say anything. */
static inline np_time np_delay_between(np_time sent, np_time received)
{
	np_time difference;

	if (__builtin_sub_overflow(received, sent, &difference))
		return received < sent ? INT64_MIN : INT64_MAX;
	return difference;
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
