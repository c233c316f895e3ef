// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a listener's flows make of numbers, ends, acks and times at the limits of their ranges. */
#include "support/datagram_flows.h"

#define GRACE  NP_FLOW_GRACE_LEAST
#define WRAP   (UINT64_C(1) << 32)
#define HALF   (WRAP / 2)
#define NO_RUN 0u

/* Of the one flow of a test, which its first packet makes: how its run and its numbers are. */
static bool late, wide;
static struct flow *made;

static int create(void **state)
{
	late = wide = false;
	made = NULL;
	return set_up(state);
}

/* @ack WIRE_NO_ACK: none. */
static struct flow *come_acked(struct bench *bench, uint32_t run, uint64_t number, uint64_t count,
			       np_time ack, np_time sent, np_time at)
{
	const struct wire_packet head = {
		.return_port = 9999, .send_time = sent, .ack = ack, .number = number, .wide = wide};
	const struct wire_trailer trailer = {
		.run = run, .age = late ? WIRE_AGE_MORE : 0, .held_us = WIRE_HELD_UNKNOWN};
	const struct wire_trailer *const ours = run ? &trailer : NULL;

	if (!made)
		made = flows_add(bench->flows, &bench->source, &head, ours, at);
	assert_non_null(made);
	flow_count(made, &head, ours, count, BYTES, at);
	return made;
}

static struct flow *come(struct bench *bench, uint64_t number)
{
	return come_acked(bench, RUN, number, 1, WIRE_NO_ACK, START, START);
}

static struct np_flow_counts life_of(const struct flow *flow)
{
	struct np_flow_counts life;

	flow_life(flow, &life);
	assert_int_equal(life.sent, life.received + life.lost + life.late);
	return life;
}

/* A late start shows the lower 32 bits alone; numbers start with 1, so 0 is the first after a turn.
 */
TEST_WITH(create, tear_down, a_late_start_with_number_0)
{
	struct bench *bench = *state;
	struct flow *flow;

	late = true;
	flow = come(bench, 0);
	assert_int_equal(life_of(flow).missed_before, WRAP - 1);
	come(bench, UINT32_MAX);
	assert_int_equal(life_of(flow).missed_before, WRAP - 2);
}

/* A sender that reports fewer packets than arrived has sent none before them. */
TEST_WITH(create, tear_down, an_end_of_fewer_than_arrived)
{
	struct bench *bench = *state;
	struct flow *flow;

	late = true;
	come(bench, 0);
	flow = come(bench, 5);
	flow_end(flow, 5, 0, START);
	assert_int_equal(life_of(flow).missed_before, 0);
	come(bench, UINT32_MAX);
	assert_int_equal(life_of(flow).missed_before, 0);
}

/* An end below the highest number that arrived: what is missing beyond it is no loss. */
TEST_WITH(create, tear_down, an_end_in_the_midst)
{
	struct bench *bench = *state;
	struct flow *flow;

	late = true;
	come(bench, 1);
	flow = come(bench, 10);
	flow_end(flow, 4, 0, START);
	assert_int_equal(life_of(flow).lost, 2);
	assert_false(life_of(flow).sent_known);
	/* Half a turn ahead is taken for half a turn back: before all that arrived. */
	flow_end(flow, 10 + HALF, 0, START);
	assert_int_equal(life_of(flow).lost, 0);
}

/* What arrived from the start on is not placed anew, however many were lost at the end. */
TEST_WITH(create, tear_down, an_end_beyond_half_a_turn)
{
	struct bench *bench = *state;
	struct flow *flow;

	come(bench, 1);
	flow = come(bench, 2);
	flow_end(flow, WRAP + 5, 0, START);
	assert_int_equal(life_of(flow).lost, WRAP + 3);
	assert_true(life_of(flow).sent_known);
}

TEST_WITH(create, tear_down, no_end_is_that_high)
{
	struct bench *bench = *state;
	struct flow *flow;

	come(bench, 1);
	flow = come(bench, 3);
	flow_end(flow, UINT64_MAX, 0, START);
	assert_true(life_of(flow).lost == 1 && !life_of(flow).sent_known);
}

/* Numbers of 64 bits are what they are. */
TEST_WITH(create, tear_down, wide_numbers)
{
	struct bench *bench = *state;
	struct flow *flow;

	wide = true;
	come(bench, 1);
	flow = come(bench, 2 * WRAP);
	assert_int_equal(life_of(flow).lost, 2 * WRAP - 2);
}

TEST_WITH(create, tear_down, wide_numbers_of_a_late_start)
{
	struct bench *bench = *state;
	struct flow *flow;

	wide = late = true;
	flow = come(bench, INT64_MAX);
	assert_true(life_of(flow).missed_before == INT64_MAX - 1);
	come(bench, 3 * WRAP);
	assert_int_equal(life_of(flow).missed_before, 3 * WRAP - 1);
}

TEST_WITH(create, tear_down, a_wide_end_of_a_late_start)
{
	struct bench *bench = *state;
	struct flow *flow;

	wide = late = true;
	flow = come(bench, 3 * WRAP);
	flow_end(flow, 5 * WRAP, 0, START);
	assert_int_equal(life_of(flow).lost, 2 * WRAP);
	assert_int_equal(life_of(flow).missed_before, 3 * WRAP - 1);
}

/* Of a foreign flow nobody knows which number it started with. */
TEST_WITH(create, tear_down, a_foreign_flow_missed_nothing)
{
	struct flow *flow = come_acked(*state, NO_RUN, 7, 1, WIRE_NO_ACK, START, START);

	assert_int_equal(life_of(flow).missed_before, 0);
}

/* Many that are as old as can be: their sum passes what is signed. */
TEST_WITH(create, tear_down, the_sum_of_acks_is_unsigned)
{
	struct bench *bench = *state;
	struct flow *flow = come(bench, 1);

	flow->peer = 1;
	flow->acks.sum = INT64_MAX;
	flow->acks.count = UINT64_C(1) << 20;
	come_acked(bench, RUN, 2, 1, START, START, START + NP_SECOND);
	/* As the mean in JSON is made of it. */
	assert_true((double)life_of(flow).ack_time > (double)INT64_MAX);
}

TEST_WITH(create, tear_down, acks_that_can_be)
{
	static const struct {
		np_time ack, now;
		uint64_t count;
	} rows[] = {
		{START, START, 1},
		{START + 1, START, 0},
		{0, START, 0},
		{1, 1 + NP_HISTOGRAM_LIMIT, 1},
		{1, 2 + NP_HISTOGRAM_LIMIT, 0},
	};
	struct bench *bench = *state;
	struct flow *flow = come(bench, 1);
	struct np_flow_counts life;
	uint64_t count = 0;

	flow->peer = 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		come_acked(bench, RUN, 2 + i, 1, rows[i].ack, START, rows[i].now);
		flow_life(flow, &life);
		count += rows[i].count;
		assert_int_equal(life.acks, count);
	}
}

/* Of a run of packets the first may carry an ack; all of them came after the end was reported. */
TEST_WITH(create, tear_down, a_run_after_the_end)
{
	struct bench *bench = *state;
	struct flow *flow = come(bench, 1);
	struct np_flow_counts life;

	flow->peer = 1;
	flow->reported = true;
	come_acked(bench, RUN, 2, 4, START, START, START);
	flow_life(flow, &life);
	assert_true(life.after_end == 4 && life.acks == 1);
}

/* The shortest grace is over at its last moment, and a longer one is not. */
TEST_WITH(create, tear_down, grace_to_the_moment)
{
	struct bench *bench = *state;
	struct flow *flow;

	come(bench, 1);
	flow = come(bench, 3);
	flow_end(flow, 4, 0, START);
	assert_false(flow_accounted(flow, START + GRACE - 1));
	assert_true(flow_accounted(flow, START + GRACE));
	come_acked(bench, RUN, 2, 1, WIRE_NO_ACK, START - GRACE, START);
	assert_false(flow_accounted(flow, START + GRACE));
	assert_true(flow_accounted(flow, START + 2 * GRACE));
}

/* A flow that ended is kept since its last packet, or since its end. */
TEST_WITH(create, tear_down, kept_since_the_last_packet)
{
	struct bench *bench = *state;
	struct flow *flow = come(bench, 1);
	const np_time end = START + NP_SECOND, later = START + 30 * NP_SECOND;

	flow_end(flow, 2, 0, end);
	assert_false(flow_over(flow, end + FLOW_KEPT - 1));
	assert_true(flow_over(flow, end + FLOW_KEPT));
	come_acked(bench, RUN, 2, 1, WIRE_NO_ACK, START, later);
	assert_false(flow_over(flow, later + FLOW_KEPT - 1));
	assert_true(flow_over(flow, later + FLOW_KEPT));
}

static void answer(struct flow *flow, np_time t1, np_time at)
{
	const struct wire_control reply = {
		.type = WIRE_TIME_REPLY, .run = RUN, .t1 = t1, .t2 = t1, .t3 = t1};

	flow_clock_reply(flow, &reply, at);
}

/* A publisher that sends nothing lives as long as it answers. */
TEST_WITH(create, tear_down, alive_by_its_answers)
{
	struct bench *bench = *state;
	struct flow *flow = come(bench, 1);
	const np_time then = START + 19 * NP_SECOND;

	assert_false(flow_alive(flow, START));
	flow_clock_ask(flow, START);
	answer(flow, START, START);
	assert_true(flow_alive(flow, START + 20 * NP_SECOND - 1));
	assert_false(flow_alive(flow, START + 20 * NP_SECOND));
	flow_clock_ask(flow, then);
	answer(flow, then, then);
	assert_true(flow_alive(flow, START + 20 * NP_SECOND));
	/* Refused before its last sign of life, or after. */
	flow->clock.refused = then;
	assert_true(flow_alive(flow, then));
	flow->clock.refused = then + 1;
	assert_false(flow_alive(flow, then + 1));
	come_acked(bench, RUN, 2, 1, WIRE_NO_ACK, START, then + 2);
	assert_true(flow_alive(flow, then + 2));
}

/* Each request is answered once; the answer to another one, or to none, is not counted. */
TEST_WITH(create, tear_down, controls_that_are_missing)
{
	struct flow *flow = come(*state, 1);

	for (np_time t1 = START; t1 < START + 3; t1++)
		flow_clock_ask(flow, t1);
	assert_int_equal(flow_controls_missing(flow), 3);
	answer(flow, START, START + 10);
	assert_int_equal(flow_controls_missing(flow), 2);
	answer(flow, START, START + 10);
	answer(flow, 0, 1);
	answer(flow, 1, 1);
	assert_int_equal(flow_controls_missing(flow), 2);
	flow_end_came(flow, 4, 0);
	assert_int_equal(flow_controls_missing(flow), 5);
	/* While one waits in a full buffer, others are dropped; one that comes later tells. */
	flow_end_came(flow, 5, WIRE_END_EVERY / 2 - 1);
	assert_int_equal(flow_controls_missing(flow), 5);
	flow_end_came(flow, 6, WIRE_END_EVERY / 2);
	assert_int_equal(flow_controls_missing(flow), 5 + 1);
	flow_end_came(flow, 7, 3 * WIRE_END_EVERY);
	assert_int_equal(flow_controls_missing(flow), 5 + 4);
	flow_end_came(flow, 11, 0);
	assert_int_equal(flow_controls_missing(flow), 5 + 3);
}
