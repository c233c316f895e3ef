// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Payloads at one node of the spanning tree, the ways that it learns, and what strangers try. */
#include "overlay_spanning.h"
#include "support/unit.h"

/* The node 500 below the root 5, with the children 600 and 601. */
static void open_tree(struct bench *b)
{
	open_spanning(b);
	hear_root(b, 1, 5);
	hear_child(b, 2, 600, 5);
	hear_child(b, 3, 601, 5);
	assert_int_equal(neighbours(b), 3);
	b->sent = 0;
}

static struct overlay_ol payload_of(enum overlay_mode mode, int32_t source, int32_t previous,
				    int32_t destination)
{
	return hello(mode, overlay_logical_number(source), overlay_logical_number(previous),
		     overlay_logical_number(destination));
}

static void hear_payload(struct bench *b, unsigned from, enum overlay_mode mode, int32_t source,
			 int32_t previous, int32_t destination)
{
	const struct overlay_ol ol = payload_of(mode, source, previous, destination);

	hear_ol(b, from, &ol);
}

/* How many of the messages sent went to station @to. */
static unsigned copies(const struct bench *b, unsigned to)
{
	const struct overlay_address where = address(to);
	unsigned found = 0;

	for (unsigned i = 0; i < b->sent && i < SENT; i++)
		found += overlay_address_equal(&b->message[i].to, &where);
	return found;
}

/* To the root and to neighbours by the tree; to others, as learnt; else to all, and asked for. */
TEST_AT(open_tree, unicast)
{
	const struct np_overlay_logical root = overlay_logical_number(5);
	const struct np_overlay_logical child = overlay_logical_number(601);
	const struct np_overlay_logical far = overlay_logical_number(777);
	struct overlay_spt spt;
	struct overlay_ol ol;

	assert_int_equal(overlay_node_send(b->node, &root, "one", 3), 0);
	assert_true(b->sent == 1 && copies(b, 1) == 1);
	assert_int_equal(overlay_node_send(b->node, &child, "one", 3), 0);
	assert_true(b->sent == 2 && copies(b, 3) == 1);
	b->sent = 0;
	assert_int_equal(overlay_node_send(b->node, &far, "one", 3), 0);
	assert_true(copies(b, 1) == 1 && copies(b, 2) == 1 && copies(b, 3) == 1);
	assert_int_equal(overlay_ol_decode(b->message[3].data, b->message[3].bytes, &ol), 0);
	assert_int_equal(overlay_logical_get_number(&ol.destination), 777);
	spt = said_to_group(b, OVERLAY_SPT_ROUTE_REQUEST);
	assert_true(spt.source == SELF_NUMBER && spt.wanted == 777);
	assert_int_equal(next_hop(b, 777), 0);
	hear_payload(b, 2, OVERLAY_UNICAST, 777, 600, SELF_NUMBER);
	assert_true(b->delivered == 1 && b->payload.unicast);
	assert_int_equal(next_hop(b, 777), 600);
	b->sent = 0;
	assert_int_equal(overlay_node_send(b->node, &far, "one", 3), 0);
	assert_true(b->sent == 1 && copies(b, 2) == 1);
	hear_payload(b, 3, OVERLAY_UNICAST, 888, 601, 777); /* through */
	assert_true(b->sent == 2 && copies(b, 2) == 2 && b->delivered == 1);
	hear_payload(b, 1, OVERLAY_UNICAST, 5, 5, 999); /* nobody knows: to the others */
	assert_true(copies(b, 1) == 0 && copies(b, 2) == 3 && copies(b, 3) == 1);
	for (unsigned i = 0; i < 5; i++) {
		pass(b, 4 * NP_SECOND);
		hear_root(b, 1, 5);
		hear_child(b, 2, 600, 5);
		hear_child(b, 3, 601, 5);
		assert_int_equal(next_hop(b, 777), 600);
	}
	pass(b, MS(1));
	assert_int_equal(overlay_node_send(b->node, &root, "one", 3), 0);
	hear_root(b, 1, 5);		       /* the clock */
	assert_int_equal(next_hop(b, 777), 0); /* 20 s have passed */
}

/* Alone there is nobody to send to; at the end of the tree a search ends without a fault. */
TEST_AT(open_spanning, ends)
{
	const struct np_overlay_logical far = overlay_logical_number(777);

	assert_int_equal(overlay_node_send(b->node, &far, "x", 1), -EHOSTUNREACH);
	assert_int_equal(counts(b).unroutable, 1);
	hear_root(b, 1, 5);
	hear_payload(b, 1, OVERLAY_UNICAST, 5, 5, 777);
	assert_int_equal(counts(b).unroutable, 1);
	assert_int_equal(b->delivered, 0);
	b->sent = 0;
	for (unsigned i = 0; i < 100; i++)
		overlay_node_send(b->node, &far, "x", 1);
	assert_int_equal(b->sent, 100 + 14); /* two had asked before */
	pass(b, NP_SECOND);
	hear_root(b, 1, 5);
	b->sent = 0;
	for (unsigned i = 0; i < 100; i++)
		overlay_node_send(b->node, &far, "x", 1);
	assert_int_equal(b->sent, 100 + 16);
}

/* The way to a node: who knows it says so; who is not asked by a neighbour is silent. */
TEST_AT(open_tree, routes)
{
	struct overlay_spt spt = {.type = OVERLAY_SPT_ROUTE_REQUEST, .source = 5, .wanted = 600};
	struct overlay_spt said;

	hear_spt(b, 1, &spt);
	said = said_to_group(b, OVERLAY_SPT_ROUTE_REPLY);
	assert_true(said.source == SELF_NUMBER && said.next_hop == 600 && said.wanted == 600);
	spt.wanted = SELF_NUMBER;
	hear_spt(b, 1, &spt);
	said = said_to_group(b, OVERLAY_SPT_ROUTE_REPLY);
	assert_true(said.next_hop == SELF_NUMBER && said.wanted == SELF_NUMBER);
	assert_int_equal(b->sent, 2);
	spt.wanted = 777; /* not known */
	hear_spt(b, 1, &spt);
	spt = (struct overlay_spt){.type = OVERLAY_SPT_ROUTE_REQUEST, .source = 600, .wanted = 600};
	hear_spt(b, 2, &spt); /* itself */
	spt.source = 901;
	hear_spt(b, 4, &spt); /* a stranger */
	spt.source = 5;
	hear_spt(b, 4, &spt); /* in the parent's name */
	assert_int_equal(counts(b).forged, 1);
	assert_int_equal(b->sent, 2);
	spt = (struct overlay_spt){
		.type = OVERLAY_SPT_ROUTE_REPLY, .source = 600, .next_hop = 650, .wanted = 777};
	hear_spt(b, 4, &spt); /* forged */
	assert_int_equal(next_hop(b, 777), 0);
	spt.next_hop = SELF_NUMBER; /* by this node itself */
	hear_spt(b, 2, &spt);
	assert_int_equal(next_hop(b, 777), 0);
	spt.next_hop = 650;
	hear_spt(b, 2, &spt);
	assert_int_equal(next_hop(b, 777), 600);
	/* Another tree: what was learnt may be wrong. */
	hear_child(b, 4, 602, 5);
	assert_int_equal(next_hop(b, 777), 0);
}

/* The ways learnt last are kept, as many as there is room for, and found whatever they are. */
TEST_AT(open_tree, many_routes)
{
	unsigned found = 0, latest = 0;

	for (int32_t i = 0; i < 3000; i++) {
		hear_payload(b, 2, OVERLAY_UNICAST, 1000 + i, 600, SELF_NUMBER);
		pass(b, MS(1));
		if (i % 1000 == 999) {
			hear_root(b, 1, 5);
			hear_child(b, 2, 600, 5);
			hear_child(b, 3, 601, 5);
		}
		assert_int_equal(next_hop(b, 1000 + i), 600);
	}
	for (int32_t i = 0; i < 3000; i++) {
		const bool is = next_hop(b, 1000 + i) == 600;

		found += is;
		latest += is && i >= 2600;
	}
	assert_int_equal(found, 512);
	assert_in_range(latest, 380, 400);
	/* Learnt anew elsewhere: by there, and the others are kept. */
	for (int32_t i = 2900; i < 3000; i++) {
		hear_payload(b, 3, OVERLAY_UNICAST, 1000 + i, 601, SELF_NUMBER);
		assert_int_equal(next_hop(b, 1000 + i), 601);
	}
	for (int32_t i = 0; i < 3000; i++)
		found -= next_hop(b, 1000 + i) != 0;
	assert_int_equal(found, 0);
}

/* Payloads keep a child alive whose beacons wait behind them. */
TEST_AT(open_tree, payloads_are_heard)
{
	for (unsigned i = 0; i < 8; i++) {
		pass(b, 3 * NP_SECOND);
		hear_root(b, 1, 5);
		hear_payload(b, 2, OVERLAY_MULTICAST, 777, 600, 1);
	}
	assert_true(is_in_tree(b, 600));
	assert_false(is_in_tree(b, 601)); /* silent */
	assert_int_equal(b->delivered, 8);
	assert_int_equal(counts(b).timed_out, 1);
}

/* Each of these is dropped and counted, and sends nothing. */
TEST_AT(open_tree, refused)
{
	struct overlay_ol ol;

	hear_payload(b, 2, OVERLAY_MULTICAST, 5, 600, 1);   /* the root is not there */
	hear_payload(b, 1, OVERLAY_MULTICAST, 600, 5, 1);   /* nor is a child */
	hear_payload(b, 4, OVERLAY_MULTICAST, 777, 901, 1); /* no neighbour */
	assert_int_equal(counts(b).not_from_parent, 3);
	hear_payload(b, 4, OVERLAY_MULTICAST, 5, 5, 1); /* in the parent's name */
	assert_int_equal(counts(b).forged, 1);
	hear_payload(b, 1, OVERLAY_MULTICAST, SELF_NUMBER, 5, 1); /* this node's own, again */
	assert_int_equal(counts(b).looped, 1);
	hear_payload(b, 1, OVERLAY_FLOOD, 5, 5, 1);
	assert_int_equal(counts(b).floods, 1);
	ol = payload_of(OVERLAY_MULTICAST, 5, 5, 1);
	ol.source = ol.previous = overlay_logical_point(P(5, 5));
	hear_ol(b, 1, &ol); /* another protocol's address */
	assert_int_equal(counts(b).foreign, 1);
	assert_true(!b->sent && !b->delivered);
}

/* This node's name elsewhere: a newcomer gives way at once. */
TEST(twin_of_newcomer)
{
	const struct view twin = {SELF_NUMBER, SELF_NUMBER, 0, 0, 0, 0};
	struct overlay_plan plan = spanning_plan();
	struct overlay_address where;
	struct np_overlay_logical now;
	struct view again = twin;
	struct bench b;

	plan.fixed = true;
	open_plan(&b, &plan);
	hear_view(&b, 0, &twin); /* its own, from the group */
	assert_int_equal(counts(&b).twins, 0);
	hear_view(&b, 7, &twin);
	assert_true(b.told[NP_OVERLAY_TWIN] == 1 && b.told[NP_OVERLAY_ADDRESS] == 1);
	assert_int_equal(overlay_logical_get_number(&b.event[NP_OVERLAY_ADDRESS].node[0]),
			 SELF_NUMBER);
	where = address(7);
	assert_true(told_address(&b, NP_OVERLAY_TWIN, &where));
	assert_int_equal(overlay_logical_get_number(&b.event[NP_OVERLAY_TWIN].node[0]),
			 SELF_NUMBER);
	now = overlay_node_logical(b.node);
	assert_int_not_equal(overlay_logical_get_number(&now), SELF_NUMBER);
	assert_int_not_equal(overlay_logical_get_number(&now), 0);
	assert_int_equal(counts(&b).moves, 1);
	/* Nor does it stay where it is alone as well, but not at once. */
	again.logical = again.root = overlay_logical_get_number(&now);
	pass(&b, MS(4900));
	hear_view(&b, 7, &again);
	assert_int_equal(counts(&b).moves, 1);
	pass(&b, MS(100));
	hear_view(&b, 7, &again);
	assert_int_equal(counts(&b).moves, 2);
	assert_int_equal(b.told[NP_OVERLAY_TWIN], 2);
	close_node(&b);
}

/* One with neighbours stays if its user named the address, else gives way when the twin stays. */
TEST(twin_of_settled)
{
	const struct view twin = {SELF_NUMBER, SELF_NUMBER, 0, 0, 0, 0};
	struct overlay_plan plan = spanning_plan();
	struct bench b;
	unsigned moves;

	for (unsigned fixed = 0; fixed < 2; fixed++) {
		plan.fixed = fixed;
		open_plan(&b, &plan);
		hear_root(&b, 1, 5);
		hear_view(&b, 7, &twin);
		assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 0);
		for (unsigned i = 0; i < 20; i++) {
			pass(&b, MS(200));
			hear_root(&b, 1, 5);
			moves = b.told[NP_OVERLAY_ADDRESS];
			hear_view(&b, 7, &twin);
			/* Nobody knows it there yet. */
			assert_int_equal(neighbours(&b), b.told[NP_OVERLAY_ADDRESS] == moves);
		}
		assert_int_equal(b.told[NP_OVERLAY_ADDRESS], !fixed);
		assert_int_equal(b.told[NP_OVERLAY_TWIN], 1);
		assert_true(is_in_tree(&b, 5));
		close_node(&b);
	}
}

/* What strangers send, in whatever name, from where they are. */
static void disturb(struct bench *b, unsigned turn)
{
	const struct overlay_spt goodbye = {.type = OVERLAY_SPT_GOODBYE, .source = 5};
	const struct overlay_spt own = {.type = OVERLAY_SPT_GOODBYE, .source = SELF_NUMBER};
	const struct view parent = {5, 5, 0, 0, 9, INT64_MAX};
	const struct view child = {600, 5, SELF_NUMBER, 2, 9, 0};
	const struct view twin = {SELF_NUMBER, 5, 5, 1, 9, 0};
	const struct view deaf = {-1000 - (int)turn, INT32_MIN, 7, 1, 0, INT64_MAX};
	const struct view mine = {800 + (int)turn, SELF_NUMBER, 0, 0, 9, INT64_MAX};
	const struct view odd = {6, 5, 7, -1, 9, 0}, far = {6, 5, 7, 10000, 9, 0};

	hear_view(b, 6, &parent); /* in the parent's name, and a child's, and this node's */
	hear_view(b, 6, &child);
	hear_view(b, 6, &twin);
	hear_view(b, 10 + turn % 40, &deaf); /* roots that do not hear it */
	hear_view(b, 60 + turn % 40, &mine); /* in a tree of which it would be the root */
	hear_view(b, 6, &odd);
	hear_view(b, 6, &far);
	hear_spt(b, 6, &goodbye);
	hear_spt(b, 6, &own);
	hear_payload(b, 6, OVERLAY_MULTICAST, 5, 5, 1);
	hear_payload(b, 6, OVERLAY_MULTICAST, 901, 901, 1);
}

/* Payloads go on while strangers do their worst. */
TEST(hostile)
{
	struct overlay_plan plan = spanning_plan();
	struct bench b;

	plan.fixed = true;
	plan.neighbours_max = 24;
	open_plan(&b, &plan);
	hear_root(&b, 1, 5);
	hear_child(&b, 2, 600, 5);
	for (unsigned turn = 0; turn < 500; turn++) {
		disturb(&b, turn);
		hear_root(&b, 1, 5);
		hear_child(&b, 2, 600, 5);
		b.sent = b.delivered = 0;
		hear_payload(&b, 1, OVERLAY_MULTICAST, 5, 5, 1);
		assert_true(b.delivered == 1 && b.sent == 1 && copies(&b, 2) == 1);
		pass(&b, MS(100));
	}
	assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 0);
	assert_int_equal(b.told[NP_OVERLAY_NEIGHBOURHOOD], 2); /* only when they came */
	assert_in_range(b.told[NP_OVERLAY_TWIN], 1, 12);
	assert_true(counts(&b).full > 0);
	assert_int_equal(counts(&b).malformed, 1000);
	announces(&b, 5, 5, 1);
	close_node(&b);
}

/* As many are heard as the plan says; who falls silent makes room, the tree stays. */
TEST(crowd)
{
	struct overlay_plan plan = spanning_plan();
	struct bench b;

	plan.neighbours_max = 4;
	open_plan(&b, &plan);
	hear_root(&b, 1, 5);
	for (unsigned i = 2; i < 9; i++)
		hear_child(&b, i, 600 + (int)i, 5);
	assert_int_equal(neighbours(&b), 4);
	assert_int_equal(counts(&b).full, 4);
	pass(&b, 3 * NP_SECOND);
	hear_root(&b, 1, 5);
	pass(&b, 3 * NP_SECOND);
	for (unsigned i = 5; i < 9; i++)
		hear_child(&b, i, 600 + (int)i, 5);
	assert_int_equal(neighbours(&b), 4);
	assert_true(is_in_tree(&b, 5) && is_in_tree(&b, 607) && !is_in_tree(&b, 608));
	close_node(&b);
}

/* A neighbour elsewhere: believed when it has been silent, and it keeps one place. */
TEST_AT(open_tree, moved)
{
	hear_child(b, 9, 600, 5);
	assert_int_equal(counts(b).forged, 1);
	pass(b, 6 * NP_SECOND);
	hear_child(b, 9, 600, 5);
	assert_int_equal(counts(b).forged, 1);
	assert_int_equal(overlay_node_send_all(b->node, "x", 1), 0);
	assert_true(copies(b, 9) == 1 && copies(b, 2) == 0);
	/* The same station by another address: one of both. */
	hear_child(b, 9, 610, 5);
	assert_true(is_in_tree(b, 610) && !is_in_tree(b, 600));
}

/* Neither from another overlay, nor with another's address in it, nor from nowhere. */
TEST_AT(open_spanning, foreign)
{
	struct overlay_address where = address(1);
	const struct overlay_spt spt = {.source = 5, .root = 5, .address = where, .hash = HASH + 1};
	struct overlay_spt here = {.source = 5, .root = 5, .address = where};
	uint8_t message[256];
	ssize_t bytes;

	bytes = overlay_spt_encode(message, sizeof(message), &spt);
	overlay_node_receive(b->node, &where, message, (size_t)bytes, b->now);
	assert_int_equal(counts(b).foreign, 1);
	here.address.bytes[5]++;
	hear_spt(b, 1, &here);
	assert_int_equal(counts(b).forged, 1);
	here.address = where;
	here.hash = HASH;
	bytes = overlay_spt_encode(message, sizeof(message), &here);
	where.realm++;
	overlay_node_receive(b->node, &where, message, (size_t)bytes, b->now);
	assert_int_equal(counts(b).foreign, 2);
	overlay_node_receive(b->node, &where, message, 7, b->now);
	assert_int_equal(counts(b).malformed, 1);
	hear(b, 1, OVERLAY_DT_HELLO, P(1, 1)); /* another protocol */
	assert_int_equal(counts(b).malformed, 2);
	pass(b, NP_SECOND);
	assert_int_equal(said_to_group(b, OVERLAY_SPT_BEACON).senders, 0);
}
