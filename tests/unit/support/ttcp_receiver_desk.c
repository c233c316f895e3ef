// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp_receiver_desk: the transport of the receiver, and what a test does to it. */
#include "ttcp_receiver_desk.h"

#include <errno.h>
#include <string.h>

static struct desk *made;

static ssize_t answer(struct transport *t, struct channel *channel, const struct np_address *to,
		      const void *message, size_t bytes, bool more)
{
	struct desk *d = made;

	(void)t;
	(void)channel;
	(void)more;
	d->answers++;
	d->bytes = bytes;
	d->to = *to;
	assert_int_equal(message_decode(message, bytes, &d->last), 0);
	return (ssize_t)bytes;
}

static const struct np_address *local(const struct transport *t, const struct channel *channel)
{
	(void)t;
	(void)channel;
	return &made->other;
}

/* Three more each time: in a run of which the report alone asks. */
static void count(const struct transport *t, struct transport_counts *counts)
{
	static uint64_t dropped;

	(void)t;
	counts->drop_unit = "packet";
	counts->dropped_known = true;
	counts->dropped = dropped += 3;
}

static void desk_free(void)
{
	if (made)
		end_close_receiver(&made->end, made->receiver);
	free(made);
	made = NULL;
}

struct desk *desk_of(const struct receiver_plan *plan)
{
	static const struct transport_face streams = {
		.send = answer, .local = local, .counts = count, .socket = end_no_socket};
	static const struct transport_face datagrams = {.datagrams = true,
							.send = answer,
							.local = local,
							.counts = count,
							.socket = end_no_socket};
	struct desk *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	if (!made)
		assert_int_equal(atexit(desk_free), 0);
	desk_free();
	made = d;
	d->now = EPOCH;
	d->sender = address_of("10.0.0.1:4000");
	d->other = address_of("10.0.0.2:4000");
	d->receiver = end_receive(&d->end, plan, plan->datagrams ? &datagrams : &streams, &d->now);
	d->with = &d->receiver->with;
	d->run = &d->with->run;
	return d;
}

struct desk *desk(bool datagrams)
{
	return desk_of(&(struct receiver_plan){.datagrams = datagrams});
}

struct np_flow_counts figures_of(const struct desk *d)
{
	return conversation_figures(d->with);
}

struct message message_of(enum message_type type, uint64_t number)
{
	return (struct message){
		.type = (uint8_t)type,
		.session = ID,
		.run = 1,
		.number = number,
		.time = EPOCH,
		.size = DATA_BYTES,
	};
}

void take_from(struct desk *d, const struct np_address *from, const struct message *m)
{
	const struct receiver_source source = {.address = from, .bytes = 200};

	receiver_take(d->receiver, &source, m, d->now);
}

void take(struct desk *d, const struct message *m)
{
	take_from(d, &d->sender, m);
}

void take_data(struct desk *d, uint64_t number)
{
	const struct message m = message_of(MESSAGE_DATA, number);

	take(d, &m);
}

void take_of_stream(struct desk *d, enum message_type type, unsigned stream, uint64_t number)
{
	struct message m = message_of(type, number);

	m.stream = (uint16_t)stream;
	take(d, &m);
}

void take_end(struct desk *d, uint64_t messages)
{
	struct message m = message_of(MESSAGE_END, messages);

	m.end.proof = d->proof;
	take(d, &m);
}

struct message start_of(const struct desk *d, uint64_t messages)
{
	struct message m = message_of(MESSAGE_START, messages);

	m.start = (struct message_start){
		.message_bytes = DATA_BYTES,
		.messages = messages,
		.timeout_ms = MESSAGE_SILENCE_MS,
		.streams = 1,
		.runs = 1,
		.proof = d->proof,
		.session = "DESK",
	};
	return m;
}

void prove(struct desk *d, struct message *m)
{
	take(d, m);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	d->proof = m->start.proof = d->last.start_ok.challenge;
	take(d, m);
}

void start(struct desk *d, uint64_t messages)
{
	struct message m = start_of(d, messages);

	prove(d, &m);
	assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
}

void pass(struct desk *d, np_time time)
{
	for (np_time end = d->now + time; d->now < end;) {
		d->now += MS;
		receiver_tick(d->receiver, d->now);
	}
}

uint64_t strays(struct desk *d)
{
	const uint64_t strays = d->with->strays;

	d->with->strays = 0;
	return strays;
}

uint64_t strays_after(struct desk *d, const struct message *m)
{
	(void)strays(d);
	take(d, m);
	return strays(d);
}
