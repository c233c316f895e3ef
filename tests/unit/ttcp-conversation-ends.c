// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Conversations that do not go well: ends that stop or come late, wires that are cut: each ends
 * within its limit, says why, and what was counted by then is right.
 */
#include "support/ttcp_network.h"
#include "support/unit.h"

#include <errno.h>

#define LIMIT	(20 * NP_SECOND)
#define SILENCE (20 * NP_SECOND)

static struct network *in_mid_run(const struct sender_plan *sender, uint64_t seed)
{
	struct network *n = network_of(sender, NULL, 1, seed);

	while (n->receiver[0].machine->with.run.messages < 20 + network_draw(n, 100))
		network_step(n);
	return n;
}

/* Of what went before the first message that comes it is not known whether it was lost. */
TEST(a_member_comes_in_mid_run)
{
	struct sender_plan sender = sending_plan();
	struct network *n;

	sender.group = true;
	n = network_of(&sender, NULL, 2, 1);
	n->receiver[1].there = false;
	while (n->receiver[0].machine->with.run.messages < 100)
		network_step(n);
	n->receiver[1].there = true;
	network_finish(n, LIMIT);
	network_counts(n, 0, 200);
	network_counts(n, 1, 200);
	network_reports(n, 1);
	assert_in_range(n->receiver[1].book.figures.missed_before, 100, 110);
	assert_int_equal(n->receiver[1].book.figures.lost, 0);
	assert_int_equal(end_said(&n->sender.end, "joined late"), 1);
}

TEST(users_stop_the_sender)
{
	struct sender_plan sender = sending_plan();

	sender.messages = 1000;
	sender.runs = 3;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct network *n = in_mid_run(&sender, seed);
		uint64_t sent;

		n->loss = 0.1;
		n->sender.end.session.interrupts = 1;
		network_finish(n, 10 * NP_SECOND);
		sent = sender_messages(n->sender.machine);
		assert_in_range(sent, 20, 200);
		network_counts(n, 0, sent);
		network_reports(n, 0);
		/* It is told not to wait for the runs that were announced. */
		assert_int_equal(end_said(&n->receiver[0].end, "did not return"), 0);
	}
}

/* The sender is told with what came; it goes on to the end, for nobody, and then knows. */
TEST(users_stop_the_receiver)
{
	const struct sender_plan sender = sending_plan();
	struct network *n = in_mid_run(&sender, 5);
	const struct book *book = &n->receiver[0].book;

	receiver_stop(n->receiver[0].machine);
	network_finish(n, LIMIT);
	assert_int_equal(book->report.status, MESSAGE_INTERRUPTED);
	assert_int_equal(book->figures.received, book_different(book));
	assert_int_equal(network_knows(n, 0)->report.status, MESSAGE_INTERRUPTED);
	network_reports(n, 0);
	assert_int_equal(end_said(&n->sender.end, "no answer from"), 0);
}

/* No message and no answer goes for a while: it goes on as if nothing had been, but for the lost.
 */
TEST(a_cut_that_heals)
{
	struct sender_plan sender = sending_plan();

	sender.messages = 500;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct network *n = in_mid_run(&sender, seed);

		n->cut = true;
		for (unsigned i = 0; i < 200; i++)
			network_step(n);
		n->cut = false;
		network_finish(n, LIMIT);
		network_counts(n, 0, 500);
		network_reports(n, 0);
		assert_in_range(n->receiver[0].book.figures.lost, 195, 205);
	}
}

TEST(a_cut_for_good)
{
	struct sender_plan sender = sending_plan();

	sender.messages = 1000;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct network *n = in_mid_run(&sender, seed);
		const struct book *book = &n->receiver[0].book;

		n->cut = true;
		network_finish(n, SILENCE + 2 * NP_SECOND);
		assert_int_equal(end_said(&n->sender.end, "no answer from"), 1);
		assert_true(n->sender.machine->run.failed);
		assert_int_equal(book->report.status, MESSAGE_TIMED_OUT);
		assert_int_equal(book->figures.received, book_different(book));
		assert_false(book->report.exact);
		assert_int_equal(book->figures.received + book->figures.lost, 1000);
	}
}
