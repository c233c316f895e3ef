/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * histogram: log-linear counts, any value told back within one part in a thousand, in as little
 * memory as they need (280 KiB at most); of values that are not negative, or of one-way delays.
 * Values are ns in these programs, but need not be. Merge after join.
 */
#pragma once

#include <netperf/clock.h>

struct np_histogram;

/* Larger values count as this one (2^43 - 1: 2.4 hours in ns). */
#define NP_HISTOGRAM_LIMIT ((INT64_C(1) << 43) - 1)

/*
 * It begins with 2 KiB and takes 1 KiB for each 128 buckets of which one has counted. A value that
 * finds no memory is missing in the percentiles alone, which are too high then, or right. Returns 0
 * or -ENOMEM.
 */
int np_histogram_create(struct np_histogram **histogram);
void np_histogram_free(struct np_histogram *histogram);
void np_histogram_clear(struct np_histogram *histogram);

/* Counts @value; a negative one as 0. A handful of instructions. */
void np_histogram_add(struct np_histogram *histogram, int64_t value);

/*
 * Adds all counts of @from to @into. If the two are delays of different bases, percentiles lose the
 * fourth digit, never the third.
 */
void np_histogram_merge(struct np_histogram *into, const struct np_histogram *from);

/*
 * The smallest value v such that at least @percent of all values are <= v (nearest rank), to three
 * digits, within the exact minimum and maximum. @percent is 0..100. 0 when empty.
 */
int64_t np_histogram_percentile(const struct np_histogram *histogram, double percent);

/* The figures of a histogram that are reported and sent. @count 0: all others are invalid. */
struct np_histogram_figures {
	uint64_t count;
	int64_t min, mean, p50, p90, p99, p999, max;
};

/*
 * All 0 when it is empty, or NULL. Minimum, maximum and mean are exact, but for values above
 * NP_HISTOGRAM_LIMIT that are no delays, which count as that in the mean; the mean is truncated.
 */
void np_histogram_figures(const struct np_histogram *histogram,
			  struct np_histogram_figures *figures);

struct np_record;

/*
 * Adds the object @name {min, mean, p50, p90, p99, p999, max, count}; nothing when empty. With
 * @buckets also these: objects {from_ns, count}, of which each counts the values up to the next,
 * 16 for each doubling, or 64 ns wide at the start.
 */
void np_record_histogram(struct np_record *record, const char *name,
			 const struct np_histogram *histogram, bool buckets);

/* The same, from figures. */
void np_record_figures(struct np_record *record, const char *name,
		       const struct np_histogram_figures *figures);

/*
 * By how much another host's clock differs from ours, as far as exchanges of a request and a reply
 * can show, and with which error. Source: RFC 5905 section 8 (on-wire protocol), with its
 * clock filter reduced to the exchange with the smallest bound. The other host's times may have any
 * value: nothing overflows.
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

/*
 * One-way delays, received - sent by two clocks that are a constant apart, in a histogram, mostly a
 * sparse one. They are stored uncorrected; the clocks' offset, once known, is subtracted from the
 * figures.
 */

/*
 * Call it before the first delay: if @clock is known, delays are expected to be its offset, within
 * its bound and a little more. Otherwise the first delay sets the base. Percentiles have three
 * digits relative to the base; delays below it count as the base.
 */
void np_delay_expect(struct np_histogram *delay, const struct np_offset *clock);

/* Counts @delay_ns @times at once, of any sign. Hot. */
void np_delay_add(struct np_histogram *delay, int64_t delay_ns, uint64_t times);

/*
 * Subtracts @clock's offset from the figures @raw; nothing overflows. False: it is unknown, or
 * there are no delays.
 */
bool np_delay_correct(const struct np_histogram_figures *raw, const struct np_offset *clock,
		      struct np_histogram_figures *corrected);

/* @received - @sent, or the nearest representable value: other hosts' clocks may be anything. */
static inline np_time np_delay_between(np_time sent, np_time received)
{
	np_time difference;

	if (__builtin_sub_overflow(received, sent, &difference))
		return received < sent ? INT64_MIN : INT64_MAX;
	return difference;
}
