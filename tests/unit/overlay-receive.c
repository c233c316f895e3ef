// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a node of the Delaunay triangulation does with each message, and what it counts, exactly. */
#include "overlay_bench.h"
#include "support/unit.h"

#define FAST  (250 * NP_MILLISECOND)
#define SLOW  (2 * NP_SECOND)
#define RING  10 /* neighbours around the node, two more than it remembers to be gone */
#define WALKS 8	 /* to one place in a fast heartbeat */

static const struct overlay_point ring[RING] = {
	P(800, 516), P(737, 692), P(582, 804), P(410, 798), P(236, 670),
	P(192, 484), P(258, 305), P(416, 191), P(597, 195), P(748, 315),
};

/* Messages sent since the last question. */
static unsigned sent(struct bench *b)
{
	const unsigned count = b->sent;

	b->sent = 0;
	return count;
}

static void open_ring(struct bench *b)
{
	open_node(b);
	for (unsigned i = 0; i < RING; i++)
		hear(b, 1 + i, OVERLAY_DT_HELLO, ring[i]);
	assert_int_equal(neighbours(b), RING);
	b->sent = 0;
}

/* A message of that type whose first pair names @place, at @who. */
static void hear_pair(struct bench *b, unsigned from, enum overlay_dt_type type,
		      struct overlay_point source, struct overlay_point place, unsigned who)
{
	const struct overlay_dt dt = {
		.type = (uint8_t)type,
		.source = source,
		.destination = SELF,
		.a = {place, address(who)},
	};

	hear_dt(b, from, &dt);
}

/* Of a stranger's messages these are answered, each by one message; the others by none. */
TEST_AT(open_ring, each_type)
{
	for (unsigned type = 0; type <= OVERLAY_DT_TEST + 1; type++) {
		hear_pair(b, 20, (enum overlay_dt_type)type, P(9000, 9100), P(7000, -9000), 21);
		switch (type) {
		case OVERLAY_DT_HELLO:
			assert_int_equal(said(b, 20).type, OVERLAY_DT_NOT_NEIGHBOUR);
			break;
		case OVERLAY_DT_PING:
			assert_int_equal(said(b, 20).type, OVERLAY_DT_PONG);
			assert_true(overlay_point_equal(said(b, 20).destination, P(9000, 9100)));
			break;
		case OVERLAY_DT_NEW_NODE:
		case OVERLAY_DT_I_AM_HERE:
			assert_int_equal(said(b, 9).type, type);
			assert_true(overlay_point_equal(said(b, 9).a.point, P(7000, -9000)));
			break;
		default: assert_int_equal(sent(b), 0); continue;
		}
		assert_int_equal(sent(b), 1);
	}
	/* With the proofs of their addresses. */
	assert_int_equal(counts(b).protocol_received, 2 * RING + OVERLAY_DT_TEST + 3);
	/* A neighbour's Goodbye is one, whatever else it contains. */
	hear_pair(b, 1, OVERLAY_DT_GOODBYE, ring[0], P(7000, -9000), 21);
	assert_int_equal(sent(b), 0);
	assert_int_equal(neighbours(b), RING - 1);
}

/* It is remembered for a fast heartbeat who has gone, of the latest eight, and from where. */
TEST_AT(open_ring, gone)
{
	for (unsigned i = 0; i < RING; i++)
		hear(b, 1 + i, OVERLAY_DT_GOODBYE, ring[i]);
	for (unsigned i = 0; i < RING; i++)
		hear(b, 30 + i, OVERLAY_DT_GOODBYE, P(9000, 9000 + (int32_t)i)); /* strangers */
	assert_int_equal(neighbours(b), 0);
	for (unsigned i = 0; i < RING; i++) {
		hear(b, 1 + i, OVERLAY_DT_NOT_NEIGHBOUR, ring[i]);
		hear(b, 1 + i, OVERLAY_DT_HELLO, ring[i]);
		assert_int_equal(is_neighbour(b, ring[i]), i < RING - 8);
	}
	assert_int_equal(neighbours(b), RING - 8);
	hear(b, 5, OVERLAY_DT_HELLO, P(236, 671)); /* the same at another place */
	hear(b, 40, OVERLAY_DT_HELLO, ring[8]);	   /* another at the same */
	assert_true(is_neighbour(b, P(236, 671)) && is_neighbour(b, ring[8]));
	b->now += FAST - 1;
	hear(b, 4, OVERLAY_DT_HELLO, ring[3]);
	assert_false(is_neighbour(b, ring[3]));
	b->now++;
	hear(b, 4, OVERLAY_DT_HELLO, ring[3]);
	assert_true(is_neighbour(b, ring[3]));
}

/* How many of @tries calls of the node at @place, which a stranger passes on, go on. */
static unsigned walk(struct bench *b, struct overlay_point place, unsigned tries)
{
	b->sent = 0;
	for (unsigned i = 0; i < tries; i++)
		hear_pair(b, 20, OVERLAY_DT_I_AM_HERE, P(-9000, 9000), place, 21);
	return sent(b);
}

/* So many calls for one place go on in a fast heartbeat; others' do not count. */
TEST_AT(open_ring, loops)
{
	unsigned whole = 0;

	assert_int_equal(walk(b, P(7000, -9000), WALKS + 5), WALKS);
	assert_int_equal(counts(b).looped, 5);
	b->now += FAST - 1;
	assert_int_equal(walk(b, P(7000, -9000), 1), 0);
	for (int32_t i = 1; i <= 10; i++) {
		whole += walk(b, P(7000 + i, -9000), WALKS) == WALKS;
		whole += walk(b, P(7000, -9000 + i), WALKS) == WALKS;
	}
	assert_true(whole >= 18); /* but for few that share a counter */
	b->now++;
	assert_int_equal(walk(b, P(7000, -9000), WALKS + 5), WALKS);
	b->now += FAST - 1;
	assert_int_equal(walk(b, P(7000, -9000), 1), 0);
}

/* Calls that end here: of a neighbour, of nobody, back to where they came from. */
TEST_AT(open_ring, ends_of_walks)
{
	struct overlay_dt dt;

	hear_pair(b, 20, OVERLAY_DT_I_AM_HERE, P(-9000, 9000), ring[2], 3);
	hear_pair(b, 20, OVERLAY_DT_I_AM_HERE, P(-9000, 9000), P(0, 0), 21);
	assert_int_equal(sent(b), 0);
	assert_int_equal(counts(b).unroutable, 0);
	hear_pair(b, 9, OVERLAY_DT_I_AM_HERE, ring[8], P(7000, -9000), 21);
	assert_int_equal(sent(b), 0);
	assert_int_equal(counts(b).unroutable, 1);
	/* A neighbour's twin goes on to that. */
	hear_pair(b, 20, OVERLAY_DT_I_AM_HERE, P(-9000, 9000), ring[2], 21);
	dt = said(b, 3);
	assert_int_equal(dt.type, OVERLAY_DT_I_AM_HERE);
	assert_true(overlay_point_equal(dt.destination, ring[2]));
	assert_int_equal(sent(b), 1);
	/* One that is a neighbour by its place is greeted. */
	hear_pair(b, 20, OVERLAY_DT_I_AM_HERE, P(-9000, 9000), P(600, 510), 21);
	assert_int_equal(said(b, 21).type, OVERLAY_DT_HELLO);
	assert_int_equal(sent(b), 1);
}

/* A leader's call is answered by who is nearest, as far as it knows; not a neighbour's. */
TEST_AT(open_node, calls)
{
	hear(b, 1, OVERLAY_DT_HELLO, P(900, 900));
	b->sent = 0;
	hear(b, 20, OVERLAY_DT_BEACON, P(10, 10));
	assert_int_equal(said(b, 20).type, OVERLAY_DT_HELLO);
	assert_int_equal(sent(b), 1);
	hear(b, 20, OVERLAY_DT_PING, P(10, 10)); /* is no call */
	assert_int_equal(said(b, 20).type, OVERLAY_DT_PONG);
	assert_int_equal(sent(b), 1);
	hear(b, 20, OVERLAY_DT_BEACON, P(700, 700)); /* as near to both */
	assert_int_equal(sent(b), 1);
	hear(b, 20, OVERLAY_DT_BEACON, P(700, 701));
	hear(b, 1, OVERLAY_DT_BEACON, P(900, 900));
	hear(b, 20, OVERLAY_DT_BEACON, P(900, 900)); /* in its name */
	assert_int_equal(sent(b), 0);
	assert_int_equal(counts(b).forged, 0);
}

/* A neighbour's name used elsewhere: only two slow heartbeats after it was heard. */
TEST_AT(open_ring, other_address)
{
	static const enum overlay_dt_type types[] = {OVERLAY_DT_HELLO, OVERLAY_DT_NOT_NEIGHBOUR,
						     OVERLAY_DT_GOODBYE};

	b->now += 2 * SLOW;
	for (unsigned i = 0; i < 3; i++) {
		hear(b, 20, types[i], ring[0]);
		assert_int_equal(counts(b).forged, i + 1);
		assert_int_equal(said(b, 20).type, i ? 255 : OVERLAY_DT_NOT_NEIGHBOUR);
		assert_int_equal(sent(b), !i);
	}
	b->now++;
	hear(b, 20, OVERLAY_DT_NOT_NEIGHBOUR, ring[0]);
	assert_int_equal(counts(b).forged, 3);
	hear(b, 1, OVERLAY_DT_HELLO, ring[0]); /* the first one is elsewhere now */
	assert_int_equal(counts(b).forged, 4);
	assert_int_equal(neighbours(b), RING);
	assert_int_equal(overlay_node_send_all(b->node, "x", 1), 0);
	for (unsigned i = 0, to = 0; i < b->sent; i++) {
		const struct overlay_address where = address(20);

		to += overlay_address_equal(&b->message[i].to, &where);
		assert_true(i + 1 < b->sent || to == 1);
	}
}

/* Who cannot be reached is no neighbour, and takes nobody's place. */
TEST(other_realm)
{
	const struct overlay_dt dt = {.type = OVERLAY_DT_HELLO,
				      .source = P(900, 500),
				      .hash = HASH,
				      .rendezvous = OVERLAY_RENDEZVOUS_BUDDIES};
	struct overlay_address from = address(1);
	uint8_t message[OVERLAY_DT_MAX];
	const size_t bytes = overlay_dt_encode(message, &dt);
	struct bench b;

	from.realm++;
	open_node(&b);
	overlay_node_receive(b.node, &from, message, bytes, b.now);
	assert_int_equal(neighbours(&b), 0);
	hear(&b, 1, OVERLAY_DT_HELLO, P(900, 500));
	b.now += 2 * SLOW + 1;
	overlay_node_receive(b.node, &from, message, bytes, b.now);
	assert_int_equal(neighbours(&b), 1);
	assert_int_equal(counts(&b).forged, 1);
	close_node(&b);
}

/* What is no refusal of this node's place is not taken for one. */
TEST(no_refusals)
{
	const struct overlay_pair twin = {SELF, address(7)}, self = {SELF, address(0)};
	const struct overlay_pair null = {P(0, 0), {.length = 0}};
	const struct overlay_pair beside = {P(501, 500), address(7)}, other = {SELF, address(8)};
	const struct {
		enum overlay_dt_type type;
		struct overlay_pair a, b;
		unsigned twins;
	} cases[] = {
		{OVERLAY_DT_NOT_NEIGHBOUR, twin, twin, 1},
		{OVERLAY_DT_HELLO, twin, twin, 0},
		{OVERLAY_DT_PONG, twin, twin, 0},
		{OVERLAY_DT_NOT_NEIGHBOUR, self, self, 0},
		{OVERLAY_DT_NOT_NEIGHBOUR, twin, other, 0},
		{OVERLAY_DT_NOT_NEIGHBOUR, twin, beside, 0},
		{OVERLAY_DT_NOT_NEIGHBOUR, beside, beside, 0},
		{OVERLAY_DT_NOT_NEIGHBOUR, twin, null, 0},
		{OVERLAY_DT_NOT_NEIGHBOUR, null, null, 0},
	};
	const struct overlay_address buddy = address(9);
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, &buddy);

	plan.fixed = true;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct overlay_dt dt = {.type = (uint8_t)cases[i].type,
					      .source = P(900, 500),
					      .destination = SELF,
					      .a = cases[i].a,
					      .b = cases[i].b};
		struct bench b;

		open_plan(&b, &plan);
		hear_dt(&b, 1, &dt);
		assert_int_equal(counts(&b).twins, cases[i].twins);
		assert_int_equal(b.told[NP_OVERLAY_TWIN], cases[i].twins);
		close_node(&b);
	}
}

/* In this node's own name: its own messages are nobody's; a twin's questions are answered. */
TEST(own_name)
{
	const struct overlay_address buddy = address(9);
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, &buddy);
	struct bench b;

	plan.fixed = true;
	open_plan(&b, &plan);
	hear(&b, 1, OVERLAY_DT_HELLO, P(900, 500));
	while (!b.told[NP_OVERLAY_STABLE]) {
		b.now = overlay_node_deadline(b.node);
		overlay_node_tick(b.node, b.now);
	}
	b.sent = 0;
	for (unsigned type = 0; type <= OVERLAY_DT_TEST; type++) {
		const bool walk = type == OVERLAY_DT_I_AM_HERE || type == OVERLAY_DT_NEW_NODE;
		const bool asks = type == OVERLAY_DT_HELLO || type == OVERLAY_DT_BEACON;
		const uint64_t twins = counts(&b).twins;

		hear(&b, 0, (enum overlay_dt_type)type, SELF);
		hear_pair(&b, 0, (enum overlay_dt_type)type, SELF, SELF, 0);
		assert_int_equal(counts(&b).twins, twins);
		assert_int_equal(sent(&b), 0);
		hear_pair(&b, 7, (enum overlay_dt_type)type, SELF, SELF, 8);
		assert_int_equal(counts(&b).twins, twins + 1);
		assert_int_equal(said(&b, 8).type, walk ? OVERLAY_DT_HELLO : 255);
		assert_int_equal(said(&b, 7).type, asks ? OVERLAY_DT_NOT_NEIGHBOUR : 255);
		assert_int_equal(sent(&b), walk || asks);
	}
	assert_int_equal(counts(&b).moves, 0);
	close_node(&b);
}

/* A report that changes the order of things makes the next heartbeat due at once. */
TEST_AT(open_node, hurries)
{
	const struct overlay_pair known = {P(900, 900), address(5)};
	struct overlay_dt dt = {
		.type = OVERLAY_DT_HELLO, .source = P(900, 500), .destination = SELF};

	hear_dt(b, 1, &dt);
	while (!b->told[NP_OVERLAY_STABLE]) {
		b->now = overlay_node_deadline(b->node);
		overlay_node_tick(b->node, b->now);
	}
	b->now++;
	hear_dt(b, 1, &dt);
	assert_true(overlay_node_deadline(b->node) > b->now);
	dt.a = known;
	hear_dt(b, 1, &dt);
	assert_int_equal(overlay_node_deadline(b->node), b->now);
	dt.b = known;
	b->now++;
	hear_dt(b, 1, &dt); /* it is due already */
	assert_int_equal(overlay_node_deadline(b->node), b->now - 1);
	dt.b = (struct overlay_pair){0};
	hear_dt(b, 1, &dt);
	overlay_node_tick(b->node, b->now);
	assert_false(overlay_node_stable(b->node));
	assert_int_equal(said(b, 5).type, OVERLAY_DT_HELLO); /* it is offered to be a neighbour */
	dt.a = (struct overlay_pair){0};
	dt.b = known;
	hear_dt(b, 1, &dt);
	assert_int_equal(overlay_node_deadline(b->node), b->now + FAST); /* not slow any more */
	pass(b, NP_SECOND);
	assert_false(overlay_node_stable(b->node));
	dt.b = (struct overlay_pair){0};
	hear_dt(b, 1, &dt);
	assert_true(overlay_node_deadline(b->node) > b->now);
	pass(b, NP_SECOND);
	assert_true(overlay_node_stable(b->node));
}
