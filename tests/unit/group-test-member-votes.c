// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What counts as a voice against a group that forms, and for how long: tongues, refusals. */
#include "support/group_network.h"

#include <string.h>

#define STRANGER 20 /* hosts from there on are none of ours: the test speaks for them */

/* One of ours alone, after a second. */
static struct network *alone(void)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	n->hosts = 1;
	network_run(n, NP_SECOND);
	return n;
}

static void speak_java(struct network *n, unsigned number)
{
	static const uint8_t request[14] = {2, 1};

	host_forge(&n->host[0], STRANGER + number, request, sizeof(request));
}

static void wait_ms(struct network *n, unsigned ms)
{
	network_run(n, n->now - EPOCH + ms * NP_MILLISECOND);
}

/* However many talk: each that is heard once only may be an accident. */
static void who_talks_once_is_no_voice(void **state)
{
	struct network *n = alone();

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		speak_java(n, i);
		wait_ms(n, 150);
	}
	wait_ms(n, 1000);
	assert_false(n->host[0].ended);
	network_free(n);
}

/* Of more than are remembered, those that go on talking are. */
static void who_goes_on_talking_is_remembered(void **state)
{
	struct network *n = alone();

	(void)state;
	for (unsigned i = 0; i < 16; i++)
		speak_java(n, i);
	wait_ms(n, 50);
	speak_java(n, 0);
	speak_java(n, 2);
	wait_ms(n, 10);
	speak_java(n, 16);
	wait_ms(n, 90);
	speak_java(n, 0);
	wait_ms(n, 100);
	assert_false(n->host[0].ended);
	speak_java(n, 2);
	wait_ms(n, 100);
	host_failed(&n->host[0], "10.0.0.23:7800", "speaks the protocol of JGroups");
	network_free(n);
}

/* Its process is there, and refuses host 0 from now on at every HELLO. */
static void refuse_for(struct network *n, unsigned from, enum message_refusal why, unsigned ms)
{
	const struct message_refuse body = {.to = host_identity(0), .why = why};
	struct message_head head = {.number = n->host[from].plan.instance};
	uint8_t data[MESSAGE_CONTROL_MAX];

	for (unsigned t = 0; t < ms && !n->host[0].ended; t += 100) {
		host_forge(&n->host[0], from, data, message_refuse_encode(data, &head, &body));
		wait_ms(n, 100);
	}
}

static void refuse(struct network *n, unsigned from, unsigned ms)
{
	refuse_for(n, from, REFUSAL_FULL, ms);
}

/* The only other one there refuses: it may yet come to another mind. */
static void a_sole_refusal_is_waited_out(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 2;
	network_run(n, NP_SECOND);
	refuse(n, 1, 800);
	/* It does, and after a while refuses anew. */
	wait_ms(n, 2500);
	refuse(n, 1, 2500);
	assert_false(n->host[0].ended);
	refuse(n, 1, 1500);
	host_failed(&n->host[0], "10.0.0.2:7800", "the group is complete without this member");
	network_free(n);
}

/* Whose settings are the same has no reason to refuse for other ones. */
static void other_settings_are_seen_by_oneself(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 2;
	network_run(n, NP_SECOND);
	refuse_for(n, 1, REFUSAL_SETTINGS, 6000);
	assert_false(n->host[0].ended);
	network_free(n);
}

/* Who has formed a group with this member has no say any more. */
static void a_refusal_in_the_run_is_too_late(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.members = plan.senders = 2;
	n = network_of(&plan, false);
	network_run(n, NP_SECOND);
	refuse(n, 1, 3300);
	network_finish(n, 7 * NP_SECOND);
	network_status(n, 2, 0);
	host_row_complete(&n->host[0], 0, 2000);
	network_free(n);
}

/* Of two others one refuses: this member and the third are more. */
static void a_refusal_by_the_fewer_is_none(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 3;
	network_run(n, NP_SECOND);
	refuse(n, 1, 6000);
	assert_false(n->host[0].ended);
	/* It still is of the group, as soon as it is through with that. */
	n->hosts = 4;
	n->host[3].starts = n->now;
	network_finish(n, 12 * NP_SECOND);
	network_counts(n, 1000);
	network_free(n);
}

/* Who has left for a reason of its own is none of those whose senders are counted. */
static void who_has_left_does_not_count_as_a_sender(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	const struct message_refuse body = {.to = host_identity(2), .why = REFUSAL_SENDERS};
	struct message_head head;
	uint8_t data[MESSAGE_CONTROL_MAX];

	(void)state;
	n->host[2].plan.sender = true;
	n->host[3].starts = EPOCH + NP_SECOND / 2;
	network_add(n, &plan, 3 * NP_SECOND);
	n->host[4].plan.sender = false;
	network_run(n, NP_SECOND / 4);
	member_stop(n->host[0].member, n->now);
	network_run(n, 2 * NP_SECOND);
	assert_true(n->host[0].ended && !n->host[2].ended);
	head = (struct message_head){.number = n->host[1].plan.instance};
	host_forge(&n->host[2], 1, data, message_refuse_encode(data, &head, &body));
	network_finish(n, 8 * NP_SECOND);
	for (unsigned i = 1; i < 5; i++)
		host_status(&n->host[i], 0);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_talks_once_is_no_voice),
		cmocka_unit_test(who_goes_on_talking_is_remembered),
		cmocka_unit_test(a_sole_refusal_is_waited_out),
		cmocka_unit_test(other_settings_are_seen_by_oneself),
		cmocka_unit_test(a_refusal_in_the_run_is_too_late),
		cmocka_unit_test(a_refusal_by_the_fewer_is_none),
		cmocka_unit_test(who_has_left_does_not_count_as_a_sender),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
