// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Users that interrupt one member or all, and runs that a launcher winds up. */
#include "support/group_network.h"

static void an_interrupted_member(unsigned who, np_time limit)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);
	const struct host *h = &n->host[who];

	network_run(n, 2 * NP_SECOND);
	member_stop(h->member, n->now);
	/* As soon as its last words are there. */
	network_run(n, 2300 * NP_MILLISECOND);
	for (unsigned i = 0; i < 4; i++) {
		if (i != who)
			host_told(&n->host[i], "interrupted by its user");
	}
	network_finish(n, limit);
	assert_in_range(h->ended, 2 * NP_SECOND, 3 * NP_SECOND);
	host_status(h, 0);
	assert_int_equal(h->results, 1);
	assert_true(member_result(h->member)->interrupted);
	assert_in_range(host_row(h, who, 0)->counts.received, 100, 1999);
	for (unsigned i = 0; i < 4; i++) {
		if (i == who)
			continue;
		host_status(&n->host[i], 1);
		assert_int_equal(host_member(&n->host[i], who)->outcome, FATE_QUIT);
		assert_true(host_member(&n->host[i], who)->reported);
		assert_int_equal(host_row(&n->host[i], 3, 1)->counts.received, 2000);
	}
	if (who == 0) {
		assert_true(host_row(&n->host[1], 2, 0)->exact);
		assert_int_equal(host_row(&n->host[1], 2, 0)->counts.sent, h->sent_messages);
	}
	network_free(n);
}

static void users_interrupt(void **state)
{
	(void)state;
	an_interrupted_member(0, 7 * NP_SECOND);
	an_interrupted_member(2, 7 * NP_SECOND);
}

/* All at once, as by Ctrl-C in a terminal. */
static void all_are_interrupted(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		member_stop(n->host[i].member, n->now);
	network_finish(n, 3 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(n->host[i].results, 1);
		assert_in_range(host_row(&n->host[i], i, 0)->counts.received, 100, 1999);
	}
	network_free(n);
}

/* All end the run at about the same time: what is on its way is counted, though it is lost. */
static void all_are_wound_up(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		network_run(n, 2 * NP_SECOND + (np_time)i * 10 * NP_MILLISECOND);
		member_wind_up(n->host[i].member, n->now);
	}
	network_finish(n, 4 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		host_status(&n->host[i], 0);
		for (unsigned sender = 0; sender < 2; sender++) {
			const struct result_row *row = host_row(&n->host[i], i, sender);

			assert_true(row->exact && row->ended);
			assert_in_range(row->counts.sent, 100, 1999);
			assert_int_equal(row->counts.received, row->counts.sent);
		}
	}
	network_free(n);
}

/* As long as the group forms, it is as if the user had interrupted. */
static void a_group_that_forms_is_wound_up(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 100 * NP_MILLISECOND);
	for (unsigned i = 0; i < 4; i++)
		member_wind_up(n->host[i].member, n->now);
	network_finish(n, 4 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		host_status(&n->host[i], 2);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_interrupt),
		cmocka_unit_test(all_are_interrupted),
		cmocka_unit_test(all_are_wound_up),
		cmocka_unit_test(a_group_that_forms_is_wound_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
