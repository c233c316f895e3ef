// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Whom a receiver answers, when and how often: signs of life, acknowledgements, probes; how much a
 * sender that has not proved its address, to the byte. And what it counts of several streams, and
 * of what was not read.
 */
#include "support/ttcp_receiver_desk.h"

#include <errno.h>

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How much a receiver answers a sender that has not proved its address: to the byte, and only for
 * what came from there. And what it counts of several streams, and of what was not read.
 */
#include "support/ttcp_receiver_desk.h"

#include <string.h>

static void take_bytes(struct desk *d, const struct np_address *from, uint64_t number, size_t bytes)
{
	const struct receiver_source source = {.address = from, .bytes = bytes};
	struct message m = message_of(MESSAGE_DATA, number);

	m.flags = MESSAGE_ACK_WANTED;
	receiver_take(d->receiver, &source, &m, d->now);
}

/* The bytes of an acknowledgement. */
static size_t ack_bytes(void)
{
	struct desk *d = desk(true);
	size_t bytes;

	take_bytes(d, &d->sender, 0, 200);
	assert_int_equal(d->last.type, MESSAGE_ACK);
	bytes = d->bytes;
	desk_free(d);
	return bytes;
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
}

/* It is answered as soon as so many bytes came from it as the answer has, and not before. */
static void answers_to_the_byte(void **state)
{
	const size_t bytes = ack_bytes();
	struct desk *d = desk(true);

	(void)state;
	for (size_t i = 0; i < 3 * bytes; i++) {
		assert_int_equal(d->answers, i / bytes);
		take_bytes(d, &d->sender, i, 1);
	}
	assert_int_equal(d->answers, 3);
	desk_free(d);
}

/* What comes from elsewhere in its name earns it nothing. */
static void bytes_of_others_earn_nothing(void **state)
{
	struct desk *d = desk(true);

	(void)state;
	take_bytes(d, &d->sender, 0, 1);
	for (unsigned i = 1; i < 50; i++)
		take_bytes(d, &d->other, i, 20);
	take_bytes(d, &d->sender, 50, 1);
	assert_int_equal(d->answers, 0);
	desk_free(d);
}

/* Datagrams need a sign of life; a stream is not disturbed by one. */
static void streams_get_no_sign_of_life(void **state)
{
	struct desk *d = desk(false);
	unsigned before;

	(void)state;
	start(d, 100);
	before = d->answers;
	for (unsigned i = 0; i < 20; i++) {
		take_data(d, i);
		pass(d, 100 * MS);
	}
	assert_int_equal(d->answers, before);
	desk_free(d);
}

/* So far, and at the end: the sum of all streams, once each. */
static void sums_of_streams(void **state)
{
	struct desk *d = desk(false);
	const struct conversation *with = &d->receiver->with;
	struct message m = start_of(d, 10);

	(void)state;
	m.start.streams = 3;
	prove(d, &m);
	for (unsigned stream = 0; stream < 3; stream++)
		for (unsigned i = 0; i <= stream; i++)
			take_of_stream(d, MESSAGE_DATA, stream, i);
	assert_int_equal(conversation_figures_so_far(with).received, 1 + 2 + 3);
	assert_int_equal(conversation_figures(with).received, 1 + 2 + 3);
	desk_free(d);
}

/* Whose content was not looked at, nobody knows what is missing. */
static void unread_is_remembered(void **state)
{
	struct desk *d = desk(false);
	struct conversation *with = &d->receiver->with;

	(void)state;
	start(d, 100);
	assert_false(run_of(d)->unread);
	conversation_begin_unread(with, 0);
	assert_true(run_of(d)->unread);
	conversation_take_unread(with, 0, 60, 60 * NETWORK_BYTES, d->now);
	take_end(d, 100);
	assert_int_equal(figures_of(d).lost, 0);
	desk_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signs_of_life),
		cmocka_unit_test(acknowledgements),
		cmocka_unit_test(held_answers),
		cmocka_unit_test(probes),
		cmocka_unit_test(unproven),
		cmocka_unit_test(answers_to_the_byte),
		cmocka_unit_test(bytes_of_others_earn_nothing),
		cmocka_unit_test(streams_get_no_sign_of_life),
		cmocka_unit_test(sums_of_streams),
		cmocka_unit_test(unread_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
