// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Delays by clocks apart, the offset known before, afterwards, wrongly or never; their sums. */
#include "support/unit.h"

#include <netperf/histogram.h>

#define KNOWN(offset_, bound_)                                                                     \
	(&(struct np_offset){.known = true, .offset = (offset_), .bound = (bound_)})

#define MS     NP_MILLISECOND
#define US     NP_MICROSECOND
#define OFFSET (INT64_C(81567) * MS) /* the receiver's clock is ahead */

static int create(void **state)
{
	return np_histogram_create((struct np_histogram **)state);
}

static int destroy(void **state)
{
	np_histogram_free(*state);
	np_histogram_free(NULL);
	return 0;
}

#define DELAY_TEST(name) TEST_OF(struct np_histogram *delay, create, destroy, name)

/* Delays of 100 us to 100.1 ms: the @from'th, and each @step'th of them from there. */
static void spread_delays(struct np_histogram *delay, int64_t from, int64_t step)
{
	for (int64_t i = from; i < 1001; i += step)
		np_delay_add(delay, OFFSET + 100 * US + i * 100 * US, 1);
}

static void check_delays(const struct np_histogram *delay)
{
	struct np_histogram_figures raw, f;

	np_histogram_figures(delay, &raw);
	np_delay_correct(&raw, KNOWN(OFFSET, 0), &f);
	assert_int_equal(f.count, 1001);
	assert_true(f.min == 100 * US && f.max == 100100 * US && f.mean == 50100 * US);
	assert_in_range(f.p50, 50050 * US, 50150 * US);
	assert_in_range(f.p90, 90000 * US, 90200 * US);
	assert_in_range(f.p99, 99000 * US, 99200 * US);
	assert_in_range(f.p999, 99900 * US, 100100 * US);
}

DELAY_TEST(corrected)
{
	struct np_histogram_figures f;

	np_histogram_figures(delay, &f);
	assert_true(f.count == 0 && f.min == 0 && f.max == 0 && f.mean == 0 && f.p50 == 0);
	/* What is known at first is a little wrong; or nothing is. */
	np_delay_expect(delay, KNOWN(OFFSET + 30 * US, 50 * US));
	spread_delays(delay, 0, 1);
	check_delays(delay);
	np_histogram_clear(delay);
	np_histogram_figures(delay, &f);
	assert_int_equal(f.count, 0);
	spread_delays(delay, 0, 1);
	check_delays(delay);
	np_histogram_figures(delay, &f);
	assert_true(f.min == OFFSET + 100 * US);
}

/* Small numbers are fine ones: of an exact offset the figures are exact to the nanosecond. */
DELAY_TEST(by_one_clock)
{
	struct np_histogram_figures f;

	np_delay_expect(delay, KNOWN(0, 0));
	for (int64_t i = 1; i <= 1000; i++)
		np_delay_add(delay, i, 1);
	np_histogram_figures(delay, &f);
	assert_true(f.p50 == 500 && f.p90 == 900 && f.p99 == 990 && f.p999 == 999);
	assert_true(f.min == 1 && f.max == 1000 && f.mean == 500 && f.count == 1000);
}

/* Of an offset that is known exactly, too: percentiles are counted from there. */
DELAY_TEST(by_an_exact_offset)
{
	struct np_histogram_figures f;

	np_delay_expect(delay, KNOWN(OFFSET, 0));
	for (int64_t i = 1000; i > 0; i--)
		np_delay_add(delay, OFFSET + i, 1);
	np_histogram_figures(delay, &f);
	assert_true(f.p50 == OFFSET + 500 && f.p90 == OFFSET + 900 && f.p999 == OFFSET + 999);
	assert_true(f.min == OFFSET + 1 && f.max == OFFSET + 1000 && f.mean == OFFSET + 500);
}

/* Whichever came first, and though all are below zero. */
DELAY_TEST(the_ends_are_exact_in_any_order)
{
	static const int64_t delays[] = {-5000, -9000, -3000, -4000};
	struct np_histogram_figures f;

	for (size_t i = 0; i < sizeof(delays) / sizeof(*delays); i++)
		np_delay_add(delay, delays[i], i + 1);
	np_histogram_figures(delay, &f);
	assert_true(f.count == 10 && f.min == -9000 && f.max == -3000);
	assert_int_equal(f.mean, -4800);
	np_histogram_clear(delay);
	np_delay_add(delay, -7, 1);
	np_histogram_figures(delay, &f);
	assert_true(f.min == -7 && f.max == -7 && f.p50 == -7 && f.mean == -7);
}

/* A sum counts further ones as those that it has been given. */
TEST_OF(struct np_histogram *sum, create, destroy, merged_and_counted_on)
{
	struct np_histogram *part;
	struct np_histogram_figures f;

	assert_int_equal(np_histogram_create(&part), 0);
	np_delay_expect(part, KNOWN(OFFSET, 0));
	np_delay_add(part, OFFSET + 700, 3);
	np_histogram_merge(sum, part);
	np_delay_add(sum, OFFSET + 1500, 1);
	np_delay_add(sum, OFFSET + 1600, 1);
	np_histogram_figures(sum, &f);
	assert_true(f.count == 5 && f.p50 == OFFSET + 700);
	assert_true(f.min == OFFSET + 700 && f.max == OFFSET + 1600);
	np_histogram_free(part);
}

/* An estimate has a bound on either side, and the clocks drift. */
DELAY_TEST(from_below_the_estimate)
{
	struct np_histogram_figures f;

	np_delay_expect(delay, KNOWN(OFFSET, 20 * US));
	for (int64_t i = -41000; i < 0; i += 10)
		np_delay_add(delay, OFFSET + i, 1);
	np_histogram_figures(delay, &f);
	np_delay_correct(&f, KNOWN(OFFSET, 0), &f);
	assert_true(f.min == -41000 && f.max == -10);
	assert_in_range(f.p50 + 41000, 20480, 20520);
	assert_in_range(f.p90 + 41000, 36860, 36940);
	/* It is too late for another one. */
	np_delay_expect(delay, KNOWN(0, 0));
	np_histogram_figures(delay, &f);
	assert_in_range(f.p50 - OFFSET + 41000, 20480, 20520);
	/* Right below what can be told apart is as it. */
	np_histogram_clear(delay);
	np_delay_expect(delay, KNOWN(OFFSET, 20 * US));
	np_delay_add(delay, OFFSET - 50 * US, 10);
	np_delay_add(delay, OFFSET + 50 * US, 1);
	np_histogram_figures(delay, &f);
	assert_true(f.p50 == OFFSET - 41 * US && f.min == OFFSET - 50 * US && f.count == 11);
	assert_int_equal(f.mean, OFFSET - 50 * US + 100 * US / 11);
}

/* A clock that was far off at first: the exact figures are right, percentiles within the ends. */
DELAY_TEST(wrong_clock)
{
	struct np_histogram_figures f;

	np_delay_expect(delay, KNOWN(OFFSET + 20 * MS, US));
	spread_delays(delay, 0, 1);
	np_histogram_figures(delay, &f);
	assert_true(f.min == OFFSET + 100 * US && f.max == OFFSET + 100100 * US);
	assert_true(f.p50 >= OFFSET + 50050 * US && f.p50 <= OFFSET + 50150 * US);
	np_histogram_clear(delay);
	np_delay_expect(delay, KNOWN(OFFSET + 20 * MS, US));
	np_delay_add(delay, OFFSET, 5);
	np_histogram_figures(delay, &f);
	assert_true(f.p50 == OFFSET && f.p999 == OFFSET);
}

/* Without an estimate the first tells: some may be below it by so much. */
DELAY_TEST(below_the_first)
{
	struct np_histogram_figures f;

	np_delay_add(delay, OFFSET + 10 * MS, 1);
	np_delay_add(delay, OFFSET + US, 9);
	np_histogram_figures(delay, &f);
	assert_in_range(f.p50, OFFSET + US, OFFSET + US + 1);
}

TEST_OF(struct np_histogram *sum, create, destroy, merged)
{
	struct np_histogram *part[2];
	struct np_histogram_figures f;

	assert_int_equal(np_histogram_create(&part[0]), 0);
	assert_int_equal(np_histogram_create(&part[1]), 0);
	/* Nothing is added by none. */
	np_histogram_merge(sum, part[0]);
	np_histogram_figures(sum, &f);
	assert_int_equal(f.count, 0);
	np_delay_expect(part[0], KNOWN(OFFSET, US));
	spread_delays(part[0], 1, 2);
	spread_delays(part[1], 0, 2);
	for (int i = 0; i < 2; i++) {
		np_histogram_clear(sum);
		np_histogram_merge(sum, part[i]);
		np_histogram_merge(sum, part[1 - i]);
		check_delays(sum);
	}
	/* Of a sum that expects something else, too. */
	np_histogram_clear(sum);
	np_delay_expect(sum, KNOWN(0, 0));
	np_histogram_merge(sum, part[0]);
	np_histogram_merge(sum, part[1]);
	check_delays(sum);
	np_histogram_free(part[0]);
	np_histogram_free(part[1]);
}

/* What a forged message says of the clocks is as far off as numbers go. */
DELAY_TEST(clocks_beyond_all_bounds)
{
	const int64_t ends[] = {INT64_MIN, -1, 0, INT64_MAX};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct np_histogram_figures raw, f;

		np_histogram_clear(delay);
		np_delay_expect(delay, KNOWN(ends[i], INT64_MAX));
		for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++)
			np_delay_add(delay, ends[k], 1);
		np_histogram_figures(delay, &raw);
		assert_true(raw.min == INT64_MIN && raw.max == INT64_MAX);
		np_delay_correct(&raw, KNOWN(ends[i], 0), &f);
		assert_true(f.min <= f.max && f.p50 <= f.p999);
	}
	np_histogram_clear(delay);
	np_delay_add(delay, INT64_MIN, 1);
	np_delay_add(delay, INT64_MAX, 1);
	assert_int_equal(np_delay_between(INT64_MIN, INT64_MAX), INT64_MAX);
	assert_int_equal(np_delay_between(INT64_MAX, INT64_MIN), INT64_MIN);
	assert_int_equal(np_delay_between(5, 3), -2);
}
