// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member has heard another before itself, which therefore is the first in its table: that one
 * counts as the others do.
 */
#include "support/group_network.h"

#include <string.h>

/* For a while nobody hears itself: host 1 is the first that host 0 knows, and host 0 of host 1. */
static bool hear_others_first(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)data;
	return from == to && n->now < EPOCH + 100 * NP_MILLISECOND;
}

static void the_first_is_silent(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = hear_others_first;
	network_run(n, 2 * NP_SECOND);
	network_kill(n, 1);
	network_finish(n, 20 * NP_SECOND);
	host_told(&n->host[0], "given-up 10.0.0.2:7800 0 silent for 5 s");
	network_free(n);
}

static unsigned dead_of_0; /* how often host 0 told host 1 that it is given up */

static void count_dead(struct host *from, const struct identity *who, const void *message,
		       size_t bytes)
{
	const uint8_t *head = message;

	(void)bytes;
	dead_of_0 += !from->number && who->ip[15] == 2 && head[1] == 0x40 + MESSAGE_REFUSE;
}

static void the_first_is_told_that_it_is_missed(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = hear_others_first;
	n->heard = count_dead;
	dead_of_0 = 0;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		n->cut[1][i] = i != 1;
	network_finish(n, 20 * NP_SECOND);
	assert_true(dead_of_0 > 0);
	network_free(n);
}

/* Host 2 hears nobody, and gives all up, while the others run, and when they have counted. */
static void one_that_gives_all_up_is_one_voice(void **state)
{
	(void)state;
	for (unsigned runs = 0; runs < 2; runs++) {
		struct member_plan plan = group_plan_long();
		struct network *n;

		plan.members = 3;
		plan.credit = !runs;
		plan.messages = runs ? 6000 : 2000;
		n = network_of(&plan, false);
		n->drop = hear_others_first;
		network_run(n, 2 * NP_SECOND);
		for (unsigned i = 0; i < 2; i++)
			n->cut[i][2] = true;
		network_finish(n, 30 * NP_SECOND);
		network_status(n, 2, 0);
		host_status(&n->host[2], 1);
		network_free(n);
	}
}

/* It did not hear the end of the only sender. */
static void the_first_is_told_of_the_end(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.senders = 1;
	plan.messages = 0;
	plan.duration = 4 * NP_SECOND;
	n = network_of(&plan, false);
	n->drop = hear_others_first;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		n->cut[i][1] = i != 1;
	network_finish(n, 20 * NP_SECOND);
	host_status(&n->host[0], 0);
	assert_int_equal(host_row(&n->host[0], 1, 0)->counts.sent, n->host[0].sent_messages);
	network_free(n);
}

/* Nor does host 1 say to host 0 that it leaves. */
static bool lose_the_leaving_of_1(struct network *n, unsigned from, unsigned to,
				  const uint8_t *data)
{
	return hear_others_first(n, from, to, data) ||
	       (from == 1 && to == 0 && strstr(n->host[1].log, "result - "));
}

static void the_first_does_not_say_that_it_leaves(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	np_time left;

	(void)state;
	n->drop = lose_the_leaving_of_1;
	while (!strstr(n->host[0].log, "result - ") && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	left = n->now - EPOCH;
	network_finish(n, 10 * NP_SECOND);
	assert_in_range(n->host[0].ended - left, plan.limits.linger - 500 * NP_MILLISECOND,
			plan.limits.linger + 50 * NP_MILLISECOND);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_silent),
		cmocka_unit_test(the_first_is_told_that_it_is_missed),
		cmocka_unit_test(one_that_gives_all_up_is_one_voice),
		cmocka_unit_test(the_first_is_told_of_the_end),
		cmocka_unit_test(the_first_does_not_say_that_it_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
