// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of interval: the grid of reports under on-time, late and demanded ones. */
#include "support/unit.h"

#include <netperf/interval.h>

TEST(reports_on_time_stay_on_the_grid)
{
	struct np_interval interval;

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
	struct np_interval interval;

	np_interval_start(&interval, 0, 100);
	assert_int_equal(np_interval_next(&interval, 350), 350);
	assert_int_equal(interval.due, 400);
	assert_false(np_interval_due(&interval, 399));
	assert_int_equal(np_interval_next(&interval, 400), 50);
}

TEST(a_demanded_report_leaves_the_grid_alone)
{
	struct np_interval interval;

	np_interval_start(&interval, 0, 100);
	assert_int_equal(np_interval_next(&interval, 30), 30);
	assert_int_equal(interval.due, 100);
	assert_int_equal(np_interval_next(&interval, 100), 70);
}

TEST(without_a_period_nothing_is_due)
{
	struct np_interval interval;

	np_interval_start(&interval, 5, 0);
	assert_true(interval.due == NP_TIME_NEVER);
	assert_false(np_interval_due(&interval, NP_TIME_NEVER - 1));
	assert_int_equal(np_interval_next(&interval, 25), 20);
	assert_true(interval.due == NP_TIME_NEVER);
}
