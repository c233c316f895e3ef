// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a flow counts: loss at both ends and between, again, late, stray, damaged, unsent; its end.
 */
#include <errno.h>
#include <netperf/flow.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BYTES 100u
#define MS    NP_MILLISECOND
#define BEGIN (1000 * NP_SECOND)

static int create(void **state)
{
	struct np_flow *flow;

	assert_int_equal(np_flow_create(&flow, 1024), 0);
	*state = flow;
	return np_flow_start(flow, &(struct np_flow_plan){.first = 1});
}

static int destroy(void **state)
{
	np_flow_free(*state);
	np_flow_free(NULL);
	return 0;
}

static void start(struct np_flow *flow, const struct np_flow_plan *plan)
{
	assert_int_equal(np_flow_start(flow, plan), 0);
}

/* Message n leaves at n ms by its sender's clock, which is ours, and takes 1 ms. */
static uint64_t arrive(struct np_flow *flow, uint64_t number)
{
	/* Of a number beyond all others the time does not matter. */
	const np_time sent = BEGIN + (np_time)(number & UINT32_MAX) * MS;

	return np_flow_add(flow, number, 1, BYTES, sent, sent + MS);
}

static void arrive_all(struct np_flow *flow, uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n <= to; n++)
		assert_int_equal(arrive(flow, n), 1);
}

static struct np_flow_counts life_of(const struct np_flow *flow)
{
	struct np_flow_counts c;

	np_flow_life(flow, &c);
	assert_int_equal(c.flows, 1);
	assert_int_equal(c.sent, c.received + c.lost + c.late);
	return c;
}

static struct np_flow_counts final_of(const struct np_flow *flow)
{
	struct np_flow_counts c;

	np_flow_final(flow, &c);
	assert_int_equal(c.sent, c.received + c.lost + c.late);
	return c;
}

static struct np_flow_counts now_of(const struct np_flow *flow)
{
	struct np_flow_counts c;

	np_flow_now(flow, &c);
	assert_int_equal(c.sent, c.received + c.lost + c.late);
	return c;
}

static void no_window_is_that_large(void **state)
{
	struct np_flow *flow;

	(void)state;
	assert_int_equal(np_flow_create(&flow, UINT64_MAX), -EINVAL);
	assert_null(flow);
}

static void all_in_order(void **state)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = 100});
	assert_false(np_flow_complete(flow) || np_flow_ended(flow));
	arrive_all(flow, 1, 99);
	assert_false(np_flow_complete(flow));
	assert_false(life_of(flow).sent_known);
	arrive_all(flow, 100, 100);
	assert_true(np_flow_complete(flow));
	assert_false(np_flow_ended(flow));
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
	assert_true(np_flow_ended(flow) && np_flow_complete(flow));
	c = life_of(flow);
	assert_true(c.sent == 100 && !c.lost && c.sent_known);
}

/* Lost at the head, between and at the tail; one that came out of order, again, damaged, stray. */
static void losses(void **state)
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
static void below_the_window(void **state)
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
static void from_zero_on(void **state)
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

static void an_end_that_cannot_be(void **state)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = 10});
	assert_false(np_flow_end(flow, 12, 0));
	assert_false(np_flow_ended(flow));
	assert_true(np_flow_end(flow, 11, 0));
	start(flow, &(struct np_flow_plan){.first = 1});
	assert_false(np_flow_end(flow, (UINT64_C(1) << 63) + 1, 0));
	arrive_all(flow, 1, 5);
	/* More came than it says. */
	assert_true(np_flow_end(flow, 5, 0));
	c = life_of(flow);
	assert_true(c.sent == 5 && !c.sent_known && !np_flow_counts_exact(&c));
	assert_true(np_flow_ended(flow));
	/* The gap before a number that its sender never wrote is no loss. */
	start(flow, &(struct np_flow_plan){.first = 1});
	arrive_all(flow, 1, 5);
	arrive_all(flow, 500, 500);
	assert_int_equal(life_of(flow).lost, 494);
	assert_true(np_flow_end(flow, 11, 0));
	c = life_of(flow);
	assert_true(c.sent == 10 && c.received == 6 && c.lost == 4 && !c.sent_known);
	/* Nor are those that it made too old. */
	start(flow, &(struct np_flow_plan){.first = 1});
	arrive_all(flow, 1, 5);
	arrive_all(flow, 5000, 5000);
	assert_int_equal(arrive(flow, 6), 0);
	assert_true(np_flow_end(flow, 11, 0));
	c = life_of(flow);
	assert_true(c.sent == 10 && c.received == 6 && c.late == 1 && c.lost == 3);
}

/* Announcements that no number can reach are limits, too. */
static void announced_without_end(void **state)
{
	struct np_flow *flow = *state;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = UINT64_MAX});
	assert_int_equal(arrive(flow, INT64_MAX), 1);
	start(flow, &(struct np_flow_plan){.first = INT64_MAX - 1, .announced = 5});
	assert_int_equal(arrive(flow, INT64_MAX), 1);
	assert_int_equal(arrive(flow, UINT64_C(1) << 63), 0);
	assert_int_equal(life_of(flow).lost, 1);
}

static void nothing_was_sent(void **state)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = 100});
	assert_true(np_flow_end(flow, 1, 0));
	assert_true(np_flow_complete(flow));
	c = final_of(flow);
	assert_true(c.sent == 0 && c.lost == 0 && c.sent_known && c.elapsed == 0 && c.first == 0);
	assert_true(np_flow_counts_empty(&c));
	assert_true(np_flow_counts_share(&c) == 0);
	/* An end below the first number alike. */
	start(flow, &(struct np_flow_plan){.first = 1});
	assert_true(np_flow_end(flow, 0, 0));
	assert_true(np_flow_complete(flow));
}

static void all_was_lost(void **state)
{
	struct np_flow *flow = *state;

	assert_true(np_flow_end(flow, 101, 0));
	assert_false(np_flow_complete(flow));
	assert_int_equal(life_of(flow).lost, 100);
	assert_int_equal(now_of(flow).lost, 100);
}

/* What was announced and has not come is lost at the end, not before. */
static void no_end_was_told(void **state)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = 100});
	arrive_all(flow, 1, 10);
	arrive_all(flow, 13, 20);
	c = life_of(flow);
	assert_true(c.sent == 20 && c.lost == 2 && !c.sent_known);
	c = final_of(flow);
	assert_true(c.sent == 100 && c.lost == 82 && !c.sent_known);
	assert_true(np_flow_end(flow, 31, 0));
	c = final_of(flow);
	assert_true(c.sent == 30 && c.lost == 12 && c.sent_known);
}

/* Nobody announced how many: a number far beyond the highest is none of the flow. */
static void within_reach(void **state)
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

/* What the sender's host refused is neither sent nor lost; but no more of it than is missing. */
static void never_left(void **state)
{
	static const struct {
		uint64_t unsent, lost, counted;
		bool complete;
	} rows[] = {{0, 8, 0, false}, {3, 5, 3, false}, {8, 0, 8, true}, {9, 0, 8, true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct np_flow *flow = *state;
		struct np_flow_counts c, now;

		start(flow, &(struct np_flow_plan){.first = 1});
		arrive_all(flow, 1, 4);
		arrive_all(flow, 11, 12);
		assert_true(np_flow_end(flow, 15, rows[i].unsent));
		assert_int_equal(np_flow_complete(flow), rows[i].complete);
		c = life_of(flow);
		assert_true(c.lost == rows[i].lost && c.unsent == rows[i].counted);
		assert_true(c.sent == 14 - rows[i].counted && c.unsent_perhaps == 0);
		now = now_of(flow);
		assert_true(now.lost == c.lost && now.unsent == c.unsent);
		np_flow_mark(flow, BEGIN + NP_SECOND);
		now = now_of(flow);
		assert_true(np_flow_counts_empty(&now) && !now.unsent);
	}
}

/* A flow that had begun before: what is below the lowest that comes was not to be counted. */
static void a_late_one(void **state)
{
	const struct np_flow_plan late = {.first = 1, .late = true};
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	start(flow, &late);
	c = life_of(flow);
	assert_true(c.sent == 0 && c.missed_before == 0);
	arrive_all(flow, 101, 103);
	arrive_all(flow, 100, 100);
	arrive_all(flow, 106, 106);
	c = life_of(flow);
	assert_true(c.sent == 7 && c.lost == 2 && c.missed_before == 99);
	/* Of the unsent nobody knows when that was. */
	assert_true(np_flow_end(flow, 111, 4));
	c = life_of(flow);
	assert_true(c.sent == 11 && c.lost == 6 && c.unsent == 0 && c.unsent_perhaps == 4);
	assert_true(c.sent_known && !np_flow_counts_exact(&c));
	c.missed_before = 0;
	assert_false(np_flow_counts_exact(&c));
	c.unsent_perhaps = 0;
	assert_true(np_flow_counts_exact(&c));
	start(flow, &late);
	assert_true(np_flow_end(flow, 8, 0));
	c = life_of(flow);
	assert_true(c.sent == 0 && c.missed_before == 7);
	start(flow, &late);
	assert_true(np_flow_end(flow, 1, 0));
	assert_int_equal(life_of(flow).missed_before, 0);
	/* Where the first has no name. */
	start(flow, &late);
	arrive_all(flow, 0, 0);
	assert_int_equal(life_of(flow).missed_before, 0);
}

static void numbers_of_32_bits(void **state)
{
	struct np_flow *flow = *state;

	assert_int_equal(np_flow_unwrap(flow, 5), 5);
	start(flow, &(struct np_flow_plan){.late = true});
	assert_int_equal(np_flow_unwrap(flow, 5), (UINT64_C(1) << 32) + 5);
}

static void without_numbers(void **state)
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
static void one_that_opens(void **state)
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

/* Of all that is counted there is no difference. */
static void assert_equal(struct np_flow_counts x, const struct np_flow_counts *y)
{
	assert_true(x.flows == y->flows && x.sent_known == y->sent_known);
	assert_true(x.first == y->first && x.last == y->last && x.elapsed == y->elapsed);
	assert_true(x.order.extent_max == y->order.extent_max);
	assert_true(x.order.extent_exact == y->order.extent_exact);
	np_flow_counts_since(&x, y);
	assert_true(np_flow_counts_empty(&x));
	assert_false(x.unsent | x.unsent_perhaps | x.missed_before | x.head_bytes);
	assert_false(x.order.offset_sum | x.order.gaps | x.order.gap_packets | x.order.extent_sum |
		     (uint64_t)x.order.gap_time);
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
	np_delay_figures(np_flow_delay(a), &p);
	np_delay_figures(np_flow_delay(b), &q);
	assert_memory_equal(&p, &q, sizeof(p));
}

/* A run is what its messages are one by one: in order, again, behind gaps, beyond the end. */
static void runs(void **state)
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
static void now_begins_at_the_mark(void **state)
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

/* Rows are differences: one that comes late takes back a loss, and their sum is the life. */
static void differences(void **state)
{
	struct np_flow *flow = *state;
	struct np_flow_counts mark, c, sum;

	start(flow, &(struct np_flow_plan){.first = 1, .late = true});
	c = mark = life_of(flow);
	assert_true(np_flow_counts_empty(&c));
	arrive_all(flow, 11, 20);
	arrive_all(flow, 22, 29);
	np_flow_damaged(flow, 1);
	np_flow_stray(flow, 1);
	c = life_of(flow);
	np_flow_counts_since(&c, &mark);
	assert_true(c.lost == 1 && c.bytes == 18 * BYTES && c.head_bytes == BYTES);
	assert_true(c.elapsed == 18 * MS && c.missed_before == 10);
	sum = c;
	mark = life_of(flow);
	assert_int_equal(arrive(flow, 21), 1);
	assert_int_equal(arrive(flow, 21), 0);
	arrive_all(flow, 30, 30);
	arrive_all(flow, 33, 33);
	np_flow_end(flow, 36, 1);
	(void)np_flow_add(flow, 5000, 1, BYTES, 0, 0);
	np_flow_damaged(flow, 1);
	c = life_of(flow);
	np_flow_counts_since(&c, &mark);
	assert_true((int64_t)c.lost == 3 && c.received == 3 && c.sent == 6 && c.duplicates == 1);
	assert_true(c.reordered == 1 && c.damaged == 1 && c.stray == 1 && c.bytes == 3 * BYTES);
	assert_true(c.head_bytes == 0 && c.elapsed == 4 * MS && c.missed_before == 0);
	assert_true(c.unsent_perhaps == 1 && c.order.gaps == 1 && c.order.gap_packets == 2);
	assert_true(c.order.gap_time == 3 * MS && c.order.extent_sum == 8 &&
		    c.order.offset_sum == 8);
	np_flow_counts_append(&sum, &c);
	c = life_of(flow);
	assert_true(sum.sent == c.sent && sum.received == c.received && sum.lost == c.lost);
	assert_true(sum.elapsed == c.elapsed && sum.head_bytes == c.head_bytes);
	assert_true(sum.missed_before == 10 && sum.unsent_perhaps == 1 && sum.stray == 2);
	/* A loss that is taken back. */
	mark = c;
	arrive_all(flow, 31, 32);
	c = life_of(flow);
	np_flow_counts_since(&c, &mark);
	assert_true((int64_t)c.lost == -2 && c.received == 2 && c.sent == 0);
	mark = life_of(flow);
	c = mark;
	c.unsent = 7;
	mark.unsent = 5;
	c.late = 9;
	mark.late = 4;
	np_flow_counts_since(&c, &mark);
	assert_true(c.unsent == 2 && c.late == 5);
}

static void one_of_each_is_not_empty(void **state)
{
	struct np_flow_counts c = {.elapsed = 5};
	uint64_t *const fields[] = {&c.sent, &c.received, &c.lost,    &c.duplicates, &c.reordered,
				    &c.late, &c.stray,	  &c.damaged, &c.bytes};

	(void)state;
	assert_true(np_flow_counts_empty(&c));
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		*fields[i] = 6;
		assert_false(np_flow_counts_empty(&c));
		*fields[i] = 0;
	}
}

static const struct np_flow_counts one_sum = {
	.flows = 1,
	.sent = 10,
	.sent_known = true,
	.received = 9,
	.lost = 1,
	.duplicates = 2,
	.reordered = 3,
	.late = 4,
	.stray = 5,
	.damaged = 6,
	.unsent = 7,
	.unsent_perhaps = 8,
	.missed_before = 9,
	.bytes = 900,
	.head_bytes = 100,
	.first = 10,
	.last = 30,
	.elapsed = 20,
	.order = {1, 2, 3, 4, 5, 6, true},
};

static void sums(void **state)
{
	struct np_flow_counts sum = {0}, more = one_sum;

	(void)state;
	np_flow_counts_add(&sum, &one_sum);
	assert_equal(sum, &one_sum);
	more.first = 5;
	more.last = 20;
	more.head_bytes = 50;
	more.order.extent_max = 60;
	np_flow_counts_add(&sum, &more);
	assert_true(sum.flows == 2 && sum.sent == 20 && sum.received == 18 && sum.lost == 2);
	assert_true(sum.duplicates == 4 && sum.reordered == 6 && sum.late == 8 && sum.stray == 10);
	assert_true(sum.damaged == 12 && sum.unsent == 14 && sum.unsent_perhaps == 16);
	assert_true(sum.missed_before == 18 && sum.bytes == 1800 && sum.sent_known);
	assert_true(sum.first == 5 && sum.last == 30 && sum.elapsed == 25 && sum.head_bytes == 50);
	assert_true(sum.order.offset_sum == 2 && sum.order.gaps == 4 && sum.order.gap_packets == 6);
	assert_true(sum.order.gap_time == 8 && sum.order.extent_sum == 10);
	assert_true(sum.order.extent_max == 60 && sum.order.extent_exact);
	/* One that came first of both alike, one later, one of which nothing came. */
	np_flow_counts_add(&sum, &more);
	assert_int_equal(sum.head_bytes, 100);
	more.first = 6;
	more.last = 40;
	more.sent_known = more.order.extent_exact = false;
	more.order.extent_max = 59;
	np_flow_counts_add(&sum, &more);
	assert_true(sum.head_bytes == 100 && sum.first == 5 && sum.elapsed == 35);
	assert_true(!sum.sent_known && !sum.order.extent_exact && sum.order.extent_max == 60);
	more.first = more.last = 0;
	np_flow_counts_add(&sum, &more);
	assert_true(sum.head_bytes == 100 && sum.first == 5 && sum.last == 40);
	/* Nothing came of the first, and nothing of either. */
	sum = more;
	np_flow_counts_add(&sum, &one_sum);
	assert_true(sum.first == 10 && sum.head_bytes == 100 && sum.elapsed == 20);
	sum = more;
	sum.first = 7;
	sum.last = 0;
	np_flow_counts_add(&sum, &more);
	assert_int_equal(sum.elapsed, 0);
}

/* Runs one behind the other: the time between them is nobody's. */
static void sums_of_runs(void **state)
{
	struct np_flow_counts sum = {0}, more = one_sum;

	(void)state;
	np_flow_counts_append(&sum, &one_sum);
	assert_equal(sum, &one_sum);
	more.first = 100;
	more.last = 150;
	more.elapsed = 50;
	np_flow_counts_append(&sum, &more);
	assert_true(sum.elapsed == 70 && sum.head_bytes == 200 && sum.first == 10 &&
		    sum.last == 150);
}

static void delays_as_the_clocks_have_them(void **state)
{
	const struct np_flow_plan raw = {.first = 1, .raw_delays = true};
	struct np_flow *flow = *state;
	struct np_histogram_figures f;

	assert_null(np_flow_delay(flow));
	start(flow, &raw);
	(void)np_flow_add(flow, 1, 3, BYTES, BEGIN + NP_SECOND, BEGIN);
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN + NP_SECOND, BEGIN + 4 * MS);
	/* Neither again nor stray. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 9 * MS);
	(void)np_flow_add(flow, UINT64_MAX, 1, BYTES, BEGIN, BEGIN + 9 * MS);
	np_delay_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 4);
	assert_int_equal(f.min, -NP_SECOND);
	assert_int_equal(f.mean, -NP_SECOND + MS);
	assert_int_equal(f.max, -NP_SECOND + 4 * MS);
	assert_int_equal(np_flow_delay_bound(flow), 0);
	start(flow, &raw);
	np_delay_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 0);
}

static void delays_by_the_senders_clock(void **state)
{
	struct np_offset ahead = {.offset = 5 * NP_SECOND, .bound = 50, .at = BEGIN};
	struct np_flow *flow = *state;
	struct np_histogram_figures f;

	np_flow_set_clock(flow, &ahead);
	assert_null(np_flow_delay(flow));
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN);
	ahead.known = true;
	np_flow_set_clock(flow, &ahead);
	(void)np_flow_add(flow, 2, 2, BYTES, BEGIN + 5 * NP_SECOND, BEGIN + 200);
	/* 100 us of drift a second; and one that the clocks' error would make negative. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN + 6 * NP_SECOND, BEGIN + NP_SECOND + 300);
	(void)np_flow_add(flow, 5, 1, BYTES, BEGIN + 6 * NP_SECOND, BEGIN);
	np_delay_figures(np_flow_delay(flow), &f);
	assert_true(f.count == 4 && f.min == 0 && f.max == 300 && f.mean == 175 && f.p50 == 200);
	assert_int_equal(np_flow_delay_bound(flow), 50 + 100 * NP_MICROSECOND);
	/* The next run knows it from the begin; not known any more, none are counted. */
	start(flow, &(struct np_flow_plan){.first = 1});
	assert_int_equal(np_flow_delay_bound(flow), 0);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN + 5 * NP_SECOND, BEGIN + 7);
	np_delay_figures(np_flow_delay(flow), &f);
	assert_true(f.count == 1 && f.p50 == 7 && f.max == 7);
	ahead.known = false;
	np_flow_set_clock(flow, &ahead);
	arrive_all(flow, 2, 2);
	np_delay_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 1);
}

/* The same clock has no error, however old what is known of it. */
static void delays_by_our_clock(void **state)
{
	struct np_flow *flow = *state;

	np_flow_set_clock(flow, &(struct np_offset){.known = true});
	arrive_all(flow, 1, 5);
	assert_int_equal(np_flow_delay_bound(flow), 0);
}

/* What is waited for behind an end follows the delays seen, forged ones within bounds. */
static void grace_follows_delays(void **state)
{
	struct np_flow *flow = *state;
	struct np_flow_spread spread = {0};

	np_flow_spread(flow, &spread);
	assert_false(spread.known);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 300 * MS);
	np_flow_spread(flow, &spread);
	assert_true(spread.known && spread.least == 300 * MS && spread.most == 300 * MS);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	(void)np_flow_add(flow, 2, 1, BYTES, BEGIN, BEGIN + 200 * MS);
	(void)np_flow_add(flow, 3, 1, BYTES, BEGIN, BEGIN + 250 * MS);
	np_flow_spread(flow, &spread);
	assert_true(spread.least == 200 * MS && spread.most == 300 * MS);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 900 * MS);
	/* Those that come again were under way for somebody else's reasons. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 9000 * MS);
	np_flow_spread(flow, &spread);
	assert_int_equal(np_flow_grace(&spread), 1400 * MS);
	start(flow, &(struct np_flow_plan){.first = 1});
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 250 * MS);
	np_flow_spread(flow, &spread);
	assert_int_equal(np_flow_grace(&spread), 1400 * MS);
	spread.most = spread.least + 5 * NP_SECOND;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND);
	spread.most = spread.least + 5 * NP_SECOND - 1;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND - 2);
	spread.most = INT64_MAX;
	spread.least = INT64_MIN;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND);
}

/* What may never have left the sender is not put on the way. */
static void whose_loss(void **state)
{
	const struct np_loss_drops drops = {.least = 4, .upmost = 4, .most = 1};
	struct np_flow_counts c = {.sent = 20, .lost = 10, .sent_known = true};
	struct np_loss loss = np_flow_attribute(&c, &drops);

	(void)state;
	assert_true(loss.path == 6 && loss.host == 4 && loss.unattributed == 0 && loss.exact);
	c.unsent_perhaps = 5;
	loss = np_flow_attribute(&c, &drops);
	assert_true(loss.path == 1 && loss.host == 4 && loss.unattributed == 5 && !loss.exact);
	c.unsent_perhaps = 8;
	loss = np_flow_attribute(&c, &drops);
	assert_true(loss.path == 0 && loss.host == 4 && loss.unattributed == 6 && !loss.exact);
	c.unsent_perhaps = 0;
	loss = np_flow_attribute(&c, NULL);
	assert_true(loss.path == 0 && loss.host == 0 && loss.unattributed == 10 && !loss.exact);
	c.lost = 0;
	assert_true(np_flow_attribute(&c, NULL).exact);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_window_is_that_large),
		TEST(all_in_order),
		TEST(losses),
		TEST(below_the_window),
		TEST(from_zero_on),
		TEST(an_end_that_cannot_be),
		TEST(announced_without_end),
		TEST(nothing_was_sent),
		TEST(all_was_lost),
		TEST(no_end_was_told),
		TEST(within_reach),
		TEST(never_left),
		TEST(a_late_one),
		TEST(numbers_of_32_bits),
		TEST(without_numbers),
		TEST(one_that_opens),
		TEST(runs),
		TEST(now_begins_at_the_mark),
		TEST(differences),
		cmocka_unit_test(one_of_each_is_not_empty),
		cmocka_unit_test(sums),
		cmocka_unit_test(sums_of_runs),
		TEST(delays_as_the_clocks_have_them),
		TEST(delays_by_the_senders_clock),
		TEST(delays_by_our_clock),
		TEST(grace_follows_delays),
		cmocka_unit_test(whose_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
