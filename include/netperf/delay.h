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
#include <stdbool.h>
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

/*
 * By how much another host's clock differs from ours, as far as exchanges of a request and
 * a reply can show, and with which error. Source: RFC 5905 section 8 (on-wire protocol), with its
 * clock filter reduced to the exchange with the smallest bound.
 *
 * Pure and thread-safe. The other host's times may have any value: nothing overflows.
 */

/* Starts as {0}: nothing is known. */
struct np_offset {
	bool known;
	np_time offset; /* the other clock minus ours */
	np_time bound;	/* the largest possible error at the time of the measurement */
	np_time at;	/* the time of the measurement, by our clock */
};

/* An exchange that takes longer is not used. */
#define NP_OFFSET_EXCHANGE_MAX (10 * NP_SECOND)

/*
 * Adds one exchange: by our clock the request left at @t1 and the reply arrived at @t4; by the
 * other clock the request arrived at @t2 and the reply left at @t3. Keeps it and returns true when
 * its bound (half the travel time, and the drift during the exchange) is not worse than the present
 * one. Returns false otherwise, and for impossible times: out of order, or longer there than away.
 */
bool np_offset_add(struct np_offset *offset, np_time t1, np_time t2, np_time t3, np_time t4);

/* The largest error at @now: that of the measurement, plus a drift of 100 ppm since. */
np_time np_offset_bound(const struct np_offset *offset, np_time now);

/*
 * Converts @theirs, a moment by the other clock, to our clock; never beyond 2^62 ns (146 years)
 * from zero, so that its difference from a true moment does not overflow. Delay there:
 * correct(received) - sent, here: received - correct(sent). Hot.
 */
np_time np_offset_correct(const struct np_offset *offset, np_time theirs);

#include <netperf/bits/end.h>
#endif
