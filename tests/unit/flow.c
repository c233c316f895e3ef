// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a flow counts: loss at both ends and between, messages that come again, late, stray,
 * damaged or in runs, reports between two marks.
 */
#include "support/counted_flow.h"
#include "support/unit.h"

FLOW_TEST(all_in_order)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = 100});
	assert_false(np_flow_complete(flow));
	arrive_all(flow, 1, 99);
	assert_false(np_flow_complete(flow));
	assert_false(life_of(flow).sent_known);
	arrive_all(flow, 100, 100);
	assert_true(np_flow_complete(flow));
	assert_int_equal(np_flow_received(flow), 100);
	assert_int_equal(np_flow_lowest(flow), 1);
	assert_int_equal(np_flow_highest(flow), 100);
	c = life_of(flow);
	assert_true(c.sent_known && np_flow_counts_exact(&c));
	assert_true(c.sent == 100 && c.received == 100 && c.bytes == 100 * BYTES);
	assert_true(c.first == BEGIN + 2 * MS && c.last == BEGIN + 101 * MS);
	assert_int_equal(c.elapsed, 99 * MS);
	assert_int_equal(c.head_bytes, BYTES);
	assert_true(np_flow_end(flow, 101, 0));
	assert_true(np_flow_end(flow, 101, 0));
	assert_true(np_flow_complete(flow));
	c = life_of(flow);
	assert_true(c.sent == 100 && !c.lost && c.sent_known);
}

/* Lost at the head, between and at the tail; one that came out of order, again, damaged, stray. */
FLOW_TEST(losses)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	arrive_all(flow, 3, 9);
	arrive_all(flow, 13, 20);
	assert_int_equal(arrive(flow, 12), 1);
	assert_int_equal(arrive(flow, 12), 0);
	assert_int_equal(arrive(flow, 0), 0);
	assert_int_equal(arrive(flow, UINT64_MAX), 0);
	assert_int_equal(arrive(flow, UINT64_C(1) << 63), 0);
	np_flow_stray(flow, 1);
	np_flow_damaged(flow, 2);
	c = life_of(flow);
	assert_true(c.sent == 20 && c.received == 16 && c.lost == 4 && !c.sent_known);
	assert_true(c.duplicates == 1 && c.reordered == 1 && c.stray == 4 && c.damaged == 2);
	assert_true(c.bytes == 16 * BYTES && c.late == 0 && c.missed_before == 0);
	assert_true(c.order.gaps == 1 && c.order.gap_packets == 3 && c.order.gap_time == 4 * MS);
	assert_true(c.order.extent_sum == 8 && c.order.extent_max == 8 && c.order.extent_exact);
	assert_true(c.order.offset_sum == 6);
	assert_true(np_flow_end(flow, 26, 0));
	assert_false(np_flow_complete(flow));
	c = life_of(flow);
	assert_true(c.sent == 25 && c.lost == 9 && np_flow_counts_exact(&c));
	/* Beyond the end there is none. */
	assert_int_equal(arrive(flow, 25), 1);
	assert_int_equal(arrive(flow, 26), 0);
	c = life_of(flow);
	assert_true(c.sent == 25 && c.lost == 8 && c.stray == 5);
	assert_true(c.first == BEGIN + 4 * MS && c.last == BEGIN + 26 * MS);
	/* What is not of the flow takes no time of it; a second one does. */
	(void)np_flow_add(flow, 99, 1, BYTES, 0, BEGIN + NP_SECOND);
	assert_int_equal(life_of(flow).last, BEGIN + 26 * MS);
	(void)np_flow_add(flow, 25, 1, BYTES, 0, BEGIN + NP_SECOND);
	assert_int_equal(life_of(flow).last, BEGIN + NP_SECOND);
	assert_int_equal(life_of(flow).bytes, 17 * BYTES);
}

/* Of what is below the window nobody can tell whether it came before. */
FLOW_TEST(below_the_window)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	arrive_all(flow, 1, 2);
	arrive_all(flow, 4, 3000);
	assert_int_equal(arrive(flow, 2), 0);
	assert_true(np_flow_end(flow, 3001, 0));
	c = life_of(flow);
	assert_true(c.late == 1 && c.lost == 0 && c.sent == 3000 && c.sent_known);
	assert_false(np_flow_counts_exact(&c));
}

/* A number from 0 on, reordered before the first mark, is of now. */
FLOW_TEST(from_zero_on)
{
	struct np_flow *flow = *state;

	start(flow, &(struct np_flow_plan){.first = 0});
	arrive_all(flow, 1, 2);
	arrive_all(flow, 0, 0);
	assert_int_equal(now_of(flow).bytes, 3 * BYTES);
	assert_int_equal(life_of(flow).lost, 0);
	assert_true(np_flow_end(flow, 3, 0));
	assert_true(np_flow_complete(flow));
}

/* Nobody announced how many: a number far beyond the highest is none of the flow. */
FLOW_TEST(within_reach)
{
	struct np_flow *flow = *state;

	start(flow, &(struct np_flow_plan){.first = 1, .reach = 50});
	assert_int_equal(arrive(flow, 51), 0);
	assert_int_equal(arrive(flow, 50), 1);
	assert_int_equal(arrive(flow, 100), 0);
	assert_int_equal(arrive(flow, 99), 1);
	/* One below takes nothing back. */
	assert_int_equal(arrive(flow, 2), 1);
	assert_int_equal(np_flow_add(flow, 100, 20, BYTES, 0, BEGIN), 20);
	/* The last of a run, 119, is what is reached from. */
	assert_int_equal(arrive(flow, 170), 0);
	assert_int_equal(arrive(flow, 168), 1);
	assert_false(np_flow_end(flow, 219, 0));
	assert_true(np_flow_end(flow, 171, 0));
	assert_int_equal(arrive(flow, 170), 1);
	assert_int_equal(arrive(flow, 171), 0);
	/* What is announced has no reach. */
	start(flow, &(struct np_flow_plan){.first = 1, .announced = 10, .reach = 50});
	assert_int_equal(arrive(flow, 9), 1);
	assert_int_equal(arrive(flow, 11), 0);
}

FLOW_TEST(without_numbers)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	np_flow_add_unnumbered(flow, 3, 1500, BEGIN);
	np_flow_add_unnumbered(flow, 1, 500, BEGIN + 10 * MS);
	c = life_of(flow);
	assert_true(c.sent == 4 && c.received == 4 && c.bytes == 2000 && !c.sent_known);
	assert_true(c.elapsed == 10 * MS && c.head_bytes == 1500);
	assert_true(np_flow_counts_share(&c) == 0.25);
	assert_int_equal(np_flow_received(flow), 4);
	np_flow_mark(flow, BEGIN + 20 * MS);
	np_flow_add_unnumbered(flow, 2, 100, BEGIN + 30 * MS);
	c = now_of(flow);
	assert_true(c.sent == 2 && c.received == 2 && c.bytes == 100 && c.elapsed == 10 * MS);
	start(flow, &(struct np_flow_plan){.late = true});
	np_flow_add_unnumbered(flow, 1, 1, BEGIN);
	assert_true(np_flow_end(flow, 3, 0));
	assert_int_equal(life_of(flow).missed_before, 3);
	start(flow, &(struct np_flow_plan){.announced = 3});
	np_flow_add_unnumbered(flow, 2, 1, BEGIN);
	assert_int_equal(final_of(flow).sent, 5);
}

/* Over a stream it is known when a message begins: what came then took no time. */
FLOW_TEST(one_that_opens)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	np_flow_open(flow, 30, BEGIN);
	c = life_of(flow);
	assert_true(c.head_bytes == 0 && c.first == BEGIN && c.elapsed == 0);
	np_flow_open(flow, 20, BEGIN);
	np_flow_open(flow, 10, BEGIN + MS);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 2 * MS);
	c = life_of(flow);
	assert_true(c.head_bytes == 50 && c.elapsed == 2 * MS && c.bytes == BYTES);
	assert_true(np_flow_counts_share(&c) == 0.5);
}

static void assert_same(const struct np_flow *a, const struct np_flow *b)
{
	struct np_flow_counts x, y;
	struct np_histogram_figures p, q;

	np_flow_life(a, &x);
	np_flow_life(b, &y);
	assert_equal(x, &y);
	np_flow_now(a, &x);
	np_flow_now(b, &y);
	assert_equal(x, &y);
	np_histogram_figures(np_flow_delay(a), &p);
	np_histogram_figures(np_flow_delay(b), &q);
	assert_memory_equal(&p, &q, sizeof(p));
}

/* A run is what its messages are one by one: in order, again, behind gaps, beyond the end. */
FLOW_TEST(runs)
{
	static const struct {
		uint64_t number, count;
	} steps[] = {
		{0, 44},  {44, 1},    {45, 0},	{45, 44},   {89, 3},   {92, 10},
		{80, 20}, {110, 20},  {100, 5}, {103, 10},  {130, 40}, {165, 44},
		{50, 5},  {209, 500}, {709, 4}, {900, 200},
	};
	const struct np_flow_plan plan = {.announced = 1000, .raw_delays = true};
	struct np_flow *one = *state, *by_one;

	assert_int_equal(np_flow_create(&by_one, 1024), 0);
	start(one, &plan);
	start(by_one, &plan);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const np_time sent = BEGIN + (np_time)i * MS, at = sent + (np_time)(i % 3) * 1000;
		uint64_t came = 0;

		for (uint64_t j = 0; j < steps[i].count; j++)
			came += np_flow_add(by_one, steps[i].number + j, 1, BYTES, sent, at);
		assert_int_equal(np_flow_add(one, steps[i].number, steps[i].count, BYTES, sent, at),
				 came);
		assert_same(one, by_one);
		if (i == 9) {
			np_flow_mark(one, at);
			np_flow_mark(by_one, at);
		}
	}
	np_flow_end(one, 950, 0);
	np_flow_end(by_one, 950, 0);
	np_flow_add(one, 940, 20, BYTES, BEGIN, BEGIN);
	for (uint64_t j = 0; j < 20; j++)
		np_flow_add(by_one, 940 + j, 1, BYTES, BEGIN, BEGIN);
	assert_same(one, by_one);
	np_flow_free(by_one);
}

/* Between two reports: growth of the highest number, first arrivals above the former one. */
FLOW_TEST(now_begins_at_the_mark)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c, life;

	arrive_all(flow, 1, 4);
	arrive_all(flow, 6, 6);
	np_flow_damaged(flow, 1);
	np_flow_stray(flow, 1);
	c = now_of(flow);
	life = life_of(flow);
	assert_equal(c, &life);
	np_flow_mark(flow, BEGIN + 8 * MS);
	c = now_of(flow);
	assert_true(np_flow_counts_empty(&c) && c.elapsed == 0 && c.first == BEGIN + 8 * MS);
	arrive_all(flow, 5, 5);
	arrive_all(flow, 7, 7);
	assert_int_equal(arrive(flow, 7), 0);
	arrive_all(flow, 9, 9);
	np_flow_damaged(flow, 2);
	np_flow_stray(flow, 1);
	c = now_of(flow);
	assert_true(c.sent == 3 && c.received == 2 && c.lost == 1 && c.duplicates == 1);
	assert_true(c.reordered == 0 && c.damaged == 2 && c.stray == 1 && c.bytes == 2 * BYTES);
	assert_true(c.first == BEGIN + 8 * MS && c.last == BEGIN + 10 * MS && c.elapsed == 2 * MS);
	assert_int_equal(c.head_bytes, 0);
	np_flow_mark(flow, BEGIN + 10 * MS);
	assert_int_equal(now_of(flow).bytes, 0);
	c = life_of(flow);
	assert_true(c.sent == 9 && c.received == 8 && c.reordered == 1 && c.bytes == 8 * BYTES);
}
