// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Members that are killed, start anew, or whose results are lost: the group ends in a report within
 * a stated time, which names who.
 */
#include "support/group_network.h"

static void a_killed_receiver(bool connected, np_time limit, const char *why)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, connected);

	network_run(n, 2 * NP_SECOND);
	network_kill(n, 3);
	network_finish(n, limit);
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i], why);
		assert_false(host_member(&n->host[i], 3)->reported);
		for (unsigned r = 0; r < 3; r++)
			host_row_complete(&n->host[i], r, 2000);
		assert_true(member_result(n->host[i].member)->complete);
	}
	network_free(n);
}

static void a_receiver_is_killed(void **state)
{
	(void)state;
	a_killed_receiver(false, 12 * NP_SECOND, "given-up 10.0.0.4:7800 0 silent for 5 s");
	a_killed_receiver(true, 6 * NP_SECOND,
			  "given-up 10.0.0.4:7800 0 connection lost: it closed the connection");
}

static void a_killed_sender(bool connected, np_time limit)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, connected);
	uint64_t sent;

	network_run(n, 2 * NP_SECOND);
	sent = n->host[1].sent_messages;
	network_kill(n, 1);
	network_finish(n, limit);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 1)
			continue;
		host_status(&n->host[i], 1);
		host_told(&n->host[i], "given-up 10.0.0.2:7800");
		assert_false(host_member(&n->host[i], 1)->reported);
		for (unsigned r = 0; r < 4; r += 2) {
			const struct result_row *row = host_row(&n->host[i], r, 1);

			assert_int_equal(host_row(&n->host[i], r, 0)->counts.received, 2000);
			assert_int_equal(row->counts.sent, 2000);
			assert_in_range(row->counts.received, sent - 1, sent);
			assert_int_equal(row->counts.lost, 0);
			assert_false(row->exact || row->ended);
		}
	}
	network_free(n);
}

static void a_sender_is_killed(void **state)
{
	(void)state;
	a_killed_sender(false, 10 * NP_SECOND);
	a_killed_sender(true, 6 * NP_SECOND);
}

/* The only sender dies: the rest still tells what it got. */
static void the_sole_sender_is_killed(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.senders = 1;
	plan.runs = 3;
	n = network_of(&plan, false);
	network_run(n, 2 * NP_SECOND);
	network_kill(n, 0);
	network_finish(n, 10 * NP_SECOND);
	for (unsigned i = 1; i < 4; i++) {
		host_status(&n->host[i], 1);
		assert_in_range(host_row(&n->host[i], 3, 0)->counts.received, 100, 2000);
		assert_int_equal(n->host[i].results, 1);
	}
	network_free(n);
}

/* Between two runs: the next one begins without it. */
static void killed_between_runs(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.runs = 3;
	n = network_of(&plan, false);
	while (n->host[3].results < 1)
		network_step(n);
	network_kill(n, 3);
	network_finish(n, 30 * NP_SECOND);
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(n->host[i].results, 3);
		host_row_complete(&n->host[i], 2, 2000);
	}
	network_free(n);
}

static bool lose_results(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return data[1] == 0x40 + MESSAGE_RESULTS && from != to && n->dropped < 20;
}

static void lost_results(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_results;
	network_finish(n, 4 * NP_SECOND);
	assert_int_equal(n->dropped, 20);
	network_status(n, 4, 0);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned r = 0; r < 4; r++)
			host_row_complete(&n->host[i], r, 1000);
	}
	network_free(n);
}

/* Of one member they never come: the others say so, and end. */
static bool lose_results_of_2(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return data[1] == 0x40 + MESSAGE_RESULTS && from == 2 && to != 2;
}

static void results_that_never_come(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_results_of_2;
	network_finish(n, 14 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		host_status(&n->host[i], i == 2 ? 0 : 1);
	host_told(&n->host[0], "given-up 10.0.0.3:7800");
	assert_false(host_member(&n->host[0], 2)->reported);
	network_free(n);
}

/* In the run: its old self is given up, its new one kept out. */
static void started_anew_in_the_run(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);
	struct host *h = &n->host[3];

	(void)state;
	network_run(n, 2 * NP_SECOND);
	host_restart(h, 2 * NP_SECOND);
	network_finish(n, 8 * NP_SECOND);
	host_failed(h, "", "started without this member");
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it was restarted");
		host_row_complete(&n->host[i], 2, 2000);
	}
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_receiver_is_killed),
		cmocka_unit_test(a_sender_is_killed),
		cmocka_unit_test(the_sole_sender_is_killed),
		cmocka_unit_test(killed_between_runs),
		cmocka_unit_test(lost_results),
		cmocka_unit_test(results_that_never_come),
		cmocka_unit_test(started_anew_in_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
