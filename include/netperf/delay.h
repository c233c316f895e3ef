/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * delay: one-way delays, received - sent by two clocks that are a constant apart. They are stored
 * uncorrected; the clocks' offset, once known, is subtracted from the figures. Pure; one thread at
 * a time for each.
 */
#ifndef NETPERF_DELAY_H
#define NETPERF_DELAY_H

#include <netperf/clock.h>
#include <netperf/histogram.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

struct np_delay;

/* Takes little memory, and more as delays differ: np_histogram_create_sparse. 0 or -ENOMEM. */
int np_delay_create(struct np_delay **delay);

/* NULL is allowed. */
void np_delay_free(struct np_delay *delay);

/* Resets it. */
void np_delay_clear(struct np_delay *delay);

/*
 * Call it before the first delay: delays are expected to be @offset, within @bound ns and a little
 * more. Otherwise the first delay sets the base. Percentiles have three digits relative to the
 * base; delays below it count as the base.
 */
void np_delay_expect(struct np_delay *delay, np_time offset, np_time bound);

/* Counts @delay_ns @times at once. Hot. */
void np_delay_add(struct np_delay *delay, int64_t delay_ns, uint64_t times);

/*
 * Adds the delays of @from. If the two have different bases, percentiles lose the fourth digit,
 * never the third.
 */
void np_delay_merge(struct np_delay *into, const struct np_delay *from);

/* All 0 when nothing was counted. Count, min, mean and max are exact. */
void np_delay_figures(const struct np_delay *delay, struct np_histogram_figures *figures);

/* Subtracts @offset from the figures @raw; nothing overflows. */
void np_delay_correct(const struct np_histogram_figures *raw, np_time offset,
		      struct np_histogram_figures *corrected);

/* @received - @sent, or the nearest representable value: other hosts' clocks may be anything. */
static inline np_time np_delay_between(np_time sent, np_time received)
{
	np_time difference;

	if (__builtin_sub_overflow(received, sent, &difference))
		return received < sent ? INT64_MIN : INT64_MAX;
	return difference;
}

#include <netperf/bits/end.h>
#endif
