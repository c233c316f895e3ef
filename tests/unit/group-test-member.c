// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A group in which nothing goes wrong: forms, runs, counts, reports, leaves; its options. */
#include "support/group_network.h"
#include "support/unit.h"

/* Every member's table is all of every sender's messages, and everybody has all tables. */
static void all_is_well(struct network *n, uint64_t messages)
{
	network_counts(n, messages);
	for (unsigned i = 0; i < n->hosts; i++) {
		const struct host *h = &n->host[i];
		const struct result *r = member_result(h->member);

		host_must(h, r->members && r->complete && !r->interrupted, "complete");
		host_must(h, r->members == h->plan.members, "members");
		host_must(h, r->senders == h->plan.senders, "senders");
		for (unsigned j = 0; j < h->plan.members; j++) {
			for (unsigned k = 0; k < h->plan.senders; k++) {
				const struct result_row *row = host_row(h, j, k);

				host_must(h, row->ended && !row->counts.lost, "all");
				host_must(h, row->counts.bytes == messages * h->plan.payload,
					  "bytes");
				host_must(h, row->delay.count == messages, "delays");
			}
		}
		assert_int_equal(member_outcome(h->member)->malformed, 0);
		host_must(h, h->plan.credit || !h->grants, "no grant is asked for");
	}
}

TEST(four_members_two_senders)
{
	struct network *n = NETWORK();

	network_finish(n, 2 * NP_SECOND);
	all_is_well(n, 1000);
	host_told(&n->host[0], "waiting - 4");
	host_told(&n->host[0], "joined 10.0.0.1:7800 1");
	host_told(&n->host[0], "joined 10.0.0.4:7800 4");
	host_told(&n->host[0], "ready - 4");
	host_told(&n->host[0], "sending - 1000");
	host_told(&n->host[0], "sent-all - 4");
	host_told(&n->host[0], "reported");
	host_told(&n->host[3], "local");
	assert_null(strstr(n->host[0].log, "local"));
	assert_null(strstr(n->host[3].log, "sending"));
	/* No GRANT for less than a quarter of the window, but for the first. */
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(n->host[i].grants, 1, 2 * (1000 / 50 + 2));
}

static void ends_well(struct network *n, np_time limit, uint64_t messages)
{
	network_finish(n, limit);
	all_is_well(n, messages);
}

/*
 * One alone; many; messages of no bytes; a window of less than a message, which is one message;
 * without credit.
 */
TEST(groups_of_all_shapes)
{
	ends_well(NETWORK(streams = true, plan.members = plan.senders = 1), 2 * NP_SECOND, 1000);
	ends_well(NETWORK_BY(group_plan_wide(PROTOCOL_NATIVE)), 3 * NP_SECOND, 1000);
	ends_well(NETWORK(streams = true, plan.payload = 0), 2 * NP_SECOND, 1000);
	ends_well(NETWORK(plan.window_bytes = 1, plan.messages = 100), 3 * NP_SECOND, 100);
	ends_well(NETWORK(streams = true, plan.credit = false), 2 * NP_SECOND, 1000);
}

/* More than 32 say what they repeat more rarely, and wait for each other longer. */
TEST(forty_members)
{
	struct member_limits limits = member_limits(NP_SECOND, 32);
	struct network *n =
		NETWORK_BY(group_plan_wide(PROTOCOL_NATIVE), streams = true, plan.members = 40);

	assert_true(limits.silent == 5 * NP_SECOND && limits.report == 10 * NP_SECOND);
	limits = member_limits(NP_SECOND, 256);
	assert_true(limits.silent == 40 * NP_SECOND && limits.ready == 80 * NP_SECOND);
	assert_true(limits.grant == 40 * NP_SECOND && limits.join == NP_SECOND);
	/* The last one comes late: until then each says that it is there, and no more. */
	n->host[39].starts = EPOCH + 10 * NP_SECOND;
	network_run(n, 10 * NP_SECOND);
	assert_in_range(n->host[0].tries, 10, 30);
	network_finish(n, 15 * NP_SECOND);
	all_is_well(n, 1000);
}

TEST(the_first_of_count_and_duration)
{
	struct network *n = NETWORK(plan.duration = 3 * NP_SECOND);

	network_finish(n, 2 * NP_SECOND);
	all_is_well(n, 1000);
	n = NETWORK(plan.messages = 1000000, plan.duration = NP_SECOND / 10);
	network_finish(n, 2 * NP_SECOND);
	assert_in_range(host_row(&n->host[0], 0, 0)->counts.received, 100, 100000);
	assert_int_equal(host_row(&n->host[0], 0, 0)->counts.lost, 0);
}

/* A slow reader with a small buffer, four senders: nothing is dropped. */
TEST(credit_keeps_a_slow_reader_from_loss)
{
	for (unsigned credit = 0; credit < 2; credit++) {
		struct network *n = NETWORK(plan.senders = 4, plan.window_bytes = 100 * 48,
					    plan.credit = credit);

		n->host[3].drain = 7;
		n->host[3].room = 100 * 48 + 4096;
		network_finish(n, 5 * NP_SECOND);
		if (credit)
			all_is_well(n, 1000);
		assert_int_equal(n->host[3].overflowed > 0, !credit);
		assert_int_equal(host_row(&n->host[0], 3, 0)->counts.lost > 0, !credit);
	}
}

/* How often each asks another one for its clock. */
static unsigned asked[4][4];

static void count_questions(struct host *from, const struct identity *who, const void *message,
			    size_t bytes)
{
	struct message_clock clock;

	if (((const uint8_t *)message)[1] != 0x40 + MESSAGE_CLOCK)
		return;
	assert_int_equal(message_decode(message, bytes, MESSAGE_CLOCK, &clock), 0);
	if (!clock.answer)
		asked[from->number][who->ip[15] - 1]++;
}

/* Hosts with clocks of their own: delays by exchanges, in whatever order they met. */
TEST(clocks_of_other_hosts)
{
	struct network *n = NETWORK(plan.pause = 3 * NP_MILLISECOND);
	const struct result_row *row;

	memset(asked, 0, sizeof(asked));
	n->heard = count_questions;
	for (unsigned i = 0; i < 4; i++) {
		n->host[i].plan.host[0] = (uint8_t)(i + 1);
		n->host[i].skew = (i + 1) * 77 * NP_SECOND;
	}
	n->host[3].deaf = true;
	network_run(n, 200 * NP_MILLISECOND);
	n->host[3].deaf = false;
	network_finish(n, 5 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned j = 0; j < 4; j++) {
			/* Senders only: quickly at first, then every second. */
			if (j < 2 && i != j)
				assert_in_range(asked[i][j], 8, 8 + 5);
			else
				assert_int_equal(asked[i][j], 0);
		}
	}
	for (unsigned i = 0; i < 4; i++) {
		row = host_row(&n->host[i], 3, 0);
		assert_true(row->exact && !row->counts.lost);
		assert_true(row->delay.count > 900);
		assert_in_range(row->delay_bound, 1, 3 * NP_MILLISECOND);
		/* A packet takes a step. */
		assert_in_range(row->delay.p50, NP_MILLISECOND / 2, 2 * NP_MILLISECOND);
	}
}

/* In the middle of a run own counts are there, the others' not, and the end is as without a look.
 */
TEST(a_look_in_between)
{
	const struct result_member *own;
	struct network *n = NETWORK(plan.messages = 200, plan.pause = 10 * NP_MILLISECOND);

	network_run(n, NP_SECOND / 10);
	assert_false(member_look(n->host[3].member)->members);
	network_run(n, 3 * NP_SECOND / 2);
	assert_false(member_outcome(n->host[3].member)->finished);
	assert_int_equal(member_look(n->host[3].member)->members, 4);
	own = host_member(&n->host[3], 3);
	assert_true(own->reported && own->myself);
	assert_int_equal(own->rows, 2);
	assert_in_range(own->row[0].counts.received, 50, 199);
	assert_false(host_member(&n->host[3], 0)->reported);
	network_finish(n, 4 * NP_SECOND);
	all_is_well(n, 200);
	assert_int_equal(member_look(n->host[3].member)->members, 4);
	all_is_well(n, 200);
}

/* Each tells of its part of the interval; of an interval below their number, of every message. */
TEST(lanes_tell_of_their_part)
{
	struct network *n = NETWORK(plan.lanes = 3, plan.log_interval = 300);

	network_finish(n, 2 * NP_SECOND);
	host_told(&n->host[0], "sent - 100 ");
	assert_null(strstr(n->host[0].log, "sent - 1 "));
	n = NETWORK(plan.lanes = 3, plan.log_interval = 2, plan.messages = 9);
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

	network_until_sending(n);
	while (member_pump(n->host[0].member, 1, BATCH, n->now))
		;
	assert_int_equal(member_pump_due(n->host[0].member, 1), NP_TIME_NEVER);
	assert_true(member_pump_due(n->host[0].member, 0) <= n->now);
	network_succeeds(n, 2 * NP_SECOND, 1000);
}

/* All lanes share it; what could not be sent in time is made up for, and said. */
TEST(a_rate_is_of_all_lanes)
{
	struct network *n =
		NETWORK(streams = true, plan.lanes = 2, plan.messages = 100, plan.rate = 100);
	struct host *h;
	np_time begun;

	h = &n->host[0];
	network_until_sending(n);
	begun = n->now;
	assert_int_equal(member_pump(h->member, 0, BATCH, n->now), 0);
	assert_int_equal(member_pump(h->member, 1, BATCH, n->now), 0);
	assert_in_range(member_pump_due(h->member, 0), begun + NP_MILLISECOND,
			begun + 11 * NP_MILLISECOND);
	assert_int_equal(member_pump_due(h->member, 0), member_pump_due(h->member, 1));
	assert_in_range(member_pump(h->member, 1, BATCH, begun + 50 * NP_MILLISECOND), 4, 5);
	network_succeeds(n, 5 * NP_SECOND, 100);
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
	network_succeeds(n, 15 * NP_SECOND, 2000);
	assert_null(strstr(n->host[0].log, "cut"));
}

/* A pause that is longer than the run does not make it longer. */
TEST(a_duration_ends_in_a_pause)
{
	struct network *n =
		NETWORK(plan.messages = 0, plan.duration = NP_SECOND, plan.pause = 4 * NP_SECOND);

	network_succeeds(n, 3 * NP_SECOND, 1);
}

/* One that is late by less than a pause keeps the schedule; by a whole pause, it is a new one. */
TEST(a_late_message)
{
	const np_time pause = 50 * NP_MILLISECOND;
	struct network *n = NETWORK(plan.pause = pause);
	struct member *m;
	np_time due;

	network_until_sending(n);
	m = n->host[0].member;
	due = member_pump_due(m, 0);
	assert_int_equal(member_pump(m, 0, BATCH, due - 1), 0);
	assert_int_equal(member_pump(m, 0, BATCH, due + pause - 1), 1);
	assert_int_equal(member_pump_due(m, 0), due + pause);
	assert_int_equal(member_pump(m, 0, BATCH, due + 2 * pause), 1);
	assert_int_equal(member_pump_due(m, 0), due + 3 * pause);
}
