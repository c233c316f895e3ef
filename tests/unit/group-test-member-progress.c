// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What of a member's result stays for the next run; what is told of drops, and believed.
 *
 * Networks that lose, double, disorder, cut and heal; members that stop for a while, or grant
 * nothing.
 */
#include "support/group_network.h"
#include "support/unit.h"

/* Nobody's figures of the first run, of 4 s, are in the second one. */
TEST(the_next_run)
{
	struct network *n = NETWORK_LONG(plan.runs = 2);
	const struct result *r;

	/* To host 3 its own place is the last one. */
	n->host[3].deaf = true;
	network_run(n, NP_SECOND / 4);
	n->host[3].deaf = false;
	network_run(n, 2 * NP_SECOND);
	assert_int_equal(n->host[0].results, 0);
	assert_true(member_look(n->host[3].member)->member[3].myself);
	while (member_look(n->host[0].member)->run == 0)
		network_pass(n, 10 * NP_MILLISECOND);
	network_pass(n, NP_SECOND / 2);
	for (unsigned i = 0; i < 4; i++) {
		r = member_look(n->host[i].member);
		assert_int_equal(r->run, 1);
		assert_false(r->complete || r->interrupted);
		for (unsigned k = 0; k < 4; k++) {
			assert_int_equal(host_member(&n->host[i], k)->rows, k == i ? 2 : 0);
			if (k != i)
				assert_true(host_member(&n->host[i], k)->host.cpu_user == 0);
		}
	}
	network_ends(n, 20 * NP_SECOND, 4, 0);
	assert_true(member_result(n->host[0].member)->complete);
}

TEST(loss_doubling_and_disorder)
{
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct network *n = NETWORK();

		n->random = seed;
		n->loss = 0.1;
		n->twice = 0.05;
		n->late = 0.2;
		network_succeeds(n, 15 * NP_SECOND, 1000);
		assert_true(n->lost[0][3] > 10);
		assert_true(host_row(&n->host[1], 3, 0)->counts.duplicates > 5);
		assert_true(host_row(&n->host[1], 3, 0)->counts.reordered > 5);
		assert_int_equal(host_row(&n->host[1], 1, 1)->counts.lost, 0);
	}
}

/* For less than the limit: what was under way is lost, nobody is. */
TEST(a_cut_that_heals)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	network_cut(n, 2, true);
	network_run(n, 5 * NP_SECOND);
	network_cut(n, 2, false);
	network_succeeds(n, 12 * NP_SECOND, 2000);
	assert_true(n->lost[0][3] > 10);
	host_told(&n->host[0], "held-up");
}

static void a_cut(np_time heals, np_time limit)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	network_cut(n, 2, true);
	network_run(n, heals);
	network_cut(n, 2, false);
	network_ends(n, limit, 4, 1);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned j = 0; j < 4; j++) {
			bool here = i / 2 == j / 2;

			assert_int_equal(host_member(&n->host[i], j)->reported, here);
			assert_int_equal(host_member(&n->host[i], j)->outcome == FATE_STAYED, here);
		}
	}
	host_row_complete(&n->host[0], 1, 2000);
	assert_in_range(host_row(&n->host[3], 2, 1)->counts.received, 100, 1999);
}

TEST(a_cut_for_good_and_one_healed_too_late)
{
	a_cut(30 * NP_SECOND, 30 * NP_SECOND);
	a_cut(8 * NP_SECOND, 16 * NP_SECOND);
}

/* Host 3 hears nobody any more, but is heard. */
TEST(a_cut_in_one_direction)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[i][3] = true;
	network_ends(n, 20 * NP_SECOND, 3, 0);
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
}

/* Stopped for long, and going on: it learns that it is out. */
TEST(stopped_for_long)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	n->host[3].stopped = true;
	network_run(n, 8 * NP_SECOND);
	n->host[3].stopped = false;
	network_ends(n, 16 * NP_SECOND, 4, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i], "given-up 10.0.0.4:7800");
		assert_true(host_member(&n->host[i], 0)->outcome == FATE_STAYED);
	}
	host_told(&n->host[3], "it has given up this member");
}

/* For so long that the others have ended, and with all messages waiting for it: its counts are
 * whole, but the group was not. It is told so, and would see it by itself. */
TEST(stopped_until_all_is_over)
{
	for (unsigned told = 0; told < 2; told++) {
		struct network *n = NETWORK_LONG(plan.window_bytes = 4096 * 48 * 2);

		if (!told)
			LOSE(n, .type = MESSAGE_REFUSE);
		network_run(n, 2 * NP_SECOND);
		n->host[3].stopped = true;
		network_run(n, 14 * NP_SECOND);
		for (unsigned i = 0; i < 3; i++)
			assert_true(n->host[i].ended);
		n->host[3].stopped = false;
		network_ends(n, 20 * NP_SECOND, 4, 1);
		host_told(&n->host[3],
			  "given-up 10.0.0.4:7800 0 the other members continued without it");
		assert_int_equal(host_member(&n->host[3], 3)->outcome, FATE_CUT);
		for (unsigned r = 0; r < 4; r++)
			host_row_complete(&n->host[3], r, 2000);
	}
}

TEST(a_member_that_grants_nothing)
{
	struct network *n = NETWORK_LONG();

	LOSE(n, .type = MESSAGE_GRANT, .from = HOST(3), .after = 2 * NP_SECOND);
	network_ends(n, 20 * NP_SECOND, 2, 1);
	for (unsigned i = 0; i < 2; i++) {
		host_told(&n->host[i], "held-up 10.0.0.4:7800");
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it accepted no message for 5 s");
		host_row_complete(&n->host[i], 2, 2000);
	}
}
