// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The results of a run: how long they are waited for.
 *
 * What a member did not learn of a sender's end is filled in from what this one knows.
 *
 * Whom the transport drops, what is cut off, and messages that find no room.
 */
#include "support/group_network.h"
#include "support/unit.h"

/* Two seconds after its latest word, or, when it goes on talking, ten after its first. */
TEST(how_long_results_of_a_leaver_are_waited_for)
{
	for (unsigned talks = 0; talks < 2; talks++) {
		struct network *n = NETWORK();
		np_time leaves;

		LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(2));
		network_until(n, 2, "result - ");
		leaves = n->now - STEP;
		if (!talks)
			network_kill(n, 2);
		network_until(n, 0, "given-up");
		assert_in_range(n->now - leaves - (talks ? 10 : 2) * NP_SECOND, 0, 30 * STEP);
		host_told(&n->host[0], "given-up 10.0.0.3:7800 0 it left without sending results");
	}
}

/* Of one that lives ten seconds from when something last moved. */
TEST(how_long_results_are_waited_for)
{
	struct network *n = NETWORK();
	np_time moved;

	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(2) | HOST(3));
	LOSE(n, .type = MESSAGE_STATE, .to = HOST(0), .phases = 1u << PHASE_LEAVING);
	network_run(n, 3 * NP_SECOND);
	moved = n->now;
	for (unsigned i = 2; i < 4; i++)
		HOST_EVENT(&n->host[0], i, TRANSPORT_MOVED);
	network_until(n, 0, "given-up");
	assert_in_range(n->now - moved, 10 * NP_SECOND, 10 * NP_SECOND + 30 * STEP);
	host_told(&n->host[0], "given-up 10.0.0.3:7800 0 it sent no results for 10 s");
}

/* By --duration nobody knows beforehand how many will be sent. */
TEST(who_did_not_hear_the_end_is_told_of_it)
{
	struct network *n = NETWORK_LONG(plan.messages = 0, plan.duration = 4 * NP_SECOND);

	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[i][3] = true;
	network_ends(n, 20 * NP_SECOND, 3, 0);
	for (unsigned s = 0; s < 2; s++) {
		const struct result_row *row = host_row(&n->host[0], 3, s);

		assert_int_equal(row->counts.sent, n->host[s].sent_messages);
		assert_int_equal(row->counts.sent, row->counts.received + row->counts.lost);
		assert_true(row->counts.lost > 100);
	}
}

/* Host 3 is made to say that it does not know the end of host 0: what of that host 0 shows. */
static struct result_row shown_of(const struct np_flow_counts *counts)
{
	struct result_row rows[3] = {};
	struct result_member results = {.rows = 3, .row = rows};
	struct network *n = NETWORK();
	struct message_head head;
	struct result_row row;

	/* Real results of 3 get to nobody. */
	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(3));
	network_run(n, 2 * NP_SECOND);
	head = network_head(n, 3);
	/* At first with a row too many, which is nothing, and leaves nothing. */
	for (unsigned i = 0; i < 3; i++)
		rows[i].sender = host_identity(i % 2);
	rows[2].counts.received = 5;
	host_says(&n->host[0], 3, head, MESSAGE_RESULTS, &results);
	results.rows = 2;
	rows[0].counts = *counts;
	host_says(&n->host[0], 3, head, MESSAGE_RESULTS, &results);
	network_run(n, 2 * NP_SECOND + 3 * STEP);
	assert_true(host_member(&n->host[0], 3)->reported);
	row = *host_row(&n->host[0], 3, 0);
	return row;
}

/*
 * What was not received was lost; it is exact only if the member could tell the messages apart.
 * More than was sent is not to be believed.
 */
TEST(what_was_sent_is_filled_in)
{
	static const struct {
		struct np_flow_counts counts;
		uint64_t sent, lost;
		bool exact;
	} cases[] = {
		{{.flows = 1, .received = 900}, 1000, 100, true},
		{{.flows = 1, .received = 900, .late = 1}, 1000, 100, false},
		{{.flows = 1, .received = 900, .stray = 1}, 1000, 100, false},
		{{.flows = 1, .received = 1000}, 1000, 0, true},
		{{.flows = 1, .received = 1001}, 0, 0, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct result_row row = shown_of(&cases[i].counts);

		assert_int_equal(row.counts.sent, cases[i].sent);
		assert_int_equal(row.counts.lost, cases[i].lost);
		assert_int_equal(row.exact, cases[i].exact);
	}
}

/*
 * The transport drops whoever is given up; of jgroups3's members only one whose connection broke,
 * since a silent one may still want the last messages.
 */
TEST(whom_the_transport_drops)
{
	for (unsigned i = 0; i < 4; i++) {
		const bool connected = i & 1, java = i & 2;
		struct network *n =
			NETWORK_BY(group_plan_long(java ? PROTOCOL_JGROUPS3 : PROTOCOL_NATIVE),
				   streams = connected);

		network_run(n, 2 * NP_SECOND);
		network_kill(n, 3);
		network_run(n, 20 * NP_SECOND);
		host_told(&n->host[0], "given-up 10.0.0.4:7800");
		assert_int_equal(n->host[0].parted, connected || !java);
	}
}

/* Who has reported by then stays; it is cut off at the time that it is told. */
TEST(cut_off_when_some_have_reported)
{
	struct network *n = NETWORK();
	struct host *h = &n->host[0];

	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(3), .to = HOST(0));
	while (!n->dropped && n->now < EPOCH + 10 * NP_SECOND)
		network_step(n);
	network_pass(n, 300 * NP_MILLISECOND);
	assert_false(member_outcome(h->member)->finished);
	member_cut_off(h->member, "no way", n->now + 5 * NP_SECOND);
	host_status(h, 1);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(host_member(h, i)->outcome, FATE_STAYED);
	assert_int_equal(host_member(h, 3)->outcome, FATE_CUT);
	assert_true(host_member(h, 3)->outcome_after >= 5 * NP_SECOND);
}

/* A member that processes slowly asks for no more than it can keep. */
TEST(room_for_messages_that_wait)
{
	unsigned room, least = UINT32_MAX;
	struct network *n = NETWORK(streams = true, plan.credit = false, plan.messages = 70000,
				    plan.senders = 1);

	n->host[3].plan.processing_delay = NP_SECOND;
	network_run(n, 100 * NP_MILLISECOND);
	assert_int_equal(member_room(n->host[0].member), UINT32_MAX);
	room = member_room(n->host[3].member);
	while (n->host[0].sent_messages < 64 && n->now < EPOCH + 10 * NP_SECOND)
		network_step(n);
	network_pass(n, 5 * NP_MILLISECOND);
	assert_in_range(room - member_room(n->host[3].member), 60, 2000);
	/* This network asks for no room: what does not fit costs a count. */
	while (n->host[0].sent_messages < 70000 && n->now < EPOCH + 60 * NP_SECOND) {
		network_step(n);
		room = member_room(n->host[3].member);
		assert_true(room <= least || room == 1 + least);
		least = room < least ? room : least;
	}
	network_pass(n, 10 * NP_MILLISECOND);
	assert_int_equal(member_room(n->host[3].member), 0);
	assert_in_range(member_outcome(n->host[3].member)->malformed, 70000 - 65536 - 1000,
			70000 - 65536);
}
