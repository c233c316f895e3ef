// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a flow counts: the original's figures over distinct packets, losses at both ends, damage,
 * what never left, reports between two marks, runs of packets.
 */
#include "support/datagram_flows.h"

struct vector {
	uint64_t number[8];
	uint64_t received, sent, missing, duplicates, reordered, average, gaps, average_gap;
};

/* Of runs of the original, duplicates counted apart. */
static const struct vector vectors[] = {
	{{1, 4, 6, 2}, 4, 6, 2, 0, 1, 2, 2, 1},
	{{1, 2, 2, 3}, 3, 3, 0, 1, 0, 0, 0, 0},
	{{5, 4, 3, 2, 1}, 5, 5, 0, 0, 4, 2, 0, 0},
	{{10, 20, 11, 12, 13, 30, 14}, 7, 21, 14, 0, 4, 1, 2, 9},
};

static uint64_t average(uint64_t sum, uint64_t count)
{
	return count ? sum / count : 0;
}

static void expect_vector(const struct np_flow_counts *f, const struct vector *v)
{
	assert_int_equal(f->received, v->received);
	assert_int_equal(f->sent, v->sent);
	assert_int_equal(f->lost, v->missing);
	assert_int_equal(f->duplicates, v->duplicates);
	assert_int_equal(f->reordered, v->reordered);
	assert_int_equal(average(f->order.offset_sum, f->reordered), v->average);
	assert_int_equal(f->order.gaps, v->gaps);
	assert_int_equal(average(f->order.gap_packets, f->order.gaps), v->average_gap);
	assert_int_equal(f->bytes, v->received * BYTES);
}

static void figures_of_the_original(void **state)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow = NULL;
	size_t i, k;

	for (i = 0; i < LEN(vectors); i++) {
		for (k = 0; vectors[i].number[k]; k++)
			flow = arrive(bench, 0, 0, vectors[i].number[k]);
		flow_life(flow, &figures);
		expect_vector(&figures, &vectors[i]);
		assert_int_equal(figures.elapsed, (np_time)(k - 1) * NP_MILLISECOND);
		assert_false(figures.sent_known);
		flow_now(flow, &figures);
		expect_vector(&figures, &vectors[i]);
		silence(bench);
		assert_int_equal(flows_count(bench->flows), 0);
	}
}

static void foreign_run_again_is_duplicates_until_dropped(void **state)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;

	arrive_all(bench, 0, 1, 50);
	flow_life(arrive_all(bench, 0, 1, 50), &figures);
	assert_int_equal(figures.received, 50);
	assert_int_equal(figures.sent, 50);
	assert_int_equal(figures.lost, 0);
	assert_int_equal(figures.duplicates, 50);
	assert_int_equal(figures.reordered, 0);
	silence(bench);
	flow_life(arrive_all(bench, 0, 1, 50), &figures);
	assert_int_equal(figures.received, 50);
	assert_int_equal(figures.duplicates, 0);
}

static void foreign_numbers_wrap(void **state)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow = arrive(bench, 0, 0, UINT32_MAX - 1);

	assert_false(flow->ours);
	arrive(bench, 0, 0, UINT32_MAX);
	arrive(bench, 0, 0, 1);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 4);
	assert_int_equal(figures.lost, 1);
}

static void loss_of_head_and_tail_is_seen(void **state)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow = arrive(bench, RUN, 5, 4);

	arrive(bench, RUN, 5, 5);
	assert_true(flow->ours);
	assert_false(flow->late_start);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 5);
	assert_int_equal(figures.lost, 3);
	assert_int_equal(figures.missed_before, 0);
	assert_false(figures.sent_known);
	flow_end(flow, 12, 0, bench->now);
	flow_end(flow, 12, 0, bench->now + NP_SECOND);
	assert_int_equal(flow->end_at, bench->now);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 12);
	assert_int_equal(figures.received, 2);
	assert_int_equal(figures.lost, 10);
	assert_true(figures.sent_known);
	assert_true(flow->ended);
	/* One that END overtook. */
	arrive(bench, RUN, 5, 12);
	flow_life(flow, &figures);
	assert_int_equal(figures.lost, 9);
}

static void damage_is_missing_and_shown_apart(void **state)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow;

	arrive(bench, RUN, 0, 1);
	arrive(bench, 0, 0, 2000000);
	flow = arrive(bench, RUN, 0, 3);
	flow_life(flow, &figures);
	assert_int_equal(figures.received, 2);
	assert_int_equal(figures.sent, 3);
	assert_int_equal(figures.lost, 1);
	assert_int_equal(figures.damaged, 1);
	assert_int_equal(flows_count(bench->flows), 1);
	flow_mark(flow, bench->now);
	arrive(bench, 0, 0, 5);
	flow_now(flow, &figures);
	assert_int_equal(figures.damaged, 1);
}

static void a_first_damaged_packet_does_not_hide_the_run(void **state)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow = arrive(bench, 0, 0, 4000000);

	assert_false(flow->ours);
	assert_ptr_equal(arrive(bench, RUN, 0, 2), flow);
	assert_true(flow->ours);
	arrive(bench, RUN, 0, 3);
	assert_int_equal(flows_count(bench->flows), 1);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 3);
	assert_int_equal(figures.received, 2);
	assert_int_equal(figures.damaged, 1);
	assert_int_equal(figures.bytes, 2 * BYTES);
	flow_now(flow, &figures);
	assert_int_equal(figures.sent, 3);
}

/* A run of packets is what they are one by one; the ack is its first one's. */
static void runs_of_packets(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_packet head = {.send_time = 1, .ack = START, .number = 2};
	const struct wire_trailer trailer = {.run = RUN, .held_us = WIRE_HELD_UNKNOWN};
	struct np_flow_counts figures;

	flow->peer = 1;
	flow_count(flow, &head, &trailer, 64, BYTES, START + NP_MILLISECOND);
	assert_int_equal(flow->packets, 65);
	/* Its first one came before. */
	head.number = 65;
	flow_count(flow, &head, &trailer, 3, BYTES, START + NP_MILLISECOND);
	flow->reported = true;
	head.ack = WIRE_NO_ACK;
	flow_count(flow, &head, &trailer, 5, BYTES, START + NP_MILLISECOND);
	flow_count(flow, &head, NULL, 2, BYTES, START + NP_MILLISECOND);
	flow_life(flow, &figures);
	assert_int_equal(figures.received, 69);
	assert_int_equal(figures.duplicates, 4);
	assert_int_equal(figures.damaged, 2);
	assert_int_equal(figures.bytes, 69 * BYTES);
	assert_int_equal(figures.after_end, 2);
	assert_int_equal(figures.acks, 1);
	flow_mark(flow, START + NP_SECOND);
	flow_now(flow, &figures);
	assert_true(!figures.acks && !figures.ack_time && !figures.after_end);
}

static void figures_add_up(void **state)
{
	const struct np_flow_counts one = {
		.flows = 1, .received = 5, .after_end = 2, .acks = 3, .ack_time = 70};
	struct np_flow_counts sum = {0};

	(void)state;
	np_flow_counts_add(&sum, &one);
	np_flow_counts_add(&sum, &one);
	assert_true(sum.received == 10 && sum.after_end == 4);
	assert_true(sum.acks == 6 && sum.ack_time == 140);
	np_flow_counts_since(&sum, &one);
	assert_true(sum.received == 5 && sum.after_end == 2);
	assert_true(sum.acks == 3 && sum.ack_time == 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLOW_TEST(figures_of_the_original),
		FLOW_TEST(foreign_run_again_is_duplicates_until_dropped),
		FLOW_TEST(foreign_numbers_wrap),
		FLOW_TEST(loss_of_head_and_tail_is_seen),
		FLOW_TEST(damage_is_missing_and_shown_apart),
		FLOW_TEST(a_first_damaged_packet_does_not_hide_the_run),
		FLOW_TEST(runs_of_packets),
		FLOW_TEST(figures_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
