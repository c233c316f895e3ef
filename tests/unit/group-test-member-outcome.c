// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a member keeps of others that are given up, and of its own end: who, when, and with what
 * status. And when it does nothing: before its time, behind its end, without room.
 */
#include "support/group_network.h"

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
	struct message_head head = {.number = h->network->host[from].plan.instance};
	uint8_t wire[200];

	host_forge(h, from, wire, message_refuse_encode(wire, &head, &body));
}

/* What follows from it is not put off to the next look. */
static void a_member_that_is_given_up_is_seen_to_at_once(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = running(&plan, false);
	struct host *h = &n->host[3];

	(void)state;
	member_tick(h->member, n->now);
	assert_true(member_deadline(h->member) > n->now);
	refuse(h, 1, REFUSAL_DEAD);
	host_told(h, "given-up 10.0.0.2:7800 0 it has given up this member");
	assert_true(member_deadline(h->member) <= n->now);
	network_free(n);
}

static bool lose_hellos_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	(void)to;
	return from == 3 && data[1] == 0x40 + MESSAGE_HELLO;
}

/* Nor is the end of one that fails: another member refuses it. */
static void a_failure_is_seen_to_at_once(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct host *h = &n->host[0];

	(void)state;
	n->drop = lose_hellos_of_3;
	network_run(n, NP_SECOND);
	member_tick(h->member, n->now);
	assert_true(member_deadline(h->member) > n->now);
	refuse(h, 1, REFUSAL_LATE);
	host_failed(h, "10.0.0.2:7800", "the run has started without this member");
	assert_true(member_deadline(h->member) <= n->now);
	network_free(n);
}

/* The moment is kept with the member, counted from the group's beginning. */
static void when_a_member_was_given_up(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = running(&plan, true);

	(void)state;
	network_kill(n, 3);
	network_finish(n, 6 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(host_member(&n->host[i], 3)->outcome, FATE_CUT);
		assert_in_range(host_member(&n->host[i], 3)->outcome_after, NP_MILLISECOND,
				2 * NP_SECOND);
		assert_int_equal(host_member(&n->host[i], i)->outcome_after, 0);
	}
	network_free(n);
}

/*
 * The transport drops whoever is given up; of jgroups3's members only one whose connection broke,
 * since a silent one may still want the last messages.
 */
static void whom_the_transport_drops(void **state)
{
	(void)state;
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
		network_free(n);
	}
}

static bool lose_results_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == 3 && to == 0 && data[1] == 0x40 + MESSAGE_RESULTS;
}

/* Who has reported by then stays; it is cut off at the time that it is told. */
static void cut_off_when_some_have_reported(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct host *h = &n->host[0];

	(void)state;
	n->drop = lose_results_of_3;
	while (!n->dropped && n->now < EPOCH + 10 * NP_SECOND)
		network_step(n);
	network_run(n, n->now - EPOCH + 300 * NP_MILLISECOND);
	assert_false(member_finished(h->member));
	member_cut_off(h->member, "no way", n->now + 5 * NP_SECOND);
	host_status(h, 1);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(host_member(h, i)->outcome, FATE_STAYED);
	assert_int_equal(host_member(h, 3)->outcome, FATE_CUT);
	assert_true(host_member(h, 3)->outcome_after >= 5 * NP_SECOND);
	network_free(n);
}

/* Wherever it stands in the table: here its own place is the last. */
static void cut_off_from_all(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);
	struct host *h = &n->host[3];

	(void)state;
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
	network_free(n);
}

/* Nobody else is lost, but what it sent did not go anywhere. */
static void cut_off_alone(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.members = plan.senders = 1;
	n = running(&plan, true);
	assert_false(member_finished(n->host[0].member));
	member_cut_off(n->host[0].member, "no way", n->now);
	assert_true(member_finished(n->host[0].member));
	host_status(&n->host[0], 1);
	network_free(n);
}

/* A tick that comes too early changes nothing; behind the end there is none. */
static void ticks_that_are_not_due(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = running(&plan, false);
	struct host *h = &n->host[3];
	np_time due;

	(void)state;
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
	network_free(n);
}

/* A member that processes slowly asks for no more than it can keep. */
static void room_for_messages_that_wait(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	unsigned room, least = UINT32_MAX;
	struct network *n;

	(void)state;
	plan.credit = false;
	plan.messages = 70000;
	plan.senders = 1;
	n = network_of(&plan, true);
	n->host[3].plan.processing_delay = NP_SECOND;
	network_run(n, 100 * NP_MILLISECOND);
	assert_int_equal(member_room(n->host[0].member), UINT32_MAX);
	room = member_room(n->host[3].member);
	while (n->host[0].sent_messages < 64 && n->now < EPOCH + 10 * NP_SECOND)
		network_step(n);
	network_run(n, n->now - EPOCH + 5 * NP_MILLISECOND);
	assert_in_range(room - member_room(n->host[3].member), 60, 2000);
	/* This network asks for no room: what does not fit costs a count. */
	while (n->host[0].sent_messages < 70000 && n->now < EPOCH + 60 * NP_SECOND) {
		network_step(n);
		room = member_room(n->host[3].member);
		assert_true(room <= least || room == 1 + least);
		least = room < least ? room : least;
	}
	network_run(n, n->now - EPOCH + 10 * NP_MILLISECOND);
	assert_int_equal(member_room(n->host[3].member), 0);
	assert_in_range(member_malformed(n->host[3].member), 70000 - 65536 - 1000, 70000 - 65536);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_that_is_given_up_is_seen_to_at_once),
		cmocka_unit_test(a_failure_is_seen_to_at_once),
		cmocka_unit_test(when_a_member_was_given_up),
		cmocka_unit_test(whom_the_transport_drops),
		cmocka_unit_test(cut_off_when_some_have_reported),
		cmocka_unit_test(cut_off_from_all),
		cmocka_unit_test(cut_off_alone),
		cmocka_unit_test(ticks_that_are_not_due),
		cmocka_unit_test(room_for_messages_that_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
