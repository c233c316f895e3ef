// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a member's result holds while a run goes on, and what of it stays for the next run.
 *
 * What hosts dropped: when they are asked for it, and what is told, and believed.
 *
 * Networks that lose, double, disorder, cut and heal; members that stop for a while, or grant
 * nothing.
 */
#include "support/group_network.h"
#include "support/unit.h"

#include <string.h>

/* A group in its first of two runs, 4 s each, 2 s after it came together. */
static struct network *in_a_run(void)
{
	struct network *n = NETWORK_LONG(plan.runs = 2);

	/* To host 3 its own place is the last one. */
	n->host[3].deaf = true;
	network_run(n, NP_SECOND / 4);
	n->host[3].deaf = false;
	network_run(n, 2 * NP_SECOND);
	assert_int_equal(n->host[0].results, 0);
	assert_true(member_look(n->host[3].member)->member[3].myself);
	return n;
}

/* Goes on until the second run has begun. */
static void go_to_the_second_run(struct network *n)
{
	while (n->host[0].results == 0)
		network_pass(n, 10 * NP_MILLISECOND);
	while (member_look(n->host[0].member)->run == 0)
		network_pass(n, 10 * NP_MILLISECOND);
	network_pass(n, NP_SECOND / 2);
}

/* The row of its own that host @number has at a look now. */
static struct result_row own_row(const struct network *n, unsigned number)
{
	const struct result *r = member_look(n->host[number].member);

	assert_false(r->complete);
	assert_true(r->ended_at == 0);
	return *host_row(&n->host[number], number, 0);
}

/* Each look counts anew, and what it shows of other members is what was told of them. */
TEST(looks)
{
	struct network *n = in_a_run();
	const struct result *r;
	uint64_t before;

	before = own_row(n, 3).counts.received;
	assert_true(before > 0);
	network_run(n, 3 * NP_SECOND);
	assert_true(own_row(n, 3).counts.received > before);
	r = member_look(n->host[0].member);
	assert_true(r->sent > 0);
	assert_int_equal(r->sent, n->host[0].sent_messages);
	network_run(n, 3 * NP_SECOND + NP_SECOND / 10);
	assert_int_equal(member_look(n->host[0].member)->sent, n->host[0].sent_messages);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(host_member(&n->host[0], i)->sender, i < 2);
		assert_int_equal(host_member(&n->host[0], i)->rows, i ? 0 : 2);
	}
}

/* Nobody's figures of the first run are in the second one. */
TEST(the_next_run)
{
	struct network *n = in_a_run();
	const struct result *r;

	go_to_the_second_run(n);
	for (unsigned i = 0; i < 4; i++) {
		r = member_look(n->host[i].member);
		assert_int_equal(r->run, 1);
		assert_false(r->complete || r->interrupted);
		assert_true(r->ended_at == 0);
		for (unsigned k = 0; k < 4; k++) {
			assert_int_equal(host_member(&n->host[i], k)->rows, k == i ? 2 : 0);
			if (k != i)
				assert_true(host_member(&n->host[i], k)->host.cpu_user == 0);
		}
	}
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 4, 0);
	assert_true(member_result(n->host[0].member)->complete);
	assert_true(member_result(n->host[0].member)->ended_at > 0);
}

/* What a host dropped, or could not read, before a run is not of the run. */
TEST(figures_of_the_host)
{
	static const uint8_t junk[MESSAGE_HEADER_BYTES] = "not a message";
	struct network *n = in_a_run();
	const struct result_host *host;

	n->host[2].dropped = 30;
	n->host[2].torn = 3;
	host_forge(&n->host[2], 3, junk, sizeof(junk));
	(void)member_look(n->host[2].member);
	host = &host_member(&n->host[2], 2)->host;
	assert_int_equal(host->dropped, 30);
	assert_int_equal(host->malformed, 4);
	go_to_the_second_run(n);
	n->host[2].dropped += 12;
	n->host[2].torn += 5;
	for (unsigned i = 0; i < 2; i++)
		host_forge(&n->host[2], 3, junk, sizeof(junk));
	(void)member_look(n->host[2].member);
	host = &host_member(&n->host[2], 2)->host;
	assert_int_equal(host->dropped, 12);
	assert_int_equal(host->malformed, 5 + 2);
}

/* One that came too late in a run is named in the next one, too, and has no rows in either. */
TEST(the_run_after_one_too_many)
{
	struct network *n = in_a_run();
	struct member_plan plan = n->host[3].plan;

	network_add(n, &plan, 2100 * NP_MILLISECOND);
	go_to_the_second_run(n);
	for (unsigned i = 0; i < 4; i++) {
		(void)member_look(n->host[i].member);
		assert_int_equal(host_member(&n->host[i], 4)->outcome, FATE_REFUSED);
		assert_int_equal(host_member(&n->host[i], 4)->rows, 0);
	}
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 4, 0);
	host_status(&n->host[4], 2);
	for (unsigned i = 0; i < 4; i++)
		host_row_complete(&n->host[i], i, 2000);
}

/* Each run is told of from its first message on. */
TEST(each_run_is_told_of)
{
	struct network *n = NETWORK(plan.runs = 3, plan.log_interval = 500);
	unsigned told = 0;

	network_finish(n, 10 * NP_SECOND);
	network_counts(n, 1000);
	for (const char *at = n->host[3].log; (at = strstr(at, "received 10.0.0.1:7800 500 "));
	     at++)
		told++;
	assert_int_equal(told, 3);
}

/* A sender that sends is ready, in each run, though nothing else says so: the other one goes on. */
TEST(messages_tell_that_a_sender_is_ready)
{
	struct network *n = NETWORK_LONG(plan.runs = 2);

	LOSE(n, .type = MESSAGE_STATE, .from = HOST(0), .second = true,
	     .phases = (1u << PHASE_SENT) - 1);
	while (n->host[0].sent_messages < 3000 && n->now < EPOCH + 30 * NP_SECOND)
		network_step(n);
	assert_true(n->dropped > 0);
	assert_true(n->host[1].sent_messages > 2500);
	network_finish(n, 30 * NP_SECOND);
	network_counts(n, 2000);
}

#define LOOKS 20

static np_time looked[LOOKS]; /* when host 0 was asked for what it dropped */

/* What host 0 sent may be dropped for so many looks. */
static bool may_be_dropped(struct host *h, struct result_member *own)
{
	own->sent_drops.total = (struct np_drops_total){.known = true, .exact = true};
	if (h->number || h->looks > LOOKS)
		return false;
	looked[h->looks - 1] = h->network->now;
	return h->looks < LOOKS;
}

TEST(what_may_be_dropped_is_looked_at_every_50_ms)
{
	struct network *n = NETWORK();

	n->drops = may_be_dropped;
	/* Host 2 keeps all waiting. */
	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(2));
	network_run(n, 5 * NP_SECOND);
	assert_int_equal(n->host[0].looks, LOOKS);
	for (unsigned i = 1; i < LOOKS; i++)
		assert_in_range(looked[i] - looked[i - 1], 50 * NP_MILLISECOND,
				70 * NP_MILLISECOND);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(member_malformed(n->host[i].member), 0);
}

/* DROPS of host 0 to host 1: before it has counted the second run, and after. */
static unsigned drops_told[2];

static bool count_told(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	if (is_type(data, MESSAGE_DROPS) && !from && to == 1)
		drops_told[n->host[0].looks > 1]++;
	return false;
}

static bool known_once(struct host *h, struct result_member *own)
{
	own->sent_drops.total.known = h->looks == 1;
	return false;
}

/* Nothing is told of a run of which nothing is known, whatever was known of the one before.
 */
TEST(what_is_not_known_is_not_told)
{
	struct network *n = NETWORK(plan.runs = 2);

	n->drops = known_once;
	n->drop = count_told;
	drops_told[0] = drops_told[1] = 0;
	network_finish(n, 5 * NP_SECOND);
	network_counts(n, 1000);
	assert_true(drops_told[0] > 0);
	for (unsigned i = 0; i < 4; i++)
		assert_false(host_member(&n->host[i], 0)->sent_drops.total.known);
	assert_int_equal(drops_told[1], 0);
}

/* Host 1 says at host 0 what it dropped of each sender's, and for one more row of host 0's. */
static void say_drops(struct network *n, unsigned rows, uint64_t packets)
{
	static struct message_drops drops;

	drops = (struct message_drops){.sent = {.known = true, .packets = packets},
				       .count = (uint16_t)rows};
	for (unsigned i = 0; i < rows; i++)
		drops.row[i] = (struct message_drops_row){
			.sender = host_identity(i % 2),
			.received = {.known = true, .packets = packets + i},
		};
	host_says(&n->host[0], 1, network_head(n, 1), MESSAGE_DROPS, &drops);
}

/* A table of other senders than the group's says nothing, neither then nor with a later one. */
TEST(a_table_of_another_size_is_ignored)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	say_drops(n, 3, 70);
	(void)member_look(n->host[0].member);
	assert_false(host_member(&n->host[0], 1)->sent_drops.total.known);
	say_drops(n, 2, 5);
	network_finish(n, 10 * NP_SECOND);
	assert_int_equal(host_member(&n->host[0], 1)->sent_drops.total.packets, 5);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(host_row(&n->host[0], 1, i)->drops.total.packets, 5 + i);
}

TEST(loss_doubling_and_disorder)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

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
	}
}

TEST(thirty_two_with_loss)
{
	struct network *n = NETWORK_BY(group_plan_wide(PROTOCOL_NATIVE));

	n->loss = 0.02;
	n->twice = 0.01;
	n->late = 0.1;
	network_finish(n, 20 * NP_SECOND);
	network_counts(n, 1000);
}

/* For less than the limit: what was under way is lost, nobody is. */
TEST(a_cut_that_heals)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	network_cut(n, 2, true);
	network_run(n, 5 * NP_SECOND);
	network_cut(n, 2, false);
	network_finish(n, 12 * NP_SECOND);
	network_counts(n, 2000);
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
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 3, 0);
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

/* Stopped, and going on: for short it is waited for; for long it learns that it is out. */
static void a_stopped_member(np_time until, int status, np_time limit)
{
	struct network *n = NETWORK_LONG();

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
}

TEST(stopped_for_short_and_for_long)
{
	a_stopped_member(5 * NP_SECOND, 0, 12 * NP_SECOND);
	a_stopped_member(8 * NP_SECOND, 1, 16 * NP_SECOND);
}

/* For so long that the others have ended, and with all messages waiting for it: its counts are
 * whole, but the group was not. It is told so, and would see it by itself. */
TEST(stopped_until_all_is_over)
{
	struct member_plan plan = group_plan_long();

	plan.window_bytes = 4096 * 48 * 2;
	for (unsigned told = 0; told < 2; told++) {
		struct network *n = network_of(&plan, false);

		if (!told)
			LOSE(n, .type = MESSAGE_REFUSE);
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
	}
}

TEST(a_member_that_grants_nothing)
{
	struct network *n = NETWORK_LONG();

	LOSE(n, .type = MESSAGE_GRANT, .from = HOST(3), .after = 2 * NP_SECOND);
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 2, 1);
	for (unsigned i = 0; i < 2; i++) {
		host_told(&n->host[i], "held-up 10.0.0.4:7800");
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it accepted no message for 5 s");
		host_row_complete(&n->host[i], 2, 2000);
	}
}
