// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Conversations that do not go well: ends that stop or come late, wires that are cut: each ends
 * within its limit, says why, and what was counted by then is right. And two of them in one
 * process, with two senders on one host: only their sessions tell them apart.
 */
#include "support/ttcp_network.h"
#include "support/unit.h"

#define LIMIT	(20 * NP_SECOND)
#define SILENCE (20 * NP_SECOND)

static struct network *in_mid_run(const struct sender_plan *sender, uint64_t seed)
{
	struct network *n = network_of(sender, 1, seed);

	while (n->receiver[0].machine->run.messages < 20 + network_draw(n, 100))
		network_step(n);
	return n;
}

/* Of what went before the first message that comes it is not known whether it was lost. */
TEST(a_member_comes_in_mid_run)
{
	struct network *n = network_of(&PLAN(.group = true), 2, 1);

	n->receiver[1].there = false;
	while (n->receiver[0].machine->run.messages < 100)
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
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct network *n = in_mid_run(&PLAN(.messages = 1000, .runs = 3), seed);
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
	struct network *n = in_mid_run(&PLAN(), 5);
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
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct network *n = in_mid_run(&PLAN(.messages = 500), seed);

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
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct network *n = in_mid_run(&PLAN(.messages = 1000), seed);
		const struct book *book = &n->receiver[0].book;

		n->cut = true;
		network_finish(n, SILENCE + 2 * NP_SECOND);
		assert_int_equal(end_said(&n->sender.end, "no answer from"), 1);
		assert_true(n->sender.machine->run.failed);
		assert_int_equal(book->report.status, MESSAGE_TIMED_OUT);
		assert_int_equal(book->figures.received, book_different(book));
		assert_false(book->report.exact);
		assert_int_equal(book->figures.lost, 0); /* the others may never have been sent */
	}
}

#define BOTH	 2
#define MESSAGES 200

static struct end line[BOTH];
static np_time now;

/* Takes @m for whichever conversation has it: exactly one. */
static void pass_to(const struct source *source, const struct message *m)
{
	struct receiver *with = NULL;

	for (unsigned i = 0; i < BOTH; i++) {
		if (!line[i].receiver || !conversation_has(line[i].receiver, m))
			continue;
		assert_null(with);
		with = line[i].receiver;
	}
	assert_non_null(with);
	receiver_take(with, source, m, now);
	assert_int_equal(with->strays, 0);
}

/* Line 0 loses every fourth message, line 1 none; @dies: the sender of line 0, in the middle. */
static void talk(bool dies)
{
	const struct receiver_plan plan = {.datagrams = true, .senders = 1};
	const struct np_address from[BOTH] = {address_of("10.0.0.1:4000"),
					      address_of("10.0.0.1:4001")};

	now = EPOCH;
	for (uint64_t number = 0; number <= MESSAGES; number++, now += STEP)
		for (unsigned i = 0; i < BOTH; i++) {
			const struct source source = {.address = &from[i], .bytes = DATA_BYTES};
			const struct message m = {
				.type = number < MESSAGES ? MESSAGE_DATA : MESSAGE_END,
				.session = 1 + i,
				.run = 1,
				.number = number,
				.time = now,
				.size = DATA_BYTES,
			};

			if (!number) {
				end_receive(&line[i], &plan, &now);
				receiver_take(line[i].receiver, &source, &m, now);
			} else if (i || !((dies && number > 100) || number % 4 == 3)) {
				pass_to(&source, &m);
			}
		}
	for (np_time end = now + 21 * NP_SECOND; now < end; now += STEP)
		for (unsigned i = 0; i < BOTH; i++)
			conversation_tick(line[i].receiver, now);
	for (unsigned i = 0; i < BOTH; i++) {
		const struct np_flow_counts f = conversation_figures(line[i].receiver);
		const uint64_t received = i ? MESSAGES : dies ? 76 : MESSAGES * 3 / 4;

		assert_int_equal(end_said(&line[i], "Start to receive"), 1);
		assert_int_equal(line[i].session.runs, 1);
		assert_int_equal(line[i].receiver->run.result.report.status,
				 i	? MESSAGE_COMPLETE
				 : dies ? MESSAGE_TIMED_OUT
					: MESSAGE_SHORT);
		assert_int_equal(f.received, received);
		assert_int_equal(f.lost, i ? 0 : dies ? 25 : MESSAGES / 4);
		assert_int_equal(f.duplicates, 0);
		assert_int_equal(line[i].last.type, MESSAGE_REPORT);
		assert_int_equal(line[i].last.session, 1 + i);
		assert_int_equal(line[i].last.report.counts.received, received);
	}
	ends_close();
	memset(line, 0, sizeof(line));
}

/* Neither counts, answers or ends anything of the other's. */
TEST(two_beside_each_other)
{
	talk(false);
	talk(true);
}
