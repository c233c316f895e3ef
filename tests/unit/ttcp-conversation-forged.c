// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Outsiders, liars and damaged messages cost a counter: the conversation between the others is
 * counted right to the message, nobody is sent more than came from where it said to be, and no run
 * is held up.
 */
#include "support/ttcp_network.h"
#include "support/unit.h"

#define LIMIT (20 * NP_SECOND)

static struct message forged_start(uint32_t session)
{
	return (struct message){
		.type = MESSAGE_START,
		.session = session,
		.run = 1,
		.start = {.message_bytes = DATA_BYTES,
			  .messages = 1000,
			  .timeout_ms = UINT32_MAX,
			  .streams = 1,
			  .runs = 0,
			  .session = "FORGED"},
	};
}

/* To receiver 0; @from: an outsider (-2), or the sender's own address. */
static void forge(struct network *n, int from, const struct message *m)
{
	uint8_t data[MESSAGE_CONTROL_MAX];

	network_forge(n, from, 0, data, message_encode(data, m));
}

/* DATA 5 of run @run, from an outsider, who cannot count in the books. */
static void forge_data(struct network *n, uint32_t session, uint32_t run)
{
	const struct message m = {.session = session, .run = run, .number = 5};
	uint8_t data[DATA_BYTES];

	message_fill(data, sizeof(data));
	message_encode_data(data, &m, sizeof(data));
	network_forge(n, -2, 0, data, sizeof(data));
}

static void check_end(const struct network *n, uint64_t sent)
{
	network_counts(n, 0, sent);
	network_reports(n, 0);
	assert_int_equal(n->receiver[0].end.session.runs, 1);
	assert_false(n->sender.machine->run.failed);
}

/* A START holds nobody out before its sender has proved where it is. */
TEST(forged_starts)
{
	struct network *n = network_of(&PLAN(), 1, 1);
	const struct message start = forged_start(77);

	for (unsigned i = 0; i < 500; i++) {
		forge(n, -2, &start);
		network_step(n);
	}
	network_finish(n, LIMIT);
	check_end(n, 200);
}

/*
 * A run that an outsider's DATA began makes way for one whose sender proves its address; also one
 * of the sender's own session, which the outsider has overheard before that was proved.
 */
TEST(forged_data_first)
{
	for (unsigned overheard = 0; overheard < 2; overheard++) {
		struct network *n = network_of(&PLAN(), 1, 1);
		const struct message start = forged_start(77), another = forged_start(78);

		while (overheard && !n->receiver[0].machine->pending.there)
			network_step(n);
		if (!overheard)
			forge(n, -2, &start);
		forge_data(n, overheard ? n->sender.plan.id : 77, 1);
		/* It makes way for none that has no proof. */
		forge(n, -2, &another);
		network_step(n);
		assert_int_equal(end_said(&n->receiver[0].end, "was displaced"), 0);
		n->receiver[0].book.came[0][5] = 0;
		network_finish(n, LIMIT);
		assert_int_equal(end_said(&n->receiver[0].end, "was displaced"), 1);
		assert_int_equal(end_said(&n->receiver[0].end, "Start to receive"), 2);
		check_end(n, 200);
	}
}

/*
 * In the middle of a run: of other sessions and other runs, from elsewhere and in its name; and
 * START, DATA and END of this very run, and of the next one, from elsewhere.
 */
TEST(forged_in_mid_run)
{
	struct network *n = network_of(&PLAN(.messages = 1000), 1, 1);
	unsigned forged = 0;

	/* Longer than the grace after an END. */
	/* Before START nobody has overheard the session. */
	while (!n->receiver[0].machine->run.messages)
		network_step(n);
	while (n->receiver[0].machine->run.messages < 950) {
		struct message m = forged_start(n->now & 1 ? 99 : n->sender.plan.id);
		const int from = network_draw(n, 2) ? -1 : -2;

		assert_true(n->now < EPOCH + LIMIT);
		m.type = (uint8_t)(1 + network_draw(n, 6));
		m.number = network_draw(n, UINT64_C(1) << 40);
		m.session = m.type == MESSAGE_START ? 99 : m.session ^ 1;
		if (m.type == MESSAGE_REPORT)
			m.report = (struct message_report){.counts = {.first = 1, .last = 2}};
		if (m.type == MESSAGE_END)
			m.end = (struct message_end){.last = true};
		if (from == -2 && (m.type == MESSAGE_START || m.type == MESSAGE_END)) {
			m.session = n->sender.plan.id;
			m.run = 1 + (uint32_t)network_draw(n, 2);
		}
		if (m.type != MESSAGE_DATA) {
			forge(n, from, &m);
		} else if (from == -2) {
			forge_data(n, n->sender.plan.id, 1 + (uint32_t)network_draw(n, 2));
		}
		forged += m.type != MESSAGE_DATA || from == -2;
		network_step(n);
	}
	assert_true(forged > 50);
	n->receiver[0].book.came[0][5] = 1;
	network_finish(n, LIMIT);
	check_end(n, 1000);
	assert_int_equal(n->receiver[0].book.report.status, MESSAGE_COMPLETE);
}

/* What is damaged counts if it says that it is of the run's session: nobody else knows that. */
TEST(forged_damage)
{
	struct network *n = network_of(&PLAN(), 1, 1);
	const struct message other = forged_start(n->sender.plan.id ^ 1);
	uint8_t data[MESSAGE_CONTROL_MAX];
	const size_t bytes = message_encode(data, &other);

	data[bytes - 1] ^= 1;
	while (!n->receiver[0].machine->run.messages)
		network_step(n);
	network_forge(n, -1, 0, data, bytes);
	network_finish(n, LIMIT);
	check_end(n, 200);
	assert_int_equal(n->receiver[0].book.report.counts.damaged, 0);
}

/* Answers in other sessions, of other versions, and from others, to the sender. */
TEST(forged_answers)
{
	struct network *n = network_of(&PLAN(), 1, 1);
	uint8_t data[MESSAGE_CONTROL_MAX];

	while (!n->sender.ended) {
		struct message m = {
			.type = (uint8_t)(1 + network_draw(n, 6)),
			.session = n->sender.plan.id + 1,
			.run = 1,
			.number = 3,
		};
		size_t bytes;

		if (m.type == MESSAGE_REPORT)
			m.report = (struct message_report){.counts = {.received = 1, .bytes = 64}};
		bytes = message_encode(data, &m);
		/* The version. */
		data[3] = (uint8_t)network_draw(n, 4);
		network_forge(n, 0, -1, data, bytes);
		network_step(n);
		assert_true(n->now < EPOCH + LIMIT);
	}
	network_finish(n, LIMIT);
	check_end(n, 200);
}

/* Any bytes, and real messages cut and changed anywhere, but for what begins a classic run. */
TEST(malformed)
{
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct network *n = network_of(&PLAN(), 1, seed);
		const struct message start = forged_start(5);
		uint8_t data[MESSAGE_CONTROL_MAX];

		while (!n->sender.ended) {
			size_t bytes = message_encode(data, &start);

			if (network_draw(n, 2))
				data[network_draw(n, bytes)] ^= (uint8_t)(1 + network_draw(n, 255));
			else
				bytes = 1 + MESSAGE_CLASSIC_MARKER + network_draw(n, bytes - 5);
			for (size_t i = 8; i < bytes && network_draw(n, 2); i++)
				data[i] = (uint8_t)network_draw(n, 256);
			network_forge(n, -2, 0, data, bytes);
			network_forge(n, 0, -1, data, bytes);
			network_step(n);
			assert_true(n->now < EPOCH + LIMIT);
		}
		network_finish(n, LIMIT);
		check_end(n, 200);
		assert_true(n->receiver[0].machine->strays > 0);
	}
}

/* A monitor of a group answers nobody, and counts all the same. */
TEST(a_monitor_of_a_group)
{
	const struct receiver_plan monitor = {
		.datagrams = true, .senders = 1, .secret = 8, .invisible = true};
	struct network *n = network_of(&PLAN(.group = true), 1, 1);

	n->receivers = 2;
	receiving_start(n, 1, &monitor);
	network_finish(n, LIMIT);
	network_counts(n, 0, 200);
	network_counts(n, 1, 200);
	assert_null(network_knows(n, 1));
}
