// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A flow that a listener joins late, and what it waits for behind an END. */
#include "support/datagram_flows.h"

static void late_start_shows_what_was_before_apart(void **state)
{
	static const uint16_t ages[] = {1001, WIRE_AGE_MORE};
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow;
	uint32_t i;

	for (i = 0; i < LEN(ages); i++) {
		bench->now = START;
		arrive(bench, RUN + i, ages[i], 101);
		arrive(bench, RUN + i, ages[i], 100);
		flow = arrive(bench, RUN + i, ages[i], 103);
		assert_true(flow->late_start);
		flow_life(flow, &figures);
		assert_int_equal(figures.missed_before, 99);
		assert_int_equal(figures.sent, 4);
		assert_int_equal(figures.lost, 1);
		assert_int_equal(figures.reordered, 1);
	}
	bench->now = START;
	flow = arrive(bench, RUN + i, 1000, 5);
	assert_false(flow->late_start);
}

/*
 * A listener that comes behind packet 2^32 of a run sees the lower half of its numbers; END has
 * both. @before: packets before the first that came.
 */
static void late_and_far(void **state)
{
	static const struct {
		uint64_t first, last, end, before, missing;
	} rows[] = {
		{.first = 11,
		 .last = 40,
		 .end = (UINT64_C(1) << 32) + 42,
		 .before = 10,
		 .missing = 2},
		{.first = 11, .last = 40, .end = (UINT64_C(3) << 32) + 40, .before = 10},
		/* The half wraps under our eyes. */
		{.first = UINT32_MAX - 9,
		 .last = UINT64_C(30) + UINT32_MAX,
		 .end = (UINT64_C(2) << 32) + 29,
		 .before = UINT32_MAX - 10},
	};

	for (size_t i = 0; i < LEN(rows); i++) {
		struct bench *bench = *state;
		struct np_flow_counts life;
		struct flow *flow = NULL;

		for (uint64_t n = rows[i].first; n <= rows[i].last; n++)
			flow = arrive(bench, RUN + (uint32_t)i, WIRE_AGE_MORE, (uint32_t)n);
		flow_life(flow, &life);
		assert_true(flow->late_start);
		assert_int_equal(life.missed_before, rows[i].before);
		flow_end(flow, rows[i].end, 0, bench->now);
		flow_life(flow, &life);
		assert_int_equal(life.received, rows[i].last - rows[i].first + 1);
		assert_int_equal(life.lost, rows[i].missing);
		assert_int_equal(life.sent, life.received + life.lost);
		assert_int_equal(life.sent + life.missed_before, rows[i].end);
		assert_int_equal(flow->last, rows[i].end);
	}
}

/* One below the first that came, before the lower half of the numbers began anew. */
static void late_and_disordered(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = NULL;
	struct np_flow_counts life;

	arrive(bench, RUN, WIRE_AGE_MORE, 1);
	arrive(bench, RUN, WIRE_AGE_MORE, UINT32_MAX);
	flow = arrive(bench, RUN, WIRE_AGE_MORE, 0);
	flow_end(flow, (UINT64_C(1) << 32) + 1, 0, bench->now);
	flow_life(flow, &life);
	assert_int_equal(life.received, 3);
	assert_int_equal(life.reordered, 2);
	assert_int_equal(life.lost, 0);
	assert_int_equal(life.stray, 0);
	assert_int_equal(life.missed_before, UINT32_MAX - 1);
}

/* Of a run that began before us nobody knows when that was. */
static void unsent_of_a_late_start(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = NULL;
	struct np_flow_counts life;

	for (uint64_t n = 100; n < 105; n++)
		flow = arrive(bench, RUN, WIRE_AGE_MORE, n);
	flow_end(flow, 114, 4, bench->now);
	flow_life(flow, &life);
	assert_int_equal(life.lost, 10);
	assert_int_equal(life.unsent, 0);
	assert_int_equal(life.unsent_perhaps, 4);
}

/* The answer to END is final: not before copies that are still on their way had time to come. */
static void doubled_ones_are_waited_for(void **state)
{
	struct bench *bench = *state;
	struct flow *flow;
	np_time end;

	arrive_all(bench, RUN, 1, 4);
	flow = arrive_slowly(bench, 5, 500 * NP_MILLISECOND);
	end = bench->now;
	flow_end(flow, 5, 0, end);
	/* Delays of a queue alone promise nothing more ... */
	assert_false(flow_accounted(flow, end));
	assert_false(flow_accounted(flow, end + 200 * NP_MILLISECOND - 1));
	assert_true(flow_accounted(flow, end + 200 * NP_MILLISECOND));
	/* ... but where one came twice the others may. */
	arrive(bench, RUN, 0, 3);
	assert_false(flow_accounted(flow, end + NP_SECOND - 1));
	assert_true(flow_accounted(flow, end + NP_SECOND));
}

static void missing_ones_are_waited_for(void **state)
{
	struct bench *bench = *state;
	struct flow *flow;
	np_time end;

	arrive_all(bench, RUN, 1, 4);
	flow = arrive_slowly(bench, 5, 500 * NP_MILLISECOND);
	end = bench->now;
	flow_end(flow, 6, 0, end);
	assert_false(flow_accounted(flow, end + NP_SECOND - 1));
	assert_true(flow_accounted(flow, end + NP_SECOND));
	arrive(bench, RUN, 0, 6);
	assert_true(flow_accounted(flow, end + 200 * NP_MILLISECOND));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLOW_TEST(late_start_shows_what_was_before_apart),
		FLOW_TEST(late_and_far),
		FLOW_TEST(late_and_disordered),
		FLOW_TEST(unsent_of_a_late_start),
		FLOW_TEST(doubled_ones_are_waited_for),
		FLOW_TEST(missing_ones_are_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
