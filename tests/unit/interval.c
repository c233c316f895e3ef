// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of interval: the grid of reports, on time, late or demanded; and of the pacer. */
#include "support/unit.h"

#include <netperf/interval.h>

/* Each test starts its own. */
static struct np_interval interval;
static struct np_pacer pacer;

TEST(reports_on_time_stay_on_the_grid)
{
	np_interval_start(&interval, 1000, 100);
	assert_int_equal(interval.begin, 1000);
	assert_false(np_interval_due(&interval, 1000));
	assert_false(np_interval_due(&interval, 1099));
	assert_true(np_interval_due(&interval, 1100));
	assert_int_equal(np_interval_next(&interval, 1100), 100);
	assert_int_equal(interval.due, 1200);
	assert_int_equal(np_interval_next(&interval, 1203), 103);
	assert_int_equal(interval.due, 1300);
	assert_int_equal(np_interval_next(&interval, 1300), 97);
	assert_int_equal(interval.due, 1400);
	assert_int_equal(interval.begin, 1000);
}

TEST(missed_reports_are_not_made_up_for)
{
	np_interval_start(&interval, 0, 100);
	assert_int_equal(np_interval_next(&interval, 350), 350);
	assert_int_equal(interval.due, 400);
	assert_false(np_interval_due(&interval, 399));
	assert_int_equal(np_interval_next(&interval, 400), 50);
}

TEST(a_demanded_report_leaves_the_grid_alone)
{
	np_interval_start(&interval, 0, 100);
	assert_int_equal(np_interval_next(&interval, 30), 30);
	assert_int_equal(interval.due, 100);
	assert_int_equal(np_interval_next(&interval, 100), 70);
}

TEST(without_a_period_nothing_is_due)
{
	np_interval_start(&interval, 5, 0);
	assert_true(interval.due == NP_TIME_NEVER);
	assert_false(np_interval_due(&interval, NP_TIME_NEVER - 1));
	assert_int_equal(np_interval_next(&interval, 25), 20);
	assert_true(interval.due == NP_TIME_NEVER);
}

TEST(events_come_at_multiples_of_the_period)
{
	np_pacer_start(&pacer, 1000, 500);
	for (int k = 0; k < 5; k++) {
		const np_time moment = 500 + k * NP_MILLISECOND;

		assert_int_equal(np_pacer_next(&pacer), moment);
		assert_int_equal(np_pacer_allowed(&pacer, moment - 1, 10), 0);
		assert_int_equal(np_pacer_allowed(&pacer, moment, 10), 1);
		np_pacer_took(&pacer, moment, 1);
	}
	assert_int_equal(pacer.count, 5);
	assert_int_equal(pacer.worst_behind, 0);
}

TEST(thirds_do_not_add_up_their_rounding)
{
	np_pacer_start(&pacer, 3, 0);
	np_pacer_took(&pacer, 0, 1);
	assert_int_equal(np_pacer_next(&pacer), 333333334); /* not before a third has passed */
	np_pacer_took(&pacer, 333333334, 2);
	assert_int_equal(np_pacer_next(&pacer), NP_SECOND);
	np_pacer_took(&pacer, NP_SECOND, 3 * 86400 * UINT64_C(1000) - 3);
	assert_int_equal(np_pacer_next(&pacer), 86400 * 1000 * NP_SECOND);
}

TEST(allowed_agrees_with_the_schedule)
{
	static const double rates[] = {0.1, 3, 7, 999983, 1e9 / 3, 1e9, 12.5e9};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		np_time now = 12345;

		np_pacer_start(&pacer, rates[i], now);
		for (int turn = 0; turn < 2000; turn++) {
			const uint64_t events = np_pacer_allowed(&pacer, now, 5);

			np_pacer_took(&pacer, now, events);
			if (events < 5)
				assert_true(np_pacer_next(&pacer) > now);
			now = np_pacer_next(&pacer) > now ? np_pacer_next(&pacer) : now + 1;
		}
	}
}

/* 31/496 s is 62.5 ms, but no product of rounded factors: the schedule decides. */
TEST(a_moment_that_rounds_below_its_event_is_not_missed)
{
	np_pacer_start(&pacer, 496, 0);
	assert_int_equal(np_pacer_allowed(&pacer, 62500000 - 1, 100), 31);
	assert_int_equal(np_pacer_allowed(&pacer, 62500000, 100), 32);
}

TEST(only_the_time_since_the_begin_allows)
{
	const np_time begin = 1000 * NP_SECOND;
	np_pacer_start(&pacer, 1000, begin);
	assert_int_equal(np_pacer_allowed(&pacer, begin + 10 * NP_MILLISECOND, 100), 11);
}

TEST(a_stall_is_caught_up_and_told)
{
	np_pacer_start(&pacer, 1000, 0);
	assert_int_equal(np_pacer_allowed(&pacer, 10 * NP_MILLISECOND, 100), 11);
	assert_int_equal(np_pacer_allowed(&pacer, 10 * NP_MILLISECOND, 4), 4);
	np_pacer_took(&pacer, 10 * NP_MILLISECOND, 11);
	assert_int_equal(pacer.worst_behind, 10 * NP_MILLISECOND);
	assert_int_equal(np_pacer_next(&pacer), 11 * NP_MILLISECOND);
	np_pacer_took(&pacer, 12 * NP_MILLISECOND, 1);
	assert_int_equal(pacer.worst_behind, 10 * NP_MILLISECOND);
}

TEST(taking_nothing_tells_nothing)
{
	np_pacer_start(&pacer, 10, 0);
	np_pacer_took(&pacer, NP_SECOND, 0);
	assert_int_equal(pacer.worst_behind, 0);
	assert_int_equal(np_pacer_allowed(&pacer, NP_SECOND, 0), 0);
}

TEST(without_a_rate_all_is_allowed)
{
	np_pacer_start(&pacer, 0, 77);
	assert_int_equal(np_pacer_allowed(&pacer, 0, 25), 25);
	np_pacer_took(&pacer, 1000, 25);
	assert_int_equal(np_pacer_next(&pacer), 77);
	assert_int_equal(pacer.worst_behind, 0);
	assert_int_equal(pacer.count, 25);
}

TEST(what_was_due_before_the_end_and_never_came_is_late)
{
	np_pacer_start(&pacer, 10, 0);
	np_pacer_took(&pacer, 0, 10);
	np_pacer_missed(&pacer, NP_SECOND, 5 * NP_SECOND); /* the next one is due at the end */
	assert_int_equal(pacer.worst_behind, 0);
	np_pacer_missed(&pacer, 3 * NP_SECOND, 2 * NP_SECOND); /* the end has not come */
	assert_int_equal(pacer.worst_behind, 0);
	np_pacer_missed(&pacer, 3 * NP_SECOND, 4 * NP_SECOND);
	assert_int_equal(pacer.worst_behind, 3 * NP_SECOND);
	np_pacer_missed(&pacer, 3 * NP_SECOND, 3 * NP_SECOND);
	assert_int_equal(pacer.worst_behind, 3 * NP_SECOND);
	np_pacer_start(&pacer, 0, 0);
	np_pacer_missed(&pacer, NP_SECOND, NP_SECOND);
	assert_int_equal(pacer.worst_behind, 0);
}

TEST(moments_beyond_time_are_never)
{
	np_pacer_start(&pacer, 1e-9, 5);
	np_pacer_took(&pacer, 5, 100);
	assert_true(np_pacer_next(&pacer) == NP_TIME_NEVER);
	assert_int_equal(np_pacer_allowed(&pacer, 1000 * NP_SECOND, 9), 0);
}

TEST(a_lag_of_less_than_an_event_is_jitter)
{
	assert_false(np_pacer_fell_behind(9 * NP_MILLISECOND, 1e6));
	assert_true(np_pacer_fell_behind(11 * NP_MILLISECOND, 1e6));
	assert_false(np_pacer_fell_behind(40 * NP_MILLISECOND, 24));
	assert_true(np_pacer_fell_behind(42 * NP_MILLISECOND, 24));
	assert_false(np_pacer_fell_behind(NP_SECOND, 0));
}
