// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The end of a run: what is told of drops, who goes on to the next run, who may leave; its last
 * words: how often they are said, who is left behind, and how it learns of it.
 *
 * Users that interrupt one member or all, and runs that a launcher winds up.
 *
 * Members that are killed, start anew, or whose results are lost: the group ends in a report
 * within a stated time, which names who.
 */
#include "support/group_network.h"
#include "support/unit.h"

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
	return (to == 1 && is_type(data, MESSAGE_DROPS)) ||
	       (from == 3 && is_type(data, MESSAGE_RESULTS) && n->host[0].looks < 4);
}

TEST(drops_are_told)
{
	struct network *n = NETWORK();

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
}

/* Its results are lost, and then it: the others wait two seconds, for it may tell them again. */
TEST(who_leaves_without_results)
{
	struct network *n = NETWORK();
	np_time killed;

	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(2));
	network_until(n, 2, "result - ");
	network_pass(n, 200 * NP_MILLISECOND);
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
}

/* What host 0 sends to itself is under way until a test delivers it, or for good. */
static uint8_t own_data[MESSAGE_HEADER_BYTES + 20];

static bool hold_own(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	if (from || to || !(is_type(data, MESSAGE_DATA) || is_type(data, MESSAGE_STATE)))
		return false;
	if (is_type(data, MESSAGE_DATA))
		memcpy(own_data, data, sizeof(own_data));
	return true;
}

/* However long its own message needs to come back, it is counted; but not waited for forever. */
TEST(own_messages_are_late)
{
	for (unsigned comes = 0; comes < 2; comes++) {
		struct network *n = NETWORK(plan.messages = 1, plan.credit = false, streams = true);
		const struct host *h = &n->host[0];

		n->drop = hold_own;
		network_until(n, 0, "sent-all");
		network_pass(n, 3 * NP_SECOND);
		host_must(h, host_times_told(h, "reported") == 0, "has not counted");
		if (comes) {
			host_forge(&n->host[0], 0, own_data, sizeof(own_data));
			n->drop = NULL;
		}
		network_ends(n, 12 * NP_SECOND, 4, 0);
		for (unsigned i = 0; i < 4; i++)
			host_must(h, host_row(h, 0, 0)->counts.received == comes, "own messages");
	}
}

/* What it has counted is told, and what it sent is known. */
TEST(a_user_interrupts_a_sender)
{
	struct network *n = NETWORK_LONG();
	const struct host *h = &n->host[0];

	network_run(n, 2 * NP_SECOND);
	member_stop(h->member, n->now);
	/* As soon as its last words are there. */
	network_run(n, 2300 * NP_MILLISECOND);
	for (unsigned i = 1; i < 4; i++)
		host_told(&n->host[i], "interrupted by its user");
	network_finish(n, 7 * NP_SECOND);
	assert_in_range(host_row(h, 0, 0)->counts.received, 100, 1999);
	for (unsigned i = 1; i < 4; i++) {
		assert_true(host_member(&n->host[i], 0)->reported);
		assert_int_equal(host_row(&n->host[i], 3, 1)->counts.received, 2000);
		assert_true(host_row(&n->host[i], 2, 0)->exact);
		assert_int_equal(host_row(&n->host[i], 2, 0)->counts.sent, h->sent_messages);
	}
}

/* All at once, as by Ctrl-C in a terminal. */
TEST(all_are_interrupted)
{
	struct network *n = NETWORK_LONG();

	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		member_stop(n->host[i].member, n->now);
	network_finish(n, 3 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(n->host[i].results, 1);
		assert_in_range(host_row(&n->host[i], i, 0)->counts.received, 100, 1999);
	}
}

/* All end the run at about the same time: what is on its way is counted, though it is lost. */
TEST(all_are_wound_up)
{
	struct network *n = NETWORK_LONG();

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
}

/* Over connections it is seen at once. */
TEST(a_receiver_is_killed)
{
	struct network *n = NETWORK_LONG(streams = true);

	network_run(n, 2 * NP_SECOND);
	network_kill(n, 3);
	network_ends(n, 6 * NP_SECOND, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i],
			  "given-up 10.0.0.4:7800 0 connection lost: it closed the connection");
		for (unsigned r = 0; r < 3; r++)
			host_row_complete(&n->host[i], r, 2000);
		assert_true(member_result(n->host[i].member)->complete);
	}
}

/* What it sent until then is no loss, and not exact. */
TEST(a_sender_is_killed)
{
	struct network *n = NETWORK_LONG();
	uint64_t sent;

	network_run(n, 2 * NP_SECOND);
	sent = n->host[1].sent_messages;
	network_kill(n, 1);
	network_finish(n, 10 * NP_SECOND);
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
}

/* The only sender dies: the rest still tells what it got. */
TEST(the_sole_sender_is_killed)
{
	struct network *n = NETWORK_LONG(plan.senders = 1, plan.runs = 3);

	network_run(n, 2 * NP_SECOND);
	network_kill(n, 0);
	network_finish(n, 10 * NP_SECOND);
	for (unsigned i = 1; i < 4; i++) {
		host_status(&n->host[i], 1);
		assert_in_range(host_row(&n->host[i], 3, 0)->counts.received, 100, 2000);
		assert_int_equal(n->host[i].results, 1);
	}
}

/* Between two runs: the next one begins without it. */
TEST(killed_between_runs)
{
	struct network *n = NETWORK_LONG(plan.runs = 3);

	while (n->host[3].results < 1)
		network_step(n);
	network_kill(n, 3);
	network_ends(n, 30 * NP_SECOND, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(n->host[i].results, 3);
		host_row_complete(&n->host[i], 2, 2000);
	}
}

TEST(results_that_never_come)
{
	struct network *n = NETWORK();

	/* Of one member they never come: the others say so, and end. */
	LOSE(n, .type = MESSAGE_RESULTS, .from = HOST(2));
	network_finish(n, 14 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		host_status(&n->host[i], i == 2 ? 0 : 1);
	host_told(&n->host[0], "given-up 10.0.0.3:7800");
	assert_false(host_member(&n->host[0], 2)->reported);
}

/* In the run: its old self is given up, its new one kept out. */
TEST(started_anew_in_the_run)
{
	struct network *n = NETWORK_LONG();
	struct host *h = &n->host[3];

	network_run(n, 2 * NP_SECOND);
	host_restart(h, 2 * NP_SECOND);
	network_finish(n, 8 * NP_SECOND);
	host_failed(h, "", "started without this member");
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it was restarted");
		host_row_complete(&n->host[i], 2, 2000);
	}
}

static unsigned last_words; /* how often host 0 has said that it leaves */

static bool count_last_words(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	last_words += !from && !to && is_type(data, MESSAGE_STATE) &&
		      data[MESSAGE_HEADER_BYTES] == PHASE_LEAVING;
	return false;
}

/* Twice, or four times when others still run, since one of them may be lost. */
TEST(how_often_a_leaver_says_so)
{
	for (unsigned stopped = 0; stopped < 2; stopped++) {
		struct network *n = NETWORK_LONG(plan.members = plan.senders = 1);

		n->drop = count_last_words;
		last_words = 0;
		network_run(n, 2 * NP_SECOND);
		if (stopped)
			member_stop(n->host[0].member, n->now);
		network_finish(n, 10 * NP_SECOND);
		assert_int_equal(last_words, stopped ? 4 : 2);
	}
}

/* Its only other member went on without it, and its word of that was lost. */
TEST(one_of_two_is_left_behind)
{
	struct network *n = NETWORK_LONG(plan.members = 2, plan.senders = 1, plan.credit = false);

	LOSE(n, .type = MESSAGE_REFUSE);
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
}

/* Host 3 hears all, and nobody hears it, until all have ended. */
static void run_unheard(struct network *n)
{
	network_ends(n, 30 * NP_SECOND, 4, 1);
	for (unsigned i = 0; i < 3; i++)
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 silent for 5 s");
	host_told(&n->host[3], "given-up 10.0.0.4:7800 0 the other members continued without it");
	assert_int_equal(host_member(&n->host[3], 3)->outcome, FATE_CUT);
	assert_in_range(host_member(&n->host[3], 3)->outcome_after, 5 * NP_SECOND,
			n->host[3].ended);
}

/*
 * From the middle of the run on: it is given up while it waits for messages, or, without credit,
 * which would hold it up, while it sends; and is told so.
 */
TEST(who_is_not_heard_learns_of_it)
{
	for (unsigned sends = 0; sends < 2; sends++) {
		struct network *n = NETWORK_LONG(plan.credit = !sends);

		n->host[0].plan.sender = !sends;
		n->host[3].plan.sender = sends;
		network_run(n, 2 * NP_SECOND);
		for (unsigned i = 0; i < 3; i++)
			n->cut[3][i] = true;
		run_unheard(n);
	}
}

static bool lose_the_end_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return from == 3 && to != 3 && (n->dropped || is_type(data, MESSAGE_RESULTS));
}

/* From its results on: it has all that it wants, and leaves, when the others give it up. */
TEST(who_was_not_heard_out_learns_of_it)
{
	struct network *n = NETWORK_LONG();

	n->drop = lose_the_end_of_3;
	run_unheard(n);
	/* What it counted stands. */
	for (unsigned r = 0; r < 4; r++)
		host_row_complete(&n->host[3], r, 2000);
}
