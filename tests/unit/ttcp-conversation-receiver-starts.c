// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What begins a run at a receiver, message by message, to the millisecond: a START or its loss, a
 * classic datagram, bytes; and whom it answers, when and how often: a sender that has not proved
 * its address to the byte.
 */
#include "../../src/ttcp/conversation/conversation.h"
#include "support/ttcp_end.h"
#include "support/unit.h"

static char *self(const struct transport *t, char out[NP_ADDRESS_TEXT])
{
	(void)t;
	return strcpy(out, "this one");
}

/* What is dropped unread counts as it goes, and keeps the run alive. */
TEST(unread)
{
	struct end *d = RECEIVER(.datagrams = false);
	struct receiver *with = d->receiver;

	start(d, 100);
	assert_false(d->run->unread);
	d->run->unread = true;
	assert_int_equal(conversation_begin_stream(with, 0, 0, false), 0);
	for (unsigned i = 0; i < 100; i++) {
		conversation_take_raw(with, 0, 1, DATA_BYTES, d->now);
		pass(d, NP_SECOND);
	}
	assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
	assert_int_equal(d->run->messages, 100);
	take_end(d, 100);
	assert_int_equal(d->run->result.report.status, MESSAGE_COMPLETE);
	assert_int_equal(figures_of(d).received, 100);
	assert_int_equal(figures_of(d).bytes, 100 * DATA_BYTES);
	assert_int_equal(d->last.report.counts.received, 100);
}

/* A connection for one transaction belongs to a run if it knows that run's secret, and nothing else
 * does. */
TEST(secret_of_transactions)
{
	struct end *d = RECEIVER(.datagrams = false);
	struct receiver *r = d->receiver;
	struct channel *of_run = &d->channel[0], *other = &d->channel[1];
	const struct source run = {.address = &d->one, .channel = of_run};
	const struct source single = {.address = &d->one, .channel = other};
	struct message m = message_of(MESSAGE_TRANSACT, 12345);

	of_run->kept = true;
	m.flags = MESSAGE_AGAIN;
	m.transact = (struct message_transact){.request_bytes = 7, .response_bytes = 9};
	assert_false(transactions_take(r, &run, &m));
	start(d, 100);
	assert_false(transactions_take(r, &single, &m));
	m.stream = 1;
	assert_false(transactions_take(r, &run, &m));
	m.stream = 0;
	assert_true(transactions_take(r, &run, &m));
	assert_int_equal(d->sent[MESSAGE_TRANSACT], 1);
	assert_false(of_run->taken);
	assert_false(transactions_take(r, &run, &m));
	for (unsigned i = 0; i < 3; i++) {
		struct message forged = m;

		forged.session += i == 0;
		forged.run += i == 1;
		forged.number += i == 2;
		assert_false(transactions_take(r, &single, &forged));
		assert_false(other->kept);
	}
	assert_true(transactions_take(r, &single, &m));
	assert_true(other->kept);
	assert_int_equal(d->sent[MESSAGE_TRANSACT], 1);
	transactions_answer(d->receiver, other, d->now);
	assert_int_equal(other->fill_left, 9);
	pass(d, NP_SECOND);
	take_end(d, 1);
	assert_int_equal(figures_of(d).received, 1);
	assert_int_equal(figures_of(d).bytes, 7);
	assert_int_equal(d->last.report.counts.received, 1);
	/* After the run it gets nothing. */
	other->kept = false;
	assert_false(transactions_take(r, &single, &m));
}

/* Datagrams without their START: of so many streams as tell of themselves. */
TEST(lost_start)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = message_of(MESSAGE_DATA, 100);

	take(d, &m);
	assert_int_equal(BEGUN(d), 1);
	assert_int_equal(d->run->streams, 1);
	assert_false(d->run->started);
	m.stream = 3;
	take(d, &m);
	assert_int_equal(d->run->streams, 4);
	m.number++;
	take(d, &m);
	m.stream = MESSAGE_STREAMS_MAX;
	assert_int_equal(strays_after(d, &m), 1);
	assert_int_equal(d->run->streams, 4);
	assert_int_equal(figures_of(d).received, 3);
	/* What came before is not known to be lost. */
	for (unsigned i = 0; i < 4; i++)
		take_of_stream(d, MESSAGE_END, i, 102);
	assert_true(d->run->ended_at);
	assert_int_equal(said_after(d, 11 * NP_SECOND, FINISHED_TEXT), 1);
	assert_int_equal(figures_of(d).lost, 1);
	assert_true(figures_of(d).missed_before >= 200);
	assert_int_equal(d->last.report.counts.missed_before, figures_of(d).missed_before);
	assert_false(d->last.report.exact);
	/* Another run of it: none of its streams has ended yet. */
	for (unsigned i = 0; i < 4; i++) {
		m = message_of(i < 2 ? MESSAGE_DATA : MESSAGE_END, i / 2);
		m.run = 2;
		m.stream = i % 2 ? 3 : 0;
		take(d, &m);
	}
	assert_int_equal(d->run->number, 2);
	assert_int_equal(d->run->streams, 4);
	assert_false(d->run->ended_at);
}

/* What another sender, or another session, announced is not of this one. */
TEST(start_of_another)
{
	for (unsigned session = 0; session < 2; session++) {
		struct end *d = RECEIVER(.datagrams = true);
		struct message m = start_of(d, 10);

		take(d, &m);
		m = message_of(MESSAGE_DATA, 0);
		m.session += session;
		take_from(d, session ? &d->one : &d->two, &m);
		assert_int_equal(BEGUN(d), 1);
		assert_false(d->run->started);
	}
}

/* One more of the same version's words; another version is told so, once. */
TEST(other_versions)
{
	struct end *d = RECEIVER(.datagrams = true);
	const struct source source = {.address = &d->one, .bytes = 200};
	const struct np_address other = address_of("10.0.0.77:5001");
	const struct source outsider = {.address = &other, .bytes = 200};

	for (unsigned i = 0; i < 3; i++)
		receiver_take_unknown(d->receiver, &source, -EPROTONOSUPPORT, d->now);
	assert_int_equal(end_said(d, "another version"), 1);
	assert_int_equal(d->answers, 3);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_UNWILLING);
	assert_int_equal(strays(d), 3);
	/* Damaged: of the run if from its sender's host, and no sign of life. */
	receiver_take_unknown(d->receiver, &source, -EBADMSG, d->now);
	assert_int_equal(strays(d), 1);
	start(d, 10);
	pass(d, 15 * NP_SECOND);
	receiver_take_unknown(d->receiver, &source, -EBADMSG, d->now);
	assert_int_equal(strays(d), 0);
	assert_int_equal(figures_of(d).damaged, 1);
	receiver_take_unknown(d->receiver, &outsider, -EBADMSG, d->now);
	assert_int_equal(strays(d), 1);
	assert_int_equal(figures_of(d).damaged, 1);
	pass(d, 15 * NP_SECOND);
	assert_int_not_equal(d->run->phase, RECEIVER_RECEIVING);
}

/* A short datagram begins and ends a classic run; more of them begin nothing. */
TEST(classic)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct source source = {.address = &d->one};
	static const size_t length[] = {0, 4, 800, 800, 4, 4, 4, 800};

	for (unsigned i = 0; i < sizeof(length) / sizeof(*length); i++) {
		source.bytes = length[i];
		receiver_take_unknown(d->receiver, &source, -EPROTO, d->now);
		assert_int_equal(said_after(d, 10 * MS, BEGUN_TEXT), i >= 1);
		assert_int_equal(FINISHED(d), i >= 4);
	}
	assert_int_equal(figures_of(d).received, 2);
	assert_int_equal(figures_of(d).bytes, 1600);
	/* The one before the run and the one behind it. */
	assert_int_equal(end_said(d, "1 datagram or messages belonged to no run"), 1);
	assert_int_equal(strays(d), 1);
	assert_int_equal(said_after(d, 310 * MS, LISTENING_TEXT), 1);
	/* In a run of messages they are strays. */
	start(d, 10);
	receiver_take_unknown(d->receiver, &source, -EPROTO, d->now);
	assert_int_equal(strays(d), 1);
	assert_int_equal(d->run->messages, 0);
}

/* One whose first mark was lost counts from its first datagram, and no outsider's bytes. */
TEST(classic_without_a_mark)
{
	struct end *d = RECEIVER(.datagrams = true);
	const struct np_address other = address_of("10.0.0.77:5001");
	struct source source = {.address = &d->one, .bytes = 800};
	struct source outsider = {.address = &other, .bytes = 800};

	receiver_take_unknown(d->receiver, &source, -EPROTO, d->now);
	assert_true(d->run->raw && BEGUN(d) == 1);
	receiver_take_unknown(d->receiver, &outsider, -EPROTO, d->now);
	outsider.bytes = source.bytes = 4;
	receiver_take_unknown(d->receiver, &outsider, -EPROTO, d->now);
	assert_int_equal(strays(d), 2);
	assert_int_equal(FINISHED(d), 0);
	receiver_take_unknown(d->receiver, &source, -EPROTO, d->now);
	assert_int_equal(FINISHED(d), 1);
	assert_int_equal(figures_of(d).received, 1);
}

/* Which run it is that is served, from its beginning until the next sender may come. */
TEST(serving)
{
	struct end *d = RECEIVER(.datagrams = true);

	assert_false(conversation_serves(d->receiver, 0, 0));
	assert_false(conversation_serves(d->receiver, ID, 1));
	start(d, 1);
	assert_true(conversation_serves(d->receiver, ID, 1));
	assert_false(conversation_serves(d->receiver, ID + 1, 1));
	assert_false(conversation_serves(d->receiver, ID, 2));
	take_data(d, 0);
	take_end(d, 1);
	pass(d, 250 * MS);
	assert_int_equal(d->run->phase, RECEIVER_REPORTED);
	assert_true(conversation_serves(d->receiver, ID, 1));
	pass(d, NP_SECOND);
	assert_false(conversation_serves(d->receiver, ID, 1));
}

static void take_bytes(struct end *d, const struct np_address *from, uint64_t number, size_t bytes)
{
	const struct source source = {.address = from, .bytes = bytes};
	struct message m = message_of(MESSAGE_DATA, number);

	m.flags = MESSAGE_ACK_WANTED;
	receiver_take(d->receiver, &source, &m, d->now);
}

/* Twice a second at most, and only while messages come, the sender is told so. */
TEST(signs_of_life)
{
	struct end *d = RECEIVER(.datagrams = true);
	unsigned before;

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
	assert_int_equal(figures_of(d).received, 301);
	assert_in_range(d->answers - before, 3, 4);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	assert_int_equal(d->last.session, ID);
	assert_int_equal(d->last.run, 1);
	pass(d, NP_SECOND);
	before = d->answers;
	pass(d, 5 * NP_SECOND);
	assert_int_equal(d->answers, before);

	/* A stream is not disturbed by any. */
	d = RECEIVER(.datagrams = false);
	start(d, 100);
	before = d->answers;
	for (unsigned i = 0; i < 20; i++) {
		take_data(d, i);
		pass(d, 100 * MS);
	}
	assert_int_equal(d->answers, before);
}

/* Who is acknowledged needs no other sign. */
TEST(acknowledgements)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = start_of(d, 1000);
	unsigned before;

	m.flags = MESSAGE_ACK_WANTED;
	prove(d, &m);
	before = d->answers;
	for (unsigned i = 0; i < 20; i++) {
		m = message_of(MESSAGE_DATA, i);
		m.flags = MESSAGE_ACK_WANTED;
		m.time = EPOCH + i;
		take(d, &m);
		assert_int_equal(d->last.type, MESSAGE_ACK);
		assert_int_equal(d->last.number, i);
		assert_int_equal(d->last.time, EPOCH + i);
		assert_int_equal(d->last.ack.data_size, DATA_BYTES);
		assert_int_equal(d->last.ack.received, d->now + 12 * NP_SECOND);
		pass(d, 100 * MS);
	}
	assert_int_equal(d->answers - before, 20);
}

/* A member's answer to what all hear waits up to 100 ms, however often it is asked. */
TEST(held_answers)
{
	struct receiver_plan plan = {.datagrams = true, .senders = 1};
	np_time least = NP_SECOND, most = 0;

	for (unsigned seed = 0; seed < 60; seed++) {
		struct source source = {.by_group = true, .bytes = 200};
		struct end *d;
		struct message m;
		np_time asked;

		plan.secret = seed * 977;
		d = desk_of_receiver(&plan);
		source.address = &d->one;
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
	}
	assert_true(least < 30 * MS && most > 70 * MS);
}

/* A question whether anybody is there begins nothing, and keeps out nobody. */
TEST(probes)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = start_of(d, 10);

	m.flags = MESSAGE_PROBE;
	take(d, &m);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	m.start.proof = d->last.start_ok.challenge;
	take(d, &m);
	assert_int_equal(BEGUN(d), 0);
	start(d, 10);
	m.session++;
	take_from(d, &d->two, &m);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	m.flags = 0;
	take_from(d, &d->two, &m);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_BUSY);
	assert_true(np_address_equal(&d->to, &d->two));
}

/* Nobody is sent more bytes than came from where it says it is, until it proves that. */
TEST(unproven)
{
	struct end *d = RECEIVER(.datagrams = true);
	const struct source tiny = {.address = &d->one, .bytes = 20};
	struct source fair = tiny;
	struct message m = start_of(d, 10);

	receiver_take(d->receiver, &tiny, &m, d->now);
	assert_int_equal(d->answers, 0);
	take(d, &m);
	fair.bytes = d->bytes - 1;
	receiver_take(d->receiver, &fair, &m, d->now);
	assert_int_equal(d->answers, 1);
	fair.bytes++;
	receiver_take(d->receiver, &fair, &m, d->now);
	assert_int_equal(d->answers, 2);
	/* Its DATA begin the run. */
	m = message_of(MESSAGE_DATA, 0);
	receiver_take(d->receiver, &tiny, &m, d->now);
	/* The START that waited says what run it is. */
	assert_true(d->run->started);
	assert_int_equal(d->run->start.messages, 10);
	/* And it has still to prove where it is before its next run begins by a START. */
	m = start_of(d, 10);
	m.run = 2;
	take(d, &m);
	assert_int_equal(BEGUN(d), 1);
	receiver_free(NULL);
}

/*
 * It is answered as soon as so many bytes came from it as the answer has, and not before; what
 * comes from elsewhere in its name earns it nothing.
 */
TEST(answers_to_the_byte)
{
	struct end *d = RECEIVER(.datagrams = true);
	size_t bytes;

	take_bytes(d, &d->one, 0, 200);
	assert_int_equal(d->last.type, MESSAGE_ACK);
	bytes = d->bytes;
	d = RECEIVER(.datagrams = true);
	for (size_t i = 0; i < 3 * bytes; i++) {
		assert_int_equal(d->answers, i / bytes);
		take_bytes(d, &d->one, 2 * i, 1);
		take_bytes(d, &d->two, 2 * i + 1, 20);
	}
	assert_int_equal(d->answers, 3);
}

/* A START that asks for more than the limits gets no place, and is told which it was. */
TEST(limits)
{
	static const struct {
		const char *row;
		np_time duration;
		uint64_t messages, rate_bits;
		enum message_limit limit;
	} rows[] = {
		{"all of both", 10 * NP_SECOND, 0, 1000000, MESSAGE_LIMIT_NONE},
		{"rounded by version 1", NP_SECOND, 0, 1000500, MESSAGE_LIMIT_RATE},
		{"a higher rate", NP_SECOND, 0, 2000000, MESSAGE_LIMIT_RATE},
		{"no rate", NP_SECOND, 0, 0, MESSAGE_LIMIT_RATE},
		{"longer", 10 * NP_SECOND + 1, 0, 1000, MESSAGE_LIMIT_DURATION},
		{"longer by its messages", 0, 20, 1000, MESSAGE_LIMIT_DURATION},
		{"shorter by its messages", 99 * NP_SECOND, 19, 1000, MESSAGE_LIMIT_NONE},
		{"for ever", 0, INT64_MAX, 1, MESSAGE_LIMIT_DURATION},
		{"no end", 0, 0, 1000, MESSAGE_LIMIT_NONE},
	};

	for (unsigned i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		struct end *d = RECEIVER(.datagrams = i % 2);
		struct message m = start_of(d, rows[i / 2].messages);
		const enum message_limit limit = rows[i / 2].limit;
		const struct message_start_ok *ok = &d->last.start_ok;

		d->options.wait.max_duration = 10 * NP_SECOND;
		d->options.wait.max_rate_bits = 1000000;
		m.start.message_bytes = 64;
		m.start.duration = rows[i / 2].duration;
		m.start.rate_bits = rows[i / 2].rate_bits;
		m.start.proof = 0;
		take(d, &m);
		/* Nobody fills the log from an address that is not his. */
		assert_row(rows[i / 2].row, !d->receiver->transport.face->datagrams ||
						    !end_said(d, "refused a run"));
		m.start.proof = ok->challenge;
		take(d, &m);
		take(d, &m);
		assert_row(rows[i / 2].row, ok->limit == limit);
		assert_row(rows[i / 2].row, end_said(d, "refused a run") == (limit != 0));
		assert_row(rows[i / 2].row, BEGUN(d) == !limit);
		if (limit == MESSAGE_LIMIT_RATE)
			assert_int_equal(ok->most, 1000000);
		else if (limit)
			assert_int_equal(ok->most, 10 * NP_SECOND);
		/* It sends all the same. */
		m = message_of(MESSAGE_DATA, 0);
		take(d, &m);
		assert_row(rows[i / 2].row, BEGUN(d) == !limit);
	}
}

/* The limit of a run that did not ask for much; what its sender sends after that begins nothing. */
TEST(longer_than_it_may)
{
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct end *d = RECEIVER(.datagrams = datagrams);
		const np_time limit = 2 * NP_SECOND;
		uint64_t number = 0;

		d->options.wait.max_duration = limit;
		start(d, 0);
		/* The pause of its sender is not of it. */
		pass(d, 3 * NP_SECOND);
		for (np_time at = 0; at < limit + 9 * NP_SECOND; at += 500 * MS) {
			take_data(d, number++);
			pass(d, 500 * MS);
		}
		assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
		pass(d, 1100 * MS);
		assert_int_not_equal(d->run->phase, RECEIVER_RECEIVING);
		assert_int_equal(end_said(d, "longer than --max-duration"), 1);
		assert_int_equal(d->run->result.report.status, MESSAGE_INTERRUPTED);
		assert_int_equal(figures_of(d).received, number);
		pass(d, NP_SECOND);
		for (unsigned i = 0; i < 3; i++)
			take_data(d, number++);
		assert_int_equal(BEGUN(d), 1);
	}
}

/* Who warms up again and again is not longer there for it. */
TEST(warms_up_for_ever)
{
	struct end *d = RECEIVER(.datagrams = false);
	struct message m = message_of(MESSAGE_DATA, 0), again = start_of(d, 9);

	d->options.wait.max_duration = 2 * NP_SECOND;
	start(d, 9);
	m.flags = MESSAGE_WARM_UP;
	for (unsigned i = 0; i < 11; i++) {
		take(d, &m);
		take(d, &again);
		pass(d, NP_SECOND);
	}
	assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
	pass(d, NP_SECOND);
	assert_int_equal(end_said(d, "longer than --max-duration"), 1);
}

/* A message a second, and up to ten seconds' before their time, however low a rate was announced.
 */
TEST(faster_than_it_may)
{
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct end *d = RECEIVER(.datagrams = datagrams);
		struct message m = start_of(d, 0);
		uint64_t number = 0;

		d->options.wait.max_rate_bits = 8 * DATA_BYTES;
		m.start.rate_bits = 1;
		prove(d, &m);
		for (; number < 30; pass(d, NP_SECOND))
			take_data(d, number++);
		while (number < 40)
			take_data(d, number++);
		pass(d, 20 * MS);
		assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
		take_data(d, number++);
		pass(d, 20 * MS);
		assert_int_equal(end_said(d, "faster than --max-rate"), 1);
		assert_int_equal(d->run->result.report.status, MESSAGE_INTERRUPTED);
		assert_int_equal(figures_of(d).received, number);
	}
}

/* The next run of a sender is refused: it is not waited for. */
TEST(next_run_refused)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = start_of(d, 1);

	m.start.runs = 2;
	d->options.wait.max_duration = 5 * NP_SECOND;
	prove(d, &m);
	take_data(d, 0);
	take_end(d, 1);
	pass(d, NP_SECOND);
	assert_int_equal(LISTENING(d), 0);
	m.run = 2;
	m.start.duration = 6 * NP_SECOND;
	m.start.messages = 0;
	take(d, &m);
	assert_int_equal(d->last.start_ok.limit, MESSAGE_LIMIT_DURATION);
	pass(d, NP_SECOND);
	assert_int_equal(LISTENING(d), 1);
	assert_int_equal(end_said(d, "did not return"), 0);
}

/* What cannot be sent to who asks for it is refused before anything is opened for it. */
TEST(requests)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct receiver *r = d->receiver;
	struct transport_face overlay = *r->transport.face;
	const struct source source = {.address = &d->one};
	struct message m = start_of(d, 10);

	m.type = MESSAGE_REVERSE;
	m.start.streams = 2;
	assert_false(reverse_refuses(r, &source, &m));
	overlay.self = self;
	r->transport.face = &overlay;
	assert_true(reverse_refuses(r, &source, &m));
	assert_int_equal(end_said(d, "an overlay has one"), 1);
	m.start.streams = 1;
	assert_false(reverse_refuses(r, &source, &m));
	r->transport.group = true;
	m.session++;
	assert_true(reverse_refuses(r, &source, &m));
	assert_int_equal(end_said(d, "a member of a group"), 1);
	r->transport.group = false;
	r->id = ID;
	m.session++;
	assert_true(reverse_refuses(r, &source, &m));
	assert_int_equal(end_said(d, "one that asks itself"), 1);
}
