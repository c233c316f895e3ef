// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp_receiver_desk: the port and the listener of the machine, and what a test does to it. */
#include "ttcp_receiver_desk.h"

#include <errno.h>
#include <string.h>

void answer(void *context, const struct receiver_source *to, const void *message, size_t bytes)
{
	struct desk *d = context;

	d->answers++;
	d->bytes = bytes;
	d->to = *to->address;
	assert_int_equal(message_decode(message, bytes, &d->last), 0);
}

np_time read_clock(void *context)
{
	return ((const struct desk *)context)->now;
}

void account(void *context, struct message_report *report)
{
	(void)context;
	report->drop_unit = MESSAGE_DROPS_PACKETS;
	report->host_drops_most = 3;
}

void notify(void *context, const struct receiver_event *event)
{
	struct desk *d = context;

	d->events[event->kind]++;
	if (event->kind == RECEIVER_FINISHED)
		d->status = event->status;
}

void record(void *context, const struct receiver_data *data)
{
	struct desk *d = context;

	d->recorded += data->count;
	d->recorded_bytes += data->bytes;
	d->numbered += data->numbered ? data->count : 0;
}

static struct desk *made;

static void desk_free(void)
{
	if (made)
		receiver_free(made->receiver);
	free(made);
	made = NULL;
}

struct desk *desk_of(const struct receiver_plan *plan)
{
	struct desk *d = calloc(1, sizeof(*d));
	const struct receiver_port port = {d, answer, read_clock, account, notify, record};

	assert_non_null(d);
	if (!made)
		assert_int_equal(atexit(desk_free), 0);
	desk_free();
	made = d;
	d->now = EPOCH;
	d->sender = address_of("10.0.0.1:4000");
	d->other = address_of("10.0.0.2:4000");
	assert_int_equal(receiver_create(&d->receiver, plan, &port, d->now), 0);
	return d;
}

struct desk *desk(bool datagrams)
{
	struct receiver_plan plan = receiving_plan();

	plan.with.datagrams = datagrams;
	plan.senders = 0;
	return desk_of(&plan);
}

const struct receiver_run *run_of(const struct desk *d)
{
	return receiver_run(d->receiver);
}

struct np_flow_counts figures_of(const struct desk *d)
{
	return conversation_figures(&d->receiver->with);
}

struct message message_of(enum message_type type, uint64_t number)
{
	return (struct message){
		.type = (uint8_t)type,
		.session = ID,
		.run = 1,
		.number = number,
		.time = EPOCH,
		.size = NETWORK_BYTES,
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
		.message_bytes = NETWORK_BYTES,
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
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
}

void pass(struct desk *d, np_time time)
{
	for (np_time end = d->now + time; d->now < end;) {
		d->now += MS;
		receiver_tick(d->receiver, d->now);
	}
}

uint64_t strays_after(struct desk *d, const struct message *m)
{
	(void)receiver_strays(d->receiver);
	take(d, m);
	return receiver_strays(d->receiver);
}
