// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Members that do not fit a group that forms: other settings, numbers of senders, protocols. */
#include "support/group_network.h"

/* It and the others name what differs, and wait on. */
static void another_configuration(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct host *wrong = &n->host[3];

	(void)state;
	wrong->plan.payload = 21;
	network_run(n, 3 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		assert_false(n->host[i].ended);
	host_told(wrong, "refused 10.0.0.1:7800 0 its msg_size is 20, ours is 21");
	host_told(&n->host[0], "refused 10.0.0.4:7800 0 its msg_size is 21, ours is 20");
	/* Started anew with the right one it is let in. */
	wrong->plan.payload = 20;
	host_restart(wrong, 3 * NP_SECOND);
	network_finish(n, 10 * NP_SECOND);
	network_status(n, 4, 0);
	network_free(n);
}

static void every_setting_is_compared(void **state)
{
	static const char *const texts[] = {
		"(num_msgs: 1001 here, 1000 at 10.0.0.",
		"(msg_size: 21 here, 20 at 10.0.0.",
		"(num_members: 5 here, 4 at 10.0.0.",
		"(--duration: 1.000 s here, 0.000 s at 10.0.0.",
		"(--repeat: 2 here, 1 at 10.0.0.",
		"(-warmup: 1 here, 0 at 10.0.0.",
		"(--flow-control: none here, credit at 10.0.0.",
		"(--warm-up: 1.500 s here, 0 at 10.0.0.",
	};
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct network *n = network_of(&plan, false);
		struct member_plan *p = &n->host[3].plan;

		p->messages += i == 0;
		p->payload += i == 1;
		p->members += i == 2;
		p->duration = i == 3 ? NP_SECOND : 0;
		p->runs += i == 4;
		p->warmup += i == 5;
		p->credit = i != 6;
		p->warm_up = i == 7 ? 3 * NP_SECOND / 2 : 0;
		p->limits.join = 2 * NP_SECOND;
		network_run(n, 3 * NP_SECOND);
		host_failed(&n->host[3], "group", texts[i]);
		network_free(n);
	}
}

static void another_number_of_senders(unsigned senders, const char *reason)
{
	static const char *const names[] = {"10.0.0.1:7800", "10.0.0.2:7800", "10.0.0.3:7800"};
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	for (unsigned i = 0; i < 4; i++)
		n->host[i].plan.sender = i < senders;
	network_finish(n, 2 * NP_SECOND);
	network_status(n, 4, 2);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(n->host[i].sent_messages, 0);
	host_failed(&n->host[0], "num_senders", reason);
	for (unsigned i = 1; i < 4; i++) {
		host_failed(&n->host[i], "num_senders", "of the 4 members send");
		for (unsigned j = 0; j < senders; j++)
			host_failed(&n->host[i], "num_senders", names[j]);
	}
	network_free(n);
}

static void senders_other_than_num_senders(void **state)
{
	(void)state;
	another_number_of_senders(
		3, "2, but 3 of the 4 members send: 10.0.0.1:7800, 10.0.0.2:7800, 10.0.0.3:7800");
	another_number_of_senders(1, "2, but 1 of the 4 members send: 10.0.0.1:7800");
	another_number_of_senders(0, "2, but 0 of the 4 members send");
}

/* Host @from says to host 0 that it has no place in the group. */
static void refuse(struct network *n, unsigned from, enum message_refusal why)
{
	const struct message_refuse body = {.to = host_identity(0), .why = why};
	struct message_head head = {.number = n->host[from].plan.instance};
	uint8_t data[MESSAGE_CONTROL_MAX];

	host_forge(&n->host[0], from, data, message_refuse_encode(data, &head, &body));
}

/* And what it says is not so, as any member can count. */
static void one_says_that_the_senders_are_wrong(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 200 * NP_MILLISECOND);
	refuse(n, 1, REFUSAL_SENDERS);
	network_finish(n, 5 * NP_SECOND);
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

/* One that has proved its address and has our settings: its word is enough, for reasons that are.
 */
static void a_member_of_another_group_refuses(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 3;
	network_run(n, NP_SECOND);
	/* Whose settings are the same has no reason to refuse for other ones. */
	refuse(n, 1, REFUSAL_SETTINGS);
	network_run(n, 2 * NP_SECOND);
	assert_false(n->host[0].ended);
	refuse(n, 1, REFUSAL_FULL);
	host_failed(&n->host[0], "10.0.0.2:7800", "the group is complete without this member");
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
	for (unsigned i = 0; i < 33; i++) {
		refuse(n, 1, REFUSAL_FULL);
		network_run(n, n->now - EPOCH + 100 * NP_MILLISECOND);
	}
	network_finish(n, 7 * NP_SECOND);
	network_status(n, 2, 0);
	host_row_complete(&n->host[0], 0, 2000);
	network_free(n);
}

/* A group of which this member has the address of one ends its run: it is gone soon. */
static void who_is_about_to_leave_may_refuse(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	const struct message_state ends = {.phase = PHASE_COUNTED};
	struct message_head head;
	struct network *n;
	uint8_t data[MESSAGE_CONTROL_MAX];

	(void)state;
	n = network_of(&plan, false);
	n->hosts = 3;
	network_run(n, NP_SECOND);
	head = (struct message_head){.number = n->host[1].plan.instance, .run = 0, .tag = 7};
	host_forge(&n->host[0], 1, data, message_state_encode(data, &head, &ends));
	refuse(n, 1, REFUSAL_LATE);
	network_run(n, 2 * NP_SECOND);
	assert_false(n->host[0].ended);
	network_free(n);
}

static const uint8_t java_req[14] = {2, 1};

/* They are named once, and decide nothing; only what prevents a group is said at its end. */
static void met_a_java_group(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.limits.join = 8 * NP_SECOND;
	n = network_of(&plan, false);
	n->hosts = 2;
	for (unsigned i = 1; i < 20; i++) {
		network_run(n, i * NP_SECOND / 4);
		for (unsigned k = 30; k < 35; k++)
			host_forge(&n->host[0], k, java_req, sizeof(java_req));
	}
	host_told(&n->host[0], "met 10.0.0.31:7800 0 the protocol of JGroups");
	assert_false(n->host[0].ended);
	assert_int_equal(member_malformed(n->host[0].member), 95);
	network_run(n, 9 * NP_SECOND);
	host_failed(&n->host[0], "group",
		    "2 missing (10.0.0.31:7800 speaks the protocol of JGroups");
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_configuration),
		cmocka_unit_test(every_setting_is_compared),
		cmocka_unit_test(senders_other_than_num_senders),
		cmocka_unit_test(one_says_that_the_senders_are_wrong),
		cmocka_unit_test(who_has_left_does_not_count_as_a_sender),
		cmocka_unit_test(a_member_of_another_group_refuses),
		cmocka_unit_test(a_refusal_in_the_run_is_too_late),
		cmocka_unit_test(who_is_about_to_leave_may_refuse),
		cmocka_unit_test(met_a_java_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
