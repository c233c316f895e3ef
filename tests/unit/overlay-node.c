// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* One node of an overlay to whom a test speaks: what it answers, and what it does in time. */
#include "overlay_bench.h"
#include "support/unit.h"

/* Alone: it asks its buddy each 2 s, and is stable from the first time on. */
TEST_AT(open_node, alone)
{
	struct overlay_dt dt;

	pass(b, 2250 * NP_MILLISECOND);
	assert_int_equal(b->told[NP_OVERLAY_STABLE], 1);
	assert_true(overlay_node_stable(b->node));
	b->sent = 0;
	pass(b, 20 * NP_SECOND);
	assert_int_equal(b->sent, 10);
	dt = said(b, 9);
	assert_int_equal(dt.type, OVERLAY_DT_I_AM_HERE);
	assert_true(overlay_point_null(dt.destination));
	assert_true(overlay_point_equal(dt.a.point, SELF) && overlay_point_equal(dt.b.point, SELF));
	assert_int_equal(b->told[NP_OVERLAY_STABLE], 1);
}

static void hear_as(struct bench *b, const struct overlay_address *from,
		    const struct overlay_dt *dt, uint32_t hash)
{
	uint8_t message[OVERLAY_DT_MAX];
	struct overlay_dt whole = *dt;

	whole.rendezvous = OVERLAY_RENDEZVOUS_BUDDIES;
	whole.hash = hash;
	overlay_node_receive(b->node, from, message, overlay_dt_encode(message, &whole), b->now);
}

static void same_pair(const struct overlay_pair *pair, struct overlay_point point, unsigned from)
{
	const struct overlay_address where = address(from);

	assert_true(overlay_point_equal(pair->point, point));
	assert_true(overlay_address_equal(&pair->address, &where));
}

/*
 * A Hello names the overlay, its sender, and the sender's neighbours on both sides of the receiver;
 * to a node in the direction of a neighbour that is nearer, NotNeighbour names that one twice.
 */
TEST_AT(open_chain, hello_says)
{
	const struct overlay_point north = P(500, 900), south = P(500, 100);
	struct overlay_address stranger = address(5);
	struct overlay_dt dt;

	hear(b, 3, OVERLAY_DT_HELLO, north);
	hear(b, 4, OVERLAY_DT_HELLO, south);
	assert_int_equal(neighbours(b), 4);
	b->sent = 0;
	pass(b, 2 * NP_SECOND);
	dt = said(b, 4);
	assert_int_equal(dt.type, OVERLAY_DT_HELLO);
	assert_int_equal(dt.hash, HASH);
	assert_int_equal(dt.rendezvous, OVERLAY_RENDEZVOUS_BUDDIES);
	assert_true(overlay_point_equal(dt.source, SELF));
	assert_true(overlay_point_equal(dt.destination, south));
	same_pair(&dt.a, P(100, 500), 1);
	same_pair(&dt.b, P(900, 500), 2);
	hear(b, 5, OVERLAY_DT_HELLO, P(500, 50));
	dt = said(b, 5);
	assert_int_equal(dt.type, OVERLAY_DT_NOT_NEIGHBOUR);
	same_pair(&dt.a, south, 4);
	same_pair(&dt.b, south, 4);
	/* Of another overlay, or where no message can be sent: no answer. */
	b->sent = 0;
	dt = (struct overlay_dt){.type = OVERLAY_DT_HELLO, .source = P(510, 60)};
	hear_as(b, &stranger, &dt, HASH + 1);
	assert_int_equal(counts(b).foreign, 1);
	stranger.realm++;
	hear_as(b, &stranger, &dt, HASH);
	assert_int_equal(b->sent, 0);
}

/* Silent for longer than the time-out: gone; asked again when buddies are learnt. */
TEST(silence)
{
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, NULL);
	struct bench b;

	plan.buddy_cache = 2;
	open_plan(&b, &plan);
	hear(&b, 1, OVERLAY_DT_HELLO, P(300, 200));
	pass(&b, 9900 * NP_MILLISECOND);
	assert_int_equal(neighbours(&b), 1);
	pass(&b, 2200 * NP_MILLISECOND);
	assert_int_equal(neighbours(&b), 0);
	assert_int_equal(counts(&b).timed_out, 1);
	assert_int_equal(b.told[NP_OVERLAY_NEIGHBOURHOOD], 2);
	b.sent = 0;
	pass(&b, 2 * NP_SECOND);
	assert_int_equal(said(&b, 1).type, OVERLAY_DT_I_AM_HERE);
	hear(&b, 1, OVERLAY_DT_PONG, P(300, 200));
	b.sent = 0;
	pass(&b, 5 * NP_SECOND);
	assert_int_equal(b.sent, 0); /* heard from: no longer a buddy */
	close_node(&b);
}

/*
 * Payloads keep a neighbour alive whose heartbeats wait behind them, from its own address and not
 * from another.
 */
TEST_AT(open_node, payloads_are_heard)
{
	const struct overlay_ol ol =
		hello(OVERLAY_MULTICAST, overlay_logical_point(P(300, 200)),
		      overlay_logical_point(P(300, 200)), overlay_logical_point(SELF));

	hear(b, 1, OVERLAY_DT_HELLO, P(300, 200));
	for (unsigned i = 0; i < 8; i++) {
		pass(b, 4 * NP_SECOND);
		hear_ol(b, 1, &ol);
	}
	assert_int_equal(neighbours(b), 1);
	assert_int_equal(b->delivered, 8);
	for (unsigned i = 0; i < 4; i++) {
		hear_ol(b, 2, &ol);
		pass(b, 4 * NP_SECOND);
	}
	assert_int_equal(neighbours(b), 0);
	assert_int_equal(counts(b).timed_out, 1);
}

TEST_AT(open_node, goodbyes)
{
	hear(b, 1, OVERLAY_DT_HELLO, P(300, 200));
	hear(b, 2, OVERLAY_DT_HELLO, P(700, 210));
	hear(b, 2, OVERLAY_DT_GOODBYE, P(700, 210));
	assert_int_equal(neighbours(b), 1);
	/* A Hello that the Goodbye overtook does not bring it back; a later one does. */
	hear(b, 2, OVERLAY_DT_HELLO, P(700, 210));
	assert_int_equal(neighbours(b), 1);
	pass(b, 300 * NP_MILLISECOND);
	hear(b, 2, OVERLAY_DT_HELLO, P(700, 210));
	assert_int_equal(neighbours(b), 2);
	b->sent = 0;
	overlay_node_leave(b->node, b->now);
	assert_int_equal(b->sent, 2);
	assert_int_equal(said(b, 1).type, OVERLAY_DT_GOODBYE);
	assert_int_equal(said(b, 2).type, OVERLAY_DT_GOODBYE);
	assert_int_equal(b->told[NP_OVERLAY_LEFT], 1);
	assert_int_equal(overlay_node_deadline(b->node), NP_TIME_NEVER);
	/* Outside it says so to whoever greets. */
	b->sent = 0;
	hear(b, 3, OVERLAY_DT_HELLO, P(1, 1));
	assert_int_equal(said(b, 3).type, OVERLAY_DT_GOODBYE);
	hear(b, 3, OVERLAY_DT_GOODBYE, P(1, 1));
	assert_int_equal(b->sent, 1);
	assert_int_equal(overlay_node_send_all(b->node, "x", 1), -ENOTCONN);
}

/* A newcomer's call goes on towards its place, but neither back nor round in circles for ever. */
TEST_AT(open_node, walks)
{
	const struct overlay_point far = P(5000, 510);
	struct overlay_dt here = {.type = OVERLAY_DT_I_AM_HERE,
				  .source = P(-800, 0),
				  .a = {far, address(5)},
				  .b = {far, address(5)}};
	struct overlay_dt dt;

	hear(b, 1, OVERLAY_DT_HELLO, P(600, 400));
	hear(b, 2, OVERLAY_DT_HELLO, P(600, 610));
	hear(b, 3, OVERLAY_DT_HELLO, P(-800, 0));
	assert_int_equal(neighbours(b), 3);
	b->sent = 0;
	hear_dt(b, 3, &here);
	assert_int_equal(b->sent, 1);
	assert_int_equal(said(b, 1).type, OVERLAY_DT_I_AM_HERE);
	assert_true(overlay_point_equal(said(b, 1).source, SELF));
	assert_true(overlay_point_equal(said(b, 1).destination, P(600, 400)));
	dt = said(b, 1);
	assert_true(overlay_address_equal(&dt.a.address, &here.a.address));
	hear_dt(b, 1, &here);
	assert_int_equal(b->sent, 1); /* not back */
	for (unsigned i = 0; i < 50; i++)
		hear_dt(b, 3, &here);
	assert_in_range(b->sent, 2, 10);
	assert_true(counts(b).looped > 0);
}

/* Another one has this node's coordinates. A newcomer moves; who is known stays and tells it so. */
TEST(twins)
{
	const struct overlay_dt here = {
		.type = OVERLAY_DT_I_AM_HERE, .source = SELF, .a = {SELF, address(7)}};
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, NULL);
	struct bench b;

	plan.fixed = true;
	open_plan(&b, &plan);
	hear(&b, 7, OVERLAY_DT_HELLO, SELF);
	assert_int_equal(b.told[NP_OVERLAY_TWIN], 1);
	assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 1);
	assert_true(overlay_point_equal(told_point(&b, NP_OVERLAY_ADDRESS), SELF));
	assert_true(told_address(&b, NP_OVERLAY_TWIN, &here.a.address));
	assert_true(overlay_point_equal(told_point(&b, NP_OVERLAY_TWIN), SELF));
	assert_true(is_neighbour(&b, SELF));
	close_node(&b);

	open_plan(&b, &plan);
	hear(&b, 1, OVERLAY_DT_HELLO, P(300, 200));
	pass(&b, 2250 * NP_MILLISECOND);
	assert_int_equal(b.told[NP_OVERLAY_STABLE], 1);
	for (unsigned i = 0; i < 40; i++) {
		hear(&b, 7, OVERLAY_DT_HELLO, SELF);
		assert_int_equal(said(&b, 7).type, OVERLAY_DT_NOT_NEIGHBOUR);
		hear_dt(&b, 7, &here);
		assert_int_equal(said(&b, 7).type, OVERLAY_DT_HELLO);
		pass(&b, 100 * NP_MILLISECOND);
	}
	assert_int_equal(b.told[NP_OVERLAY_TWIN], 1); /* once in a time-out */
	assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 0);
	assert_int_equal(counts(&b).twins, 80);
	assert_true(is_neighbour(&b, P(300, 200)));
	close_node(&b);
}

/* Four on a circle: a newcomer moves at once, one that is known waits whether it goes over. */
TEST(circles)
{
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, NULL);
	const struct np_overlay_logical at_self = overlay_logical_point(SELF);
	struct np_overlay_logical logical;
	struct bench b;

	open_plan(&b, &plan);
	hear(&b, 1, OVERLAY_DT_HELLO, P(700, 500));
	hear(&b, 2, OVERLAY_DT_HELLO, P(500, 700));
	assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 0);
	hear(&b, 3, OVERLAY_DT_HELLO, P(700, 700));
	assert_int_equal(b.told[NP_OVERLAY_COCIRCULAR], 1);
	assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 1);
	close_node(&b);

	plan.fixed = true;
	open_plan(&b, &plan);
	hear(&b, 1, OVERLAY_DT_HELLO, P(700, 500));
	pass(&b, 2250 * NP_MILLISECOND);
	assert_int_equal(b.told[NP_OVERLAY_STABLE], 1);
	for (unsigned i = 0; i < 18; i++) {
		hear(&b, 1, OVERLAY_DT_HELLO, P(700, 500));
		hear(&b, 2, OVERLAY_DT_HELLO, P(500, 700));
		if (!i)
			hear(&b, 3, OVERLAY_DT_HELLO, P(700, 700)); /* forged, and never again */
		pass(&b, NP_SECOND);
	}
	assert_int_equal(b.told[NP_OVERLAY_COCIRCULAR], 1);
	assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 0);
	logical = overlay_node_logical(b.node);
	assert_true(np_overlay_equal(&logical, &at_self));
	for (unsigned i = 0; i < 18; i++) {
		hear(&b, 1, OVERLAY_DT_HELLO, P(700, 500));
		hear(&b, 2, OVERLAY_DT_HELLO, P(500, 700));
		hear(&b, 3, OVERLAY_DT_HELLO, P(700, 700));
		pass(&b, NP_SECOND);
	}
	assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 1);
	close_node(&b);
}

/* Broadcast: leaders call; who has nobody nearer to the leader answers. */
TEST(beacons)
{
	const struct overlay_plan plan = plan_of(OVERLAY_DT_BROADCAST, NULL);
	struct overlay_dt dt;
	struct bench b;

	open_plan(&b, &plan);
	pass(&b, NP_SECOND);
	assert_in_range(b.sent, 3, 5);
	assert_int_equal(b.message[0].to.length, 0);
	assert_int_equal(b.message[0].data[0], 0x23);
	assert_int_equal(overlay_dt_decode(b.message[0].data, b.message[0].bytes, &dt), 0);
	assert_int_equal(dt.type, OVERLAY_DT_BEACON);
	hear(&b, 0, OVERLAY_DT_BEACON, SELF); /* its own, from the group */
	assert_int_equal(b.told[NP_OVERLAY_TWIN], 0);
	hear(&b, 1, OVERLAY_DT_BEACON, P(500, 900));
	assert_int_equal(said(&b, 1).type, OVERLAY_DT_HELLO);
	hear(&b, 1, OVERLAY_DT_HELLO, P(500, 900));
	b.sent = 0;
	hear(&b, 1, OVERLAY_DT_BEACON, P(500, 900));
	hear(&b, 2, OVERLAY_DT_BEACON, P(510, 1000)); /* the other is nearer */
	assert_int_equal(b.sent, 0);
	pass(&b, NP_SECOND);
	assert_int_equal(said(&b, 1).type, OVERLAY_DT_HELLO);
	for (unsigned i = 0; i < b.sent; i++)
		assert_int_not_equal(b.message[i].to.length, 0); /* no leader any more */
	close_node(&b);
}

static size_t bytes_to(const struct bench *b, unsigned to, unsigned from)
{
	const struct overlay_address where = address(to);
	size_t bytes = 0;

	for (unsigned i = from; i < b->sent; i++)
		bytes += overlay_address_equal(&b->message[i % SENT].to, &where)
				 ? b->message[i % SENT].bytes
				 : 0;
	for (unsigned i = 0; i < b->pings; i++)
		bytes += overlay_address_equal(&b->ping[i % 8].to, &where) ? b->ping[i % 8].bytes
									   : 0;
	return bytes;
}

/*
 * Nobody is sent more than came from his address until he has answered from there what only that
 * address was asked: neither heartbeats nor longer answers, nor what he says of third ones.
 */
TEST(unproven)
{
	const struct overlay_dt named = {
		.source = P(900, 500), .destination = SELF, .a = {P(700, 600), address(8)}};
	struct overlay_dt pong = {.type = OVERLAY_DT_PONG, .source = P(900, 500)};
	struct overlay_dt ping;
	struct bench b;

	open_chain(&b);
	b.unproven = true;
	hear(&b, 3, OVERLAY_DT_HELLO, P(500, 900));
	assert_int_equal(neighbours(&b), 3);
	pass(&b, 9 * NP_SECOND);
	assert_int_equal(bytes_to(&b, 3, 0), OVERLAY_DT_MIN);
	/* One that names a third one pays for what that is sent. */
	close_node(&b);
	open_node(&b);
	b.unproven = true;
	hear_dt(&b, 2, &named);
	pass(&b, 9 * NP_SECOND);
	assert_in_range(bytes_to(&b, 2, 0) + bytes_to(&b, 8, 0), OVERLAY_DT_MIN, 59);
	assert_int_equal(overlay_dt_decode(b.ping[0].data, b.ping[0].bytes, &ping), 0);
	assert_true(overlay_point_equal(ping.destination, P(900, 500)));
	/* What another address was asked, or nobody, is no proof. */
	pong.destination = SELF;
	b.sent = b.pings = b.pongs = 0;
	hear_dt(&b, 2, &pong);
	pong.destination = ping.source;
	hear_dt(&b, 7, &pong);
	assert_int_equal(b.sent, 0);
	hear_dt(&b, 2, &pong);
	assert_int_equal(said(&b, 2).type, OVERLAY_DT_HELLO);
	pass(&b, 5 * NP_SECOND);
	assert_true(bytes_to(&b, 2, 0) > 100);
	/* A longer answer than the question follows the proof. */
	close_node(&b);
	open_chain(&b);
	hear(&b, 3, OVERLAY_DT_HELLO, P(500, 900));
	b.unproven = true;
	b.sent = b.pings = b.pongs = 0;
	hear(&b, 4, OVERLAY_DT_HELLO, P(500, 2000));
	assert_int_equal(b.sent, 0);
	assert_int_equal(b.pings, 1);
	b.unproven = false;
	b.pongs = 0;
	answer_pings(&b);
	assert_int_equal(said(&b, 4).type, OVERLAY_DT_NOT_NEIGHBOUR);
	assert_true(overlay_point_equal(said(&b, 4).a.point, P(500, 900)));
	close_node(&b);
}

/* As many neighbours as the plan says; one more is refused, and those that are there stay. */
TEST(crowd)
{
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, NULL);
	struct bench b;

	plan.neighbours_max = 4;
	open_plan(&b, &plan);
	hear(&b, 1, OVERLAY_DT_HELLO, P(600, 501));
	hear(&b, 2, OVERLAY_DT_HELLO, P(501, 610));
	hear(&b, 3, OVERLAY_DT_HELLO, P(410, 480));
	hear(&b, 4, OVERLAY_DT_HELLO, P(490, 420));
	assert_int_equal(neighbours(&b), 4);
	hear(&b, 5, OVERLAY_DT_HELLO, P(560, 565));
	assert_int_equal(neighbours(&b), 4);
	assert_int_equal(said(&b, 5).type, OVERLAY_DT_NOT_NEIGHBOUR);
	assert_int_equal(counts(&b).full, 1);
	close_node(&b);
}

/* A neighbour's messages from elsewhere change nothing until it has been silent for a while. */
TEST_AT(open_chain, forgeries)
{
	hear(b, 6, OVERLAY_DT_GOODBYE, P(100, 500));
	hear(b, 6, OVERLAY_DT_HELLO, P(100, 500));
	assert_int_equal(counts(b).forged, 2);
	assert_int_equal(neighbours(b), 2);
	pass(b, 4100 * NP_MILLISECOND);
	hear(b, 6, OVERLAY_DT_HELLO, P(100, 500)); /* it came back elsewhere */
	assert_int_equal(counts(b).forged, 2);
	b->sent = 0;
	pass(b, 3 * NP_SECOND);
	assert_int_equal(said(b, 6).type, OVERLAY_DT_HELLO);
	/* Nothing, no message, another overlay's, no source. */
	overlay_node_receive(b->node, &(struct overlay_address){0}, "", 0, b->now);
	overlay_node_receive(b->node, &(struct overlay_address){0}, "\x22", 1, b->now);
	overlay_node_receive(b->node, &(struct overlay_address){0}, "\xd0", 1, b->now);
	hear(b, 7, OVERLAY_DT_HELLO, P(0, 0));
	assert_int_equal(counts(b).malformed, 4);
}

/* The west falls silent, the east does not. */
static void silent_west(struct bench *b)
{
	open_chain(b);
	pass(b, 3 * NP_SECOND);
	hear(b, 2, OVERLAY_DT_HELLO, P(900, 500));
	pass(b, 1100 * NP_MILLISECOND);
	b->sent = 0;
}

/*
 * A node is at one place: a neighbour that comes in the name of another, silent one has left its
 * own, gets one copy, and cannot make this node its own neighbour.
 */
TEST(one_place)
{
	struct bench b;

	silent_west(&b);
	hear(&b, 2, OVERLAY_DT_HELLO, P(100, 500));
	assert_int_equal(neighbours(&b), 1);
	assert_true(is_neighbour(&b, P(100, 500)));
	assert_int_equal(overlay_node_send_all(b.node, "x", 1), 0);
	assert_int_equal(b.sent, 1);
	hear(&b, 2, OVERLAY_DT_HELLO, P(900, 500)); /* and back again */
	assert_int_equal(neighbours(&b), 1);
	assert_true(is_neighbour(&b, P(900, 500)));
	close_node(&b);
	silent_west(&b);
	hear(&b, 0, OVERLAY_DT_HELLO, P(100, 500));
	assert_int_equal(counts(&b).forged, 1);
	hear(&b, 2, OVERLAY_DT_GOODBYE, P(100, 500));
	assert_int_equal(neighbours(&b), 1);
	assert_true(is_neighbour(&b, P(900, 500)));
	close_node(&b);
}
