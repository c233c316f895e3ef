/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * group_transports: what every transport of group-test must do, for the unit tests of each: opens a
 * few in one process, lets all talk to all, and compares what arrived with what was sent.
 */
#pragma once

#include "../../src/group-test/transport/transport.h"
#include "support/unit.h"

#include <poll.h>

#define PARTIES_MAX   8
#define PARTIES_LIMIT (60 * NP_SECOND) /* of a loaded machine */
#define NUMBER_BYTES  8		       /* the header of DATA here: who sends, and a number */
#define HELLO_BYTES   16

/* One member: what it heard. */
struct party {
	struct transport *transport;
	struct parties *all;
	unsigned hellos[PARTIES_MAX];  /* from each */
	uint32_t next[PARTIES_MAX];    /* number of DATA expected from each */
	unsigned channel[PARTIES_MAX]; /* by which each said hello last */
	unsigned strange;	       /* anything else */
	unsigned events[TRANSPORT_OVERSIZE + 1];
	int last_error; /* of the events */
	unsigned most_at_once;
};

struct parties {
	struct party party[PARTIES_MAX];
	unsigned count;
	size_t data_bytes;
	unsigned most; /* of each turn */
};

static inline bool parties_is_hello(const struct parties *p, const struct transport_message *m)
{
	return m->length == HELLO_BYTES && m->bytes >= HELLO_BYTES &&
	       p->data_bytes != HELLO_BYTES && !memcmp(m->data, "\xe7hello", 6);
}

/* A DATA message: the right length, the payload untouched. */
static inline bool parties_is_data(const struct parties *p, const struct transport_message *m)
{
	if (m->length != p->data_bytes || m->bytes < NUMBER_BYTES || m->bytes > m->length)
		return false;
	for (size_t i = NUMBER_BYTES; i < m->bytes; i++) {
		if (m->data[i] != TRANSPORT_FILL)
			return false;
	}
	return m->length == m->bytes || m->bytes >= TRANSPORT_HEAD;
}

static inline void parties_deliver(void *context, const struct transport_delivery *delivery)
{
	struct party *me = context;

	if (delivery->count > me->most_at_once)
		me->most_at_once = delivery->count;
	for (unsigned i = 0; i < delivery->count; i++) {
		const struct transport_message *m = &delivery->messages[i];
		uint32_t from = 0, number = 0;

		if (m->bytes >= NUMBER_BYTES)
			memcpy(&number, m->data + 4, 4);
		if (m->bytes >= HELLO_BYTES && parties_is_hello(me->all, m))
			from = m->data[8];
		else if (m->bytes >= 4)
			memcpy(&from, m->data, 4);
		if (from >= me->all->count ||
		    !identity_equal(delivery->source,
				    &transport_info(me->all->party[from].transport)->self)) {
			me->strange++;
		} else if (parties_is_hello(me->all, m)) {
			me->hellos[from]++;
			me->channel[from] = delivery->channel;
		} else if (parties_is_data(me->all, m) && number == me->next[from]) {
			me->next[from]++;
		} else {
			me->strange++;
		}
	}
}

static inline void parties_event(void *context, const struct transport_event *event)
{
	struct party *me = context;

	me->events[event->kind]++;
	me->last_error = event->error;
}

/* Sizes of the plan, as the parties use them; the rest is the test's. */
static inline void parties_plan(struct transport_plan *plan, unsigned count, size_t data_bytes)
{
	plan->members = count;
	plan->senders = count;
	plan->data_bytes = data_bytes;
	plan->data_header_bytes = NUMBER_BYTES;
	plan->control_bytes = 1000;
	plan->ip.tos = plan->ip.ttl = -1;
}

/* Opens the next one; returns what transport_open does. */
static inline int parties_open(struct parties *p, const struct transport_plan *plan)
{
	struct party *me = &p->party[p->count];
	const struct transport_listener listener = {me, parties_deliver, parties_event};
	struct np_fault fault = {};
	int rc;

	assert_true(p->count < PARTIES_MAX);
	*me = (struct party){.all = p};
	rc = transport_open(&me->transport, plan, &listener, &fault);
	if (rc) {
		print_message("%s: %s\n", fault.object, fault.reason);
		return rc;
	}
	p->data_bytes = plan->data_bytes;
	if (!p->most)
		p->most = TRANSPORT_BATCH;
	p->count++;
	return 0;
}

static inline void parties_open_all(struct parties *p, struct transport_plan plan, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(parties_open(p, &plan), 0);
}

/* The plan is refused, with these words. */
static inline void parties_refused(const struct transport_plan *plan, int error, const char *object,
				   const char *reason)
{
	const struct transport_listener listener = {NULL, parties_deliver, parties_event};
	struct transport *t = (void *)plan;
	struct np_fault fault = {};

	assert_int_equal(transport_open(&t, plan, &listener, &fault), error);
	assert_null(t);
	assert_string_equal(fault.object, object);
	assert_string_equal(fault.reason, reason);
}

static inline void parties_close(struct parties *p)
{
	for (unsigned i = 0; i < p->count; i++)
		transport_free(p->party[i].transport);
	p->count = 0;
}

/* Those of a block, which are closed at its end. */
#define PARTIES __attribute__((cleanup(parties_close))) struct parties

static inline void parties_turn(struct parties *p)
{
	for (unsigned i = 0; i < p->count; i++)
		assert_true(transport_turn(p->party[i].transport, p->most, np_clock_now()) >= 0);
}

static inline struct transport_stats parties_stats(const struct parties *p, unsigned index)
{
	return *transport_stats(p->party[index].transport);
}

/* How many messages of DATA may be on their way to a member. */
static inline uint32_t parties_window(const struct parties *p)
{
	return (uint32_t)(transport_info(p->party[0].transport)->window_bytes / p->data_bytes);
}

/* Turns of all, when there is something to do or soon. */
static inline void parties_wait(struct parties *p)
{
	struct pollfd fds[PARTIES_MAX];

	for (unsigned i = 0; i < p->count; i++)
		fds[i] = (struct pollfd){transport_fd(p->party[i].transport), POLLIN, 0};
	poll(fds, p->count, 10);
	parties_turn(p);
}

/* @step, until @condition holds, in time: what a loopback carries may take a while to come. */
#define AWAIT(condition, step)                                                                     \
	for (const np_time by = np_clock_now() + PARTIES_LIMIT; !(condition); step)                \
	assert_true(np_clock_now() < by)

#define PARTIES_AWAIT(p, condition) AWAIT(condition, parties_wait(p))

static inline void parties_hello(struct parties *p, unsigned from)
{
	uint8_t hello[HELLO_BYTES] = "\xe7hello";

	hello[8] = (uint8_t)from;
	assert_int_equal(transport_send(p->party[from].transport, NULL, hello, sizeof(hello)), 0);
}

/* Sends up to @wanted DATA messages from number @first on; returns how many went. */
static inline unsigned parties_data(struct parties *p, uint32_t from, uint32_t first,
				    unsigned wanted)
{
	struct transport *t = p->party[from].transport;
	struct transport_slots slots;
	unsigned count = transport_reserve(t, wanted, &slots);

	assert_true(count <= wanted && count <= TRANSPORT_BATCH);
	for (unsigned i = 0; i < count; i++) {
		uint32_t number = first + i;

		memcpy(slots.data + i * slots.stride, &from, 4);
		memcpy(slots.data + i * slots.stride + 4, &number, 4);
	}
	return (unsigned)transport_commit(t, count);
}

static inline bool parties_all_greeted(const struct parties *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		for (unsigned k = 0; k < p->count; k++) {
			if (!p->party[i].hellos[k])
				return false;
		}
	}
	return true;
}

static inline bool parties_idle(const struct parties *p)
{
	for (unsigned i = 0; i < p->count; i++) {
		if (!transport_idle(p->party[i].transport))
			return false;
	}
	return true;
}

/* Everybody's control message comes to everybody, once. For transports that lose nothing idle. */
static inline void parties_all_hear_all(struct parties *p)
{
	for (unsigned i = 0; i < p->count; i++)
		parties_hello(p, i);
	PARTIES_AWAIT(p, parties_all_greeted(p));
	for (unsigned i = 0; i < p->count; i++) {
		for (unsigned k = 0; k < p->count; k++)
			assert_int_equal(p->party[i].hellos[k], 1);
		assert_int_equal(p->party[i].strange, 0);
	}
	PARTIES_AWAIT(p, parties_idle(p));
}

/* The least that any party has of @from's DATA. */
static inline uint32_t parties_least(const struct parties *p, unsigned from)
{
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i < p->count; i++)
		least = p->party[i].next[from] < least ? p->party[i].next[from] : least;
	return least;
}

/*
 * Party @from sends @messages, never more than @window ahead of the slowest, and all get all of
 * them, whole and in order.
 */
static inline void parties_stream(struct parties *p, unsigned from, uint32_t messages,
				  uint32_t window)
{
	np_time end = np_clock_now() + PARTIES_LIMIT;
	uint32_t sent = 0;

	while (parties_least(p, from) < messages && np_clock_now() < end) {
		uint32_t room = parties_least(p, from) + window - sent;

		if (room > messages - sent)
			room = messages - sent;
		if (room)
			sent += parties_data(p, from, sent, room);
		parties_turn(p);
	}
	for (unsigned i = 0; i < p->count; i++) {
		assert_int_equal(p->party[i].next[from], messages);
		assert_int_equal(p->party[i].strange, 0);
		assert_true(p->party[i].most_at_once <= p->most);
	}
	PARTIES_AWAIT(p, parties_idle(p));
}

/* What the first of three tells the second reaches it alone. */
static inline void parties_one_hears_one(struct parties *p)
{
	const struct identity second = transport_info(p->party[1].transport)->self;
	uint8_t hello[HELLO_BYTES] = "\xe7hello";

	assert_int_equal(transport_send(p->party[0].transport, &second, hello, sizeof(hello)), 0);
	PARTIES_AWAIT(p, p->party[1].hellos[0] > 0);
	parties_stream(p, 0, 10, 10);
	assert_int_equal(p->party[0].hellos[0] + p->party[2].hellos[0], 0);
	assert_int_equal(p->party[1].hellos[0], 1);
}

/* After parties_all_hear_all and streams: the counts of the face. */
static inline void parties_counted(const struct parties *p, unsigned index, uint64_t messages,
				   uint64_t bytes)
{
	const struct transport_stats stats = parties_stats(p, index);

	assert_int_equal(stats.sent_messages, messages);
	assert_int_equal(stats.sent_bytes, bytes);
	assert_int_equal(stats.send_errors, 0);
	assert_int_equal(stats.dropped, 0);
	assert_int_equal(stats.oversize + stats.bad_lengths + stats.bad_handshakes +
				 stats.truncated + stats.silent + stats.refused,
			 0);
}
