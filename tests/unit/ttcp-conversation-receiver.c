// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a receiver does message by message, to the millisecond: what begins a run, whom it answers
 * and how often, and what it only counts.
 */
#include "support/ttcp_receiver_desk.h"

#include <errno.h>
#include <string.h>

static uint64_t strays_after(struct desk *d, const struct message *m)
{
	(void)receiver_strays(d->receiver);
	take(d, m);
	return receiver_strays(d->receiver);
}

/* What is dropped unread counts as it goes, and keeps the run alive. */
static void unread(void **state)
{
	struct desk *d = desk(false);
	struct conversation *with = receiver_conversation(d->receiver);

	(void)state;
	start(d, 100);
	conversation_begin_unread(with, 0);
	for (unsigned i = 0; i < 100; i++) {
		conversation_take_unread(with, 0, 1, NETWORK_BYTES, d->now);
		pass(d, NP_SECOND);
	}
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	assert_int_equal(run_of(d)->messages, 100);
	take_end(d, 100);
	assert_int_equal(d->status, MESSAGE_COMPLETE);
	assert_int_equal(figures_of(d).received, 100);
	assert_int_equal(figures_of(d).bytes, 100 * NETWORK_BYTES);
	assert_int_equal(d->recorded, 100);
	assert_int_equal(d->last.report.received, 100);
	desk_free(d);
}

/* A large message begins when its first bytes come. */
static void parts(void **state)
{
	const struct message first = message_of(MESSAGE_DATA, 0);
	struct message other = first;
	struct desk *d = desk(false);
	struct conversation *with = receiver_conversation(d->receiver);
	np_time began;

	(void)state;
	start(d, 2);
	pass(d, 100 * MS);
	other.session = ID + 1;
	conversation_take_part(with, &other, 10, d->now);
	other = first;
	other.stream = 1;
	conversation_take_part(with, &other, 10, d->now);
	assert_int_equal(figures_of(d).first, 0);
	pass(d, 100 * MS);
	began = d->now;
	conversation_take_part(with, &first, 10, d->now);
	pass(d, 50 * MS);
	take_data(d, 0);
	assert_int_equal(figures_of(d).first, began + 12 * NP_SECOND);
	assert_int_equal(run_of(d)->first, d->now);
	desk_free(d);
}

static void strays(void **state)
{
	struct desk *d = desk(true);
	struct message m = message_of(MESSAGE_DATA, 5);

	(void)state;
	start(d, 10);
	assert_int_equal(strays_after(d, &m), 0);
	/* A stream that START did not announce, or nobody can. */
	m.stream = 1;
	assert_int_equal(strays_after(d, &m), 1);
	m.type = MESSAGE_END;
	assert_int_equal(strays_after(d, &m), 1);
	m = message_of(MESSAGE_DATA, 5);
	m.session++;
	assert_int_equal(strays_after(d, &m), 1);
	m = message_of(MESSAGE_START_OK, 0);
	assert_int_equal(strays_after(d, &m), 1);
	assert_int_equal(figures_of(d).received, 1);
	take_end(d, 10);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	desk_free(d);

	/* Behind the report. */
	d = desk(false);
	start(d, 10);
	take_end(d, 10);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	m = message_of(MESSAGE_DATA, 5);
	assert_int_equal(strays_after(d, &m), 1);
	desk_free(d);
}

/* Datagrams without their START: of so many streams as tell of themselves. */
static void lost_start(void **state)
{
	struct desk *d = desk(true);
	struct message m = message_of(MESSAGE_DATA, 100);

	(void)state;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 1);
	assert_int_equal(run_of(d)->streams, 1);
	assert_false(run_of(d)->started);
	m.stream = 3;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_STREAMS], 1);
	assert_int_equal(run_of(d)->streams, 4);
	m.number++;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_STREAMS], 1);
	m.stream = MESSAGE_STREAMS_MAX;
	assert_int_equal(strays_after(d, &m), 1);
	assert_int_equal(run_of(d)->streams, 4);
	assert_int_equal(figures_of(d).received, 3);
	/* What came before is not known to be lost. */
	for (unsigned i = 0; i < 4; i++)
		take_of_stream(d, MESSAGE_END, i, 102);
	assert_int_equal(d->told[RECEIVER_ENDED], 1);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	assert_int_equal(figures_of(d).lost, 1);
	assert_true(figures_of(d).missed_before >= 200);
	/* Another run of it: none of its streams has ended yet. */
	for (unsigned i = 0; i < 4; i++) {
		m = message_of(i < 2 ? MESSAGE_DATA : MESSAGE_END, i / 2);
		m.run = 2;
		m.stream = i % 2 ? 3 : 0;
		take(d, &m);
	}
	assert_int_equal(run_of(d)->number, 2);
	assert_int_equal(run_of(d)->streams, 4);
	assert_int_equal(d->told[RECEIVER_ENDED], 1);
	desk_free(d);
}

/* What another sender, or another session, announced is not of this one. */
static void start_of_another(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 10);

	(void)state;
	take(d, &m);
	m = message_of(MESSAGE_DATA, 0);
	m.session++;
	take(d, &m);
	assert_false(run_of(d)->started);
	desk_free(d);
	d = desk(true);
	m = start_of(d, 10);
	take(d, &m);
	m = message_of(MESSAGE_DATA, 0);
	take_from(d, &d->other, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 1);
	assert_false(run_of(d)->started);
	desk_free(d);
}

/* Damaged DATA are of the run, and keep it alive; of another one they are strays. */
static void damaged(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = 200};
	struct message m = message_of(MESSAGE_DATA, 0);

	(void)state;
	start(d, 2);
	pass(d, 15 * NP_SECOND);
	receiver_take_damaged(d->receiver, &source, &m, d->now);
	pass(d, 15 * NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	assert_int_equal(receiver_strays(d->receiver), 0);
	assert_int_equal(figures_of(d).damaged, 1);
	assert_int_equal(figures_of(d).received, 0);
	m.session++;
	receiver_take_damaged(d->receiver, &source, &m, d->now);
	m.session--;
	m.stream = 1;
	receiver_take_damaged(d->receiver, &source, &m, d->now);
	assert_int_equal(receiver_strays(d->receiver), 2);
	assert_int_equal(figures_of(d).damaged, 1);
	desk_free(d);
}

/* Twice a second at most, and only while messages come, the sender is told so. */
static void signs_of_life(void **state)
{
	struct desk *d = desk(true);
	unsigned before;

	(void)state;
	start(d, 1000);
	before = d->answers;
	take_data(d, 999);
	pass(d, 499 * MS);
	assert_int_equal(d->answers, before);
	pass(d, MS);
	assert_int_equal(d->answers, before + 1);
	for (unsigned i = 0; i < 300; i++) {
		struct message m = message_of(MESSAGE_DATA, i);

		m.time = EPOCH + i;
		take(d, &m);
		pass(d, 5 * MS);
		/* By the newest that came, so that the sender learns how long it took. */
		if (d->answers > before + 1)
			assert_in_range(d->last.time, EPOCH + 99, EPOCH + i);
	}
	assert_int_equal(d->numbered, 301);
	assert_in_range(d->answers - before, 3, 4);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	assert_int_equal(d->last.session, ID);
	assert_int_equal(d->last.run, 1);
	pass(d, NP_SECOND);
	before = d->answers;
	pass(d, 5 * NP_SECOND);
	assert_int_equal(d->answers, before);
	desk_free(d);
}

/* Who is acknowledged needs no other sign. */
static void acknowledgements(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 1000);
	unsigned before;

	(void)state;
	m.flags = MESSAGE_ACK_WANTED | MESSAGE_PING_PONG;
	take(d, &m);
	assert_false(receiver_in_ping_pong(d->receiver));
	m.start.proof = d->last.start_ok.challenge;
	take(d, &m);
	assert_true(receiver_in_ping_pong(d->receiver));
	before = d->answers;
	for (unsigned i = 0; i < 20; i++) {
		m = message_of(MESSAGE_DATA, i);
		m.flags = MESSAGE_ACK_WANTED;
		m.time = EPOCH + i;
		take(d, &m);
		assert_int_equal(d->last.type, MESSAGE_ACK);
		assert_int_equal(d->last.number, i);
		assert_int_equal(d->last.time, EPOCH + i);
		assert_int_equal(d->last.ack.data_size, NETWORK_BYTES);
		assert_int_equal(d->last.ack.received, d->now + 12 * NP_SECOND);
		pass(d, 100 * MS);
	}
	assert_int_equal(d->answers - before, 20);
	desk_free(d);
}

/* A member's answer to what all hear waits up to 100 ms, however often it is asked. */
static void held_answers(void **state)
{
	struct receiver_plan plan = receiving_plan();
	np_time least = NP_SECOND, most = 0;

	(void)state;
	for (unsigned seed = 0; seed < 60; seed++) {
		struct receiver_source source = {.by_group = true, .bytes = 200};
		struct desk *d;
		struct message m;
		np_time asked;

		plan.with.secret.word[0] = seed * 977;
		d = desk_of(&plan);
		source.address = &d->sender;
		m = start_of(d, 10);
		m.time = EPOCH + 5;
		receiver_take(d->receiver, &source, &m, d->now);
		asked = d->now;
		assert_int_equal(d->answers, 0);
		assert_in_range(receiver_deadline(d->receiver), asked, asked + 100 * MS);
		receiver_take(d->receiver, &source, &m, d->now);
		/* One that looks just when it is due. */
		if (seed == 1)
			receiver_tick(d->receiver, receiver_deadline(d->receiver));
		assert_int_equal(d->answers, seed == 1);
		while (!d->answers && d->now < asked + NP_SECOND)
			pass(d, MS);
		assert_in_range(d->now - asked, 0, 101 * MS);
		least = seed != 1 && d->now - asked < least ? d->now - asked : least;
		most = d->now - asked > most ? d->now - asked : most;
		assert_int_equal(d->last.type, MESSAGE_START_OK);
		assert_int_equal(d->last.time, EPOCH + 5);
		assert_int_equal(d->last.session, ID);
		assert_int_equal(d->last.start_ok.start_received, asked + 12 * NP_SECOND);
		pass(d, NP_SECOND);
		assert_int_equal(d->answers, 1);
		assert_true(receiver_deadline(d->receiver) == NP_TIME_NEVER);
		desk_free(d);
	}
	assert_true(least < 30 * MS && most > 70 * MS);
}

/* A question whether anybody is there begins nothing, and keeps out nobody. */
static void probes(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 10);

	(void)state;
	m.flags = MESSAGE_PROBE;
	take(d, &m);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	m.start.proof = d->last.start_ok.challenge;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 0);
	start(d, 10);
	m.session++;
	take_from(d, &d->other, &m);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	m.flags = 0;
	take_from(d, &d->other, &m);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_BUSY);
	assert_true(np_address_equal(&d->to, &d->other));
	desk_free(d);
}

/* Nobody is sent more bytes than came from where it says it is, until it proves that. */
static void unproven(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source tiny = {.address = &d->sender, .bytes = 20};
	struct receiver_source fair = tiny;
	struct message m = start_of(d, 10);

	(void)state;
	receiver_take(d->receiver, &tiny, &m, d->now);
	assert_int_equal(d->answers, 0);
	take(d, &m);
	fair.bytes = d->bytes - 1;
	receiver_take(d->receiver, &fair, &m, d->now);
	assert_int_equal(d->answers, 1);
	fair.bytes++;
	receiver_take(d->receiver, &fair, &m, d->now);
	assert_int_equal(d->answers, 2);
	d->answers = 0;
	/* Its DATA begin the run, and earn it answers. */
	m = message_of(MESSAGE_DATA, 0);
	m.flags = MESSAGE_ACK_WANTED;
	for (unsigned i = 0; i < 50; i++) {
		m.number = i;
		receiver_take(d->receiver, &tiny, &m, d->now);
	}
	/* An ACK is longer than 20 bytes. */
	assert_in_range(d->answers, 5, 25);
	/* The START that waited says what run it is. */
	assert_true(run_of(d)->started);
	assert_int_equal(run_of(d)->start.messages, 10);
	/* And it has still to prove where it is before its next run begins by a START. */
	m = start_of(d, 10);
	m.run = 2;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 1);
	desk_free(d);
	receiver_free(NULL);
	conversation_free(NULL);
}

/* What the sender last said of the clocks is reported; START's until END says better. */
static void clocks(void **state)
{
	struct desk *d = desk(true);
	struct message m;

	(void)state;
	m = start_of(d, 10);
	take(d, &m);
	m.start.proof = d->proof = d->last.start_ok.challenge;
	m.start.clock = (struct message_clock){.known = true, .offset = 5, .bound = 50};
	take(d, &m);
	assert_int_equal(run_of(d)->clock.offset, 5);
	m.start.clock.offset = 6;
	take(d, &m);
	assert_int_equal(run_of(d)->clock.offset, 6);
	m.start.clock.known = false;
	take(d, &m);
	assert_true(run_of(d)->clock.known);
	take_data(d, 0);
	m = message_of(MESSAGE_END, 1);
	m.end.clock = (struct message_clock){.known = true, .offset = 7, .bound = 9};
	take(d, &m);
	m.end.clock.offset = 8;
	take(d, &m);
	pass(d, NP_SECOND);
	assert_int_equal(d->last.report.clock.offset, 7);
	assert_int_equal(d->last.report.clock.bound, 9);
	assert_int_equal(d->last.report.delays.count, 1);
	desk_free(d);
}

/* The last run was of another kind, or of somebody else: nothing of it is believed of this one. */
static void nothing_stays(void **state)
{
	struct desk *d = desk(true);
	struct message m;

	(void)state;
	start(d, 1);
	take_data(d, 0);
	take_end(d, 1);
	pass(d, NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_IDLE);
	/* Late DATA of it: its START is none of theirs. */
	take_data(d, 5);
	assert_int_equal(d->told[RECEIVER_BEGUN], 2);
	assert_false(run_of(d)->started);
	take_end(d, 10);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_IDLE);
	/* Another session's DATA, from the same host: it has proved nothing yet. */
	m = message_of(MESSAGE_DATA, 0);
	m.session++;
	take(d, &m);
	assert_false(conversation_proven(receiver_conversation(d->receiver)));
	assert_int_equal(conversation_session(receiver_conversation(d->receiver)), ID + 1);
	desk_free(d);

	/* The next run of one that has proved it is believed at once, elsewhere not. */
	for (unsigned i = 0; i < 2; i++) {
		d = desk(true);
		m = start_of(d, 1);
		m.start.runs = 3;
		prove(d, &m);
		assert_true(conversation_proven(receiver_conversation(d->receiver)));
		m = message_of(MESSAGE_DATA, 0);
		m.run = 2;
		take_from(d, i ? &d->other : &d->sender, &m);
		assert_int_equal(run_of(d)->number, 2);
		assert_int_equal(conversation_proven(receiver_conversation(d->receiver)), !i);
		desk_free(d);
	}
}

/* Raw delays are of the clocks' offset; a START that tells it makes room for them around it. */
static void expected_delays(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 10);

	(void)state;
	start(d, 10);
	m.start.proof = d->proof;
	m.start.clock =
		(struct message_clock){.known = true, .offset = 12 * NP_SECOND, .bound = 50};
	take(d, &m);
	for (unsigned i = 0; i < 10; i++) {
		d->now = EPOCH + (i + 1) * MS;
		take_data(d, i);
	}
	take_end(d, 10);
	pass(d, NP_SECOND);
	assert_int_equal(d->last.type, MESSAGE_REPORT);
	assert_in_range(d->last.report.delays.p50, 12 * NP_SECOND + 4900000,
			12 * NP_SECOND + 6100000);
	desk_free(d);
}

/* One more of the same version's words; another version is told so, once. */
static void other_versions(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = 200};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		receiver_take_unknown(d->receiver, &source, 200, -EPROTONOSUPPORT, d->now);
	assert_int_equal(d->told[RECEIVER_FOREIGN], 1);
	assert_int_equal(d->answers, 3);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_UNWILLING);
	assert_int_equal(receiver_strays(d->receiver), 3);
	/* Damaged: of the run, if there is one, and a sign of life. */
	receiver_take_unknown(d->receiver, &source, 200, -EBADMSG, d->now);
	assert_int_equal(receiver_strays(d->receiver), 1);
	start(d, 10);
	pass(d, 15 * NP_SECOND);
	receiver_take_unknown(d->receiver, &source, 200, -EBADMSG, d->now);
	assert_int_equal(receiver_strays(d->receiver), 0);
	assert_int_equal(figures_of(d).damaged, 1);
	pass(d, 15 * NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	desk_free(d);
}

/* A short datagram begins and ends a classic run; more of them begin nothing. */
static void classic(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = 4};
	static const size_t length[] = {800, 4, 800, 800, 4, 4, 4, 800};

	(void)state;
	for (unsigned i = 0; i < sizeof(length) / sizeof(*length); i++) {
		receiver_take_unknown(d->receiver, &source, length[i], -EPROTO, d->now);
		pass(d, 10 * MS);
		assert_int_equal(d->told[RECEIVER_BEGUN], i >= 1);
		assert_int_equal(d->told[RECEIVER_FINISHED], i >= 4);
	}
	assert_int_equal(figures_of(d).received, 2);
	assert_int_equal(figures_of(d).bytes, 1600);
	/* The one before the run and the one behind it. */
	assert_int_equal(receiver_strays(d->receiver), 2);
	pass(d, 310 * MS);
	assert_int_equal(d->told[RECEIVER_LISTENING], 1);
	/* In a run of messages they are strays. */
	start(d, 10);
	receiver_take_unknown(d->receiver, &source, 800, -EPROTO, d->now);
	assert_int_equal(receiver_strays(d->receiver), 1);
	assert_int_equal(run_of(d)->messages, 0);
	desk_free(d);
}

/* Which run it is that is served, from its beginning until the next sender may come. */
static void serving(void **state)
{
	struct desk *d = desk(true);
	struct message m;

	(void)state;
	assert_false(receiver_serves(d->receiver, 0, 0));
	assert_false(receiver_serves(d->receiver, ID, 1));
	start(d, 1);
	assert_true(receiver_serves(d->receiver, ID, 1));
	assert_false(receiver_serves(d->receiver, ID + 1, 1));
	assert_false(receiver_serves(d->receiver, ID, 2));
	assert_false(receiver_in_ping_pong(d->receiver));
	take_end(d, 1);
	pass(d, 11 * NP_SECOND);
	assert_false(receiver_serves(d->receiver, ID, 1));
	desk_free(d);

	/* Of two streams something may come before the other's answer. */
	d = desk(true);
	m = start_of(d, 1);
	m.flags = MESSAGE_PING_PONG | MESSAGE_ACK_WANTED;
	m.start.streams = 2;
	prove(d, &m);
	assert_false(receiver_in_ping_pong(d->receiver));
	desk_free(d);

	d = desk(true);
	m.start.streams = 1;
	m.start.proof = 0;
	prove(d, &m);
	assert_true(receiver_in_ping_pong(d->receiver));
	take_data(d, 0);
	take_end(d, 1);
	pass(d, 250 * MS);
	assert_int_equal(run_of(d)->phase, RECEIVER_REPORTED);
	assert_true(receiver_serves(d->receiver, ID, 1));
	assert_false(receiver_in_ping_pong(d->receiver));
	desk_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unread),	    cmocka_unit_test(parts),
		cmocka_unit_test(strays),	    cmocka_unit_test(lost_start),
		cmocka_unit_test(start_of_another), cmocka_unit_test(damaged),
		cmocka_unit_test(signs_of_life),    cmocka_unit_test(acknowledgements),
		cmocka_unit_test(held_answers),	    cmocka_unit_test(probes),
		cmocka_unit_test(unproven),	    cmocka_unit_test(clocks),
		cmocka_unit_test(expected_delays),  cmocka_unit_test(nothing_stays),
		cmocka_unit_test(other_versions),   cmocka_unit_test(classic),
		cmocka_unit_test(serving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
