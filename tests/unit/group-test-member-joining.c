// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Who becomes a member of a group that forms, and that who does not goes and says why: members
 * that are missing, late, too many, or of one age.
 *
 * A member has heard another before itself, which therefore is the first in its table: that one
 * counts as the others do.
 */
#include "support/group_network.h"
#include "support/unit.h"

#include <stdio.h>
#include <string.h>

TEST(a_member_that_never_comes)
{
	struct network *n = NETWORK();

	n->hosts = 3;
	network_finish(n, 61 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		assert_false(member_result(n->host[i].member)->formed);
	host_failed(&n->host[0], "group",
		    "did not form in 60 s: 3 of 4 members present, 1 missing; present: "
		    "10.0.0.1:7800, 10.0.0.2:7800, "
		    "10.0.0.3:7800");
	host_failed(&n->host[1], "group",
		    "present: 10.0.0.2:7800, 10.0.0.3:7800; left: 10.0.0.1:7800");
	assert_int_equal(n->host[0].sent_messages, 0);
}

/* All are there, but not for long enough to be sure of it. */
TEST(not_agreed_in_time)
{
	struct network *n = NETWORK(plan.limits.join = 200 * NP_MILLISECOND);

	network_finish(n, 3 * NP_SECOND);
	host_failed(&n->host[0], "group",
		    "the members did not agree on the group within 0.2 s; present: 10.0.0.1:7800, "
		    "10.0.0.2:7800, "
		    "10.0.0.3:7800, 10.0.0.4:7800");
}

TEST(nobody_at_all)
{
	struct network *n = NETWORK();

	n->hosts = 1;
	n->cut[0][0] = true;
	network_finish(n, 61 * NP_SECOND);
	host_failed(&n->host[0], "group", "not even this member's own");
}

TEST(a_late_member_is_waited_for)
{
	struct network *n = NETWORK();

	n->host[2].starts += 50 * NP_SECOND;
	network_finish(n, 52 * NP_SECOND);
	network_status(n, 4, 0);
}

/* It died while the others waited, and was started anew. */
TEST(a_member_that_joins_twice)
{
	struct network *n = NETWORK();

	n->host[3].starts += 4 * NP_SECOND;
	network_run(n, NP_SECOND);
	host_restart(&n->host[2], 2 * NP_SECOND);
	network_finish(n, 6 * NP_SECOND);
	network_status(n, 4, 0);
	for (unsigned i = 0; i < 4; i++)
		host_row_complete(&n->host[i], 2, 1000);
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
}

TEST(one_too_many_at_once)
{
	one_too_many(40 * NP_MILLISECOND, "complete without this member",
		     "the group already has num_members members");
}

TEST(one_too_many_in_the_run)
{
	one_too_many(2 * NP_SECOND, "started without this member", "too late");
}

/* Their user hears of each, ours of the first sixteen. */
TEST(twenty_too_many)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);
	unsigned told = 0;

	for (unsigned i = 0; i < 20; i++)
		network_add(n, &plan, 2 * NP_SECOND);
	network_finish(n, 10 * NP_SECOND);
	network_status(n, 4, 0);
	for (unsigned i = 4; i < 24; i++)
		host_status(&n->host[i], 2);
	for (const char *at = n->host[0].log; (at = strstr(at, "refused 10.")); at++)
		told++;
	assert_int_equal(told, 16);
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

/* One that hangs up while the group forms is forgotten at once; the others, and oneself, are not.
 */
TEST(one_hangs_up_among_others)
{
	struct network *n =
		NETWORK(streams = true, plan.members = 5, plan.limits.join = 2 * NP_SECOND);

	/* Host 0 hears itself last. */
	n->host[0].deaf = true;
	n->hosts = 4;
	network_run(n, NP_SECOND / 2);
	n->host[0].deaf = false;
	network_run(n, 1800 * NP_MILLISECOND);
	network_kill(n, 1);
	network_run(n, 2100 * NP_MILLISECOND);
	host_failed(&n->host[0], "group",
		    "did not form in 2 s: 3 of 5 members present, 2 missing; present: ");
	for (unsigned i = 0; i < 4; i += i ? 1 : 2) {
		char name[32];

		snprintf(name, sizeof(name), "10.0.0.%u:7800", i + 1);
		host_failed(&n->host[0], "group", name);
	}
}

static np_time waiting_until; /* a second after the latest HELLO before the group */

/* The last HELLO of one that joins comes a while after the group. */
static bool lose_first_hellos_of_0(struct network *n, unsigned from, unsigned to,
				   const uint8_t *data)
{
	if (from != 0 || to != 3 || data[0] != MESSAGE_MAGIC || data[1] != 0x40 + MESSAGE_HELLO)
		return false;
	if (!member_result(n->host[0].member)->formed)
		waiting_until = n->now + NP_SECOND;
	return n->now < waiting_until;
}

/* Whose HELLO was lost says it again to one that has no group yet. */
TEST(a_hello_that_was_lost)
{
	struct network *n = NETWORK();

	n->drop = lose_first_hellos_of_0;
	network_finish(n, 10 * NP_SECOND);
	assert_true(n->dropped > 0);
	network_counts(n, 1000);
}

static unsigned refusals_of_0;

static void count_refusals(struct host *from, const struct identity *who, const void *message,
			   size_t bytes)
{
	struct message_refuse body;

	if (from->number || ((const uint8_t *)message)[1] != 0x40 + MESSAGE_REFUSE ||
	    message_decode(message, bytes, MESSAGE_REFUSE, &body))
		return;
	assert_int_equal(who->ip[15], 2);
	assert_int_equal(body.why, REFUSAL_SETTINGS);
	refusals_of_0++;
}

/* One with other settings is told so again, but not at each of its answers to that. */
TEST(other_settings_are_refused_again)
{
	struct network *n = NETWORK();

	n->hosts = 2;
	n->host[1].plan.messages++;
	n->heard = count_refusals;
	refusals_of_0 = 0;
	network_run(n, 4 * NP_SECOND);
	assert_in_range(refusals_of_0, 5, 40);
}

/* Who began last is the youngest, whatever its monotonic clock says. */
TEST(age_is_by_the_time_of_day)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	network_add(n, &plan, 40 * NP_MILLISECOND);
	for (unsigned i = 0; i < 5; i++)
		n->host[i].skew = (5 - i) * 100 * NP_SECOND;
	network_finish(n, 5 * NP_SECOND);
	network_status(n, 4, 0);
	host_status(&n->host[4], 2);
}

/* By nobody, or with settings that no group could have. */
TEST(a_bad_hello_costs_a_count)
{
	struct network *n = NETWORK();
	struct message_hello hello = {.begun = 1, .setting = {1000, 20, 4, 2, 0, 1, 0, 1}};
	struct message_head head = {.number = 0};

	network_run(n, 100 * NP_MILLISECOND);
	host_says(&n->host[0], 30, head, MESSAGE_HELLO, &hello);
	assert_int_equal(member_malformed(n->host[0].member), 1);
	head.number = 7;
	hello.setting[SETTING_NUM_MEMBERS] = UINT64_MAX;
	host_says(&n->host[0], 30, head, MESSAGE_HELLO, &hello);
	assert_int_equal(member_malformed(n->host[0].member), 2);
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
			host_must(&n->host[i], member_result(n->host[i].member)->formed, "formed");
		host_status(&n->host[4], 2);
	}
}

TEST(interrupted_while_joining)
{
	struct network *n = NETWORK();

	n->hosts = 2;
	network_run(n, NP_SECOND);
	member_stop(n->host[0].member, n->now);
	network_run(n, 2 * NP_SECOND);
	host_failed(&n->host[0], "group", "interrupted with 2 of 4 members present");
	assert_true(n->host[0].ended && !n->host[1].ended);
	member_stop(n->host[1].member, n->now);
	member_stop(n->host[1].member, n->now);
	assert_true(member_finished(n->host[1].member));
}

/* However often it says HELLO, since it hears of no refusal. */
TEST(who_restarts_too_late_is_named_once)
{
	struct network *n = NETWORK_LONG();
	unsigned told = 0;

	LOSE(n, .type = MESSAGE_REFUSE, .to = HOST(2));
	network_run(n, 2 * NP_SECOND);
	host_restart(&n->host[2], 2100 * NP_MILLISECOND);
	network_run(n, 5 * NP_SECOND);
	assert_true(n->dropped > 3);
	for (const char *at = n->host[0].log; (at = strstr(at, "it restarted too late")); at++)
		told++;
	assert_int_equal(told, 1);
}

/* For a while nobody hears itself: host 1 is the first that host 0 knows, and host 0 of host 1. */
static bool hear_others_first(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)data;
	return from == to && n->now < EPOCH + 100 * NP_MILLISECOND;
}

TEST(the_first_is_silent)
{
	struct network *n = NETWORK_LONG();

	n->drop = hear_others_first;
	network_run(n, 2 * NP_SECOND);
	network_kill(n, 1);
	network_finish(n, 20 * NP_SECOND);
	host_told(&n->host[0], "given-up 10.0.0.2:7800 0 silent for 5 s");
}

static unsigned dead_of_0; /* how often host 0 told host 1 that it is given up */

static void count_dead(struct host *from, const struct identity *who, const void *message,
		       size_t bytes)
{
	const uint8_t *head = message;

	(void)bytes;
	dead_of_0 += !from->number && who->ip[15] == 2 && head[1] == 0x40 + MESSAGE_REFUSE;
}

TEST(the_first_is_told_that_it_is_missed)
{
	struct network *n = NETWORK_LONG();

	n->drop = hear_others_first;
	n->heard = count_dead;
	dead_of_0 = 0;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		n->cut[1][i] = i != 1;
	network_finish(n, 20 * NP_SECOND);
	assert_true(dead_of_0 > 0);
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
		network_finish(n, 30 * NP_SECOND);
		network_status(n, 2, 0);
		host_status(&n->host[2], 1);
	}
}

/* It did not hear the end of the only sender. */
TEST(the_first_is_told_of_the_end)
{
	struct network *n =
		NETWORK_LONG(plan.senders = 1, plan.messages = 0, plan.duration = 4 * NP_SECOND);

	n->drop = hear_others_first;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		n->cut[i][1] = i != 1;
	network_finish(n, 20 * NP_SECOND);
	host_status(&n->host[0], 0);
	assert_int_equal(host_row(&n->host[0], 1, 0)->counts.sent, n->host[0].sent_messages);
}

/* Nor does host 1 say to host 0 that it leaves. */
static bool lose_the_leaving_of_1(struct network *n, unsigned from, unsigned to,
				  const uint8_t *data)
{
	return hear_others_first(n, from, to, data) ||
	       (from == 1 && to == 0 && strstr(n->host[1].log, "result - "));
}

TEST(the_first_does_not_say_that_it_leaves)
{
	struct network *n = NETWORK();
	np_time left;

	n->drop = lose_the_leaving_of_1;
	network_until(n, 0, "result - ");
	left = n->now - EPOCH;
	network_finish(n, 10 * NP_SECOND);
	assert_in_range(n->host[0].ended - left,
			n->host[0].plan.limits.linger - 500 * NP_MILLISECOND,
			n->host[0].plan.limits.linger + 50 * NP_MILLISECOND);
}
