// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The table of flows: which packet is of which flow, which flow is over, limits. */
#include "support/datagram_flows.h"

static void a_new_run_of_the_source_is_a_new_flow(void **state)
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

static void ours_survives_silence(void **state)
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
static void a_packet_behind_the_end_finds_its_flow(void **state)
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

static void what_is_past_is_in_nobodys_way(void **state)
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

static void the_table_has_a_limit(void **state)
{
	struct bench *bench = *state;
	struct flow *flow, *last = NULL;
	uint32_t i;

	for (i = 0; i < FLOWS_MAX + 10; i++) {
		bench->source = address(0x0a000000 + i, (uint16_t)(1000 + i));
		flow = arrive(bench, i % 2 ? RUN : 0, 0, 1);
		assert_int_equal(!flow, i >= FLOWS_MAX);
		last = flow ? flow : last;
	}
	assert_int_equal(flows_count(bench->flows), FLOWS_MAX);
	assert_int_equal(flows_refused(bench->flows), 10);
	for (i = 0; i < FLOWS_MAX; i++) {
		bench->source = address(0x0a000000 + i, (uint16_t)(1000 + i));
		flow = flows_find(bench->flows, &bench->source, i % 2 ? RUN : 0);
		assert_non_null(flow);
		assert_memory_equal(&flow->source, &bench->source, sizeof(bench->source));
	}
	assert_ptr_equal(flow, last);
	silence(bench);
	assert_int_equal(flows_count(bench->flows), FLOWS_MAX / 2);
	assert_non_null(arrive(bench, 0, 0, 1));
}

static void reports_show_the_return_port(void **state)
{
	struct bench *bench = *state;
	struct wire_packet head = {.return_port = 9998, .ack = WIRE_NO_ACK, .number = 1};
	struct flow *flow = flows_add(bench->flows, &bench->source, &head, NULL, START);

	assert_int_equal(np_address_port(&flow->printed), 9998);
	assert_int_equal(np_address_port(&flow->source), 40000);
	head.return_port = 65536;
	bench->source = address(0x0a4d0003, 40001);
	flow = flows_add(bench->flows, &bench->source, &head, NULL, START);
	assert_int_equal(np_address_port(&flow->printed), 40001);
}

/* Answers come from the printed address: they find all of their flows, whichever have gone. */
static void flows_are_found_by_what_is_printed(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLOW_TEST(a_new_run_of_the_source_is_a_new_flow),
		FLOW_TEST(ours_survives_silence),
		FLOW_TEST(a_packet_behind_the_end_finds_its_flow),
		FLOW_TEST(what_is_past_is_in_nobodys_way),
		FLOW_TEST(the_table_has_a_limit),
		FLOW_TEST(reports_show_the_return_port),
		FLOW_TEST(flows_are_found_by_what_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
