// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What goes wrong in a group that runs, and that it ends in a report within a stated time which
 * names who: members that die and stop, networks that lose, double, disorder, cut and heal, users
 * that interrupt, strangers that forge.
 */
#include "support/group_network.h"

static void a_killed_receiver(bool connected, np_time limit, const char *why)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, connected);

	network_run(n, 2 * NP_SECOND);
	network_kill(n, 3);
	network_finish(n, limit);
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i], why);
		assert_false(host_member(&n->host[i], 3)->reported);
		for (unsigned r = 0; r < 3; r++)
			host_row_complete(&n->host[i], r, 2000);
		assert_true(member_result(n->host[i].member)->complete);
	}
	network_free(n);
}

static void a_receiver_is_killed(void **state)
{
	(void)state;
	a_killed_receiver(false, 12 * NP_SECOND, "given-up 10.0.0.4:7800 0 silent for 5 s");
	a_killed_receiver(true, 6 * NP_SECOND,
			  "given-up 10.0.0.4:7800 0 connection lost: it closed the connection");
}

static void a_killed_sender(bool connected, np_time limit)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, connected);
	uint64_t sent;

	network_run(n, 2 * NP_SECOND);
	sent = n->host[1].sent_messages;
	network_kill(n, 1);
	network_finish(n, limit);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 1)
			continue;
		host_status(&n->host[i], 1);
		host_told(&n->host[i], "given-up 10.0.0.2:7800");
		assert_false(host_member(&n->host[i], 1)->reported);
		for (unsigned r = 0; r < 4; r += 2) {
			const struct result_row *row = host_row(&n->host[i], r, 1);

			assert_int_equal(host_row(&n->host[i], r, 0)->counts.received, 2000);
			assert_int_equal(row->counts.sent, 2000);
			assert_in_range(row->counts.received, sent - 1, sent);
			assert_int_equal(row->counts.lost, 0);
			assert_false(row->exact || row->ended);
		}
	}
	network_free(n);
}

static void a_sender_is_killed(void **state)
{
	(void)state;
	a_killed_sender(false, 10 * NP_SECOND);
	a_killed_sender(true, 6 * NP_SECOND);
}

/* The only sender dies: the rest still tells what it got. */
static void the_sole_sender_is_killed(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.senders = 1;
	plan.runs = 3;
	n = network_of(&plan, false);
	network_run(n, 2 * NP_SECOND);
	network_kill(n, 0);
	network_finish(n, 10 * NP_SECOND);
	for (unsigned i = 1; i < 4; i++) {
		host_status(&n->host[i], 1);
		assert_in_range(host_row(&n->host[i], 3, 0)->counts.received, 100, 2000);
		assert_int_equal(n->host[i].results, 1);
	}
	network_free(n);
}

/* Between two runs: the next one begins without it. */
static void killed_between_runs(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.runs = 3;
	n = network_of(&plan, false);
	while (n->host[3].results < 1)
		network_step(n);
	network_kill(n, 3);
	network_finish(n, 30 * NP_SECOND);
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(n->host[i].results, 3);
		host_row_complete(&n->host[i], 2, 2000);
	}
	network_free(n);
}

static bool lose_results(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return data[1] == 0x40 + MESSAGE_RESULTS && from != to && n->dropped < 20;
}

static void lost_results(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_results;
	network_finish(n, 4 * NP_SECOND);
	assert_int_equal(n->dropped, 20);
	network_status(n, 4, 0);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned r = 0; r < 4; r++)
			host_row_complete(&n->host[i], r, 1000);
	}
	network_free(n);
}

/* Of one member they never come: the others say so, and end. */
static bool lose_results_of_2(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return data[1] == 0x40 + MESSAGE_RESULTS && from == 2 && to != 2;
}

static void results_that_never_come(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_results_of_2;
	network_finish(n, 14 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		host_status(&n->host[i], i == 2 ? 0 : 1);
	host_told(&n->host[0], "given-up 10.0.0.3:7800");
	assert_false(host_member(&n->host[0], 2)->reported);
	network_free(n);
}

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
		assert_true(result_worst_loss(member_result(n->host[i].member)) > 50);
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

/* In the run: its old self is given up, its new one kept out. */
static void started_anew_in_the_run(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);
	struct host *h = &n->host[3];

	(void)state;
	network_run(n, 2 * NP_SECOND);
	host_restart(h, 2 * NP_SECOND);
	network_finish(n, 8 * NP_SECOND);
	host_failed(h, "", "started without this member");
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it was restarted");
		host_row_complete(&n->host[i], 2, 2000);
	}
	network_free(n);
}

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

static const uint8_t java_req[14] = {2, 1};

/* Those who run already do not mind. */
static void a_java_member_comes_late(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	for (unsigned i = 2; i < 5; i++) {
		network_run(n, i * NP_SECOND);
		for (unsigned h = 0; h < 4; h++)
			host_forge(&n->host[h], 30, java_req, sizeof(java_req));
	}
	network_finish(n, 7 * NP_SECOND);
	network_counts(n, 2000);
	network_free(n);
}

/* Junk, and sound messages at the wrong time, from everybody, all the time. */
static void forge_anything(struct network *n, struct host *h)
{
	uint8_t data[256];
	struct message_head head = {
		.type = (enum message_type)(1 + network_random(n) * 9),
		.run = network_random(n) < 0.9 ? 0 : 1,
		.number = (uint64_t)(network_random(n) * 4000),
		.tag = (uint32_t)(network_random(n) * 4e9),
	};
	const size_t bytes = (size_t)(network_random(n) * sizeof(data));

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(network_random(n) * 256);
	if (network_random(n) < 0.9)
		message_head_encode(data, &head);
	if (data[0] > 5)
		host_forge(h, (unsigned)(network_random(n) * 40), data, bytes);
}

static void ended_by(const struct network *n, np_time limit)
{
	for (unsigned i = 0; i < n->hosts; i++)
		host_must(&n->host[i], n->host[i].dead || n->host[i].ended <= limit, "ended late");
}

static void hostile_messages_cost_a_count(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	while (!network_ended(n) && n->now < EPOCH + 20 * NP_SECOND) {
		network_step(n);
		for (unsigned h = 0; h < 4; h++) {
			if (n->host[h].there && !n->host[h].ended)
				forge_anything(n, &n->host[h]);
		}
	}
	ended_by(n, 7 * NP_SECOND);
	network_counts(n, 2000);
	assert_true(member_malformed(n->host[0].member) > 1000);
	network_free(n);
}

/* By the group's tag, too: a number that nobody sent adds no loss. */
static void a_forged_number_is_stray(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);
	uint8_t data[48] = {0};
	struct message_head head;

	(void)state;
	network_run(n, 2 * NP_SECOND);
	message_head_decode(n->host[0].slots, 28, &head);
	assert_int_equal(head.type, MESSAGE_DATA);
	head.number = 1999;
	message_head_encode(data, &head);
	host_forge(&n->host[3], 0, data, sizeof(data));
	head.number = UINT64_MAX;
	message_head_encode(data, &head);
	host_forge(&n->host[3], 0, data, sizeof(data));
	network_finish(n, 7 * NP_SECOND);
	network_counts(n, 2000);
	assert_int_equal(host_row(&n->host[1], 3, 0)->counts.stray, 2);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_receiver_is_killed),
		cmocka_unit_test(a_sender_is_killed),
		cmocka_unit_test(the_sole_sender_is_killed),
		cmocka_unit_test(killed_between_runs),
		cmocka_unit_test(lost_results),
		cmocka_unit_test(results_that_never_come),
		cmocka_unit_test(loss_doubling_and_disorder),
		cmocka_unit_test(thirty_two_with_loss),
		cmocka_unit_test(a_cut_that_heals),
		cmocka_unit_test(a_cut_for_good_and_one_healed_too_late),
		cmocka_unit_test(a_cut_in_one_direction),
		cmocka_unit_test(stopped_for_short_and_for_long),
		cmocka_unit_test(stopped_until_all_is_over),
		cmocka_unit_test(a_member_that_grants_nothing),
		cmocka_unit_test(started_anew_in_the_run),
		cmocka_unit_test(users_interrupt),
		cmocka_unit_test(all_are_interrupted),
		cmocka_unit_test(all_are_wound_up),
		cmocka_unit_test(a_group_that_forms_is_wound_up),
		cmocka_unit_test(a_java_member_comes_late),
		cmocka_unit_test(hostile_messages_cost_a_count),
		cmocka_unit_test(a_forged_number_is_stray),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
