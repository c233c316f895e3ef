// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The table of flows: which packet is of which flow, which flow is over, limits; what it displaces,
 * forgets and remembers.
 */
#include "support/datagram_flows.h"

TEST_WITH(set_up, tear_down, a_new_run_of_the_source_is_a_new_flow)
{
	struct bench *bench = *state;
	struct flow *first = arrive_all(bench, RUN, 1, 10), *second;
	struct np_flow_counts figures;

	second = arrive_all(bench, RUN + 1, 1, 5);
	assert_ptr_not_equal(first, second);
	assert_true(first->ended);
	assert_false(second->ended);
	assert_int_equal(flows_count(bench->flows), 2);
	assert_ptr_equal(flows_first(bench->flows), first);
	assert_ptr_equal(first->next, second);
	/* A straggler of the former run. */
	assert_ptr_equal(arrive(bench, RUN, 0, 12), first);
	flow_life(first, &figures);
	assert_int_equal(figures.sent, 12);
	assert_int_equal(figures.received, 11);
	flow_life(second, &figures);
	assert_int_equal(figures.sent, 5);
	/* Without a trailer it is the newest's. */
	assert_ptr_equal(arrive(bench, 0, 0, 77), second);
	flow_life(second, &figures);
	assert_int_equal(figures.damaged, 1);
	silence(bench);
	assert_true(first->past);
	assert_false(second->past);
	assert_int_equal(flows_count(bench->flows), 1);
}

TEST_WITH(set_up, tear_down, ours_survives_silence)
{
	struct bench *bench = *state;
	struct flow *flow = arrive_all(bench, RUN, 1, 10);
	struct np_flow_counts figures;

	bench->source = address(0x0a4d0003, 40000);
	arrive(bench, 0, 0, 1);
	silence(bench);
	assert_int_equal(flows_count(bench->flows), 1);
	assert_ptr_equal(flows_first(bench->flows), flow);
	bench->source = address(0x0a4d0002, 40000);
	assert_ptr_equal(arrive(bench, RUN, 0, 15), flow);
	flow_life(flow, &figures);
	assert_int_equal(figures.lost, 4);
	flow_end(flow, 15, 0, bench->now);
	silence(bench);
	assert_int_equal(flows_count(bench->flows), 0);
}

/* However long after its end and the silence that followed: there is one flow of a run. */
TEST_WITH(set_up, tear_down, a_packet_behind_the_end_finds_its_flow)
{
	struct bench *bench = *state;
	struct flow *flow = arrive_all(bench, RUN, 1, 10);
	struct np_flow_counts figures;

	flow_end(flow, 13, 0, bench->now);
	arrive(bench, RUN, 0, 13);
	flow->reported = true;
	bench->now += 1500 * NP_MILLISECOND;
	silence(bench);
	assert_true(flow->past);
	bench->now += 20 * NP_SECOND;
	assert_ptr_equal(arrive(bench, RUN, 0, 11), flow);
	assert_ptr_equal(arrive(bench, RUN, 0, 12), flow);
	assert_ptr_equal(arrive(bench, RUN, 0, 3), flow);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 13);
	assert_int_equal(figures.received, 13);
	assert_int_equal(figures.after_end, 2);
	assert_int_equal(figures.lost, 0);
	assert_int_equal(figures.duplicates, 1);
	assert_true(figures.sent_known);
}

TEST_WITH(set_up, tear_down, what_is_past_is_in_nobodys_way)
{
	struct bench *bench = *state;
	struct flow *flow = arrive_all(bench, RUN, 1, 10), *foreign, *next;
	struct np_flow_counts figures;

	flow_end(flow, 10, 0, bench->now);
	silence(bench);
	/* What has no trailer is no damaged packet of a run that is over. */
	foreign = arrive(bench, 0, 0, 1);
	assert_ptr_not_equal(foreign, flow);
	assert_ptr_equal(arrive(bench, 0, 0, 2), foreign);
	flow_life(flow, &figures);
	assert_int_equal(figures.damaged, 0);
	silence(bench);
	next = arrive_all(bench, RUN + 1, 1, 5);
	assert_false(next->past);
	assert_int_equal(flows_count(bench->flows), 1);
	assert_ptr_equal(arrive(bench, RUN, 0, 10), flow);
	/* Nobody is kept for ever, but a run that is over begins no second time. */
	assert_false(flows_departed(bench->flows, &bench->source, RUN));
	bench->now += FLOW_KEPT + NP_SECOND;
	silence(bench);
	assert_ptr_equal(flows_first(bench->flows), next);
	assert_null(next->next);
	assert_true(flows_departed(bench->flows, &bench->source, RUN));
	assert_false(flows_departed(bench->flows, &bench->source, RUN + 1));
	assert_false(flows_departed(bench->flows, &bench->source, RUN + 2));
	np_address_set_port(&bench->source, 1);
	assert_false(flows_departed(bench->flows, &bench->source, RUN));
}

TEST_WITH(set_up, tear_down, the_table_has_a_limit)
{
	struct bench *bench = *state;
	struct flow *flow, *last = NULL;
	uint32_t i;

	for (i = 0; i < FLOWS_MAX + 10; i++) {
		bench->source = address(0x0a000000 + i, (uint16_t)(1000 + i));
		flow = arrive(bench, i % 2 ? RUN : 0, 0, 1);
		assert_int_equal(!flow, i >= FLOWS_MAX);
		last = flow ? flow : last;
		if (!flow)
			flows_refuse(bench->flows, 3);
	}
	assert_int_equal(flows_count(bench->flows), FLOWS_MAX);
	assert_int_equal(flows_refused(bench->flows), 30);
	for (i = 0; i < FLOWS_MAX; i++) {
		bench->source = address(0x0a000000 + i, (uint16_t)(1000 + i));
		flow = flows_find(bench->flows, &bench->source, i % 2 ? RUN : 0);
		assert_non_null(flow);
		assert_memory_equal(&flow->source, &bench->source, sizeof(bench->source));
		np_address_set_port(&bench->source, 9999);
		assert_ptr_equal(flows_printed(bench->flows, &bench->source, NULL), flow);
		assert_null(flows_printed(bench->flows, &bench->source, flow));
	}
	assert_true(flows_full(bench->flows));
	assert_ptr_equal(flow, last);
	silence(bench);
	assert_int_equal(flows_count(bench->flows), FLOWS_MAX / 2);
	assert_non_null(arrive(bench, 0, 0, 1));
}

/* Answers come from the printed address: they find all of their flows, whichever have gone. */
TEST_WITH(set_up, tear_down, flows_are_found_by_what_is_printed)
{
	const struct np_address here = address(0x0a4d0002, 9999), there = address(0x0a4d0003, 9999);
	struct bench *bench = *state;
	struct flow *flow[4];

	assert_null(flows_printed(bench->flows, &here, NULL));
	for (uint16_t i = 0; i < 4; i++) {
		bench->source = address(i == 1 ? 0x0a4d0003 : 0x0a4d0002, (uint16_t)(1000 + i));
		flow[i] = arrive(bench, RUN + i, 0, 1);
	}
	assert_ptr_equal(flows_printed(bench->flows, &here, NULL), flow[3]);
	assert_ptr_equal(flows_printed(bench->flows, &here, flow[3]), flow[2]);
	assert_ptr_equal(flows_printed(bench->flows, &here, flow[2]), flow[0]);
	assert_null(flows_printed(bench->flows, &here, flow[0]));
	assert_ptr_equal(flows_printed(bench->flows, &there, NULL), flow[1]);
	assert_null(flows_printed(bench->flows, &there, flow[1]));
	assert_null(flows_printed(bench->flows, &bench->source, NULL));
	flows_remove(bench->flows, flow[2]);
	assert_ptr_equal(flows_printed(bench->flows, &here, flow[3]), flow[0]);
	flows_remove(bench->flows, flow[1]);
	assert_null(flows_printed(bench->flows, &there, NULL));
}

static struct np_address from(unsigned index)
{
	return address(0x0a4d0000 + index, 40000);
}

/* @run 0: foreign. Without a packet counted. */
static struct flow *add_at(struct flows *flows, unsigned index, uint32_t run, uint32_t port,
			   np_time now)
{
	const struct wire_packet head = {.return_port = port, .ack = WIRE_NO_ACK, .number = 1};
	const struct wire_trailer trailer = {.run = run};
	const struct np_address source = from(index);

	return flows_add(flows, &source, &head, run ? &trailer : NULL, now);
}

static struct flow *add(struct flows *flows, unsigned index)
{
	return add_at(flows, index, RUN, 9999, START);
}

/* The highest port is one; what is higher is none, so that the source's stays. */
TEST_WITH(set_up, tear_down, the_highest_return_port)
{
	struct flows *flows = ((struct bench *)*state)->flows;
	struct np_address printed = from(1);
	const struct flow *flow = add_at(flows, 1, RUN, UINT16_MAX, START);

	np_address_set_port(&printed, UINT16_MAX);
	assert_ptr_equal(flows_printed(flows, &printed, NULL), flow);
	printed = from(2);
	flow = add_at(flows, 2, RUN, UINT16_MAX + 1, START);
	assert_ptr_equal(flows_printed(flows, &printed, NULL), flow);
}

/* A flow starts when it is added; one that becomes ours starts over. */
TEST_WITH(set_up, tear_down, flows_begin_when_they_are_added)
{
	struct flows *flows = ((struct bench *)*state)->flows;
	const struct wire_packet head = {.return_port = 9999, .ack = WIRE_NO_ACK, .number = 1};
	struct flow *flow = add_at(flows, 1, 0, 9999, START);

	assert_true(flow->begun == START && flow->heard == START && !flow->ours);
	flow_count(flow, &head, NULL, 3, 100, START + 1);
	assert_ptr_equal(add_at(flows, 1, RUN, 9999, START + 5), flow);
	assert_true(flow->begun == START + 5 && flow->heard == START + 5 && flow->ours);
	assert_int_equal(flow->packets, 0);
}

/* A run is departed when its flow had ended, not when it was displaced. */
TEST_WITH(set_up, tear_down, the_displaced_may_come_back)
{
	struct flows *flows = ((struct bench *)*state)->flows;
	const struct np_address source = from(1);

	flows_remove(flows, add(flows, 1));
	assert_false(flows_departed(flows, &source, RUN));
	flow_end(add(flows, 1), 0, 0, START);
	flows_remove(flows, flows_find(flows, &source, RUN));
	assert_true(flows_departed(flows, &source, RUN));
	assert_null(flows_find(flows, &source, RUN));
}

/* The one silent longest goes first, unless it is proven and not reported yet. */
TEST_WITH(set_up, tear_down, the_longest_silent_is_displaced)
{
	struct flows *flows = ((struct bench *)*state)->flows;
	struct flow *flow[4];

	assert_null(flows_victim(flows));
	for (unsigned i = 0; i < 4; i++)
		flow[i] = add_at(flows, i, RUN, 9999, START + 10 - (i == 2) - (i == 1) * 2);
	assert_ptr_equal(flows_victim(flows), flow[1]);
	flow[1]->proven = true;
	assert_ptr_equal(flows_victim(flows), flow[2]);
	flows_remove(flows, flow[2]);
	flow[0]->proven = flow[3]->proven = true;
	assert_null(flows_victim(flows));
	flow[3]->reported = true;
	assert_ptr_equal(flows_victim(flows), flow[3]);
}

/* In a flood of forged sources, too, each newcomer of which takes the place of another. */
TEST_WITH(set_up, tear_down, who_falls_silent_goes_in_a_flood)
{
	struct flows *flows = ((struct bench *)*state)->flows;
	const struct np_address silent = from(0), active = from(1);
	const struct wire_packet head = {.return_port = 9999, .ack = WIRE_NO_ACK, .number = 2};
	const struct wire_trailer trailer = {.run = RUN};
	unsigned i;

	for (i = 0; i < FLOWS_MAX; i++)
		add(flows, i);
	flow_count(flows_find(flows, &silent, RUN), &head, &trailer, 1, 100, START + FLOWS_MAX);
	for (; i < 4 * FLOWS_MAX; i++) {
		flow_count(flows_find(flows, &active, RUN), &head, &trailer, 1, 100, START + i);
		flows_remove(flows, flows_victim(flows));
		assert_non_null(add_at(flows, i, RUN, 9999, START + i));
	}
	assert_non_null(flows_find(flows, &active, RUN));
	assert_null(flows_find(flows, &silent, RUN));
}

/* However many are proven: who is heard just now stays, while others have been silent. */
TEST_WITH(set_up, tear_down, among_many_that_are_proven)
{
	struct flows *flows = ((struct bench *)*state)->flows;
	struct flow *heard = NULL, *silent;

	for (unsigned i = 0; i < 200; i++) {
		struct flow *flow = add_at(flows, i, RUN, 9999, START);

		flow->proven = i != 100;
		if (!flow->proven)
			heard = flow;
	}
	heard->heard = START + NP_SECOND;
	silent = add_at(flows, 200, RUN, 9999, START);
	assert_ptr_equal(flows_victim(flows), silent);
}
