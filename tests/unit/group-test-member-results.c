// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The results of a run: when they are told and asked for, and how long they are waited for. */
#include "support/group_network.h"

#include <string.h>

static unsigned results_of_0; /* that went to host 1 */

static bool count_results(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	results_of_0 += from == 0 && to == 1 && data[1] == 0x40 + MESSAGE_RESULTS;
	return false;
}

/* Nobody waits for them any more, and nobody asks. */
static void results_are_told_once_a_run(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.runs = 2;
	n = network_of(&plan, false);
	n->drop = count_results;
	results_of_0 = 0;
	network_finish(n, 15 * NP_SECOND);
	network_counts(n, 2000);
	assert_in_range(results_of_0, 2, 6);
	network_free(n);
}

static bool lose_results_of_2(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	count_results(n, from, to, data);
	return data[1] == 0x40 + MESSAGE_RESULTS && from == 2 && to != 2;
}

/* For ten seconds all wait for one: each tells its own twice a second, and to who says it waits. */
static void results_are_not_told_all_the_time(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_results_of_2;
	results_of_0 = 0;
	network_finish(n, 14 * NP_SECOND);
	host_status(&n->host[0], 1);
	assert_in_range(results_of_0, 20, 100);
	network_free(n);
}

/* When host 0 first told host 1 of each run that it had counted it, and what. */
static np_time counted_at[3], results_at[3];

static bool note_times(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	const unsigned run = data[3];

	if (from || to != 1 || data[0] != MESSAGE_MAGIC || run > 2)
		return false;
	if (data[1] == 0x40 + MESSAGE_STATE && data[MESSAGE_HEADER_BYTES] == PHASE_COUNTED &&
	    !counted_at[run])
		counted_at[run] = n->now;
	if (data[1] == 0x40 + MESSAGE_RESULTS && !results_at[run])
		results_at[run] = n->now;
	return false;
}

static void results_are_told_at_once(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.runs = 3;
	n = network_of(&plan, false);
	n->drop = note_times;
	network_finish(n, 3 * NP_SECOND);
	for (unsigned run = 0; run < 3; run++) {
		assert_true(counted_at[run] > 0);
		assert_in_range(results_at[run] - counted_at[run], 0, STEP);
	}
	network_free(n);
}

static bool in_its_end(const struct network *n, unsigned number)
{
	return strstr(n->host[number].log, "result - ") != NULL;
}

/* Host 0 looks in each step until it has given somebody up; returns when that was. */
static np_time run_until_given_up(struct network *n)
{
	const struct transport_event woken = {.kind = TRANSPORT_CONNECTED,
					      .peer = host_identity(9)};

	while (!strstr(n->host[0].log, "given-up") && n->now < EPOCH + 30 * NP_SECOND) {
		member_transport_event(n->host[0].member, &woken, n->now);
		network_step(n);
	}
	return n->now - STEP;
}

/* Two seconds after its latest word, or, when it goes on talking, ten after its first: to the step.
 */
static void how_long_results_of_a_leaver_are_waited_for(void **state)
{
	(void)state;
	for (unsigned talks = 0; talks < 2; talks++) {
		const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
		struct network *n = network_of(&plan, false);
		np_time leaves;

		n->drop = lose_results_of_2;
		while (!in_its_end(n, 2) && n->now < EPOCH + 5 * NP_SECOND)
			network_step(n);
		leaves = n->now - STEP;
		if (!talks)
			network_kill(n, 2);
		assert_int_equal(run_until_given_up(n) - (leaves + STEP),
				 talks ? 10 * NP_SECOND : 2 * NP_SECOND);
		host_told(&n->host[0], "given-up 10.0.0.3:7800 0 it left without sending results");
		network_free(n);
	}
}

/* Those of 2 and 3 get to nobody, and nobody says to host 0 that it leaves. */
static bool lose_results_of_both(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	if (data[0] != MESSAGE_MAGIC || from == to)
		return false;
	if (data[1] == 0x40 + MESSAGE_STATE)
		return !to && data[MESSAGE_HEADER_BYTES] == PHASE_LEAVING;
	return data[1] == 0x40 + MESSAGE_RESULTS && from >= 2;
}

/* Of one that lives ten seconds from when something last moved, to the step. */
static void how_long_results_are_waited_for(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	np_time moved;

	(void)state;
	n->drop = lose_results_of_both;
	network_run(n, 3 * NP_SECOND);
	moved = n->now;
	for (unsigned i = 2; i < 4; i++) {
		const struct transport_event event = {.kind = TRANSPORT_MOVED,
						      .peer = host_identity(i)};

		member_transport_event(n->host[0].member, &event, moved);
	}
	assert_int_equal(run_until_given_up(n) - moved, 10 * NP_SECOND);
	host_told(&n->host[0], "given-up 10.0.0.3:7800 0 it sent no results for 10 s");
	network_free(n);
}

/* Results of 2 and 3 are lost; those of 2 come late, but not to 3. */
static bool lose_results_of_two(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_RESULTS && from >= 2 &&
	       to != from && (from == 3 || to == 3 || n->now < EPOCH + 8 * NP_SECOND);
}

/* Those that come leave the others as much time again. */
static void results_of_one_give_time_to_another(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_results_of_two;
	network_run(n, 9 * NP_SECOND);
	run_until_given_up(n);
	host_told(&n->host[0], "given-up 10.0.0.4:7800 0");
	assert_null(strstr(n->host[0].log, "sent no results"));
	network_finish(n, 30 * NP_SECOND);
	host_row_complete(&n->host[0], 2, 1000);
	assert_false(host_member(&n->host[0], 3)->reported);
	network_free(n);
}

static np_time told_at[4]; /* when host 0 told host 1 its results, at first and again */
static unsigned told;

static bool note_told(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	if (!from && to == 1 && data[1] == 0x40 + MESSAGE_RESULTS && told < 4)
		told_at[told++] = n->now;
	return lose_results_of_2(n, from, to, data);
}

/* To who goes on asking each 50 ms, to the step. */
static void how_often_results_are_told_to_who_asks(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = note_told;
	network_run(n, 3 * NP_SECOND);
	told = 0;
	while (told < 4 && n->now < EPOCH + 5 * NP_SECOND) {
		host_3_waits(n);
		network_step(n);
	}
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(told_at[i] - told_at[i - 1], 50 * NP_MILLISECOND);
	network_free(n);
}

/* Those of host 0 of the second run do not get to host 1 before it leaves. */
static bool lose_results_until_0_leaves(struct network *n, unsigned from, unsigned to,
					const uint8_t *data)
{
	return !from && to == 1 && data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_RESULTS &&
	       data[3] == 1 && n->host[0].results < 2;
}

/* Also by one that leaves, after the last of several runs. */
static void results_of_the_last_run_are_asked_for(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.runs = 2;
	n = network_of(&plan, false);
	n->drop = lose_results_until_0_leaves;
	network_finish(n, 10 * NP_SECOND);
	assert_true(n->dropped > 0);
	network_counts(n, 1000);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_told_once_a_run),
		cmocka_unit_test(results_are_not_told_all_the_time),
		cmocka_unit_test(results_are_told_at_once),
		cmocka_unit_test(how_long_results_of_a_leaver_are_waited_for),
		cmocka_unit_test(how_long_results_are_waited_for),
		cmocka_unit_test(results_of_one_give_time_to_another),
		cmocka_unit_test(how_often_results_are_told_to_who_asks),
		cmocka_unit_test(results_of_the_last_run_are_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
