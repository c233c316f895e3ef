// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Round trips, the clock of a flow's publisher, delays by it, and which answers are believed. */
#include "support/datagram_flows.h"

static void acks_of_peers_give_round_trips(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_packet head = {.ack = START, .number = 2};
	struct wire_trailer trailer = {.run = RUN, .held_us = 300};
	struct np_flow_counts figures;

	flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	assert_null(flow->rtt);
	flow->peer = true;
	for (head.number = 3; head.number < 6; head.number++)
		flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	trailer.held_us = WIRE_HELD_UNKNOWN;
	flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	head.number++;
	head.ack = START + NP_SECOND; /* yet to come: forged */
	flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	head.number++;
	head.ack = INT64_MIN;
	flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	flow_life(flow, &figures);
	assert_int_equal(figures.acks, 4);
	assert_int_equal(figures.ack_time, 4 * NP_MILLISECOND);
	assert_int_equal(np_histogram_count(flow->rtt), 3);
	assert_int_equal(np_histogram_max(flow->rtt), 700 * NP_MICROSECOND);
}

/* The partner's clock is 5 s ahead; 40 us there, 60 us back, 1 ms between: bound 50 us. */
static void delay_by_the_partners_clock(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_control reply = {.type = WIRE_TIME_REPLY, .run = RUN, .t1 = START};
	struct wire_packet head = {.ack = WIRE_NO_ACK, .number = 2};
	struct wire_trailer trailer = {.run = RUN, .confirmed = true};
	np_time t4 = START + 1100 * NP_MICROSECOND;
	struct np_histogram_figures delay;

	assert_false(flow_delay(flow, &delay));
	reply.t2 = START + 40 * NP_MICROSECOND + 5 * NP_SECOND;
	reply.t3 = reply.t2 + NP_MILLISECOND;
	flow_clock_ask(flow, reply.t1);
	flow_clock_reply(flow, &reply, t4);
	assert_true(flow->clock.offset.known);
	assert_int_equal(flow->clock.offset.offset, 5 * NP_SECOND - 10 * NP_MICROSECOND);
	assert_int_equal(flow->clock.offset.bound, 50 * NP_MICROSECOND + 110);
	/* Sent by its clock, 200 us under way, a second later: 100 us of drift since. */
	head.send_time = t4 + NP_SECOND + 5 * NP_SECOND;
	flow_count(flow, &head, &trailer, 1, BYTES, t4 + NP_SECOND + 200 * NP_MICROSECOND);
	assert_true(flow->confirmed);
	assert_true(flow_delay(flow, &delay));
	assert_int_equal(delay.max, 190 * NP_MICROSECOND);
	assert_int_equal(np_flow_delay_bound(flow->account), 150 * NP_MICROSECOND + 130);
	/* One that the offset would make negative. */
	head.number++;
	head.send_time = t4 + 2 * NP_SECOND + 5 * NP_SECOND;
	flow_count(flow, &head, &trailer, 1, BYTES, t4 + NP_SECOND);
	assert_true(flow_delay(flow, &delay) && delay.count == 2 && delay.min == 0);
}

static void worse_and_false_replies_change_nothing(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_control good = {.run = RUN, .t1 = START, .t2 = 500, .t3 = 500}, bad = good;
	struct np_offset before;

	flow_clock_ask(flow, good.t1);
	flow_clock_reply(flow, &good, START + 100);
	before = flow->clock.offset;
	assert_true(before.known);
	bad.t2 = 900;
	flow_clock_ask(flow, bad.t1);
	flow_clock_reply(flow, &bad, START + 100); /* answered before it came */
	bad = good;
	bad.t2 = INT64_MIN;
	bad.t3 = INT64_MAX;
	flow_clock_ask(flow, bad.t1);
	flow_clock_reply(flow, &bad, START + 100);
	bad = good;
	bad.t3 += 200;
	flow_clock_ask(flow, bad.t1);
	flow_clock_reply(flow, &bad, START + 100); /* took longer than the whole */
	flow_clock_ask(flow, good.t1);
	flow_clock_reply(flow, &good, START - 1);
	flow_clock_ask(flow, good.t1);
	flow_clock_reply(flow, &good, START + NP_SECOND);
	bad = good;
	bad.run++;
	flow_clock_ask(flow, bad.t1);
	flow_clock_reply(flow, &bad, START + 10);
	assert_memory_equal(&before, &flow->clock.offset, sizeof(before));
	/* A longer way is better than one that drifted away. */
	good.t1 = START + 10 * NP_SECOND;
	flow_clock_ask(flow, good.t1);
	flow_clock_reply(flow, &good, good.t1 + NP_MILLISECOND);
	assert_int_equal(flow->clock.offset.bound, NP_MILLISECOND / 2 + 100);
}

/* Only the answer to a question of ours proves an address, and each question has one. */
static void answers_prove(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_control reply = {.type = WIRE_TIME_REPLY, .run = RUN, .t1 = 77};

	flow_clock_reply(flow, &reply, bench->now);
	reply.t1 = 0;
	flow_clock_reply(flow, &reply, bench->now);
	assert_false(flow->proven || flow_alive(flow, bench->now));
	reply.t1 = bench->now;
	flow_clock_ask(flow, reply.t1);
	reply.run++;
	flow_clock_reply(flow, &reply, bench->now);
	assert_false(flow->proven);
	reply.run--;
	flow_clock_reply(flow, &reply, bench->now + 1);
	flow_clock_reply(flow, &reply, bench->now + NP_SECOND);
	assert_true(flow->proven && flow_alive(flow, bench->now + 19 * NP_SECOND));
	assert_int_equal(flow_controls_missing(flow), 0);
	assert_false(flow_alive(flow, bench->now + 20 * NP_SECOND + 1));
	flow->clock.refused = bench->now + 2;
	assert_false(flow_alive(flow, bench->now + 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLOW_TEST(acks_of_peers_give_round_trips),
		FLOW_TEST(delay_by_the_partners_clock),
		FLOW_TEST(worse_and_false_replies_change_nothing),
		FLOW_TEST(answers_prove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
