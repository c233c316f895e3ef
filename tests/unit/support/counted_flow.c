// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* counted_flow: messages of a made-up sender arrive at a flow. */
#include "counted_flow.h"

int create_flow(void **state)
{
	struct np_flow *flow;

	assert_int_equal(np_flow_create(&flow, 1024), 0);
	*state = flow;
	return np_flow_start(flow, &(struct np_flow_plan){.first = 1});
}

int destroy_flow(void **state)
{
	np_flow_free(*state);
	np_flow_free(NULL);
	return 0;
}

void start(struct np_flow *flow, const struct np_flow_plan *plan)
{
	assert_int_equal(np_flow_start(flow, plan), 0);
}

uint64_t arrive(struct np_flow *flow, uint64_t number)
{
	/* Of a number beyond all others the time does not matter. */
	const np_time sent = BEGIN + (np_time)(number & UINT32_MAX) * MS;

	return np_flow_add(flow, number, 1, BYTES, sent, sent + MS);
}

void arrive_all(struct np_flow *flow, uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n <= to; n++)
		assert_int_equal(arrive(flow, n), 1);
}

struct np_flow_counts life_of(const struct np_flow *flow)
{
	struct np_flow_counts c;

	np_flow_life(flow, &c);
	assert_int_equal(c.flows, 1);
	assert_int_equal(c.sent, c.received + c.lost + c.late);
	return c;
}

struct np_flow_counts final_of(const struct np_flow *flow)
{
	struct np_flow_counts c;

	np_flow_final(flow, &c);
	assert_int_equal(c.sent, c.received + c.lost + c.late);
	return c;
}

struct np_flow_counts now_of(const struct np_flow *flow)
{
	struct np_flow_counts c;

	np_flow_now(flow, &c);
	assert_int_equal(c.sent, c.received + c.lost + c.late);
	return c;
}

void assert_equal(struct np_flow_counts x, const struct np_flow_counts *y)
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
