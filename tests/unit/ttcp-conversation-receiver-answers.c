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
	const struct conversation *with = receiver_conversation(d->receiver);
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
	struct conversation *with = receiver_conversation(d->receiver);

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
		cmocka_unit_test(answers_to_the_byte),
		cmocka_unit_test(bytes_of_others_earn_nothing),
		cmocka_unit_test(streams_get_no_sign_of_life),
		cmocka_unit_test(sums_of_streams),
		cmocka_unit_test(unread_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
