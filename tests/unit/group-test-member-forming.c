// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What goes wrong while a group forms, and that who does not belong to it goes and says why:
 * members that are missing, late, too many, of another configuration or protocol.
 */
#include "support/group_network.h"

#include <string.h>

static void a_member_that_never_comes(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 3;
	network_finish(n, 61 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		assert_false(member_result(n->host[i].member)->formed);
	host_failed(&n->host[0], "group",
		    "3 of 4 members after 60 s, 1 missing; there: 10.0.0.1:7800, 10.0.0.2:7800, "
		    "10.0.0.3:7800");
	host_failed(&n->host[1], "group",
		    "there: 10.0.0.2:7800, 10.0.0.3:7800; left: 10.0.0.1:7800");
	assert_int_equal(n->host[0].sent_messages, 0);
	network_free(n);
}

/* All are there, but not for long enough to be sure of it. */
static void not_agreed_in_time(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.limits.join = 200 * NP_MILLISECOND;
	n = network_of(&plan, false);
	network_finish(n, 3 * NP_SECOND);
	host_failed(&n->host[0], "group",
		    "not agreed after 0.2 s; there: 10.0.0.1:7800, 10.0.0.2:7800, "
		    "10.0.0.3:7800, 10.0.0.4:7800");
	network_free(n);
}

static void nobody_at_all(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 1;
	n->cut[0][0] = true;
	network_finish(n, 61 * NP_SECOND);
	host_failed(&n->host[0], "group", "not even this member's own");
	network_free(n);
}

static void a_late_member_is_waited_for(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->host[2].starts += 50 * NP_SECOND;
	network_finish(n, 52 * NP_SECOND);
	network_status(n, 4, 0);
	network_free(n);
}

/* It died while the others waited, and was started anew. */
static void a_member_that_joins_twice(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->host[3].starts += 4 * NP_SECOND;
	network_run(n, NP_SECOND);
	host_restart(&n->host[2], 2 * NP_SECOND);
	network_finish(n, 6 * NP_SECOND);
	network_status(n, 4, 0);
	for (unsigned i = 0; i < 4; i++)
		host_row_complete(&n->host[i], 2, 1000);
	network_free(n);
}

static void one_too_many(np_time starts, const char *fault, const char *why)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	network_add(n, &plan, starts);
	network_finish(n, 7 * NP_SECOND);
	network_status(n, 4, 0);
	for (unsigned i = 0; i < 4; i++) {
		host_row_complete(&n->host[i], 3, 2000);
		host_told(&n->host[i], "refused 10.0.0.5:7800");
		host_told(&n->host[i], why);
		assert_int_equal(host_member(&n->host[i], 4)->outcome, FATE_REFUSED);
	}
	host_failed(&n->host[4], "", fault);
	network_free(n);
}

static void one_too_many_at_once(void **state)
{
	(void)state;
	one_too_many(40 * NP_MILLISECOND, "complete without this member", "one member too many");
}

static void one_too_many_in_the_run(void **state)
{
	(void)state;
	one_too_many(2 * NP_SECOND, "begun without this member", "too late");
}

/* Their user hears of each, ours of the first sixteen. */
static void twenty_too_many(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);
	unsigned told = 0;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		network_add(n, &plan, 2 * NP_SECOND);
	network_finish(n, 10 * NP_SECOND);
	network_status(n, 4, 0);
	for (unsigned i = 4; i < 24; i++)
		host_status(&n->host[i], 2);
	for (const char *at = n->host[0].log; (at = strstr(at, "refused 10.")); at++)
		told++;
	assert_int_equal(told, 16);
	network_free(n);
}

/* Who began last is the youngest, whatever its monotonic clock says. */
static void age_is_by_the_time_of_day(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	network_add(n, &plan, 40 * NP_MILLISECOND);
	for (unsigned i = 0; i < 5; i++)
		n->host[i].skew = (5 - i) * 100 * NP_SECOND;
	network_finish(n, 5 * NP_SECOND);
	network_status(n, 4, 0);
	host_status(&n->host[4], 2);
	network_free(n);
}

/* By nobody, or with settings that no group could have. */
static void a_bad_hello_costs_a_count(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct message_hello hello = {.begun = 1, .setting = {1000, 20, 4, 2, 0, 1, 0, 1}};
	struct message_head head = {.number = 0};
	uint8_t data[MESSAGE_CONTROL_MAX];

	(void)state;
	network_run(n, 100 * NP_MILLISECOND);
	host_forge(&n->host[0], 30, data, message_hello_encode(data, &head, &hello));
	assert_int_equal(member_malformed(n->host[0].member), 1);
	head.number = 7;
	hello.setting[SETTING_NUM_MEMBERS] = UINT64_MAX;
	host_forge(&n->host[0], 30, data, message_hello_encode(data, &head, &hello));
	assert_int_equal(member_malformed(n->host[0].member), 2);
	network_free(n);
}

/* Of two that began at one moment the lower instance is the older. */
static void two_of_one_age(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	(void)state;
	for (unsigned older = 3; older <= 4; older++) {
		struct network *n = network_of(&plan, false);

		network_add(n, &plan, 30 * NP_MILLISECOND);
		n->host[older].plan.instance = 500;
		network_finish(n, 3 * NP_SECOND);
		for (unsigned i = 0; i < 5; i++)
			host_status(&n->host[i], i + older == 7 ? 2 : 0);
		network_free(n);
	}
}

/* Five at once, wherever one falls out: the four oldest run, on a network that loses much. */
static void five_for_four_with_loss(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct network *n = network_of(&plan, false);

		network_add(n, &plan, 45 * NP_MILLISECOND);
		n->random = seed;
		n->loss = 0.05;
		network_finish(n, 80 * NP_SECOND);
		for (unsigned i = 0; i < 4; i++)
			host_must(&n->host[i], member_result(n->host[i].member)->formed, "formed");
		host_status(&n->host[4], 2);
		network_free(n);
	}
}

static bool is_state(const uint8_t *data)
{
	return data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_STATE;
}

static bool lose_states_of_2(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == 2 && to != 2 && is_state(data);
}

/* All but one are there; one is killed at @killed and started anew, under a new port, at @again. */
static void killed_while_forming(enum member_protocol protocol, np_time killed, np_time last,
				 np_time again, bool chosen)
{
	struct member_plan plan = group_plan(protocol);
	struct network *n;

	plan.limits.join = 30 * NP_SECOND;
	n = network_of(&plan, false);
	n->host[3].starts = EPOCH + last;
	if (chosen)
		n->drop = lose_states_of_2;
	plan.sender = false;
	network_add(n, &plan, again);
	network_run(n, killed);
	network_kill(n, 2);
	network_finish(n, 40 * NP_SECOND);
	for (unsigned i = 0; i < 5; i++) {
		if (i == 2)
			continue;
		host_status(&n->host[i], 0);
		host_must(&n->host[i], member_result(n->host[i].member)->formed, "formed");
		assert_null(host_member(&n->host[i], 4)->why[0] ? "why" : NULL);
	}
	network_free(n);
}

static void one_is_killed_and_comes_anew(void **state)
{
	(void)state;
	/* Before the last member came, who finds one dead; the new one comes at once or late. */
	killed_while_forming(PROTOCOL_NATIVE, NP_SECOND, 2 * NP_SECOND, NP_SECOND + NP_MILLISECOND,
			     false);
	killed_while_forming(PROTOCOL_NATIVE, NP_SECOND, 2 * NP_SECOND, 3 * NP_SECOND, false);
	killed_while_forming(PROTOCOL_NATIVE, NP_SECOND, NP_SECOND + NP_MILLISECOND, 5 * NP_SECOND,
			     false);
	/* In Java's protocol whoever has joined counts, until it has been silent for long. */
	killed_while_forming(PROTOCOL_JGROUPS3, NP_SECOND, 9 * NP_SECOND, 8 * NP_SECOND, false);
	/* When all are there, until they are chosen. */
	for (np_time t = 1010 * NP_MILLISECOND; t < 1290 * NP_MILLISECOND; t += 20 * NP_MILLISECOND)
		killed_while_forming(PROTOCOL_NATIVE, t, NP_SECOND, 4 * NP_SECOND, false);
	/* When all have been chosen, and one has not said that it is ready: they take another. */
	killed_while_forming(PROTOCOL_NATIVE, 2 * NP_SECOND, NP_SECOND, 3 * NP_SECOND, true);
	killed_while_forming(PROTOCOL_NATIVE, 2 * NP_SECOND, NP_SECOND, 8 * NP_SECOND, true);
}

static unsigned hellos_of_0;

static bool count_hellos(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	hellos_of_0 += from == 0 && to == 1 && data[1] == 0x40 + MESSAGE_HELLO;
	return false;
}

/* One that was chosen died before all were ready: there is no group, and others are looked for. */
static void a_group_falls_apart(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	const struct result *r;

	(void)state;
	n->drop = lose_states_of_2;
	network_run(n, NP_SECOND);
	r = member_result(n->host[0].member);
	assert_true(r->formed);
	network_kill(n, 2);
	while (n->now < EPOCH + 10 * NP_SECOND && r->formed)
		network_step(n);
	host_told(&n->host[0], "given-up 10.0.0.3:7800 0 silent before all were ready");
	assert_false(r->formed);
	assert_int_equal(r->members + r->senders, 0);
	n->drop = count_hellos;
	hellos_of_0 = 0;
	network_run(n, n->now - EPOCH + NP_SECOND);
	assert_in_range(hellos_of_0, 3, 6);
	assert_int_equal(member_look(n->host[0].member)->members, 0);
	network_free(n);
}

/* Host 3 is heard, but it never gets to the second run. */
static bool lose_states_of_the_second_run(struct network *n, unsigned from, unsigned to,
					  const uint8_t *data)
{
	(void)n;
	return from == 3 && to != 3 && is_state(data) && data[3] == 1;
}

static void not_ready_for_a_later_run(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	uint8_t data[MESSAGE_HEADER_BYTES];
	struct message_head head;
	struct network *n;

	(void)state;
	plan.runs = 2;
	n = network_of(&plan, false);
	n->drop = lose_states_of_the_second_run;
	while (!network_ended(n) && n->now < EPOCH + 30 * NP_SECOND) {
		network_run(n, n->now - EPOCH + 100 * NP_MILLISECOND);
		if (message_head_decode(n->host[0].slots, sizeof(data), &head) != MESSAGE_NATIVE)
			continue;
		head.type = MESSAGE_GRANT;
		message_head_encode(data, &head);
		for (unsigned i = 0; i < 3; i++)
			host_forge(&n->host[i], 3, data, sizeof(data));
	}
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 not ready in 10 s");
		assert_int_equal(n->host[i].results, 2);
		host_row_complete(&n->host[i], 2, 1000);
		assert_true(host_member(&n->host[i], 0)->outcome == FATE_STAYED);
	}
	network_free(n);
}

/* The first words of readiness from host 0 are lost, for half of the others for long. */
static bool lose_start(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return is_state(data) && from == 0 && (to == 1 || to == 2) &&
	       n->dropped < (to == 1 ? 6 : 3);
}

static void lost_start(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_start;
	network_finish(n, 6 * NP_SECOND);
	assert_true(n->dropped >= 3);
	network_status(n, 4, 0);
	for (unsigned i = 0; i < 4; i++)
		host_row_complete(&n->host[i], i, 1000);
	network_free(n);
}

/* Of host 3 nothing is ever heard but its HELLO, and that it is there: nobody starts. */
static bool lose_all_but_hello(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == 3 && to != 3 && data[1] != 0x40 + MESSAGE_HELLO &&
	       data[1] != 0x40 + MESSAGE_PROOF;
}

/* @first: host 3 is the first that host 0 has heard, before itself. */
static void no_start(bool first)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct np_fault fault;

	n->drop = lose_all_but_hello;
	if (first) {
		n->host[0].deaf = true;
		n->host[1].starts = n->host[2].starts = EPOCH + NP_SECOND / 2;
		network_run(n, NP_SECOND / 4);
		n->host[0].deaf = false;
	}
	network_finish(n, 15 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(n->host[i].sent_messages, 0);
	for (unsigned i = 0; i < 3; i++)
		host_failed(&n->host[i], "group", "10.0.0.4:7800");
	/* It alone is named by the first that gives up. */
	member_status(n->host[0].member, &fault);
	assert_string_equal(fault.reason, "not ready after 10 s: 10.0.0.4:7800");
	host_status(&n->host[3], 1);
	network_free(n);
}

static void start_that_never_comes(void **state)
{
	(void)state;
	no_start(false);
	no_start(true);
}

/* Of a sender's words none is heard, but what it sends says that it runs. */
static bool lose_states_of_0(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == 0 && to != 0 && is_state(data);
}

static void data_says_that_all_are_ready(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_states_of_0;
	network_finish(n, 25 * NP_SECOND);
	for (unsigned i = 1; i < 4; i++) {
		host_status(&n->host[i], 1);
		assert_int_equal(host_row(&n->host[i], 2, 0)->counts.received, 1000);
	}
	network_free(n);
}

/* The one that is alone with it goes and names what differs; the others name it and wait on. */
static void another_configuration(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct host *wrong = &n->host[3];

	(void)state;
	wrong->plan.payload = 21;
	network_run(n, 3 * NP_SECOND);
	assert_true(wrong->ended && wrong->ended < NP_SECOND);
	host_failed(wrong, "msg_size", "21 here, 20 at 10.0.0.1:7800");
	host_told(&n->host[0], "refused 10.0.0.4:7800 0 its msg_size is 21, ours is 20");
	/* Started anew with the right one it is let in. */
	wrong->plan.payload = 20;
	host_restart(wrong, 3 * NP_SECOND);
	network_finish(n, 6 * NP_SECOND);
	network_status(n, 4, 0);
	network_free(n);
}

static void every_setting_is_compared(void **state)
{
	static const char *const texts[] = {"num_msgs", "msg_size", "num_members",   "--duration",
					    "--repeat", "--warmup", "--flow-control"};
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	(void)state;
	for (unsigned i = 0; i < 7; i++) {
		struct network *n = network_of(&plan, false);
		struct member_plan *p = &n->host[3].plan;
		struct np_fault fault;

		p->messages += i == 0;
		p->payload += i == 1;
		p->members += i == 2;
		p->duration = i == 3 ? NP_SECOND : 0;
		p->runs += i == 4;
		p->warmup += i == 5;
		p->credit = i != 6;
		network_run(n, NP_SECOND);
		host_status(&n->host[3], 2);
		member_status(n->host[3].member, &fault);
		assert_string_equal(fault.object, texts[i]);
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

/* And what it says is not so: it is one voice. */
static void one_says_that_the_senders_are_wrong(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	const struct message_refuse body = {.to = host_identity(0), .why = REFUSAL_SENDERS};
	struct message_head head = {.number = n->host[1].plan.instance};
	uint8_t data[MESSAGE_CONTROL_MAX];

	(void)state;
	network_run(n, 200 * NP_MILLISECOND);
	host_forge(&n->host[0], 1, data, message_refuse_encode(data, &head, &body));
	network_finish(n, 5 * NP_SECOND);
	network_counts(n, 1000);
	network_free(n);
}

static void interrupted_while_joining(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 2;
	network_run(n, NP_SECOND);
	member_stop(n->host[0].member, n->now);
	network_run(n, 2 * NP_SECOND);
	host_failed(&n->host[0], "group", "interrupted with 2 of 4 members there");
	assert_true(n->host[0].ended && !n->host[1].ended);
	member_stop(n->host[1].member, n->now);
	member_stop(n->host[1].member, n->now);
	assert_true(member_finished(n->host[1].member));
	network_free(n);
}

static const uint8_t java_req[14] = {2, 1};

/* One that talks is no group; more of them than there are of ours are one. */
static void met_a_java_group(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 2;
	for (unsigned i = 1; i < 20; i++) {
		network_run(n, i * NP_SECOND / 4);
		host_forge(&n->host[0], 30, java_req, sizeof(java_req));
		host_forge(&n->host[0], 31, java_req, sizeof(java_req));
	}
	assert_false(n->host[0].ended);
	host_told(&n->host[0], "met 10.0.0.31:7800 0 the protocol of JGroups");
	host_forge(&n->host[0], 32, java_req, sizeof(java_req));
	network_run(n, 6 * NP_SECOND);
	assert_false(n->host[0].ended);
	host_forge(&n->host[0], 32, java_req, sizeof(java_req));
	network_run(n, 8 * NP_SECOND);
	host_failed(&n->host[0], "10.0.0.33:7800", "speaks the protocol of JGroups");
	assert_false(n->host[1].ended);
	assert_int_equal(member_malformed(n->host[0].member), 40);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_that_never_comes),
		cmocka_unit_test(not_agreed_in_time),
		cmocka_unit_test(nobody_at_all),
		cmocka_unit_test(a_late_member_is_waited_for),
		cmocka_unit_test(a_member_that_joins_twice),
		cmocka_unit_test(one_too_many_at_once),
		cmocka_unit_test(one_too_many_in_the_run),
		cmocka_unit_test(twenty_too_many),
		cmocka_unit_test(age_is_by_the_time_of_day),
		cmocka_unit_test(a_bad_hello_costs_a_count),
		cmocka_unit_test(two_of_one_age),
		cmocka_unit_test(five_for_four_with_loss),
		cmocka_unit_test(one_is_killed_and_comes_anew),
		cmocka_unit_test(a_group_falls_apart),
		cmocka_unit_test(not_ready_for_a_later_run),
		cmocka_unit_test(lost_start),
		cmocka_unit_test(start_that_never_comes),
		cmocka_unit_test(data_says_that_all_are_ready),
		cmocka_unit_test(another_configuration),
		cmocka_unit_test(every_setting_is_compared),
		cmocka_unit_test(senders_other_than_num_senders),
		cmocka_unit_test(one_says_that_the_senders_are_wrong),
		cmocka_unit_test(interrupted_while_joining),
		cmocka_unit_test(met_a_java_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
