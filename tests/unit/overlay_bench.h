/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay_bench: one node of an overlay to which a test speaks in the name of others, what it sends
 * and tells, and a made-up clock.
 */
#ifndef OVERLAY_BENCH_H
#define OVERLAY_BENCH_H

#include "../../src/lib/overlay/message.h"
#include "../../src/lib/overlay/node.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HASH	0x35eb719f
#define REALM	0x7fd2
#define START	(1000 * NP_SECOND)
#define SENT	64
#define SELF	((struct overlay_point){500, 500})
#define P(x, y) ((struct overlay_point){x, y})

struct sent {
	struct overlay_address to; /* all 0: to the group */
	size_t bytes;
	uint8_t data[1024];
};

/* A node, what it sent and told, and the time. */
struct bench {
	struct overlay_node *node;
	np_time now;
	unsigned sent, refused, told[8], delivered;
	struct sent message[SENT];
	struct np_overlay_event event[8]; /* the latest of its kind */
	struct np_overlay_message payload;
	char text[64];
	const char *answer; /* sent from within a delivery to its source */
	int refuse;
	/* Pings are not recorded but answered, when the call has ended; a neighbour's Hello after
	 * that is not recorded, either. */
	bool unproven, mute; /* unproven: they are not answered */
	unsigned pings, pongs;
	struct sent ping[8];
};

static inline unsigned neighbours(const struct bench *b);

static inline struct overlay_address address(unsigned number)
{
	return overlay_address_ipv4(0x0a000001 + number, 9000, REALM);
}

static inline int take(void *context, const struct overlay_address *to, const void *message,
		       size_t bytes)
{
	struct bench *b = context;
	const uint8_t *data = message;
	const bool ping = data[0] >> 4 == OVERLAY_MESSAGE_DT && data[3] == OVERLAY_DT_PING;
	struct sent *sent = ping ? &b->ping[b->pings++ % 8] : &b->message[b->sent % SENT];

	if (b->refuse) {
		b->refused++;
		return b->refuse;
	}
	if (b->mute)
		return 0;
	assert_true(bytes <= sizeof(sent->data));
	*sent = (struct sent){.bytes = bytes};
	if (to)
		sent->to = *to;
	memcpy(sent->data, message, bytes);
	b->sent += !ping;
	return 0;
}

static inline void deliver(void *context, const struct np_overlay_message *payload)
{
	struct bench *b = context;

	assert_true(payload->bytes < sizeof(b->text));
	b->delivered++;
	b->payload = *payload;
	memcpy(b->text, payload->data, payload->bytes);
	b->text[payload->bytes] = '\0';
	if (b->answer && !payload->own)
		overlay_node_send(b->node, &payload->source, b->answer, strlen(b->answer));
}

static inline void tell(void *context, const struct np_overlay_event *event)
{
	struct bench *b = context;

	b->told[event->kind]++;
	b->event[event->kind] = *event;
}

static inline struct overlay_plan plan_of(enum overlay_protocol protocol,
					  const struct overlay_address *contact)
{
	struct overlay_plan plan = overlay_plan_default(protocol);

	plan.hash = HASH;
	plan.self = address(0);
	plan.coordinates = SELF;
	plan.contacts = contact;
	plan.contact_count = contact != NULL;
	plan.seed = 1;
	return plan;
}

static inline void open_plan(struct bench *b, const struct overlay_plan *plan)
{
	const struct overlay_port port = {b, take, deliver, tell};

	*b = (struct bench){.now = START};
	assert_int_equal(overlay_node_create(&b->node, plan, &port), 0);
	overlay_node_join(b->node, b->now);
}

static inline void open_node(struct bench *b)
{
	const struct overlay_address buddy = address(9);
	const struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, &buddy);

	open_plan(b, &plan);
}

static inline void close_node(struct bench *b)
{
	overlay_node_free(b->node);
}

/*
 * Begins a test of a node that @open, as open_node, opens: TEST_AT(open_node, what_it_shows) { ...
 * }, in which the bench is *b. With support/unit.h.
 */
#define TEST_AT(open, name)                                                                        \
	static void at_##name(struct bench *b);                                                    \
	TEST(name)                                                                                 \
	{                                                                                          \
		struct bench b;                                                                    \
                                                                                                   \
		open(&b);                                                                          \
		at_##name(&b);                                                                     \
		close_node(&b);                                                                    \
	}                                                                                          \
	static void at_##name(struct bench *b)

/* Whoever was pinged answers. */
static inline void answer_pings(struct bench *b)
{
	for (; b->pongs < b->pings; b->pongs++) {
		const struct sent *ping = &b->ping[b->pongs % 8];
		const struct overlay_address from = ping->to;
		struct overlay_neighbour at[128];
		uint8_t message[OVERLAY_DT_MAX];
		struct overlay_dt dt;

		if (b->unproven || overlay_dt_decode(ping->data, ping->bytes, &dt))
			continue;
		b->mute = false;
		overlay_node_neighbours(b->node, at, 128);
		for (unsigned i = 0; i < neighbours(b) && !b->mute; i++)
			b->mute = overlay_address_equal(&at[i].address, &from);
		overlay_node_receive(b->node, &from, message,
				     overlay_dt_encode(message,
						       &(struct overlay_dt){
							       .type = OVERLAY_DT_PONG,
							       .hash = HASH,
							       .source = dt.destination,
							       .destination = dt.source,
						       }),
				     b->now);
		b->mute = false;
	}
}

static inline void pass(struct bench *b, np_time time)
{
	const np_time until = b->now + time;

	while (overlay_node_deadline(b->node) <= until) {
		b->now = overlay_node_deadline(b->node);
		overlay_node_tick(b->node, b->now);
		answer_pings(b);
	}
	b->now = until;
}

/* Where the latest event of that kind says that its first node is, and whether it is at @number. */
static inline struct overlay_point told_point(const struct bench *b,
					      enum np_overlay_event_kind kind)
{
	return overlay_logical_get_point(&b->event[kind].node[0]);
}

static inline bool told_address(const struct bench *b, enum np_overlay_event_kind kind,
				const struct overlay_address *address)
{
	const struct np_address expected = overlay_address_endpoint(address);

	return np_address_equal(&b->event[kind].address, &expected);
}

/* The latest message of the protocol that went to @to, decoded; a type of 255 when there is none.
 */
static inline struct overlay_dt said(const struct bench *b, unsigned to)
{
	const struct overlay_address where = address(to);
	struct overlay_dt dt = {.type = 255};

	for (unsigned i = b->sent > SENT ? b->sent - SENT : 0; i < b->sent; i++) {
		const struct sent *sent = &b->message[i % SENT];

		if (overlay_address_equal(&sent->to, &where) && sent->data[0] >> 4 == 2)
			assert_int_equal(overlay_dt_decode(sent->data, sent->bytes, &dt), 0);
	}
	return dt;
}

static inline void hear_dt(struct bench *b, unsigned from, const struct overlay_dt *dt)
{
	const struct overlay_address where = address(from);
	uint8_t message[OVERLAY_DT_MAX];
	struct overlay_dt whole = *dt;

	whole.rendezvous = OVERLAY_RENDEZVOUS_BUDDIES;
	whole.hash = HASH;
	overlay_node_receive(b->node, &where, message, overlay_dt_encode(message, &whole), b->now);
	answer_pings(b);
}

static inline void hear(struct bench *b, unsigned from, enum overlay_dt_type type,
			struct overlay_point source)
{
	const struct overlay_dt dt = {.type = (uint8_t)type, .source = source, .destination = SELF};

	hear_dt(b, from, &dt);
}

static inline unsigned neighbours(const struct bench *b)
{
	return overlay_node_neighbours(b->node, NULL, 0);
}

static inline bool is_neighbour(const struct bench *b, struct overlay_point point)
{
	struct overlay_neighbour at[128];
	const unsigned count = overlay_node_neighbours(b->node, at, 128);

	for (unsigned i = 0; i < count; i++) {
		if (overlay_point_equal(overlay_logical_get_point(&at[i].logical), point))
			return true;
	}
	return false;
}

static inline struct np_overlay_node_counts counts(const struct bench *b)
{
	return *overlay_node_counts(b->node);
}

/* West and east of the node, a chain. */
static inline void open_chain(struct bench *b)
{
	open_node(b);
	hear(b, 1, OVERLAY_DT_HELLO, P(100, 500));
	hear(b, 2, OVERLAY_DT_HELLO, P(900, 500));
	assert_int_equal(neighbours(b), 2);
	b->sent = 0;
}

/* A payload of the 5 bytes "hello". */
static inline struct overlay_ol hello(enum overlay_mode mode, struct np_overlay_logical source,
				      struct np_overlay_logical previous,
				      struct np_overlay_logical destination)
{
	return (struct overlay_ol){
		.mode = (uint8_t)mode,
		.hop_limit = 254,
		.source = source,
		.previous = previous,
		.destination = destination,
		.extensions = 1,
		.extension = {{OVERLAY_EXTENSION_DATA, 0, 5, (const uint8_t *)"hello"}},
	};
}

/* Station @from sends @ol to the node. */
static inline void hear_ol(struct bench *b, unsigned from, const struct overlay_ol *ol)
{
	const struct overlay_address where = address(from);
	uint8_t message[512];
	const ssize_t bytes = overlay_ol_encode(message, sizeof(message), ol);

	assert_true(bytes > 0);
	overlay_node_receive(b->node, &where, message, (size_t)bytes, b->now);
}

#endif
