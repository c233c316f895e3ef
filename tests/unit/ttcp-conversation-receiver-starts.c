// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What begins a run at a receiver, message by message: a START or its loss, a classic datagram,
 * bytes. */
#include "support/ttcp_receiver_desk.h"

#include <errno.h>

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a receiver does message by message, to the millisecond: what begins a run, whom it answers
 * and how often, and what it only counts.
 */
#include "support/ttcp_receiver_desk.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

/* What is dropped unread counts as it goes, and keeps the run alive. */
static void unread(void **state)
{
	struct desk *d = desk(false);
	struct conversation *with = &d->receiver->with;

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

static struct np_address elsewhere(uint32_t host, uint16_t port)
{
	struct np_address address = {.length = sizeof(struct sockaddr_in)};
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(host), .sin_port = htons(port)};

	memcpy(&address.storage, &in, sizeof(in));
	return address;
}

/* One more of the same version's words; another version is told so, once. */
static void other_versions(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = 200};
	const struct np_address other = elsewhere(0x0a00004d, 5001);
	const struct receiver_source stranger = {.address = &other, .bytes = 200};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		receiver_take_unknown(d->receiver, &source, 200, -EPROTONOSUPPORT, d->now);
	assert_int_equal(d->told[RECEIVER_FOREIGN], 1);
	assert_int_equal(d->answers, 3);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_UNWILLING);
	assert_int_equal(receiver_strays(d->receiver), 3);
	/* Damaged: of the run if from its sender's host, and no sign of life. */
	receiver_take_unknown(d->receiver, &source, 200, -EBADMSG, d->now);
	assert_int_equal(receiver_strays(d->receiver), 1);
	start(d, 10);
	pass(d, 15 * NP_SECOND);
	receiver_take_unknown(d->receiver, &source, 200, -EBADMSG, d->now);
	assert_int_equal(receiver_strays(d->receiver), 0);
	assert_int_equal(figures_of(d).damaged, 1);
	receiver_take_unknown(d->receiver, &stranger, 200, -EBADMSG, d->now);
	assert_int_equal(receiver_strays(d->receiver), 1);
	assert_int_equal(figures_of(d).damaged, 1);
	pass(d, 15 * NP_SECOND);
	assert_int_not_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	desk_free(d);
}

/* A short datagram begins and ends a classic run; more of them begin nothing. */
static void classic(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = 4};
	static const size_t length[] = {0, 4, 800, 800, 4, 4, 4, 800};

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

/* One whose first mark was lost counts from its first datagram, and no stranger's bytes. */
static void classic_without_a_mark(void **state)
{
	struct desk *d = desk(true);
	struct np_address other;
	const struct receiver_source source = {.address = &d->sender, .bytes = 800};
	const struct receiver_source stranger = {.address = &other, .bytes = 800};

	(void)state;
	receiver_take_unknown(d->receiver, &source, 800, -EPROTO, d->now);
	assert_true(run_of(d)->raw && d->told[RECEIVER_BEGUN] == 1);
	other = elsewhere(0x0a00004d, 5001);
	receiver_take_unknown(d->receiver, &stranger, 800, -EPROTO, d->now);
	receiver_take_unknown(d->receiver, &stranger, 4, -EPROTO, d->now);
	assert_int_equal(receiver_strays(d->receiver), 2);
	assert_int_equal(d->told[RECEIVER_FINISHED], 0);
	receiver_take_unknown(d->receiver, &source, 4, -EPROTO, d->now);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	assert_int_equal(figures_of(d).received, 1);
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
		cmocka_unit_test(unread),	    cmocka_unit_test(lost_start),
		cmocka_unit_test(start_of_another), cmocka_unit_test(other_versions),
		cmocka_unit_test(classic),	    cmocka_unit_test(classic_without_a_mark),
		cmocka_unit_test(serving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
