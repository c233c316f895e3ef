// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Networks that lose, double, disorder, cut and heal; members that stop for a while, or grant
 * nothing. */
#include "support/group_network.h"

static void loss_doubling_and_disorder(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct network *n = network_of(&plan, false);

		n->random = seed;
		n->loss = 0.1;
		n->twice = 0.05;
		n->late = 0.2;
		network_finish(n, 15 * NP_SECOND);
		network_counts(n, 1000);
		assert_true(n->lost[0][3] > 10);
		assert_true(host_row(&n->host[1], 3, 0)->counts.duplicates > 5);
		assert_true(host_row(&n->host[1], 3, 0)->counts.reordered > 5);
		assert_int_equal(host_row(&n->host[1], 1, 1)->counts.lost, 0);
		network_free(n);
	}
}

static void thirty_two_with_loss(void **state)
{
	const struct member_plan plan = group_plan_wide(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->loss = 0.02;
	n->twice = 0.01;
	n->late = 0.1;
	network_finish(n, 20 * NP_SECOND);
	network_counts(n, 1000);
	network_free(n);
}

/* For less than the limit: what was under way is lost, nobody is. */
static void a_cut_that_heals(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	network_cut(n, 2, true);
	network_run(n, 5 * NP_SECOND);
	network_cut(n, 2, false);
	network_finish(n, 12 * NP_SECOND);
	network_counts(n, 2000);
	assert_true(n->lost[0][3] > 10);
	host_told(&n->host[0], "held-up");
	network_free(n);
}

static void a_cut(np_time heals, np_time limit)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	network_run(n, 2 * NP_SECOND);
	network_cut(n, 2, true);
	network_run(n, heals);
	network_cut(n, 2, false);
	network_finish(n, limit);
	network_status(n, 4, 1);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned j = 0; j < 4; j++) {
			bool here = i / 2 == j / 2;

			assert_int_equal(host_member(&n->host[i], j)->reported, here);
			assert_int_equal(host_member(&n->host[i], j)->outcome == FATE_STAYED, here);
		}
	}
	host_row_complete(&n->host[0], 1, 2000);
	assert_in_range(host_row(&n->host[3], 2, 1)->counts.received, 100, 1999);
	network_free(n);
}

static void a_cut_for_good_and_one_healed_too_late(void **state)
{
	(void)state;
	a_cut(30 * NP_SECOND, 30 * NP_SECOND);
	a_cut(8 * NP_SECOND, 16 * NP_SECOND);
}

/* Host 3 hears nobody any more, but is heard. */
static void a_cut_in_one_direction(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[i][3] = true;
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 3, 0);
	for (unsigned i = 0; i < 3; i++) {
		host_row_complete(&n->host[i], 2, 2000);
		/* It had not heard how many, and yet it is known. */
		assert_false(host_row(&n->host[i], 3, 0)->ended);
		assert_int_equal(host_row(&n->host[i], 3, 0)->counts.sent, 2000);
		assert_true(host_row(&n->host[i], 3, 0)->exact);
		assert_in_range(host_row(&n->host[i], 3, 0)->counts.lost, 1000, 1900);
		assert_true(result_worst_loss(member_result(n->host[i].member),
					      &(struct identity){}) > 50);
	}
	host_status(&n->host[3], 1);
	host_told(&n->host[3], "given-up 10.0.0.1:7800 0 silent for 5 s");
	network_free(n);
}

/* Stopped, and going on: for short it is waited for; for long it learns that it is out. */
static void a_stopped_member(np_time until, int status, np_time limit)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	network_run(n, 2 * NP_SECOND);
	n->host[3].stopped = true;
	network_run(n, until);
	n->host[3].stopped = false;
	network_finish(n, limit);
	network_status(n, 4, status);
	for (unsigned i = 0; i < 3 && status; i++) {
		host_told(&n->host[i], "given-up 10.0.0.4:7800");
		assert_true(host_member(&n->host[i], 0)->outcome == FATE_STAYED);
	}
	if (status)
		host_told(&n->host[3], "it has given up this member");
	else
		host_row_complete(&n->host[0], 3, 2000);
	network_free(n);
}

static void stopped_for_short_and_for_long(void **state)
{
	(void)state;
	a_stopped_member(5 * NP_SECOND, 0, 12 * NP_SECOND);
	a_stopped_member(8 * NP_SECOND, 1, 16 * NP_SECOND);
}

static bool lose_refusals(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return data[1] == 0x40 + MESSAGE_REFUSE && from != to;
}

/* For so long that the others have ended, and with all messages waiting for it: its counts are
 * whole, but the group was not. It is told so, and would see it by itself. */
static void stopped_until_all_is_over(void **state)
{
	struct member_plan plan = group_plan_long();

	(void)state;
	plan.window_bytes = 4096 * 48 * 2;
	for (unsigned told = 0; told < 2; told++) {
		struct network *n = network_of(&plan, false);

		n->drop = told ? NULL : lose_refusals;
		network_run(n, 2 * NP_SECOND);
		n->host[3].stopped = true;
		network_run(n, 14 * NP_SECOND);
		for (unsigned i = 0; i < 3; i++)
			assert_true(n->host[i].ended);
		n->host[3].stopped = false;
		network_finish(n, 20 * NP_SECOND);
		network_status(n, 4, 1);
		host_told(&n->host[3],
			  "given-up 10.0.0.4:7800 0 the other members continued without it");
		assert_int_equal(host_member(&n->host[3], 3)->outcome, FATE_CUT);
		for (unsigned r = 0; r < 4; r++)
			host_row_complete(&n->host[3], r, 2000);
		network_free(n);
	}
}

static bool lose_grants_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return data[1] == 0x40 + MESSAGE_GRANT && from == 3 && to != 3 &&
	       n->now > EPOCH + 2 * NP_SECOND;
}

static void a_member_that_grants_nothing(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_grants_of_3;
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 2, 1);
	for (unsigned i = 0; i < 2; i++) {
		host_told(&n->host[i], "held-up 10.0.0.4:7800");
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it accepted no message for 5 s");
		host_row_complete(&n->host[i], 2, 2000);
	}
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loss_doubling_and_disorder),
		cmocka_unit_test(thirty_two_with_loss),
		cmocka_unit_test(a_cut_that_heals),
		cmocka_unit_test(a_cut_for_good_and_one_healed_too_late),
		cmocka_unit_test(a_cut_in_one_direction),
		cmocka_unit_test(stopped_for_short_and_for_long),
		cmocka_unit_test(stopped_until_all_is_over),
		cmocka_unit_test(a_member_that_grants_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
