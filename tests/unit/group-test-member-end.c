// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The end of a run: how often its results are told, and who goes on to the next run. */
#include "support/group_network.h"

#include <errno.h>
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

/* Of host 0's messages some wait in its queue, and may be dropped yet, when it has counted. */
static bool some_are_dropped(struct host *h, struct result_member *own)
{
	const bool open = !h->number && h->looks < 4;
	const struct identity from = host_identity(0);

	own->sent_drops.total = (struct np_drops_total){
		.known = true, .exact = !open, .packets = open ? 0 : 5 + h->number};
	for (size_t i = 0; i < own->rows; i++) {
		if (!identity_equal(&own->row[i].sender, &from))
			continue;
		own->row[i].drops.total =
			(struct np_drops_total){.known = true, .exact = true, .packets = h->number};
		own->row[i].local = !h->number;
	}
	return open;
}

/* Those for host 1; and of RESULTS those of host 3, for a while: nobody is done before that. */
static bool lose_drops_to_1(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	if (data[0] != MESSAGE_MAGIC || from == to)
		return false;
	return (to == 1 && data[1] == 0x40 + MESSAGE_DROPS) ||
	       (from == 3 && data[1] == 0x40 + MESSAGE_RESULTS && n->host[0].looks < 4);
}

static void drops_are_told(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drops = some_are_dropped;
	n->drop = lose_drops_to_1;
	network_finish(n, 10 * NP_SECOND);
	assert_in_range(n->host[0].looks, 4, 5);
	assert_int_equal(n->host[2].looks, 1);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned k = 0; k < 4; k++) {
			const struct result_member *m = host_member(&n->host[i], k);
			const struct result_row *row = host_row(&n->host[i], k, 0);
			const bool known = i != 1 || k == 1;

			assert_int_equal(m->sent_drops.total.known, known);
			assert_int_equal(m->sent_drops.total.exact, known);
			assert_int_equal(m->sent_drops.total.packets, known ? 5 + k : 0);
			assert_int_equal(row->drops.total.packets, known ? k : 0);
			assert_int_equal(row->local, known && !k);
			assert_int_equal(row->counts.received, 1000);
		}
	}
	network_free(n);
}

/* Host 0 has told of its drops before it is done. */
static bool lose_first_results_of_0(struct network *n, unsigned from, unsigned to,
				    const uint8_t *data)
{
	return (from == 0 || from == 3) && to != from && data[0] == MESSAGE_MAGIC &&
	       data[1] == 0x40 + MESSAGE_RESULTS && n->host[0].looks < 4;
}

/* What its host dropped is known, whether that or the results come first. */
static void drops_before_results(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drops = some_are_dropped;
	n->drop = lose_first_results_of_0;
	network_finish(n, 10 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		const struct result_member *m = host_member(&n->host[i], 0);

		assert_int_equal(m->sent_drops.total.packets, 5);
		assert_true(host_row(&n->host[i], 0, 0)->local);
		assert_true(host_row(&n->host[i], 0, 0)->drops.total.known);
	}
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

/* What a run took of a machine is told with its results, and is of this run only. */
static void each_tells_what_its_machine_spent(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.runs = 2;
	n = network_of(&plan, false);
	network_finish(n, 3 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		const struct result *r = member_result(n->host[0].member);
		const np_time user = host_member(&n->host[0], i)->host.cpu_user;

		/* From its start on, and a few steps more. */
		assert_in_range(user, 2, 2 * (i + 1) * ((r->ended_at - EPOCH) / STEP + 5));
		assert_int_equal(host_member(&n->host[i], i)->host.cpu_user, user);
		assert_true(host_member(&n->host[i], i)->host.cpu_system == user / 2);
	}
	network_free(n);
}

static void the_only_sender_runs_again(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.senders = 1;
	plan.runs = 3;
	n = network_of(&plan, false);
	network_finish(n, 3 * NP_SECOND);
	network_counts(n, 1000);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(n->host[i].results, 3);
	network_free(n);
}

/* It tells the others before it goes, which its user does not wait for. */
static void interrupted_after_it_has_failed(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.limits.join = NP_SECOND;
	n = network_of(&plan, false);
	n->hosts = 2;
	network_run(n, NP_SECOND / 2);
	while (member_status(n->host[0].member, &(struct np_fault){}) != 2 &&
	       n->now < EPOCH + 3 * NP_SECOND)
		network_step(n);
	member_stop(n->host[0].member, n->now);
	network_finish(n, 5 * NP_SECOND);
	host_failed(&n->host[0], "group", "2 of 4 members after 1 s");
	assert_int_equal(n->host[0].results, 0);
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

static bool in_its_end(const struct network *n, unsigned number)
{
	return strstr(n->host[number].log, "result - ") != NULL;
}

/* Its results are lost, and then it: the others wait two seconds, for it may tell them again. */
static void who_leaves_without_results(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	np_time killed;

	(void)state;
	n->drop = lose_results_of_2;
	while (!in_its_end(n, 2) && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	network_run(n, n->now - EPOCH + 200 * NP_MILLISECOND);
	network_kill(n, 2);
	killed = n->now - EPOCH;
	network_finish(n, 10 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 2)
			continue;
		host_status(&n->host[i], 1);
		host_told(&n->host[i], "given-up 10.0.0.3:7800 0 it left without sending results");
		assert_in_range(n->host[i].ended, killed + 1900 * NP_MILLISECOND,
				killed + 2500 * NP_MILLISECOND);
	}
	network_free(n);
}

static np_time heard_of_3; /* when the latest of its messages left it for host 0 */

/* Host 3 does not say to host 0 that it leaves. */
static bool lose_the_leaving_of_3(struct network *n, unsigned from, unsigned to,
				  const uint8_t *data)
{
	(void)data;
	if (from != 3 || to != 0)
		return false;
	if (in_its_end(n, 3))
		return true;
	heard_of_3 = n->now;
	return false;
}

/* Host 0 looks at all in each step; returns when it began to leave. */
static np_time run_until_left(struct network *n)
{
	const struct transport_event woken = {.kind = TRANSPORT_CONNECTED,
					      .peer = host_identity(9)};
	np_time left = 0;

	while (!n->host[0].ended && n->now < EPOCH + 10 * NP_SECOND) {
		if (n->host[0].there)
			member_transport_event(n->host[0].member, &woken, n->now);
		network_step(n);
		if (!left && in_its_end(n, 0))
			left = n->now - STEP - EPOCH;
	}
	assert_true(left && n->host[0].ended);
	return left;
}

/* Of those that do not say that they leave one waits for the linger time, to the step. */
static void how_long_a_leaver_waits(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	np_time left;

	(void)state;
	/* From the last message of the others on. */
	n = network_of(&plan, false);
	n->drop = lose_the_leaving_of_3;
	run_until_left(n);
	assert_int_equal(n->host[0].ended, heard_of_3 + STEP - EPOCH + plan.limits.linger);
	host_status(&n->host[0], 0);
	network_free(n);
	/* But from its own end on not longer than for results. */
	n = network_of(&plan, false);
	n->drop = lose_the_leaving_of_3;
	n->host[0].plan.limits.report = 700 * NP_MILLISECOND;
	left = run_until_left(n);
	assert_int_equal(n->host[0].ended, left + 700 * NP_MILLISECOND);
	network_free(n);
}

/* One whose last words its host refuses tries for the linger time, to the step. */
static void a_leaver_that_cannot_say_so(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	np_time left;

	(void)state;
	while (!in_its_end(n, 0) && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	left = n->now - STEP - EPOCH;
	n->host[0].refuses = -ENOBUFS;
	run_until_left(n);
	assert_int_equal(n->host[0].ended, left + plan.limits.linger);
	host_status(&n->host[0], 1);
	network_free(n);
}

static bool lose_first_results_of_2(struct network *n, unsigned from, unsigned to,
				    const uint8_t *data)
{
	return n->dropped < 3 && lose_results_of_2(n, from, to, data);
}

/* While the others wait for one more: who has reported and says that it leaves may go. */
static void a_connection_that_ends(const char *last_word, int status)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, true);

	n->drop = lose_first_results_of_2;
	while (!strstr(n->host[3].log, last_word) && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	network_run(n, n->now - EPOCH + 2 * STEP);
	network_kill(n, 3);
	network_finish(n, 7 * NP_SECOND);
	network_status(n, 2, status);
	for (unsigned i = 0; i < 2; i++) {
		host_row_complete(&n->host[i], 3, 1000);
		assert_int_equal(host_member(&n->host[i], 3)->outcome == FATE_STAYED, !status);
	}
	network_free(n);
}

static void who_has_left_may_hang_up(void **state)
{
	(void)state;
	a_connection_that_ends("result - ", 0);
	a_connection_that_ends("local - ", 1);
}

/* By --duration nobody knows beforehand how many will be sent. */
static void who_did_not_hear_the_end_is_told_of_it(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.messages = 0;
	plan.duration = 4 * NP_SECOND;
	n = network_of(&plan, false);
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[i][3] = true;
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 3, 0);
	for (unsigned s = 0; s < 2; s++) {
		const struct result_row *row = host_row(&n->host[0], 3, s);

		assert_int_equal(row->counts.sent, n->host[s].sent_messages);
		assert_int_equal(row->counts.sent, row->counts.received + row->counts.lost);
		assert_true(row->counts.lost > 100);
	}
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drops_are_told),
		cmocka_unit_test(drops_before_results),
		cmocka_unit_test(results_are_told_once_a_run),
		cmocka_unit_test(results_are_not_told_all_the_time),
		cmocka_unit_test(results_are_told_at_once),
		cmocka_unit_test(each_tells_what_its_machine_spent),
		cmocka_unit_test(the_only_sender_runs_again),
		cmocka_unit_test(interrupted_after_it_has_failed),
		cmocka_unit_test(who_is_not_heard_learns_of_it),
		cmocka_unit_test(who_is_not_heard_is_told_again),
		cmocka_unit_test(one_that_gives_all_up_is_one_voice),
		cmocka_unit_test(who_was_not_heard_out_learns_of_it),
		cmocka_unit_test(a_sender_that_is_not_heard_learns_of_it),
		cmocka_unit_test(the_dead_are_told_now_and_then),
		cmocka_unit_test(who_leaves_without_results),
		cmocka_unit_test(how_long_a_leaver_waits),
		cmocka_unit_test(a_leaver_that_cannot_say_so),
		cmocka_unit_test(who_has_left_may_hang_up),
		cmocka_unit_test(who_did_not_hear_the_end_is_told_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
