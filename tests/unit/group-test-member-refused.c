// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member whose host refuses what it sends (a packet filter, a link that is down, an address that
 * is gone) ends within the limits of its phase, says why once, and does not spin; the made-up
 * network fails every member that does.
 */
#include "support/group_network.h"

#include <errno.h>
#include <string.h>

static struct member_plan plan_of(enum member_protocol protocol, bool credit)
{
	struct member_plan plan = group_plan(protocol);

	plan.pause = 2 * NP_MILLISECOND;
	plan.messages = 2000;
	plan.credit = credit;
	return plan;
}

static unsigned count_told(const struct host *h, const char *what)
{
	unsigned count = 0;

	for (const char *at = h->log; (at = strstr(at, what)); at++)
		count++;
	return count;
}

/* @victim is refused everything from @from on; all end by @limit. */
static struct network *refused(const struct member_plan *plan, unsigned victim, np_time from,
			       np_time limit)
{
	struct network *n = network_of(plan, false);
	struct host *h = &n->host[victim];

	network_run(n, from);
	h->refuses = -EPERM;
	network_finish(n, limit);
	host_must(h, count_told(h, "unsent - 0 Operation not permitted") == 1, "told once");
	return n;
}

static void from_the_start(void **state)
{
	(void)state;
	for (unsigned victim = 0; victim < 4; victim += 3) {
		for (enum member_protocol p = PROTOCOL_NATIVE; p <= PROTOCOL_JGROUPS3; p++) {
			struct member_plan plan = plan_of(p, p == PROTOCOL_NATIVE);
			struct network *n;

			plan.limits.join = 3 * NP_SECOND;
			n = refused(&plan, victim, 0, 6 * NP_SECOND);
			network_status(n, 4, 2);
			host_failed(&n->host[victim], "group", " 3 s");
			network_free(n);
		}
	}
}

/* The others have all of the other sender; the victim's own status says that it failed. */
static void a_sender_in_the_run(void **state)
{
	(void)state;
	for (unsigned credit = 0; credit < 2; credit++) {
		struct member_plan plan = plan_of(PROTOCOL_NATIVE, credit);
		struct network *n = refused(&plan, 0, 2 * NP_SECOND, 26 * NP_SECOND);

		network_status(n, 4, 1);
		host_must(&n->host[0], count_told(&n->host[0], "cut - ") == 1, "cut once");
		if (!credit)
			assert_non_null(strstr(strstr(n->host[0].log, "cut - "),
					       "Operation not permitted"));
		for (unsigned i = 1; i < 4; i++) {
			host_told(&n->host[i], "given-up 10.0.0.1:7800");
			for (unsigned r = 1; r < 4; r++)
				assert_int_equal(host_row(&n->host[i], r, 1)->counts.received,
						 2000);
		}
		network_free(n);
	}
}

static void a_receiver_in_the_run(void **state)
{
	struct member_plan plan = plan_of(PROTOCOL_NATIVE, true);
	struct network *n = refused(&plan, 3, 2 * NP_SECOND, 26 * NP_SECOND);

	(void)state;
	network_status(n, 4, 1);
	host_row_complete(&n->host[0], 1, 2000);
	for (unsigned i = 0; i < 3; i++)
		assert_false(host_member(&n->host[i], 3)->reported);
	network_free(n);
}

/* Perf.Test's protocol: a member that cannot speak ends as one of a silent group does. */
static void among_java_members(void **state)
{
	struct member_plan plan = plan_of(PROTOCOL_JGROUPS3, false);

	(void)state;
	for (unsigned victim = 0; victim < 4; victim += 3) {
		struct network *n = refused(&plan, victim, 2 * NP_SECOND, 40 * NP_SECOND);

		network_status(n, 4, 1);
		network_free(n);
	}
}

static void a_group_of_one(void **state)
{
	(void)state;
	for (unsigned credit = 0; credit < 2; credit++) {
		struct member_plan plan = plan_of(PROTOCOL_NATIVE, credit);
		struct network *n;

		plan.members = plan.senders = 1;
		n = refused(&plan, 0, 2 * NP_SECOND, 12 * NP_SECOND);
		host_status(&n->host[0], 1);
		network_free(n);
	}
}

/* What it sends reaches the others, but not itself: nobody can say how far it may go. */
static void own_messages_do_not_come_back(void **state)
{
	struct member_plan plan = plan_of(PROTOCOL_NATIVE, true);
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	n->host[0].deaf = true;
	network_finish(n, 20 * NP_SECOND);
	host_status(&n->host[0], 1);
	host_told(&n->host[0], "its own messages do not come back to it");
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(host_row(&n->host[1], i, 1)->counts.received, 2000);
	network_free(n);
}

/* Refused for less than the limit: nothing is lost, the status is 0. */
static void refused_for_a_while(void **state)
{
	struct member_plan plan = plan_of(PROTOCOL_NATIVE, true);
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	n->host[0].refuses = -ENETDOWN;
	network_run(n, 5 * NP_SECOND);
	n->host[0].refuses = 0;
	network_finish(n, 20 * NP_SECOND);
	network_counts(n, 2000);
	network_free(n);
}

/* The first signal ends a member that can say nothing; nobody has to send a second one. */
static void a_user_stops_it(void **state)
{
	(void)state;
	for (unsigned joined = 0; joined < 2; joined++) {
		struct member_plan plan = plan_of(PROTOCOL_NATIVE, true);
		struct network *n = network_of(&plan, false);
		struct host *h = &n->host[0];

		plan.limits.join = 0;
		network_run(n, joined ? 2 * NP_SECOND : 5 * NP_MILLISECOND);
		h->refuses = -EPERM;
		network_run(n, 3 * NP_SECOND);
		member_stop(h->member, n->now);
		network_run(n, 5 * NP_SECOND);
		host_must(h, h->ended, "it ends");
		host_status(h, joined ? 1 : 2);
		network_free(n);
	}
}

/* The transport is gone: what each has counted is its result, and nobody else is waited for. */
static void cut_off_in_the_run(void **state)
{
	(void)state;
	for (enum member_protocol p = PROTOCOL_NATIVE; p <= PROTOCOL_JGROUPS3; p++) {
		struct member_plan plan = plan_of(p, false);
		struct network *n = network_of(&plan, true);

		network_run(n, 3 * NP_SECOND);
		for (unsigned i = 0; i < 4; i++) {
			struct host *h = &n->host[i];

			member_cut_off(h->member, "no way", n->now);
			assert_true(member_finished(h->member));
			host_status(h, 1);
			assert_int_equal(h->results, 1);
			host_must(h, host_member(h, (i + 1) % 4)->outcome == FATE_CUT, "named");
			host_must(h, host_member(h, i)->reported, "own counts");
			assert_true(host_row(h, i, 0)->counts.received > 100);
		}
		network_free(n);
	}
}

/* Who hung up before is not counted. */
static void cut_off_when_one_has_left(void **state)
{
	struct member_plan plan = plan_of(PROTOCOL_NATIVE, false);
	struct network *n = network_of(&plan, true);

	(void)state;
	n->host[3].starts = EPOCH + 100 * NP_SECOND;
	network_run(n, NP_SECOND);
	network_kill(n, 2);
	member_cut_off(n->host[0].member, "no way", n->now);
	host_failed(&n->host[0], "group", "no way; 2 of 4 members were present");
	network_free(n);
}

static void cut_off_while_joining(void **state)
{
	struct member_plan plan = plan_of(PROTOCOL_NATIVE, false);
	struct network *n = network_of(&plan, true);

	(void)state;
	n->host[3].starts = EPOCH + 100 * NP_SECOND;
	network_run(n, NP_SECOND);
	member_cut_off(n->host[0].member, "no way", n->now);
	host_failed(&n->host[0], "group", "no way; 3 of 4 members were present");
	assert_true(member_finished(n->host[0].member));
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_start),
		cmocka_unit_test(a_sender_in_the_run),
		cmocka_unit_test(a_receiver_in_the_run),
		cmocka_unit_test(among_java_members),
		cmocka_unit_test(a_group_of_one),
		cmocka_unit_test(own_messages_do_not_come_back),
		cmocka_unit_test(refused_for_a_while),
		cmocka_unit_test(a_user_stops_it),
		cmocka_unit_test(cut_off_in_the_run),
		cmocka_unit_test(cut_off_while_joining),
		cmocka_unit_test(cut_off_when_one_has_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
