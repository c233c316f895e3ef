// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Members that do not fit a group that forms: other settings, numbers of senders, protocols. */
#include "support/group_network.h"

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
		cmocka_unit_test(another_configuration),
		cmocka_unit_test(every_setting_is_compared),
		cmocka_unit_test(senders_other_than_num_senders),
		cmocka_unit_test(one_says_that_the_senders_are_wrong),
		cmocka_unit_test(met_a_java_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
