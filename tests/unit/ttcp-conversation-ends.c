// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Conversations that do not go well: ends that die, stop, come late or are busy, wires that are
 * cut: each ends within its limit, says why, and what was counted by then is right.
 */
#include "support/ttcp_network.h"

#include <errno.h>

#define LIMIT	(20 * NP_SECOND)
#define SILENCE (20 * NP_SECOND)

static struct network *in_mid_run(const struct sender_plan *sender,
				  const struct receiver_plan *receiver, uint64_t seed)
{
	struct network *n = network_of(sender, receiver, 1, seed);

	while (receiver_run(n->receiver[0].machine)->messages < 20 + network_draw(n, 100))
		network_step(n);
	return n;
}

static void a_sender_dies(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();

	(void)state;
	sender.messages = 1000;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct network *n = in_mid_run(&sender, &receiver, seed);
		const struct book *book = &n->receiver[0].book;
		np_time died = n->now;

		n->sender.dead = true;
		network_finish(n, SILENCE + NP_SECOND);
		assert_in_range(n->now - died, SILENCE - LOOK, SILENCE + NP_SECOND);
		assert_int_equal(book->status, MESSAGE_TIMED_OUT);
		assert_int_equal(book->figures.received, book_different(book));
		assert_false(book->report.exact);
		assert_int_equal(book->figures.received + book->figures.lost, 1000);
		network_free(n);
	}
}

static void a_receiver_dies(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();

	(void)state;
	sender.runs = 2;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct network *n = in_mid_run(&sender, &receiver, seed);

		n->receiver[0].dead = true;
		network_finish(n, 10 * NP_SECOND);
		/* Of run 1; run 2 finds nobody. */
		assert_int_equal(n->sender.told[SENDER_NO_REPORT], 1);
		assert_int_equal(n->sender.told[SENDER_FAILED], 1);
		assert_int_equal(n->sender.fault, SENDER_UNANSWERED);
		assert_true(n->sender.machine->run.failed);
		network_free(n);
	}
}

static void one_of_a_group_dies(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n;

	(void)state;
	sender.group = true;
	n = network_of(&sender, &receiver, 3, 1);
	while (receiver_run(n->receiver[1].machine)->messages < 50)
		network_step(n);
	n->receiver[1].dead = true;
	network_finish(n, 10 * NP_SECOND);
	assert_int_equal(n->sender.told[SENDER_NO_REPORT], 1);
	assert_false(network_knows(n, 1)->reported);
	network_reports(n, 0);
	network_reports(n, 2);
	network_free(n);
}

static void nobody_is_there(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct network *n;
		np_time limit;

		sender.no_wait = i & 1;
		sender.wait = i & 2 ? 5 * NP_SECOND : 0;
		limit = sender.wait ? sender.wait : SENDER_PAUSE;
		n = network_of(&sender, &receiver, 1, i);
		n->receiver[0].there = false;
		network_finish(n, limit + NP_SECOND);
		assert_in_range(n->sender.ended - EPOCH, limit, limit + 2 * STEP);
		assert_int_equal(n->sender.fault, SENDER_UNANSWERED);
		assert_false(n->sender.machine->run.sending);
		network_free(n);
	}
}

/* A group is sent to all the same, and nobody is missed at the end. */
static void nobody_is_in_the_group(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n;

	(void)state;
	sender.group = true;
	n = network_of(&sender, &receiver, 1, 1);
	n->receiver[0].there = false;
	network_finish(n, 20 * NP_SECOND);
	assert_int_equal(n->sender.told[SENDER_NOBODY], 1);
	assert_int_equal(n->sender.told[SENDER_FAILED], 0);
	assert_int_equal(n->sender.told[SENDER_NO_REPORT], 0);
	assert_int_equal(sender_messages(n->sender.machine), sender.messages);
	assert_false(n->sender.machine->run.failed);
	network_free(n);
}

/* Within --wait it is found, and nothing is lost. */
static void a_receiver_comes_late(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n;

	(void)state;
	sender.wait = 10 * NP_SECOND;
	n = network_of(&sender, &receiver, 1, 1);
	n->receiver[0].there = false;
	network_run(n, 7 * NP_SECOND);
	n->receiver[0].there = true;
	network_finish(n, LIMIT);
	network_counts(n, 0, 200);
	network_reports(n, 0);
	network_free(n);
}

/* Of what went before the first message that comes it is not known whether it was lost. */
static void a_member_comes_in_mid_run(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n;

	(void)state;
	sender.group = true;
	n = network_of(&sender, &receiver, 2, 1);
	n->receiver[1].there = false;
	while (receiver_run(n->receiver[0].machine)->messages < 100)
		network_step(n);
	n->receiver[1].there = true;
	network_finish(n, LIMIT);
	network_counts(n, 0, 200);
	network_counts(n, 1, 200);
	network_reports(n, 1);
	assert_in_range(n->receiver[1].book.figures.missed_before, 100, 110);
	assert_int_equal(n->receiver[1].book.figures.lost, 0);
	assert_int_equal(n->sender.told[SENDER_JOINED_LATE], 1);
	network_free(n);
}

static void users_stop_the_sender(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();

	(void)state;
	sender.messages = 1000;
	sender.runs = 3;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct network *n = in_mid_run(&sender, &receiver, seed);
		uint64_t sent;

		n->loss = 0.1;
		n->sender.stops = 1;
		network_finish(n, 10 * NP_SECOND);
		sent = sender_messages(n->sender.machine);
		assert_in_range(sent, 20, 200);
		network_counts(n, 0, sent);
		network_reports(n, 0);
		/* It is told not to wait for the runs that were announced. */
		assert_int_equal(n->receiver[0].told[RECEIVER_LEFT], 0);
		network_free(n);
	}
}

static void users_insist(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n = in_mid_run(&sender, &receiver, 3);

	(void)state;
	n->cut_back = true;
	n->sender.stops = 1;
	network_run(n, 100 * NP_MILLISECOND);
	assert_false(n->sender.ended);
	n->sender.stops = 2;
	network_run(n, 2 * STEP);
	assert_true(n->sender.ended);
	network_finish(n, LIMIT);
	network_free(n);
}

static void a_stop_before_an_answer(void **state)
{
	const struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n = network_of(&sender, &receiver, 1, 3);

	(void)state;
	n->receiver[0].there = false;
	network_run(n, 50 * NP_MILLISECOND);
	n->sender.stops = 1;
	network_finish(n, 2 * STEP);
	assert_int_equal(n->sender.fault, SENDER_INTERRUPTED);
	network_free(n);
}

/* The sender is told with what came; it goes on to the end, for nobody, and then knows. */
static void users_stop_the_receiver(void **state)
{
	const struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n = in_mid_run(&sender, &receiver, 5);
	const struct book *book = &n->receiver[0].book;

	(void)state;
	receiver_stop(n->receiver[0].machine);
	network_finish(n, LIMIT);
	assert_int_equal(book->status, MESSAGE_INTERRUPTED);
	assert_int_equal(book->figures.received, book_different(book));
	assert_int_equal(network_knows(n, 0)->report.status, MESSAGE_INTERRUPTED);
	network_reports(n, 0);
	assert_int_equal(n->sender.told[SENDER_NO_REPORT], 0);
	network_free(n);
}

/* No message and no answer goes for a while: it goes on as if nothing had been, but for the lost.
 */
static void a_cut_that_heals(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();

	(void)state;
	sender.messages = 500;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct network *n = in_mid_run(&sender, &receiver, seed);

		n->cut = true;
		network_run(n, 200 * NP_MILLISECOND);
		n->cut = false;
		network_finish(n, LIMIT);
		network_counts(n, 0, 500);
		network_reports(n, 0);
		assert_in_range(n->receiver[0].book.figures.lost, 195, 205);
		network_free(n);
	}
}

static void a_cut_for_good(void **state)
{
	const struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n = in_mid_run(&sender, &receiver, 5);

	(void)state;
	n->cut = true;
	network_finish(n, SILENCE + 2 * NP_SECOND);
	assert_int_equal(n->sender.told[SENDER_NO_REPORT], 1);
	assert_int_equal(n->receiver[0].book.status, MESSAGE_TIMED_OUT);
	network_free(n);
}

/* What was announced does not come: the receiver waits no longer than a sender pauses. */
static void a_run_that_does_not_come(void **state)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n;
	np_time ended;

	(void)state;
	sender.runs = 2;
	n = network_of(&sender, &receiver, 1, 5);
	n->sender.runs = 1;
	while (!n->sender.ended)
		network_step(n);
	ended = n->now;
	network_finish(n, 31 * NP_SECOND);
	assert_in_range(n->now - ended, 29 * NP_SECOND, 31 * NP_SECOND);
	assert_int_equal(n->receiver[0].told[RECEIVER_LEFT], 1);
	network_free(n);
}

static void no_sender_comes(void **state)
{
	struct sender_plan sender = sending_plan();
	struct receiver_plan receiver = receiving_plan();
	struct network *n;

	(void)state;
	receiver.wait = 300 * NP_MILLISECOND;
	n = network_of(&sender, &receiver, 1, 5);
	n->sender.dead = true;
	network_finish(n, NP_SECOND);
	assert_in_range(n->now - EPOCH, receiver.wait, receiver.wait + 2 * STEP);
	assert_int_equal(n->receiver[0].told[RECEIVER_ALONE], 1);
	network_free(n);
}

/* A connection breaks: each end knows at once. */
static void a_connection_breaks(void **state)
{
	struct sender_plan sender = sending_plan();
	struct receiver_plan receiver = receiving_plan();
	struct network *n;

	(void)state;
	sender.repeats = receiver.with.datagrams = false;
	n = in_mid_run(&sender, &receiver, 1);
	n->sender.dead = true;
	conversation_cut_off(&n->receiver[0].machine->with);
	network_finish(n, NP_SECOND);
	assert_int_equal(n->receiver[0].book.status, MESSAGE_INTERRUPTED);
	assert_false(n->receiver[0].book.report.exact);
	network_free(n);

	n = network_of(&sender, &receiver, 1, 1);
	n->cut_back = true;
	network_run(n, 5 * STEP);
	sender_broke(n->sender.machine, -EPROTO);
	network_run(n, 2 * STEP);
	assert_int_equal(n->sender.fault, SENDER_NO_TTCP);
	network_free(n);
}

/* A stream's receiver that says nothing is taken for a classic one after 3 s. */
static void a_silent_receiver(void **state)
{
	struct sender_plan sender = sending_plan();
	struct receiver_plan receiver = receiving_plan();
	struct network *n;

	(void)state;
	sender.repeats = receiver.with.datagrams = false;
	n = network_of(&sender, &receiver, 1, 1);
	n->receiver[0].there = false;
	network_run(n, 4 * NP_SECOND);
	assert_int_equal(n->sender.told[SENDER_SILENT], 1);
	assert_int_equal(sender_messages(n->sender.machine), 200);
	assert_true(n->sender.machine->run.silent);
	n->sender.machine->lane[0].closed = true;
	network_run(n, NP_SECOND);
	assert_true(n->sender.ended);
	assert_int_equal(n->sender.told[SENDER_NO_REPORT], 0);
	network_free(n);
}

/* A paced sender of 300 ms, whose host stops it from @from to @to after its first message. */
static np_time worst_behind_of(np_time from, np_time to, uint64_t messages, uint64_t rate_kbps)
{
	struct sender_plan sender = sending_plan();
	const struct receiver_plan receiver = receiving_plan();
	struct network *n;
	np_time first, worst;

	sender.messages = messages;
	sender.duration = 300 * NP_MILLISECOND;
	n = network_of(&sender, &receiver, 1, 1);
	n->sender.rate_bits = (double)rate_kbps * 1000;
	while (!n->sender.machine->run.sending)
		network_step(n);
	first = n->sender.machine->run.first;
	while (!network_ended(n) && n->now < first + LIMIT) {
		n->sender.stopped = n->now >= first + from && n->now < first + to;
		network_step(n);
	}
	assert_true(network_ended(n));
	worst = n->sender.machine->run.pacer.worst_behind;
	network_free(n);
	return worst;
}

/* What was due before the end and never went is as late as the sender notices it. */
static void a_stop_over_the_end_of_the_duration(void **state)
{
	const uint64_t kbps = 8 * NETWORK_BYTES; /* a message a millisecond */
	const np_time ms = NP_MILLISECOND;
	np_time worst;

	(void)state;
	assert_true(worst_behind_of(0, 0, 0, kbps) <= STEP);
	worst = worst_behind_of(100 * ms, 150 * ms, 0, kbps);
	assert_in_range(worst, 48 * ms, 52 * ms);
	worst = worst_behind_of(100 * ms, 900 * ms, 0, kbps);
	assert_in_range(worst, 798 * ms, 802 * ms);
	/* All that it was to send had gone; or nothing has its time. */
	assert_true(worst_behind_of(200 * ms, 900 * ms, 100, kbps) <= STEP);
	assert_true(worst_behind_of(100 * ms, 900 * ms, 0, 0) == 0);
	/* The next one is due behind the end. */
	assert_true(worst_behind_of(250 * ms, 900 * ms, 0, 1) <= STEP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_dies),
		cmocka_unit_test(a_receiver_dies),
		cmocka_unit_test(one_of_a_group_dies),
		cmocka_unit_test(nobody_is_there),
		cmocka_unit_test(nobody_is_in_the_group),
		cmocka_unit_test(a_receiver_comes_late),
		cmocka_unit_test(a_member_comes_in_mid_run),
		cmocka_unit_test(users_stop_the_sender),
		cmocka_unit_test(users_insist),
		cmocka_unit_test(a_stop_before_an_answer),
		cmocka_unit_test(users_stop_the_receiver),
		cmocka_unit_test(a_cut_that_heals),
		cmocka_unit_test(a_cut_for_good),
		cmocka_unit_test(a_run_that_does_not_come),
		cmocka_unit_test(no_sender_comes),
		cmocka_unit_test(a_connection_breaks),
		cmocka_unit_test(a_silent_receiver),
		cmocka_unit_test(a_stop_over_the_end_of_the_duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
