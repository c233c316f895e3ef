// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-socket-turns: an overlay over a made-up substrate: turns, times, room, what it sends as.
 */
#include "../../src/lib/overlay/message.h"
#include "../../src/lib/overlay/rules.h"
#include "../../src/lib/overlay/socket.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define LIMIT (60 * NP_SECOND)

/* What the substrate is to do, and what it was asked. */
struct fake {
	np_time deadline;
	int result;		  /* of a turn */
	unsigned turns, most;	  /* most: of the latest turn */
	np_time now;		  /* of it */
	unsigned arrives;	  /* at this turn a payload arrives; 0: at none */
	unsigned asked, taken[3]; /* for room; messages by class */
	bool full;		  /* somebody has no room */
	uint16_t full_port;	  /* who; 0: nobody */
	int refusal;		  /* of the message with this number of taken ones and on */
	unsigned refused_from;
	int gathers; /* begun and not ended */
	unsigned gathered;
	bool idle;
};

static struct fake fake;

static struct np_address loopback(uint16_t port)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, "127.0.0.1", port), 0);
	return address;
}

/* A payload to all from the node at port 12. */
static void arrive(struct overlay_substrate *s)
{
	const struct np_address at = loopback(12);
	const struct overlay_address from = overlay_substrate_address(s, &at);
	const struct overlay_ol ol = {
		.mode = OVERLAY_MULTICAST,
		.hop_limit = 254,
		.source = overlay_logical_address(&from),
		.previous = overlay_logical_address(&from),
		.destination = overlay_logical_address(&from),
		.extensions = 1,
		.extension = {{OVERLAY_EXTENSION_DATA, 0, 5, (const uint8_t *)"hello"}},
	};
	uint8_t message[512];
	const ssize_t bytes = overlay_ol_encode(message, sizeof(message), &ol);

	assert_true(bytes > 0);
	s->take(s->context, &from, message, (size_t)bytes, 77);
}

static int fake_turn(struct overlay_substrate *s, unsigned most, np_time now)
{
	fake.turns++;
	fake.most = most;
	fake.now = now;
	if (fake.turns == fake.arrives)
		arrive(s);
	return fake.result;
}

static np_time fake_deadline(const struct overlay_substrate *s)
{
	(void)s;
	return fake.deadline;
}

static int fake_send(struct overlay_substrate *s, const struct overlay_address *to,
		     const void *message, size_t bytes, enum overlay_class class)
{
	(void)s;
	(void)to;
	(void)message;
	(void)bytes;
	if (fake.refusal && fake.taken[class] >= fake.refused_from)
		return fake.refusal;
	fake.taken[class]++;
	return 0;
}

static bool fake_room(const struct overlay_substrate *s, const struct overlay_address *to)
{
	uint32_t ip;
	uint16_t port;

	(void)s;
	fake.asked++;
	if (!to)
		return !fake.full;
	assert_true(overlay_address_get_ipv4(to, &ip, &port));
	return port != fake.full_port;
}

static void fake_gather(struct overlay_substrate *s, bool on)
{
	(void)s;
	fake.gathers += on ? 1 : -1;
	fake.gathered += on;
}

static bool fake_idle(const struct overlay_substrate *s)
{
	(void)s;
	return fake.idle;
}

static void fake_close(struct overlay_substrate *s)
{
	(void)s;
}

static int fake_count(struct overlay_substrate *s)
{
	s->counts.received = 99;
	return fake.result;
}

static struct overlay_substrate_face face = {
	.name = "fake",
	.close = fake_close,
	.send = fake_send,
	.room = fake_room,
	.gather = fake_gather,
	.turn = fake_turn,
	.deadline = fake_deadline,
	.idle = fake_idle,
	.count = fake_count,
};

static struct np_overlay *opened(enum np_overlay_protocol protocol, unsigned contacts,
				 const struct np_overlay_listener *listener)
{
	const struct np_address contact[] = {loopback(11), loopback(12), loopback(13)};
	struct np_overlay_plan plan = np_overlay_plan_default(protocol, NP_OVERLAY_NULL);
	struct np_fault fault = {};
	struct np_overlay *o;

	plan.local = loopback(10);
	plan.contact = contact;
	plan.contacts = contacts;
	plan.receive_buffer = 10;
	if (np_overlay_open(&o, &plan, NULL, listener, &fault))
		fail_msg("%s: %s", fault.object, fault.reason);
	o->substrate.face = &face;
	fake = (struct fake){.deadline = NP_TIME_NEVER};
	return o;
}

/* The sooner of the node's deadline and the substrate's. */
static void deadlines(void **state)
{
	struct np_overlay *o = opened(NP_OVERLAY_DT_BUDDIES, 1, NULL);
	np_time own;

	(void)state;
	assert_true(np_overlay_deadline(o) == NP_TIME_NEVER);
	fake.deadline = 5;
	assert_int_equal(np_overlay_deadline(o), 5);
	np_overlay_join(o, 1000 * NP_SECOND);
	own = overlay_node_deadline(o->node);
	assert_in_range(own, 1000 * NP_SECOND, 1003 * NP_SECOND);
	fake.deadline = own - 1;
	assert_int_equal(np_overlay_deadline(o), own - 1);
	fake.deadline = own + 1;
	assert_int_equal(np_overlay_deadline(o), own);
	np_overlay_free(o);
}

/* A turn is the substrate's, and the node's when that is due; for at least one message. */
static void turns(void **state)
{
	struct np_overlay *o = opened(NP_OVERLAY_DT_BUDDIES, 1, NULL);
	np_time due;

	(void)state;
	assert_int_equal(np_overlay_join(o, 1000 * NP_SECOND), 0);
	assert_true(np_overlay_joined(o));
	due = overlay_node_deadline(o->node);
	for (int more = -1; more < 2; more++) {
		fake.result = more;
		assert_int_equal(np_overlay_turn(o, 0, due - 1), more);
		assert_int_equal(fake.most, 1);
		assert_int_equal(np_overlay_turn(o, 7, due - 1), more);
		assert_int_equal(fake.most, 7);
		assert_int_equal(fake.now, due - 1);
	}
	assert_int_equal(overlay_node_deadline(o->node), due);
	assert_int_equal(np_overlay_turn(o, 1, due), 1);
	assert_true(overlay_node_deadline(o->node) > due);
	while (!fake.taken[OVERLAY_PROTOCOL]) {
		due = overlay_node_deadline(o->node);
		assert_true(due < 1010 * NP_SECOND);
		np_overlay_turn(o, 1, due);
	}
	assert_int_equal(fake.taken[OVERLAY_OWN] + fake.taken[OVERLAY_FORWARDED], 0);
	assert_int_equal(np_overlay_leave(o, due), 0);
	assert_false(np_overlay_joined(o));
	np_overlay_free(o);
}

/* Waits for the substrate's deadline, the node's or the caller's. */
static void waits(void **state)
{
	struct np_overlay *o = opened(NP_OVERLAY_NONE, 1, NULL);
	np_time begin = np_clock_now();

	(void)state;
	assert_int_equal(np_overlay_wait(o, -1, begin + 20 * NP_MILLISECOND), 0);
	assert_true(np_clock_now() >= begin + 20 * NP_MILLISECOND);
	begin = np_clock_now();
	fake.deadline = begin + 20 * NP_MILLISECOND;
	assert_int_equal(np_overlay_wait(o, -1, begin + LIMIT), 0);
	assert_in_range(np_clock_now(), begin + 20 * NP_MILLISECOND, begin + LIMIT - 1);
	np_overlay_free(o);
}

/* A payload is waited for until the deadline or the read time-out, whichever is sooner, but turns
 * go on meanwhile. */
static void receives(void **state)
{
	struct np_overlay *o = opened(NP_OVERLAY_NONE, 1, NULL);
	struct np_overlay_message message;
	np_time begin;

	(void)state;
	assert_true(o->info.read_timeout == NP_TIME_NEVER);
	np_overlay_join(o, np_clock_now());
	begin = np_clock_now();
	assert_int_equal(np_overlay_receive(o, &message, begin + 10 * NP_MILLISECOND), 0);
	assert_true(np_clock_now() >= begin + 10 * NP_MILLISECOND);
	assert_int_equal(fake.most, 10);
	o->inbox.count_max = 65;
	o->info.read_timeout = 10 * NP_MILLISECOND;
	begin = np_clock_now();
	assert_int_equal(np_overlay_receive(o, &message, begin + LIMIT), 0);
	assert_in_range(np_clock_now(), begin + 10 * NP_MILLISECOND, begin + LIMIT - 1);
	assert_int_equal(fake.most, 64);
	o->info.read_timeout = LIMIT;
	begin = np_clock_now();
	assert_int_equal(np_overlay_receive(o, &message, begin + 10 * NP_MILLISECOND), 0);
	assert_in_range(np_clock_now(), begin + 10 * NP_MILLISECOND, begin + LIMIT - 1);
	assert_int_equal(np_overlay_receive(o, &message, begin), 0); /* has passed */
	/* The substrate is due all the time; with the third turn it comes. */
	fake.deadline = 0;
	assert_int_equal(np_overlay_receive(o, &message, np_clock_now() + NP_MILLISECOND), 0);
	fake.turns = 0;
	fake.arrives = 3;
	assert_int_equal(np_overlay_receive(o, &message, np_clock_now() + LIMIT), 1);
	assert_int_equal(fake.turns, 3);
	assert_memory_equal(message.data, "hello", 5);
	assert_true(!message.own && message.at == 77 && message.bytes == 5);
	/* There is more to do; and the error of a turn. */
	fake.turns = 0;
	fake.deadline = NP_TIME_NEVER;
	fake.result = 1;
	assert_int_equal(np_overlay_receive(o, &message, np_clock_now() + LIMIT), 1);
	assert_int_equal(fake.turns, 3);
	fake.turns = 0;
	fake.result = -ENETDOWN;
	assert_int_equal(np_overlay_receive(o, &message, np_clock_now() + LIMIT), -ENETDOWN);
	assert_int_equal(fake.turns, 1);
	np_overlay_free(o);
}

/* Own payloads, also of a listener within a delivery, are told from those of others. */
static void classes(void **state)
{
	struct np_overlay *o = opened(NP_OVERLAY_NONE, 3, NULL);

	(void)state;
	assert_int_equal(np_overlay_send_all(o, "x", 1), -ENOTCONN);
	np_overlay_join(o, np_clock_now());
	assert_int_equal(np_overlay_send_all(o, "x", 1), 0);
	assert_int_equal(fake.taken[OVERLAY_OWN], 3);
	assert_false(o->sending);
	assert_int_equal(socket_send(o, NULL, "\xd0", 1), 0);
	assert_int_equal(fake.taken[OVERLAY_FORWARDED], 1);
	assert_int_equal(socket_send(o, NULL, "\x2f", 1), 0);
	assert_int_equal(fake.taken[OVERLAY_PROTOCOL], 1);
	o->sending = true;
	assert_int_equal(socket_send(o, NULL, "\x2f", 1), 0);
	assert_int_equal(fake.taken[OVERLAY_PROTOCOL], 2);
	assert_int_equal(np_overlay_send_all(o, "x", 1), 0);
	assert_true(o->sending);
	o->sending = false;
	np_overlay_free(o);
}

/* There is room when nothing waits, or nothing for those that get a copy. */
static void room(void **state)
{
	struct np_overlay *o = opened(NP_OVERLAY_NONE, 3, NULL);
	struct np_overlay_logical to, other;
	unsigned asked;

	(void)state;
	assert_int_equal(np_overlay_parse(o, "127.0.0.1:12", &to), 0);
	assert_int_equal(np_overlay_parse(o, "127.0.0.1:13", &other), 0);
	assert_true(np_overlay_room(o, NULL) && np_overlay_room(o, &to));
	assert_int_equal(fake.asked, 2);
	fake.full = true;
	assert_true(np_overlay_room(o, NULL) && np_overlay_room(o, &to));
	for (uint16_t port = 11; port <= 13; port++) {
		fake.full_port = port;
		assert_false(np_overlay_room(o, NULL));
		assert_int_equal(np_overlay_room(o, &to), port != 12);
	}
	fake.full_port = 12;
	/* Outside that is not asked. */
	asked = fake.asked;
	assert_int_equal(np_overlay_send_all(o, "x", 1), -ENOTCONN);
	assert_int_equal(np_overlay_send(o, &to, "x", 1), -ENOTCONN);
	assert_int_equal(fake.asked, asked);
	np_overlay_join(o, np_clock_now());
	assert_int_equal(np_overlay_send_all(o, "x", 1), -EAGAIN);
	assert_int_equal(np_overlay_send(o, &to, "x", 1), -EAGAIN);
	assert_int_equal(np_overlay_send(o, &other, "x", 1), 0);
	assert_int_equal(fake.taken[OVERLAY_OWN], 1);
	fake.idle = true;
	assert_true(np_overlay_idle(o));
	fake.idle = false;
	assert_false(np_overlay_idle(o));
	np_overlay_free(o);
}

/* Several are gathered; the first that is not taken ends them. */
static void many(void **state)
{
	struct np_overlay *o = opened(NP_OVERLAY_NONE, 1, NULL);
	struct np_overlay_payloads payloads = {"abcdef", 2, 3};
	struct np_overlay_logical to;

	(void)state;
	np_overlay_join(o, np_clock_now());
	assert_int_equal(np_overlay_parse(o, "127.0.0.1:12", &to), 0);
	assert_int_equal(np_overlay_send_many(o, &to, &payloads), 3);
	assert_int_equal(fake.taken[OVERLAY_OWN], 3);
	assert_true(fake.gathered == 1 && !fake.gathers);
	payloads.count = 1;
	assert_int_equal(np_overlay_send_many(o, &to, &payloads), 1);
	assert_true(fake.gathered == 1 && !fake.gathers);
	payloads.count = 2;
	assert_int_equal(np_overlay_send_many(o, &to, &payloads), 2);
	assert_true(fake.gathered == 2 && !fake.gathers);
	fake.refusal = -ENETDOWN;
	fake.refused_from = 7;
	assert_int_equal(np_overlay_send_many(o, &to, &payloads), 1);
	assert_int_equal(np_overlay_send_many(o, &to, &payloads), -ENETDOWN);
	assert_int_equal(fake.taken[OVERLAY_OWN], 7);
	assert_true(fake.gathered == 4 && !fake.gathers);
	payloads.count = 0;
	assert_int_equal(np_overlay_send_many(o, &to, &payloads), 0);
	/* Where nothing can be gathered. */
	fake.refusal = 0;
	face.gather = NULL;
	payloads.count = 3;
	assert_int_equal(np_overlay_send_many(o, &to, &payloads), 3);
	face.gather = fake_gather;
	np_overlay_free(o);
}

/* A payload of this node is of now, one of another of when it came; without a listener and without
 * room it is counted. */
static void deliveries(void **state)
{
	struct np_overlay *o = opened(NP_OVERLAY_NONE, 1, NULL);
	struct np_overlay_message message;
	struct np_overlay_stats stats;
	np_time begin;

	(void)state;
	np_overlay_join(o, np_clock_now());
	o->inbox.count_max = 1;
	begin = np_clock_now();
	assert_int_equal(np_overlay_send_all(o, "own", 3), 0);
	arrive(&o->substrate);
	arrive(&o->substrate);
	assert_int_equal(np_overlay_receive(o, &message, 0), 1);
	assert_true(message.own && message.at >= begin && message.at <= np_clock_now());
	fake.result = -ENETDOWN;
	assert_int_equal(np_overlay_stats(o, &stats), -ENETDOWN);
	assert_int_equal(stats.node.undelivered, 2);
	assert_int_equal(stats.node.received, 2);
	assert_int_equal(stats.substrate.received, 99);
	np_overlay_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deadlines), cmocka_unit_test(turns),	   cmocka_unit_test(waits),
		cmocka_unit_test(receives),  cmocka_unit_test(classes),	   cmocka_unit_test(room),
		cmocka_unit_test(many),	     cmocka_unit_test(deliveries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
