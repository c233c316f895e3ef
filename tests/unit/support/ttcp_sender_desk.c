// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp_sender_desk: the port and the listener of the machine, and what a test does to it. */
#include "ttcp_sender_desk.h"

#include <errno.h>
#include <string.h>

static int send_control(void *context, unsigned lane, const struct np_address *to,
			const void *message, size_t bytes)
{
	struct desk *d = context;

	assert_int_equal(message_decode(message, bytes, &d->last), 0);
	d->sent[d->last.type]++;
	d->sent_on[lane]++;
	d->alone += to != NULL;
	d->last_at = d->now;
	return d->refusal;
}

static ssize_t push(void *context, struct sender_lane *lane, np_time *now)
{
	struct desk *d = context;

	*now = d->now;
	if (d->full)
		return -EAGAIN;
	if (d->idle && lane == &d->sender->lane[0])
		return 0;
	for (size_t at = lane->gone; at < lane->filled; at += NETWORK_BYTES) {
		assert_int_equal(message_decode(lane->batch + at, NETWORK_BYTES, &d->data), 0);
		d->pushed++;
	}
	return (ssize_t)(lane->filled - lane->gone);
}

static np_time read_clock(void *context)
{
	return ((const struct desk *)context)->now;
}

static int reconnect(void *context, uint64_t lanes)
{
	struct desk *d = context;

	assert_true(lanes);
	d->connects++;
	d->reconnected = lanes;
	return 0;
}

static void finish(void *context, unsigned lane)
{
	((struct desk *)context)->finished += lane + 1;
}

static uint64_t unacknowledged(void *context)
{
	struct desk *d = context;

	d->asked++;
	return d->left;
}

static bool refused(void *context)
{
	return ((const struct desk *)context)->refused;
}

static char *name(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	(void)address;
	return strcpy(out, "somebody");
}

static void notify(void *context, const struct sender_event *event)
{
	struct desk *d = context;

	d->events[event->kind]++;
	d->fault = event->fault;
	d->error = event->error;
	d->acked = event->acked;
}

static struct desk *made;

static void desk_free(void)
{
	if (made)
		sender_free(made->sender);
	free(made);
	made = NULL;
}

struct desk *desk_of(const struct sender_plan *plan)
{
	const struct sender_plan usual = sending_plan();
	struct desk *d = calloc(1, sizeof(*d));
	const struct sender_port port = {
		.context = d,
		.send = send_control,
		.push = push,
		.clock = read_clock,
		.reconnect = reconnect,
		.finish = finish,
		.unacknowledged = unacknowledged,
		.refused = refused,
		.name = name,
		.notify = notify,
	};

	assert_non_null(d);
	if (!made)
		assert_int_equal(atexit(desk_free), 0);
	desk_free();
	made = d;
	d->plan = *plan;
	d->plan.id = ID;
	d->plan.message_bytes = usual.message_bytes;
	d->plan.runs = usual.runs;
	d->plan.session = usual.session;
	d->plan.ahead = usual.ahead;
	d->plan.lanes = plan->lanes ? plan->lanes : 1;
	d->plan.batch = plan->batch ? plan->batch : 1;
	d->plan.messages = plan->messages || plan->duration || plan->classic ? plan->messages : 10;
	d->plan.interrupts = &d->interrupts;
	d->now = EPOCH;
	d->one = address_of("10.0.0.1:5001");
	d->two = address_of("10.0.0.2:5001");
	assert_int_equal(sender_create(&d->sender, &d->plan, &port), 0);
	for (unsigned i = 0; i < d->plan.lanes; i++) {
		d->sender->lane[i].batch = d->batch[i];
		message_fill(d->batch[i], sizeof(d->batch[i]));
	}
	sender_begin(d->sender, 1, 8000 * NETWORK_BYTES);
	sender_contact(d->sender, d->now);
	return d;
}

struct desk *desk(bool datagrams)
{
	return DESK(.repeats = datagrams);
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
	for (unsigned i = 0; i < d->plan.lanes; i++)
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
