// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-sweep: which windows are tried, where an automatic sweep ends, and the knee. */

#include "src/aoe-exercise/options.h"
#include "support/unit.h"

/* The windows of a sweep whose steps all measure the same. */
static size_t walk(const char *text, struct sweep_step *steps)
{
	struct sweep s;
	size_t count = 0;
	unsigned window;

	assert_int_equal(sweep_parse(&s, text), 0);
	while ((window = sweep_next(&s, steps, count)))
		steps[count++] = (struct sweep_step){.window = window, .rate_bytes_per_s = 1};
	return count;
}

TEST(the_knee_is_the_smallest_near_the_best_without_loss)
{
	const struct sweep_step steps[] = {
		{.window = 1, .rate_bytes_per_s = 50},
		{.window = 2, .rate_bytes_per_s = 98},
		{.window = 4, .rate_bytes_per_s = 100},
		{.window = 8, .rate_bytes_per_s = 150, .lost = 1},
	};

	assert_int_equal(sweep_knee(steps, 4), 1);
	assert_int_equal(sweep_knee(steps + 3, 1), -1);
}

TEST(no_window_beyond_the_places)
{
	struct sweep sweep;

	assert_int_equal(sweep_parse(&sweep, "5:50:5"), 0);
	assert_false(sweep_bound(&sweep, 50));
	assert_true(sweep_bound(&sweep, 8));
	assert_int_equal(sweep.from, 5);
	assert_int_equal(sweep.to, 8);
	assert_true(sweep_bound(&sweep, 1));
	assert_int_equal(sweep.from, 1);
	assert_int_equal(sweep_next(&sweep, NULL, 0), 1);
	assert_false(sweep_is_several(&sweep));
}

/* As many steps as there is room for, the last one at the end of the region included. */
TEST(as_many_steps_as_there_may_be)
{
	struct sweep_step steps[SWEEP_STEPS_MAX];
	char text[64];
	struct sweep s;

	snprintf(text, sizeof(text), "2:%d:2", 2 * SWEEP_STEPS_MAX - 2);
	assert_int_equal(walk(text, steps), SWEEP_STEPS_MAX - 1);
	snprintf(text, sizeof(text), "2:%d:2", 2 * SWEEP_STEPS_MAX - 1);
	assert_int_equal(walk(text, steps), SWEEP_STEPS_MAX);
	snprintf(text, sizeof(text), "2:%d:2", 2 * SWEEP_STEPS_MAX);
	assert_int_equal(sweep_parse(&s, text), -EINVAL);
	/* What counts is the way between the ends. */
	snprintf(text, sizeof(text), "%d:%d:2", 2 * SWEEP_STEPS_MAX, 2 * SWEEP_STEPS_MAX + 10);
	assert_int_equal(walk(text, steps), 6);
}

/* Rates below 1 byte/s are rates, too; exactly 3 % below the best is near enough. */
TEST(small_rates_and_the_edge_of_the_knee)
{
	const struct sweep_step small[] = {
		{.window = 1, .rate_bytes_per_s = 0.25},
		{.window = 2, .rate_bytes_per_s = 0.5},
	};
	const struct sweep_step edge[] = {
		{.window = 1, .rate_bytes_per_s = 100 * 0.97},
		{.window = 2, .rate_bytes_per_s = 100},
	};
	const struct sweep_step lossy[] = {
		{.window = 1, .rate_bytes_per_s = 1, .lost = 1},
		{.window = 2, .rate_bytes_per_s = 1, .lost = 1},
	};
	struct sweep s;

	assert_int_equal(sweep_knee(small, 2), 1);
	assert_int_equal(sweep_knee(edge, 2), 0);
	sweep_parse(&s, "auto");
	assert_int_equal(sweep_next(&s, lossy, 1), 2);
	assert_int_equal(sweep_next(&s, lossy, 2), 0);
}
