// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Differences and sums of what flows counted. */
#include "support/counted_flow.h"
#include "support/unit.h"

#include <netperf/stream.h>

/* Rows are differences: one that comes late takes back a loss, and their sum is the life. */
FLOW_TEST(differences)
{
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

TEST(one_of_each_is_not_empty)
{
	struct np_flow_counts c = {.elapsed = 5};
	uint64_t *const fields[] = {&c.sent, &c.received, &c.lost,    &c.duplicates, &c.reordered,
				    &c.late, &c.stray,	  &c.damaged, &c.bytes};

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

TEST(sums)
{
	struct np_flow_counts sum = {0}, more = one_sum;

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
TEST(sums_of_runs)
{
	struct np_flow_counts sum = {0}, more = one_sum;

	np_flow_counts_append(&sum, &one_sum);
	assert_equal(sum, &one_sum);
	more.first = 100;
	more.last = 150;
	more.elapsed = 50;
	np_flow_counts_append(&sum, &more);
	assert_true(sum.elapsed == 70 && sum.head_bytes == 200 && sum.first == 10 &&
		    sum.last == 150);
}

/* Counts of connections, or of runs, add up; of gauges 0 is unknown, and a difference keeps them.
 */
TEST(columns_merge_by_their_kind)
{
	const struct np_column *all = np_stream_tcp_columns;
	struct np_stream_tcp sum = {.retransmitted = 3, .cwnd = 10, .srtt = 5, .rtt_min = 4};
	const struct np_stream_tcp other = {
		.retransmitted = 2, .cwnd = 20, .srtt = 3, .rtt_min = 2, .delivery_rate = 7};
	struct np_stream_tcp later = {.retransmitted = 9, .cwnd = 8};

	np_schema_add(all, &sum, &other);
	assert_true(sum.retransmitted == 5 && sum.cwnd == 30 && sum.delivery_rate == 7);
	assert_true(sum.srtt == 5 && sum.rtt_min == 2);
	np_schema_since(all, &later, &sum);
	assert_true(later.retransmitted == 4 && later.cwnd == 8);
	np_schema_append(all, &later, &sum);
	assert_true(later.retransmitted == 9 && later.cwnd == 8);
	for (const struct np_column *c = all; c->name; c++)
		if (c->offset == offsetof(struct np_stream_tcp, delivery_rate))
			assert_true(np_column_shown(c, NP_STREAM_TCP_SENT, &other) &&
				    !np_column_shown(c, NP_STREAM_TCP_SENT, &later) &&
				    !np_column_shown(c, NP_STREAM_TCP_NEW, &other));
}
