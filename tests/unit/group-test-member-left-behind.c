// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Who is given up by the others while it runs, and how it learns of it. */
#include "support/group_network.h"

#include <string.h>

static bool lose_refusals(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from != to && data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_REFUSE;
}

/* Its only other member went on without it, and its word of that was lost. */
static void one_of_two_is_left_behind(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.members = 2;
	plan.senders = 1;
	plan.credit = false;
	n = network_of(&plan, false);
	n->drop = lose_refusals;
	network_run(n, 2 * NP_SECOND);
	n->host[1].stopped = true;
	while (!n->host[0].ended && n->now < EPOCH + 30 * NP_SECOND)
		network_step(n);
	host_told(&n->host[0], "given-up 10.0.0.2:7800 0 silent for 5 s");
	n->host[1].stopped = false;
	network_finish(n, 40 * NP_SECOND);
	host_told(&n->host[1], "given-up 10.0.0.2:7800 0 the other members continued without it");
	host_status(&n->host[1], 1);
	host_row_complete(&n->host[1], 1, 2000);
	network_free(n);
}

/* Host 3 hears all, and nobody hears it, until all have ended. */
static void run_unheard(struct network *n)
{
	network_finish(n, 30 * NP_SECOND);
	network_status(n, 4, 1);
	for (unsigned i = 0; i < 3; i++)
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 silent for 5 s");
	host_told(&n->host[3], "given-up 10.0.0.4:7800 0 the other members continued without it");
	assert_int_equal(host_member(&n->host[3], 3)->outcome, FATE_CUT);
	assert_in_range(host_member(&n->host[3], 3)->outcome_after, 5 * NP_SECOND,
			n->host[3].ended);
}

/* What it counted stands. */
static void run_unheard_receiver(struct network *n)
{
	run_unheard(n);
	for (unsigned r = 0; r < 4; r++)
		host_row_complete(&n->host[3], r, 2000);
	network_free(n);
}

/* From the middle of the run on: it is given up while it waits for messages, and is told so. */
static void who_is_not_heard_learns_of_it(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[3][i] = true;
	run_unheard_receiver(n);
}

static bool lost_before[3];

/* Nor the first word of each other that it has been given up. */
static bool lose_the_first_refusals(struct network *n, unsigned from, unsigned to,
				    const uint8_t *data)
{
	bool *before = &lost_before[from < 3 ? from : 0];

	(void)n;
	if (from == 3 || to != 3 || data[1] != 0x40 + MESSAGE_REFUSE || *before)
		return false;
	return *before = true;
}

static void who_is_not_heard_is_told_again(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	memset(lost_before, 0, sizeof(lost_before));
	n->drop = lose_the_first_refusals;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[3][i] = true;
	run_unheard_receiver(n);
}

/* Host 2 hears nobody, and gives all up; of two others that is not most. */
static void one_that_gives_all_up_is_one_voice(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.members = 3;
	n = network_of(&plan, false);
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 2; i++)
		n->cut[i][2] = true;
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 2, 0);
	host_status(&n->host[2], 1);
	network_free(n);
}

static bool lose_the_end_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return from == 3 && to != 3 && (n->dropped || data[1] == 0x40 + MESSAGE_RESULTS);
}

/* From its results on: it has all that it wants, and leaves, when the others give it up. */
static void who_was_not_heard_out_learns_of_it(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_the_end_of_3;
	run_unheard_receiver(n);
}

/* Without credit a sender is held up by nobody. */
static void a_sender_that_is_not_heard_learns_of_it(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.credit = false;
	n = network_of(&plan, false);
	n->host[0].plan.sender = false;
	n->host[3].plan.sender = true;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[3][i] = true;
	run_unheard(n);
	network_free(n);
}

static bool lose_results_of_2(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_RESULTS && from == 2 &&
	       to != 2;
}

static unsigned dead_of_0; /* refusals that went to host 3 */

static void count_dead(struct host *from, const struct identity *who, const void *message,
		       size_t bytes)
{
	struct message_refuse body;

	if (from->number || who->ip[15] != 4 || message_refuse_decode(message, bytes, &body) ||
	    ((const uint8_t *)message)[1] != 0x40 + MESSAGE_REFUSE)
		return;
	assert_int_equal(body.why, REFUSAL_DEAD);
	assert_int_equal(body.value, from->network->host[3].plan.instance);
	dead_of_0++;
}

/* Who was killed is told, too, since nobody knows whether it is; but not all the time. */
static void the_dead_are_told_now_and_then(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	n->heard = count_dead;
	n->drop = lose_results_of_2;
	dead_of_0 = 0;
	network_run(n, 2 * NP_SECOND);
	network_kill(n, 3);
	while (!dead_of_0 && n->now < EPOCH + 15 * NP_SECOND)
		network_step(n);
	network_run(n, n->now - EPOCH + NP_SECOND);
	assert_in_range(dead_of_0, 15, 21);
	network_free(n);
}

static np_time dead_at[4]; /* when host 0 first told host 3 so, and again */

static void note_dead(struct host *from, const struct identity *who, const void *message,
		      size_t bytes)
{
	const unsigned before = dead_of_0;

	count_dead(from, who, message, bytes);
	if (before < dead_of_0 && before < 4)
		dead_at[before] = from->network->now;
}

/* Every 50 ms, to the step: host 0 looks in each. */
static void how_often_the_dead_are_told(void **state)
{
	const struct transport_event woken = {.kind = TRANSPORT_CONNECTED,
					      .peer = host_identity(9)};
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	n->heard = note_dead;
	n->drop = lose_results_of_2;
	dead_of_0 = 0;
	network_run(n, 2 * NP_SECOND);
	network_kill(n, 3);
	while (dead_of_0 < 4 && n->now < EPOCH + 15 * NP_SECOND) {
		member_transport_event(n->host[0].member, &woken, n->now);
		network_step(n);
	}
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(dead_at[i] - dead_at[i - 1], 50 * NP_MILLISECOND);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_two_is_left_behind),
		cmocka_unit_test(who_is_not_heard_learns_of_it),
		cmocka_unit_test(who_is_not_heard_is_told_again),
		cmocka_unit_test(one_that_gives_all_up_is_one_voice),
		cmocka_unit_test(who_was_not_heard_out_learns_of_it),
		cmocka_unit_test(a_sender_that_is_not_heard_learns_of_it),
		cmocka_unit_test(the_dead_are_told_now_and_then),
		cmocka_unit_test(how_often_the_dead_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
