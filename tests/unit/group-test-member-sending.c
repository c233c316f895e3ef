// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A sender's DATA: its lanes, its warm-up, what it tells of, and a transport without room. */
#include "support/group_network.h"
#include "support/unit.h"

#include <string.h>

static void run_until_sending(struct network *n)
{
	while (!n->host[0].sent_messages && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	assert_true(n->host[0].sent_messages > 0);
}

/* Each tells of its part of the interval; of an interval below their number, of every message. */
TEST(lanes_tell_of_their_part)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.lanes = 3;
	plan.log_interval = 300;
	n = network_of(&plan, false);
	network_finish(n, 2 * NP_SECOND);
	host_told(&n->host[0], "sent - 100 ");
	assert_null(strstr(n->host[0].log, "sent - 1 "));
	network_free(n);
	plan.log_interval = 2;
	plan.messages = 9;
	n = network_of(&plan, false);
	network_finish(n, 2 * NP_SECOND);
	host_told(&n->host[0], "sent - 1 ");
	host_told(&n->host[0], "sent - 3 ");
	network_free(n);
}

TEST(doubling_is_each_lane_s_own)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.lanes = 2;
	plan.messages = 8000;
	plan.log_doubling = true;
	n = network_of(&plan, false);
	network_finish(n, 5 * NP_SECOND);
	host_told(&n->host[0], "sent - 1000 ");
	host_told(&n->host[0], "sent - 2000 ");
	host_told(&n->host[0], "sent - 4000 ");
	assert_null(strstr(n->host[0].log, "sent - 500 "));
	assert_null(strstr(n->host[0].log, "sent - 3000 "));
	network_free(n);
}

/* The last message is the last of all lanes, in whatever order they end. */
TEST(a_lane_that_ends_first_ends_nothing)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.lanes = 2;
	plan.credit = false;
	n = network_of(&plan, true);
	run_until_sending(n);
	while (member_pump(n->host[0].member, 1, BATCH, n->now))
		;
	assert_int_equal(member_pump_due(n->host[0].member, 1), NP_TIME_NEVER);
	assert_true(member_pump_due(n->host[0].member, 0) <= n->now);
	network_finish(n, 2 * NP_SECOND);
	network_counts(n, 1000);
	network_free(n);
}

TEST(nothing_is_due_of_one_that_was_stopped)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	run_until_sending(n);
	assert_true(member_pump_due(n->host[0].member, 0) < NP_TIME_NEVER);
	member_stop(n->host[0].member, n->now);
	assert_int_equal(member_pump_due(n->host[0].member, 0), NP_TIME_NEVER);
	network_free(n);
}

/* There are lanes 0 and 1, and nothing is sent by others, for nothing or before its time. */
TEST(what_cannot_be_pumped)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	struct host *h;

	plan.lanes = 2;
	plan.messages = 100;
	plan.pause = 50 * NP_MILLISECOND;
	n = network_of(&plan, false);
	h = &n->host[0];
	run_until_sending(n);
	assert_int_equal(member_pump(h->member, 0, BATCH, n->now), 0);
	assert_int_equal(member_pump(h->member, 2, BATCH, n->now), 0);
	assert_int_equal(member_pump(h->member, 0, 0, n->now + NP_SECOND), 0);
	assert_int_equal(member_pump_due(h->member, 2), NP_TIME_NEVER);
	assert_in_range(member_pump_due(h->member, 0), n->now, n->now + 50 * NP_MILLISECOND);
	network_finish(n, 5 * NP_SECOND);
	network_counts(n, 100);
	assert_int_equal(member_pump(h->member, 0, BATCH, n->now), 0);
	network_free(n);
}

/* All lanes share it; what could not be sent in time is made up for, and said. */
TEST(a_rate_is_of_all_lanes)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	struct host *h;
	np_time begun;

	plan.lanes = 2;
	plan.messages = 100;
	plan.rate = 100;
	n = network_of(&plan, true);
	h = &n->host[0];
	run_until_sending(n);
	begun = n->now;
	assert_int_equal(member_pump(h->member, 0, BATCH, n->now), 0);
	assert_int_equal(member_pump(h->member, 1, BATCH, n->now), 0);
	assert_in_range(member_pump_due(h->member, 0), begun + NP_MILLISECOND,
			begun + 11 * NP_MILLISECOND);
	assert_int_equal(member_pump_due(h->member, 0), member_pump_due(h->member, 1));
	assert_in_range(member_pump(h->member, 1, BATCH, begun + 50 * NP_MILLISECOND), 4, 5);
	network_finish(n, 5 * NP_SECOND);
	network_counts(n, 100);
	assert_in_range(member_result(h->member)->behind, 39 * NP_MILLISECOND, NP_SECOND);
	assert_in_range(member_result(h->member)->sent_elapsed, 970 * NP_MILLISECOND,
			2000 * NP_MILLISECOND);
	network_free(n);
}

TEST(a_warm_up_of_one_message)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.warmup = 1;
	n = network_of(&plan, false);
	network_finish(n, 2 * NP_SECOND);
	network_counts(n, 1000);
	assert_int_equal(n->host[0].sent_messages, 1001);
	network_free(n);
}

/* For longer than a refusal is put up with: it takes nothing, but refuses nothing either. */
TEST(want_of_room_is_no_refusal)
{
	struct member_plan plan = group_plan_long();
	struct network *n;
	uint64_t sent;

	n = network_of(&plan, false);
	network_run(n, 2 * NP_SECOND);
	n->host[0].full = true;
	sent = n->host[0].sent_messages;
	network_run(n, 9 * NP_SECOND);
	assert_int_equal(n->host[0].sent_messages, sent);
	n->host[0].full = false;
	network_finish(n, 15 * NP_SECOND);
	network_counts(n, 2000);
	assert_null(strstr(n->host[0].log, "cut"));
	network_free(n);
}

/* A pause that is longer than the run does not make it longer. */
TEST(a_duration_ends_in_a_pause)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.messages = 0;
	plan.duration = NP_SECOND;
	plan.pause = 4 * NP_SECOND;
	n = network_of(&plan, false);
	network_finish(n, 3 * NP_SECOND);
	network_counts(n, 1);
	network_free(n);
}

static unsigned warm_ups, data_sent; /* of host 0 to host 1 */

static bool count_types(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	if (from || to != 1 || data[0] != MESSAGE_MAGIC)
		return false;
	warm_ups += data[1] == 0x40 + MESSAGE_WARMUP;
	data_sent += data[1] == 0x40 + MESSAGE_DATA;
	return false;
}

/* So many messages of the stream say that they warm up, and all others that they count. */
TEST(the_warm_up_says_what_it_is)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.warmup = 10;
	n = network_of(&plan, false);
	n->drop = count_types;
	warm_ups = data_sent = 0;
	network_finish(n, 5 * NP_SECOND);
	network_counts(n, 1000);
	assert_int_equal(warm_ups, 10);
	assert_int_equal(data_sent, 1000);
	network_free(n);
}

static unsigned mean; /* who grants nothing to host 0 in the second run */

static bool lose_second_grants(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == mean && to == 0 && data[1] == 0x40 + MESSAGE_GRANT && data[3] == 1;
}

/* What a receiver granted in one run is spent with it, wherever it stands in the sender's table. */
TEST(each_run_has_credit_of_its_own)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	plan.runs = 2;
	for (mean = 1; mean < 4; mean++) {
		struct network *n = network_of(&plan, false);

		/* Its own place is the last one. */
		n->host[0].deaf = true;
		network_run(n, NP_SECOND / 4);
		n->host[0].deaf = false;
		n->drop = lose_second_grants;
		while (n->host[0].results < 1)
			network_step(n);
		network_run(n, n->now - EPOCH + 2 * NP_SECOND);
		assert_int_equal(n->host[0].sent_messages, 1000);
		assert_true(n->host[1].sent_messages > 1000);
		assert_int_equal(member_look(n->host[0].member)->sent, 0);
		network_free(n);
	}
}

/* Host @from says it at host 0, in the first run or the second. */
static void say_number(struct network *n, unsigned from, enum message_type type, uint8_t run,
		       uint64_t number)
{
	uint8_t wire[MESSAGE_HEADER_BYTES];
	struct message_head head;

	assert_int_equal(message_head_decode(n->seen, MESSAGE_HEADER_BYTES, &head), MESSAGE_NATIVE);
	head.type = type;
	head.run = run;
	head.number = number;
	message_head_encode(wire, &head);
	host_forge(&n->host[0], from, wire, sizeof(wire));
}

/* A GRANT or PROBE of the first run that is late does nothing in the second one. */
TEST(grants_and_probes_are_of_their_run)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	uint64_t grants;

	plan.runs = 2;
	mean = 3;
	n = network_of(&plan, false);
	n->drop = lose_second_grants;
	while (n->host[0].results < 1)
		network_step(n);
	network_run(n, n->now - EPOCH + 2 * NP_SECOND);
	grants = n->host[0].grants;
	say_number(n, 1, MESSAGE_PROBE, 0, 1000);
	assert_int_equal(n->host[0].grants, grants);
	say_number(n, 1, MESSAGE_PROBE, 1, 1000);
	assert_int_equal(n->host[0].grants, grants + 1);
	say_number(n, 3, MESSAGE_GRANT, 0, 1000);
	network_run(n, n->now - EPOCH + 10 * STEP);
	assert_int_equal(n->host[0].sent_messages, 1000);
	say_number(n, 3, MESSAGE_GRANT, 1, 100);
	network_run(n, n->now - EPOCH + 10 * STEP);
	assert_int_equal(n->host[0].sent_messages, 1100);
	network_free(n);
}

static bool lose_second_states_of_3(struct network *n, unsigned from, unsigned to,
				    const uint8_t *data)
{
	(void)n;
	return from == 3 && to != 3 && data[1] == 0x40 + MESSAGE_STATE && data[3] == 1;
}

/* One that waits for others in the second run has sent nothing in it. */
TEST(nothing_is_sent_before_all_are_ready)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.runs = 2;
	plan.senders = 1;
	n = network_of(&plan, false);
	n->drop = lose_second_states_of_3;
	while (n->host[0].results < 1 && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	network_run(n, n->now - EPOCH + NP_SECOND);
	assert_int_equal(member_look(n->host[0].member)->run, 1);
	assert_int_equal(member_look(n->host[0].member)->sent, 0);
	assert_int_equal(n->host[0].sent_messages, 1000);
	network_free(n);
}

/* What cannot be pumped cannot in a warm-up, either. */
TEST(what_cannot_be_pumped_in_a_warm_up)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	struct host *h;
	uint64_t sent;

	plan.lanes = 2;
	plan.warmup = 10000;
	plan.credit = false;
	n = network_of(&plan, true);
	h = &n->host[0];
	run_until_sending(n);
	sent = h->sent_messages;
	assert_true(sent < plan.warmup);
	assert_int_equal(member_pump(h->member, 2, BATCH, n->now), 0);
	assert_int_equal(member_pump(h->member, 0, 0, n->now), 0);
	assert_int_equal(h->sent_messages, sent);
	network_finish(n, 5 * NP_SECOND);
	network_counts(n, 1000);
	network_free(n);
}

/* One that is late by less than a pause keeps the schedule; by a whole pause, it is a new one. */
TEST(a_late_message)
{
	const np_time pause = 50 * NP_MILLISECOND;
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	struct member *m;
	np_time due;

	plan.pause = pause;
	n = network_of(&plan, false);
	run_until_sending(n);
	m = n->host[0].member;
	due = member_pump_due(m, 0);
	assert_int_equal(member_pump(m, 0, BATCH, due - 1), 0);
	assert_int_equal(member_pump(m, 0, BATCH, due + pause - 1), 1);
	assert_int_equal(member_pump_due(m, 0), due + pause);
	assert_int_equal(member_pump(m, 0, BATCH, due + 2 * pause), 1);
	assert_int_equal(member_pump_due(m, 0), due + 3 * pause);
	network_free(n);
}

/* The others are told of the last message at once, not when the member looks next. */
TEST(the_end_is_told_at_once)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	struct member *m;

	plan.lanes = 2;
	plan.credit = false;
	n = network_of(&plan, true);
	run_until_sending(n);
	m = n->host[0].member;
	for (unsigned lane = 0; lane < 2; lane++) {
		if (member_deadline(m) <= n->now)
			member_tick(m, n->now);
		assert_true(member_deadline(m) > n->now);
		while (member_pump(m, lane, BATCH, n->now))
			;
	}
	assert_true(member_deadline(m) <= n->now);
	network_finish(n, 2 * NP_SECOND);
	network_counts(n, 1000);
	network_free(n);
}

/* As many as there may be, whatever else became of the run. */
TEST(all_lanes)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	plan.lanes = LANES_MAX;
	for (unsigned lost = 0; lost < 2; lost++) {
		struct network *n = network_of(&plan, true);

		run_until_sending(n);
		if (lost)
			network_kill(n, 3);
		network_finish(n, 5 * NP_SECOND);
		network_status(n, 3, (int)lost);
		for (unsigned i = 0; i < 3; i++)
			host_row_complete(&n->host[i], i, 1000);
		network_free(n);
	}
}
