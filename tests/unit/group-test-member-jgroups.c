// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A group of ours that speaks the protocol of perf.Test: its life, its troubles, its limits. */
#include "support/group_network.h"
#include "support/unit.h"

TEST(a_group_of_ours)
{
	struct network *n = NETWORK_BY(group_plan(PROTOCOL_JGROUPS3), streams = true,
				       plan.log_interval = 500, plan.warmup = 5);

	network_finish(n, 8 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		const struct host *h = &n->host[i];

		host_status(h, 0);
		host_told(h, "joined 10.0.0.4:7800");
		host_told(h, "ready - 4");
		host_told(h, "progress - 500 ");
		host_told(h, "progress - 2000 ");
		host_must(h, h->results == 1, "one table");
		for (unsigned s = 0; s < 2; s++) {
			assert_int_equal(host_row(h, i, s)->counts.received, 1000);
			assert_int_equal(host_row(h, i, s)->counts.bytes, 20000);
		}
		for (unsigned j = 0; j < 4; j++) {
			const struct result_member *member = host_member(h, j);

			assert_true(member->reported);
			assert_int_equal(member->total.counts.received, 2000);
			assert_int_equal(member->total.counts.sent, 2000);
			assert_int_equal(member->total.counts.bytes, 40000);
			assert_true(j == i || !member->rows);
		}
	}
	host_told(&n->host[0], "warming - 5");
	host_told(&n->host[3], "local");
}

/* Messages that are lost are a figure, and soon. */
TEST(loss_is_reported)
{
	struct network *n = NETWORK_BY(group_plan(PROTOCOL_JGROUPS3));
	uint64_t lost = 0;

	n->loss = 0.05;
	network_finish(n, 40 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		host_status(&n->host[i], 0);
		for (unsigned s = 0; s < 2; s++) {
			const struct result_row *row = host_row(&n->host[i], i, s);

			assert_int_equal(row->counts.received + row->counts.lost, 1000);
			lost += row->counts.lost;
		}
		assert_true(result_worst_loss(member_result(n->host[i].member),
					      &(struct identity){}) > 0);
	}
	assert_in_range(lost, 100, 600);
}

static void a_killed_one(unsigned victim, bool connected, np_time limit)
{
	struct network *n = NETWORK_BY(group_plan(PROTOCOL_JGROUPS3), streams = connected,
				       plan.pause = 2 * NP_MILLISECOND);
	char given_up[64];

	network_run(n, NP_SECOND);
	network_kill(n, victim);
	network_finish(n, limit);
	snprintf(given_up, sizeof(given_up), "given-up 10.0.0.%u:7800", victim + 1);
	for (unsigned i = 0; i < 4; i++) {
		if (i == victim)
			continue;
		host_status(&n->host[i], 1);
		host_told(&n->host[i], given_up);
		assert_int_equal(host_row(&n->host[i], i, 1 - victim % 2)->counts.received, 1000);
		assert_false(host_member(&n->host[i], victim)->reported);
	}
}

TEST(members_are_killed)
{
	a_killed_one(0, true, 12 * NP_SECOND);
	a_killed_one(2, true, 12 * NP_SECOND);
	a_killed_one(0, false, 30 * NP_SECOND);
	a_killed_one(2, false, 30 * NP_SECOND);
}

TEST(other_configurations)
{
	struct network *n = NETWORK_BY(group_plan(PROTOCOL_JGROUPS3), streams = true);

	n->host[2].plan.sender = true;
	network_finish(n, 12 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		host_failed(&n->host[i], "num_senders", "2, but 3 of the 4 members send");
		assert_int_equal(n->host[i].sent_messages, 0);
	}
	n = NETWORK_BY(group_plan(PROTOCOL_JGROUPS3), streams = true);
	n->host[1].plan.messages = 999;
	network_finish(n, 62 * NP_SECOND);
	host_told(&n->host[0], "refused 10.0.0.2:7800 0 its num_msgs is 999, ours is 1000");
	host_failed(&n->host[0], "group", "1 missing (one is refused: its num_msgs is 999, ours");
	host_failed(&n->host[1], "group", "1 missing (one is refused: its num_msgs is 1000, ours");
}
