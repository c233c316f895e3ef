// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The results of a run: when they are told and asked for, and how long they are waited for.
 *
 * What a member did not learn of a sender's end is filled in from what this one knows.
 *
 * What a member keeps of others that are given up, and of its own end: who, when, and with what
 * status. And when it does nothing: before its time, behind its end, without room.
 */
#include "support/group_network.h"
#include "support/unit.h"

#include <string.h>

/* Nobody waits for them any more, and nobody asks. */
TEST(results_are_told_once_a_run)
{
	struct network *n = NETWORK_LONG(plan.runs = 2);

	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(0), .to = HOST(1), .noted = true);
	network_finish(n, 15 * NP_SECOND);
	network_counts(n, 2000);
	assert_in_range(n->lose[0].met, 2, 6);
}

/* For ten seconds all wait for one: each tells its own twice a second, and to who says it waits. */
TEST(results_are_not_told_all_the_time)
{
	struct network *n = NETWORK();

	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(0), .to = HOST(1), .noted = true);
	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(2));
	network_finish(n, 14 * NP_SECOND);
	host_status(&n->host[0], 1);
	assert_in_range(n->lose[0].met, 20, 100);
}

/* When host 0 first told host 1 of each run that it had counted it, and what. */
static np_time counted_at[3], results_at[3];

static bool note_times(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	const unsigned run = data[3];

	if (from || to != 1 || data[0] != MESSAGE_MAGIC || run > 2)
		return false;
	if (is_type(data, MESSAGE_STATE) && data[MESSAGE_HEADER_BYTES] == PHASE_COUNTED &&
	    !counted_at[run])
		counted_at[run] = n->now;
	if (is_type(data, MESSAGE_RESULTS) && !results_at[run])
		results_at[run] = n->now;
	return false;
}

TEST(results_are_told_at_once)
{
	struct network *n = NETWORK(plan.runs = 3);

	n->drop = note_times;
	network_finish(n, 3 * NP_SECOND);
	for (unsigned run = 0; run < 3; run++) {
		assert_true(counted_at[run] > 0);
		assert_in_range(results_at[run] - counted_at[run], 0, STEP);
	}
}

/* Two seconds after its latest word, or, when it goes on talking, ten after its first: to the step.
 */
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
		assert_int_equal(network_look_until(n, "given-up") - (leaves + STEP),
				 talks ? 10 * NP_SECOND : 2 * NP_SECOND);
		host_told(&n->host[0], "given-up 10.0.0.3:7800 0 it left without sending results");
	}
}

/* Of one that lives ten seconds from when something last moved, to the step. */
TEST(how_long_results_are_waited_for)
{
	struct network *n = NETWORK();
	np_time moved;

	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(2) | HOST(3));
	LOSE(n, .type = MESSAGE_STATE, .to = HOST(0), .phases = 1u << PHASE_LEAVING);
	network_run(n, 3 * NP_SECOND);
	moved = n->now;
	for (unsigned i = 2; i < 4; i++) {
		const struct transport_event event = {.kind = TRANSPORT_MOVED,
						      .peer = host_identity(i)};

		member_transport_event(n->host[0].member, &event, moved);
	}
	assert_int_equal(network_look_until(n, "given-up") - moved, 10 * NP_SECOND);
	host_told(&n->host[0], "given-up 10.0.0.3:7800 0 it sent no results for 10 s");
}

/* Results of 2 and 3 are lost; those of 2 come late, but not to 3. */
static bool lose_results_of_two(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return is_type(data, MESSAGE_RESULTS) && from >= 2 && to != from &&
	       (from == 3 || to == 3 || n->now < EPOCH + 8 * NP_SECOND);
}

/* Those that come leave the others as much time again. */
TEST(results_of_one_give_time_to_another)
{
	struct network *n = NETWORK();

	n->drop = lose_results_of_two;
	network_run(n, 9 * NP_SECOND);
	network_look_until(n, "given-up");
	host_told(&n->host[0], "given-up 10.0.0.4:7800 0");
	assert_null(strstr(n->host[0].log, "sent no results"));
	network_finish(n, 30 * NP_SECOND);
	host_row_complete(&n->host[0], 2, 1000);
	assert_false(host_member(&n->host[0], 3)->reported);
}

static np_time reported_at[4]; /* when host 0 told host 1 its results, at first and again */
static unsigned told;

static bool note_told(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	if (!from && to == 1 && is_type(data, MESSAGE_RESULTS) && told < 4)
		reported_at[told++] = n->now;
	return is_type(data, MESSAGE_RESULTS) && from == 2 && to != 2;
}

/* To who goes on asking each 50 ms, to the step. */
TEST(how_often_results_are_told_to_who_asks)
{
	struct network *n = NETWORK();

	n->drop = note_told;
	network_run(n, 3 * NP_SECOND);
	told = 0;
	while (told < 4 && n->now < EPOCH + 5 * NP_SECOND) {
		host_3_waits(n);
		network_step(n);
	}
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(reported_at[i] - reported_at[i - 1], 50 * NP_MILLISECOND);
}

/* Those of host 0 of the second run do not get to host 1 before it leaves. */
static bool lose_results_until_0_leaves(struct network *n, unsigned from, unsigned to,
					const uint8_t *data)
{
	return !from && to == 1 && is_type(data, MESSAGE_RESULTS) && data[3] == 1 &&
	       n->host[0].results < 2;
}

/* Also by one that leaves, after the last of several runs. */
TEST(results_of_the_last_run_are_asked_for)
{
	struct network *n = NETWORK(plan.runs = 2);

	n->drop = lose_results_until_0_leaves;
	network_finish(n, 10 * NP_SECOND);
	assert_true(n->dropped > 0);
	network_counts(n, 1000);
}

/* By --duration nobody knows beforehand how many will be sent. */
TEST(who_did_not_hear_the_end_is_told_of_it)
{
	struct network *n = NETWORK_LONG(plan.messages = 0, plan.duration = 4 * NP_SECOND);

	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[i][3] = true;
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 3, 0);
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
	static struct message_results results;
	struct network *n = NETWORK();
	struct message_head head;
	struct result_row row;

	/* Real results of 3 get to nobody. */
	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(3));
	network_run(n, 2 * NP_SECOND);
	head = network_head(n, 3);
	/* At first with a row too many, which is nothing, and leaves nothing. */
	results = (struct message_results){.count = 3};
	for (unsigned i = 0; i < 3; i++)
		results.row[i].sender = host_identity(i % 2);
	results.row[2].counts.received = 5;
	host_says(&n->host[0], 3, head, MESSAGE_RESULTS, &results);
	results.count = 2;
	results.row[0].counts = *counts;
	host_says(&n->host[0], 3, head, MESSAGE_RESULTS, &results);
	network_run(n, 2 * NP_SECOND + 3 * STEP);
	assert_true(host_member(&n->host[0], 3)->reported);
	row = *host_row(&n->host[0], 3, 0);
	return row;
}

/* The rest was lost; it is exact only if the member could tell the messages apart. */
TEST(what_was_sent_is_filled_in)
{
	struct result_row row;

	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 900});
	assert_int_equal(row.counts.sent, 1000);
	assert_int_equal(row.counts.lost, 100);
	assert_true(row.exact);
	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 900, .late = 1});
	assert_int_equal(row.counts.lost, 100);
	assert_false(row.exact);
	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 900, .stray = 1});
	assert_int_equal(row.counts.lost, 100);
	assert_false(row.exact);
}

/* All that was sent is no loss; more than that is not to be believed. */
TEST(what_cannot_be_is_not_filled_in)
{
	struct result_row row;

	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 1000});
	assert_int_equal(row.counts.sent, 1000);
	assert_int_equal(row.counts.lost, 0);
	assert_true(row.exact);
	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 1001});
	assert_int_equal(row.counts.sent, 0);
	assert_false(row.exact);
}

/* Of one that its user stopped, what it said itself is shown. */
TEST(what_one_that_quit_has_said_stands)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	member_stop(n->host[3].member, n->now);
	network_finish(n, 20 * NP_SECOND);
	host_told(&n->host[0], "given-up 10.0.0.4:7800 0 interrupted by its user");
	assert_true(host_member(&n->host[0], 3)->reported);
	for (unsigned s = 0; s < 2; s++) {
		assert_false(host_row(&n->host[0], 3, s)->ended);
		assert_int_equal(host_row(&n->host[0], 3, s)->counts.sent,
				 host_row(&n->host[3], 3, s)->counts.sent);
		assert_int_equal(host_row(&n->host[0], 3, s)->counts.lost,
				 host_row(&n->host[3], 3, s)->counts.lost);
	}
}

static struct network *running(const struct member_plan *plan, bool connected)
{
	struct network *n = network_of(plan, connected);

	network_run(n, 2 * NP_SECOND);
	return n;
}

static void refuse(struct host *h, unsigned from, enum message_refusal why)
{
	const struct message_refuse body = {
		.to = h->plan.self, .why = why, .value = h->plan.instance};

	host_says(h, from, (struct message_head){.number = h->network->host[from].plan.instance},
		  MESSAGE_REFUSE, &body);
}

/* What follows from it is not put off to the next look. */
TEST(a_member_that_is_given_up_is_seen_to_at_once)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = running(&plan, false);
	struct host *h = &n->host[3];

	member_tick(h->member, n->now);
	assert_true(member_deadline(h->member) > n->now);
	refuse(h, 1, REFUSAL_DEAD);
	host_told(h, "given-up 10.0.0.2:7800 0 it has given up this member");
	assert_true(member_deadline(h->member) <= n->now);
}

static bool lose_hellos_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	(void)to;
	return from == 3 && is_type(data, MESSAGE_HELLO);
}

/* Nor is the end of one that fails: another member refuses it. */
TEST(a_failure_is_seen_to_at_once)
{
	struct network *n = NETWORK();
	struct host *h = &n->host[0];

	n->drop = lose_hellos_of_3;
	network_run(n, NP_SECOND);
	member_tick(h->member, n->now);
	assert_true(member_deadline(h->member) > n->now);
	refuse(h, 1, REFUSAL_LATE);
	host_failed(h, "10.0.0.2:7800", "the run has started without this member");
	assert_true(member_deadline(h->member) <= n->now);
}

/* The moment is kept with the member, counted from the group's beginning. */
TEST(when_a_member_was_given_up)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = running(&plan, true);

	network_kill(n, 3);
	network_finish(n, 6 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(host_member(&n->host[i], 3)->outcome, FATE_CUT);
		assert_in_range(host_member(&n->host[i], 3)->outcome_after, NP_MILLISECOND,
				2 * NP_SECOND);
		assert_int_equal(host_member(&n->host[i], i)->outcome_after, 0);
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
		struct member_plan plan = group_plan(java ? PROTOCOL_JGROUPS3 : PROTOCOL_NATIVE);
		struct network *n;

		plan.messages = 2000;
		plan.pause = 2 * NP_MILLISECOND;
		n = running(&plan, connected);
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
	assert_false(member_finished(h->member));
	member_cut_off(h->member, "no way", n->now + 5 * NP_SECOND);
	host_status(h, 1);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(host_member(h, i)->outcome, FATE_STAYED);
	assert_int_equal(host_member(h, 3)->outcome, FATE_CUT);
	assert_true(host_member(h, 3)->outcome_after >= 5 * NP_SECOND);
}

/* Wherever it stands in the table: here its own place is the last. */
TEST(cut_off_from_all)
{
	struct network *n = NETWORK_LONG();
	struct host *h = &n->host[3];

	h->deaf = true;
	network_run(n, NP_SECOND / 4);
	h->deaf = false;
	network_run(n, 2 * NP_SECOND);
	member_cut_off(h->member, "no way", n->now);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(host_member(h, i)->outcome, FATE_CUT);
		assert_string_equal(host_member(h, i)->why, "no way");
	}
	assert_int_equal(host_member(h, 3)->outcome, FATE_STAYED);
}

/* Nobody else is lost, but what it sent did not go anywhere. */
TEST(cut_off_alone)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	plan.members = plan.senders = 1;
	n = running(&plan, true);
	assert_false(member_finished(n->host[0].member));
	member_cut_off(n->host[0].member, "no way", n->now);
	assert_true(member_finished(n->host[0].member));
	host_status(&n->host[0], 1);
}

/* A tick that comes too early changes nothing; behind the end there is none. */
TEST(ticks_that_are_not_due)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = running(&plan, false);
	struct host *h = &n->host[3];
	np_time due;

	member_tick(h->member, n->now);
	due = member_deadline(h->member);
	assert_true(due > n->now + 1);
	member_tick(h->member, due - 1);
	assert_true(member_deadline(h->member) == due);
	network_finish(n, 10 * NP_SECOND);
	network_counts(n, 2000);
	assert_true(member_deadline(h->member) == NP_TIME_NEVER);
	member_tick(h->member, n->now + 100 * NP_SECOND);
	assert_true(member_deadline(h->member) == NP_TIME_NEVER);
	host_status(h, 0);
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
	assert_in_range(member_malformed(n->host[3].member), 70000 - 65536 - 1000, 70000 - 65536);
}
