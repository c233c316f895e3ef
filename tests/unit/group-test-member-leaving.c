// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The last words of a run: how often they are said, who may hang up, who is left behind.
 *
 * Who is given up by the others while it runs, and how it learns of it.
 */
#include "support/group_network.h"
#include "support/unit.h"

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
	network_finish(n, 30 * NP_SECOND);
	network_status(n, 4, 1);
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
