// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How a flow starts late and ends: what was announced, sent, lost or never left its sender; and
 * what it counts at a mark, at the announced limit, at its end.
 */
#include "support/counted_flow.h"
#include "support/unit.h"

FLOW_TEST(an_end_that_cannot_be)
{
	struct np_flow *flow = *state;
	struct np_flow_counts c;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = 10});
	assert_false(np_flow_end(flow, 12, 0));
	assert_false(life_of(flow).sent_known);
	assert_true(np_flow_end(flow, 11, 0));
	assert_true(life_of(flow).sent_known);
	start(flow, &(struct np_flow_plan){.first = 1});
	assert_false(np_flow_end(flow, (UINT64_C(1) << 63) + 1, 0));
	/* No announcement makes such a number possible. */
	start(flow, &(struct np_flow_plan){.first = 1, .announced = UINT64_C(1) << 63});
	assert_false(np_flow_end(flow, (UINT64_C(1) << 63) + 1, 0));
	start(flow, &(struct np_flow_plan){.first = 1});
	arrive_all(flow, 1, 5);
	/* More came than it says. */
	assert_true(np_flow_end(flow, 5, 0));
	c = life_of(flow);
	assert_true(c.sent == 5 && !c.sent_known && !np_flow_counts_exact(&c));
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
FLOW_TEST(announced_without_end)
{
	struct np_flow *flow = *state;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = UINT64_MAX});
	assert_int_equal(arrive(flow, INT64_MAX), 1);
	start(flow, &(struct np_flow_plan){.first = INT64_MAX - 1, .announced = 5});
	assert_int_equal(arrive(flow, INT64_MAX), 1);
	assert_int_equal(arrive(flow, UINT64_C(1) << 63), 0);
	assert_int_equal(life_of(flow).lost, 1);
}

FLOW_TEST(nothing_was_sent)
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

FLOW_TEST(all_was_lost)
{
	struct np_flow *flow = *state;

	assert_true(np_flow_end(flow, 101, 0));
	assert_false(np_flow_complete(flow));
	assert_int_equal(life_of(flow).lost, 100);
	assert_int_equal(now_of(flow).lost, 100);
}

/* What was announced and has not come is lost at the end, not before. */
FLOW_TEST(no_end_was_told)
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

/* What the sender's host refused is neither sent nor lost; but no more of it than is missing. */
FLOW_TEST(never_left)
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
FLOW_TEST(a_late_one)
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

/* What may never have left the sender is not put on the way. */
TEST(whose_loss)
{
	const struct np_loss_drops drops = {.least = 4, .upmost = 4, .most = 1};
	struct np_flow_counts c = {.sent = 20, .lost = 10, .sent_known = true};
	struct np_loss loss = np_flow_attribute(&c, &drops);

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

/* Messages from @first on that arrive at once. */
static uint64_t arrive_together(struct np_flow *flow, uint64_t first, uint64_t count)
{
	return np_flow_add(flow, first, count, BYTES, BEGIN, BEGIN + (np_time)first);
}

static void assert_now(const struct np_flow *flow, uint64_t received)
{
	assert_int_equal(now_of(flow).received, received);
	assert_int_equal(now_of(flow).bytes, received * BYTES);
}

/* A message from before the mark corrects the life alone, in order or not: its bytes, too. */
FLOW_TEST(a_mark_beyond_what_arrived)
{
	struct np_flow *flow = *state;

	assert_int_equal(arrive_together(flow, 1, 10), 10);
	assert_true(np_flow_end(flow, 21, 0));
	np_flow_mark(flow, BEGIN + 100);
	assert_int_equal(arrive_together(flow, 11, 1), 1);
	assert_int_equal(arrive_together(flow, 12, 2), 2);
	assert_int_equal(arrive_together(flow, 16, 1), 1);
	assert_int_equal(arrive_together(flow, 15, 1), 1);
	assert_now(flow, 0);
}

/* All numbers are above a mark that was set before the first arrived, even number 0. */
FLOW_TEST(a_mark_before_all)
{
	struct np_flow *flow = *state;

	start(flow, &(struct np_flow_plan){.late = true});
	np_flow_mark(flow, BEGIN);
	assert_int_equal(arrive_together(flow, 1, 1), 1);
	assert_int_equal(arrive_together(flow, 0, 1), 1);
	assert_now(flow, 2);
}

/* Of messages that arrive together, those beyond the limit are stray. */
FLOW_TEST(a_run_across_the_limit)
{
	struct np_flow *flow = *state;
	struct np_flow_counts life;

	start(flow, &(struct np_flow_plan){.first = 1, .announced = 10});
	assert_int_equal(arrive_together(flow, 1, 4), 4);
	assert_int_equal(arrive_together(flow, 5, 9), 6);
	life = life_of(flow);
	assert_true(life.sent == 10 && life.received == 10 && life.stray == 3);
}

/* What never left the sender is not waited for, be it less or more than what arrived. */
FLOW_TEST(complete_without_the_unsent)
{
	struct np_flow *flow = *state;

	assert_int_equal(arrive_together(flow, 1, 9), 9);
	assert_true(np_flow_end(flow, 13, 2));
	assert_false(np_flow_complete(flow));
	assert_int_equal(arrive_together(flow, 10, 1), 1);
	assert_true(np_flow_complete(flow));
	assert_true(np_flow_end(flow, 13, 1));
	assert_false(np_flow_complete(flow));
}

/* What its sender numbered before the first that arrived is not lost, whatever its end says. */
FLOW_TEST(a_late_flow_that_ends_too_low)
{
	struct np_flow *flow = *state;
	struct np_flow_counts life;

	start(flow, &(struct np_flow_plan){.first = 1, .late = true});
	assert_int_equal(arrive_together(flow, 101, 1), 1);
	assert_int_equal(arrive_together(flow, 110, 1), 1);
	assert_true(np_flow_end(flow, 105, 0));
	life = life_of(flow);
	assert_true(life.received == 2 && life.lost == 2 && !life.sent_known);
}
