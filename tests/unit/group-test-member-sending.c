// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A sender's DATA: its lanes, its warm-up, what it tells of, and a transport without room. */
#include "support/group_network.h"
#include "support/unit.h"

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
	plan.log_interval = 2;
	plan.messages = 9;
	n = network_of(&plan, false);
	network_finish(n, 2 * NP_SECOND);
	host_told(&n->host[0], "sent - 1 ");
	host_told(&n->host[0], "sent - 3 ");
}

TEST(doubling_is_each_lane_s_own)
{
	struct network *n = NETWORK(plan.lanes = 2, plan.messages = 8000, plan.log_doubling = true);

	network_finish(n, 5 * NP_SECOND);
	host_told(&n->host[0], "sent - 1000 ");
	host_told(&n->host[0], "sent - 2000 ");
	host_told(&n->host[0], "sent - 4000 ");
	assert_null(strstr(n->host[0].log, "sent - 500 "));
	assert_null(strstr(n->host[0].log, "sent - 3000 "));
}

/* The last message is the last of all lanes, in whatever order they end. */
TEST(a_lane_that_ends_first_ends_nothing)
{
	struct network *n = NETWORK(streams = true, plan.lanes = 2, plan.credit = false);

	run_until_sending(n);
	while (member_pump(n->host[0].member, 1, BATCH, n->now))
		;
	assert_int_equal(member_pump_due(n->host[0].member, 1), NP_TIME_NEVER);
	assert_true(member_pump_due(n->host[0].member, 0) <= n->now);
	network_finish(n, 2 * NP_SECOND);
	network_counts(n, 1000);
}

/* All lanes share it; what could not be sent in time is made up for, and said. */
TEST(a_rate_is_of_all_lanes)
{
	struct network *n =
		NETWORK(streams = true, plan.lanes = 2, plan.messages = 100, plan.rate = 100);
	struct host *h;
	np_time begun;

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
}

/* For longer than a refusal is put up with: it takes nothing, but refuses nothing either. */
TEST(want_of_room_is_no_refusal)
{
	struct network *n = NETWORK_LONG();
	uint64_t sent;

	network_run(n, 2 * NP_SECOND);
	n->host[0].full = true;
	sent = n->host[0].sent_messages;
	network_run(n, 9 * NP_SECOND);
	assert_int_equal(n->host[0].sent_messages, sent);
	n->host[0].full = false;
	network_finish(n, 15 * NP_SECOND);
	network_counts(n, 2000);
	assert_null(strstr(n->host[0].log, "cut"));
}

/* A pause that is longer than the run does not make it longer. */
TEST(a_duration_ends_in_a_pause)
{
	struct network *n =
		NETWORK(plan.messages = 0, plan.duration = NP_SECOND, plan.pause = 4 * NP_SECOND);

	network_finish(n, 3 * NP_SECOND);
	network_counts(n, 1);
}

/* One that is late by less than a pause keeps the schedule; by a whole pause, it is a new one. */
TEST(a_late_message)
{
	const np_time pause = 50 * NP_MILLISECOND;
	struct network *n = NETWORK(plan.pause = pause);
	struct member *m;
	np_time due;

	run_until_sending(n);
	m = n->host[0].member;
	due = member_pump_due(m, 0);
	assert_int_equal(member_pump(m, 0, BATCH, due - 1), 0);
	assert_int_equal(member_pump(m, 0, BATCH, due + pause - 1), 1);
	assert_int_equal(member_pump_due(m, 0), due + pause);
	assert_int_equal(member_pump(m, 0, BATCH, due + 2 * pause), 1);
	assert_int_equal(member_pump_due(m, 0), due + 3 * pause);
}
