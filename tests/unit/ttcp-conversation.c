// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Whole conversations over a made-up network that loses, doubles, reorders, delays and damages, by
 * hundreds of seeds: counts are right to the message at both ends, and every conversation ends
 * within its limits.
 */
#include "support/ttcp_network.h"
#include "support/unit.h"

#define SEEDS  200
#define GROUPS 60
/* Contact of 3 s, data, and END until 2 s behind the last sign of life, or the grace. */
#define LIMIT (20 * NP_SECOND)

static void set_trouble(struct network *n)
{
	n->loss = (double)network_draw(n, 30) / 100;
	n->twice = (double)network_draw(n, 20) / 100;
	n->late = (double)network_draw(n, 50) / 100;
	n->damage = (double)network_draw(n, 5) / 100;
}

/* Each receiver that reported told the sender what the network's books say. */
static void check_end(const struct network *n)
{
	const uint64_t sent = sender_messages(n->sender.machine);

	if (n->sender.plan.duration)
		assert_in_range(sent, 295, 301);
	else
		assert_int_equal(sent,
				 n->sender.plan.messages * n->sender.machine->transport.lanes);
	for (unsigned i = 0; i < n->receivers; i++) {
		network_counts(n, i, sent);
		network_reports(n, i);
		assert_int_equal(n->receiver[i].end.session.runs, n->sender.run);
	}
}

TEST(without_trouble)
{
	struct network *n = network_of(&PLAN(), 1, 1);
	const struct book *book = &n->receiver[0].book;
	const np_time begun = n->now;

	network_finish(n, LIMIT);
	check_end(n);
	assert_int_equal(book->report.status, MESSAGE_COMPLETE);
	assert_int_equal(book->figures.received, 200);
	assert_int_equal(book->figures.lost, 0);
	assert_true(book->report.exact);
	/* The receiver's clock is 5 s ahead. */
	assert_true(book->report.clock.known);
	assert_true(llabs(book->report.clock.offset - 5 * NP_SECOND) <= book->report.clock.bound);
	assert_true(n->now - begun < 2 * NP_SECOND);
	assert_int_equal(n->receiver[0].machine->served, 1);
}

/* Below 1 kbit/s both ends know it, so that the receiver waits as long as messages are apart. */
TEST(slow_rates)
{
	struct network *n = network_of(&PLAN(.messages = 2), 1, 1);

	n->sender.rate_bits = 12.5; /* messages are 41 s apart */
	network_finish(n, 200 * NP_SECOND);
	assert_int_equal(n->receiver[0].machine->run.start.rate_bits, 13);
	assert_int_equal(n->receiver[0].book.figures.received, 2);
	assert_int_equal(n->receiver[0].book.report.status, MESSAGE_COMPLETE);
}

/*
 * In ping-pong an ACK that is lost holds the run up for no more than a second. A duration has as
 * many as it lets, and END says how many there were.
 */
TEST(one_receiver_in_trouble)
{
	const struct {
		const char *name;
		uint64_t seeds;
		struct sender_plan plan;
	} rows[] = {
		{"datagrams", SEEDS, PLAN()},
		{"acks", SEEDS / 4, PLAN(.acks = true)},
		{"streams of datagrams", SEEDS, PLAN(.lanes = 4)},
		{"a series", SEEDS / 2, PLAN(.runs = 3)},
		{"ping-pong", SEEDS / 4, PLAN(.messages = 50, .ping_pong = true, .acks = true)},
		{"a duration", 20, PLAN(.duration = 300 * NP_MILLISECOND)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint64_t seed = 0; seed < rows[i].seeds; seed++) {
			struct network *n = network_of(&rows[i].plan, 1, seed);
			const struct sender *sender = n->sender.machine;

			set_trouble(n);
			n->sender.rate_bits *= !rows[i].plan.ping_pong;
			network_finish(n, 3 * LIMIT + (np_time)rows[i].plan.messages * NP_SECOND);
			if (end_said(&n->sender.end, "no answer from") || sender->run.failed)
				fail_msg("%s, %u: no report", rows[i].name, (unsigned)seed);
			assert_int_equal(n->sender.run, n->sender.end.options.load.runs);
			check_end(n);
			if (rows[i].plan.acks)
				assert_in_range(sender->receivers.acks, 1,
						book_different(&n->receiver[0].book));
		}
}

/*
 * Members lose each its own. One whose answers were all lost is not known to the sender; what came
 * to it counts all the same.
 */
TEST(groups_in_trouble)
{
	size_t known = 0;

	for (uint64_t seed = 0; seed < GROUPS; seed++) {
		struct network *n = network_of(&PLAN(.group = true), 4, seed);

		set_trouble(n);
		network_finish(n, 3 * LIMIT);
		known += n->sender.machine->receivers.count;
		for (unsigned i = 0; i < 4; i++) {
			const struct book *book = &n->receiver[i].book;

			assert_true(book->finished);
			assert_int_equal(book->figures.received, book_different(book));
			assert_int_equal(book->figures.duplicates, book_copies(book));
			if (!network_knows(n, i))
				continue;
			network_counts(n, i, 200);
			network_reports(n, i);
		}
		assert_int_equal(end_said(&n->sender.end, "no answer from"), 0);
	}
	assert_in_range(known, GROUPS * 4 * 7 / 10, GROUPS * 4);
}

TEST(connections)
{
	for (unsigned seed = 0; seed < 32; seed++) {
		const struct sender_plan plan = {
			.id = 1,
			.lanes = 1 + seed % 4,
			.acks = seed & (4 | 8),
			.ping_pong = seed & 8,
			.no_wait = seed & 16,
		};
		struct network *n = network_of(&plan, 1, seed);

		n->delay = (1 + seed) * STEP;
		network_finish(n, LIMIT + 200 * (np_time)seed * 4 * STEP);
		check_end(n);
		assert_int_equal(n->receiver[0].book.report.status, MESSAGE_COMPLETE);
		assert_int_equal(n->sender.machine->receivers.acks,
				 plan.acks ? 200 * plan.lanes : 0);
	}
}

/* A batch that finds no room goes later, whole. */
TEST(no_room)
{
	struct network *n = network_of(&PLAN(.batch = DATA_BATCH, .messages = 203), 1, 1);

	n->sender.rate_bits = 0;
	n->sender.end.full = 3000;
	network_finish(n, LIMIT);
	check_end(n);
}

/* END waits 10 s behind messages in a queue; signs of life tell the sender that they come. */
TEST(a_narrow_way)
{
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		const struct sender_plan plan = {.datagrams = datagrams, .no_wait = true};
		struct network *n = network_of(&plan, 1, 1);

		n->each = 50 * STEP;
		n->sender.rate_bits = 0;
		network_finish(n, 2 * LIMIT);
		assert_true(n->sender.ended - EPOCH > 10 * NP_SECOND);
		assert_int_equal(end_said(&n->sender.end, "no answer from"), 0);
		check_end(n);
		assert_int_equal(n->receiver[0].book.figures.lost, 0);
	}
}
