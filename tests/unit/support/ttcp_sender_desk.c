// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp_sender_desk: the transport of the sender, and what a test does to it. */
#include "ttcp_sender_desk.h"

#include <errno.h>
#include <string.h>

static struct desk *made;

static ssize_t send_control(struct transport *t, struct channel *channel,
			    const struct np_address *to, const void *message, size_t bytes,
			    bool more)
{
	struct desk *d = made;

	(void)t;
	(void)more;
	assert_int_equal(message_decode(message, bytes, &d->last), 0);
	d->sent[d->last.type]++;
	d->sent_on[channel - d->end.channel]++;
	d->alone += to != NULL;
	d->last_at = d->now;
	return d->refusal ? d->refusal : (ssize_t)bytes;
}

static ssize_t push(struct transport *t, struct channel *channel, size_t first, size_t bytes)
{
	struct desk *d = made;

	(void)t;
	if (d->full)
		return -EAGAIN;
	if (d->idle && channel == d->end.channel)
		return 0;
	for (size_t at = first; at < first + bytes; at += DATA_BYTES) {
		assert_int_equal(message_decode(channel->batch + at, DATA_BYTES, &d->data), 0);
		d->pushed++;
	}
	return (ssize_t)bytes;
}

static void release(struct transport *t, int lane)
{
	(void)t;
	(void)lane;
}

static int connect_lane(struct transport *t, unsigned lane, bool patient)
{
	(void)t;
	(void)patient;
	made->connects += !lane;
	return 0;
}

static void finish(struct transport *t, unsigned lane)
{
	(void)t;
	made->finished += lane + 1;
}

static uint64_t unacknowledged(struct transport *t)
{
	(void)t;
	return made->left;
}

static void count(const struct transport *t, struct transport_counts *counts)
{
	(void)t;
	counts->refusal = made->refused ? -ECONNREFUSED : 0;
}

static char *name(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	(void)address;
	return strcpy(out, "somebody");
}

static void desk_free(void)
{
	if (made)
		end_close_sender(&made->end, made->sender);
	free(made);
	made = NULL;
}

struct desk *desk_of(const struct sender_plan *plan)
{
#define FACE                                                                                       \
	.send = send_control, .push = push, .release = release, .connect = connect_lane,           \
	.finish = finish, .unacknowledged = unacknowledged, .counts = count, .name = name
	static const struct transport_face streams = {FACE}, datagrams = {.datagrams = true, FACE};
	struct sender_plan own = *plan;
	struct desk *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	if (!made)
		assert_int_equal(atexit(desk_free), 0);
	desk_free();
	made = d;
	d->now = EPOCH;
	d->one = address_of("10.0.0.1:5001");
	d->two = address_of("10.0.0.2:5001");
	own.id = ID;
	d->sender = end_send(&d->end, &own, own.datagrams ? &datagrams : &streams, &d->now);
	sender_begin(d->sender, 1, 8000 * DATA_BYTES);
	sender_contact(d->sender, d->now);
	return d;
}

struct desk *desk(bool datagrams)
{
	return DESK(.datagrams = datagrams);
}

enum sender_phase phase(const struct desk *d)
{
	return d->sender->run.phase;
}

void pass(struct desk *d, np_time time)
{
	for (np_time end = d->now + time; d->now < end;) {
		d->now += MS;
		if (d->now >= sender_deadline(d->sender))
			sender_tick(d->sender, d->now);
	}
}

void take_from(struct desk *d, const struct np_address *from, const struct message *m)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	const size_t bytes = message_encode(data, m);

	assert_int_equal(sender_take(d->sender, data, bytes, from, d->now), 0);
}

struct message answer_of(enum message_type type)
{
	return (struct message){.type = (uint8_t)type, .session = ID, .run = 1};
}

void take_ok(struct desk *d, const struct np_address *from, unsigned lane)
{
	struct message m = answer_of(MESSAGE_START_OK);

	m.stream = (uint16_t)lane;
	m.time = d->last_at + 7 * NP_SECOND;
	m.start_ok.challenge = 4711;
	m.start_ok.start_received = m.start_ok.replied = d->now + 12 * NP_SECOND;
	take_from(d, from, &m);
}

void take_report(struct desk *d, const struct np_address *from)
{
	const struct message m = answer_of(MESSAGE_REPORT);

	take_from(d, from, &m);
}

void contact(struct desk *d)
{
	for (unsigned i = 0; i < d->sender->transport.lanes; i++)
		take_ok(d, &d->one, i);
	pass(d, 3 * NP_SECOND);
	assert_int_equal(phase(d), SENDER_SENDING);
	sender_start(d->sender, d->now);
}

void send_all(struct desk *d)
{
	np_time now = d->now;

	while (!sender_sent(d->sender, now)) {
		d->now += MS;
		now = d->now;
		assert_in_range(sender_push(d->sender, &now), 0, 1);
	}
}

int push_at(struct desk *d, np_time now)
{
	return sender_push(d->sender, &now);
}

int push_now(struct desk *d)
{
	return push_at(d, d->now);
}

void run_to_end(struct desk *d)
{
	contact(d);
	send_all(d);
	sender_end(d->sender, d->now);
}
