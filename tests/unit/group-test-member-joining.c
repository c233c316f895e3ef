// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Who becomes a member of a group that forms, and that who does not goes and says why: members
 * that are missing, late, too many, or of one age.
 */
#include "support/group_network.h"
#include "support/unit.h"

TEST(a_member_that_never_comes)
{
	struct network *n = NETWORK();

	n->hosts = 3;
	network_finish(n, 61 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		assert_false(member_result(n->host[i].member)->members);
	host_failed(&n->host[0], "group",
		    "did not form in 60 s: 3 of 4 members present, 1 missing; present: "
		    "10.0.0.1:7800, 10.0.0.2:7800, "
		    "10.0.0.3:7800");
	host_failed(&n->host[1], "group",
		    "present: 10.0.0.2:7800, 10.0.0.3:7800; left: 10.0.0.1:7800");
	assert_int_equal(n->host[0].sent_messages, 0);
}

TEST(nobody_at_all)
{
	struct network *n = NETWORK();

	n->hosts = 1;
	n->cut[0][0] = true;
	network_finish(n, 61 * NP_SECOND);
	host_failed(&n->host[0], "group", "not even this member's own");
}

TEST(one_too_many_at_once)
{
	struct member_plan plan = group_plan_long(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	network_add(n, &plan, 40 * NP_MILLISECOND);
	network_ends(n, 7 * NP_SECOND, 4, 0);
	for (unsigned i = 0; i < 4; i++) {
		host_row_complete(&n->host[i], 3, 2000);
		host_told(&n->host[i],
			  "refused 10.0.0.5:7800 0 the group already has num_members members");
		assert_int_equal(host_member(&n->host[i], 4)->outcome, FATE_REFUSED);
	}
	host_failed(&n->host[4], "", "complete without this member");
}

/* Their user hears of each, ours of the first sixteen. */
TEST(twenty_too_many)
{
	struct member_plan plan = group_plan_long(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	for (unsigned i = 0; i < 20; i++)
		network_add(n, &plan, 2 * NP_SECOND);
	network_ends(n, 10 * NP_SECOND, 4, 0);
	for (unsigned i = 4; i < 24; i++)
		host_status(&n->host[i], 2);
	assert_int_equal(host_times_told(&n->host[0], "refused 10."), 16);
}

/* As many as there is room for are named, the others counted. */
TEST(twelve_missing)
{
	struct network *n =
		NETWORK_BY(group_plan_wide(PROTOCOL_NATIVE), plan.limits.join = 3 * NP_SECOND);

	n->hosts = 20;
	network_run(n, 3100 * NP_MILLISECOND);
	host_failed(&n->host[0], "group",
		    "did not form in 3 s: 20 of 32 members present, 12 missing; present: "
		    "10.0.0.1:7800, "
		    "10.0.0.2:7800, ");
	host_failed(&n->host[0], "group", ", 10.0.0.9:7800 and 11 more");
}

/* Who began last is the youngest, whatever its monotonic clock says. */
TEST(age_is_by_the_time_of_day)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	network_add(n, &plan, 40 * NP_MILLISECOND);
	for (unsigned i = 0; i < 5; i++)
		n->host[i].skew = (5 - i) * 100 * NP_SECOND;
	network_ends(n, 5 * NP_SECOND, 4, 0);
	host_status(&n->host[4], 2);
}

/* By nobody. */
TEST(a_bad_hello_costs_a_count)
{
	struct network *n = NETWORK();

	network_run(n, 100 * NP_MILLISECOND);
	say_hello(&n->host[0], 30, 0, &hello_of_ours);
	assert_int_equal(member_outcome(n->host[0].member)->malformed, 1);
}

/* Of two that began at one moment the lower instance is the older. */
TEST(two_of_one_age)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	for (unsigned older = 3; older <= 4; older++) {
		struct network *n = network_of(&plan, false);

		network_add(n, &plan, 30 * NP_MILLISECOND);
		n->host[older].plan.instance = 500;
		network_finish(n, 3 * NP_SECOND);
		for (unsigned i = 0; i < 5; i++)
			host_status(&n->host[i], i + older == 7 ? 2 : 0);
	}
}

/* Five at once, wherever one falls out: the four oldest run, on a network that loses much. */
TEST(five_for_four_with_loss)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct network *n = network_of(&plan, false);

		network_add(n, &plan, 45 * NP_MILLISECOND);
		n->random = seed;
		n->loss = 0.05;
		network_finish(n, 80 * NP_SECOND);
		for (unsigned i = 0; i < 4; i++)
			host_must(&n->host[i], member_result(n->host[i].member)->members, "formed");
		host_status(&n->host[4], 2);
	}
}

/* For a while nobody hears itself: host 1 is the first that host 0 knows, and host 0 of host 1. */
static bool hear_others_first(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)data;
	return from == to && n->now < EPOCH + 100 * NP_MILLISECOND;
}

/* Host 2 hears nobody, and gives all up, while the others run, and when they have counted. */
TEST(one_that_gives_all_up_is_one_voice)
{
	for (unsigned runs = 0; runs < 2; runs++) {
		struct network *n = NETWORK_LONG(plan.members = 3, plan.credit = !runs,
						 plan.messages = runs ? 6000 : 2000);

		n->drop = hear_others_first;
		network_run(n, 2 * NP_SECOND);
		for (unsigned i = 0; i < 2; i++)
			n->cut[i][2] = true;
		network_ends(n, 30 * NP_SECOND, 2, 0);
		host_status(&n->host[2], 1);
	}
}
