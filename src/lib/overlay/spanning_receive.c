// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* spanning_receive: what a node of the spanning tree learns of each message. */
#include "spanning.h"

#include <string.h>

/* A node that has a twin takes a new address at most this far from its old one. */
#define MOVE_MOST  1000
#define MOVE_TRIES 64

/* Another address than others are known to have. */
static void move(struct overlay_node *node)
{
	struct spanning *s = node->spanning;
	const int32_t from = s->self;

	for (unsigned i = 0; i < MOVE_TRIES; i++) {
		const int64_t to =
			(int64_t)from + (int64_t)overlay_draw(node, 2 * MOVE_MOST + 1) - MOVE_MOST;

		if (to < INT32_MIN || to > INT32_MAX || !to || to == from ||
		    spanning_find(s, (int32_t)to))
			continue;
		s->self = (int32_t)to;
		s->moved = node->now;
		node->counts.moves++;
		node->pending.moved.from = (struct overlay_point){from, 0};
		overlay_pend(node, NP_OVERLAY_ADDRESS);
		spanning_reset(node);
		return;
	}
}

/* True when @time was, and @span has not passed since. */
static bool within(const struct overlay_node *node, np_time time, np_time span)
{
	return time != NP_TIME_NEVER && node->now - time < span;
}

/*
 * Whether this node gives way: if nobody knows it yet, at once; if it has neighbours, only when the
 * user did not name its address, and when the other one stays.
 */
static bool gives_way(const struct overlay_node *node)
{
	const struct spanning *s = node->spanning;

	if (within(node, s->moved, node->plan.timeout))
		return false;
	return !s->settled ||
	       (!node->plan.fixed && !within(node, s->twin_since, 2 * node->plan.rendezvous));
}

/* Another node has this node's address. */
static void take_twin(struct overlay_node *node, const struct overlay_address *from)
{
	struct spanning *s = node->spanning;

	node->counts.twins++;
	if (!within(node, s->twin_heard, node->plan.timeout))
		s->twin_since = node->now;
	s->twin_heard = node->now;
	if (!within(node, s->twin_told, node->plan.timeout)) {
		s->twin_told = node->now;
		node->pending.twin.node[0] = (struct overlay_point){s->self, 0};
		node->pending.twin.address = *from;
		overlay_pend(node, NP_OVERLAY_TWIN);
	}
	if (gives_way(node))
		move(node);
}

static bool same_place(const struct overlay_address *a, const struct overlay_address *b)
{
	return a->kind == b->kind && a->length == b->length &&
	       !memcmp(a->bytes, b->bytes, a->length);
}

static bool has_gone(const struct overlay_node *node, int32_t logical,
		     const struct overlay_address *from)
{
	for (unsigned i = 0; i < SPANNING_GONE; i++) {
		const struct spanning_gone *gone = &node->spanning->gone[i];

		if (gone->logical == logical && node->now < gone->until &&
		    overlay_address_equal(&gone->address, from))
			return true;
	}
	return false;
}

/* A node that is known by another address has moved from there. */
static void forget_moved(struct spanning *s, const struct overlay_address *from)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (overlay_address_equal(&s->adjacent[i].address, from)) {
			spanning_remove(s, &s->adjacent[i]);
			return;
		}
	}
}

/* Who sent the beacon; NULL: it is forged, or there is no room. */
static struct spanning_adjacent *sender(struct overlay_node *node,
					const struct overlay_address *from, int32_t logical)
{
	struct spanning_adjacent *a = spanning_find(node->spanning, logical);

	if (a && overlay_address_equal(&a->address, from))
		return a;
	/* A known one elsewhere: it came back, or it is somebody in its name. */
	if (a && node->now - a->heard_at <= node->plan.timeout) {
		node->counts.forged++;
		return NULL;
	}
	if (a)
		spanning_remove(node->spanning, a);
	forget_moved(node->spanning, from);
	a = spanning_add(node, logical, from);
	node->counts.full += !a;
	return a;
}

static void take_beacon(struct overlay_node *node, const struct overlay_address *from,
			const struct overlay_spt *spt)
{
	struct spanning_adjacent *a = sender(node, from, spt->source);

	/* What was removed for it is gone in any case. */
	if (!a) {
		spanning_choose(node);
		return;
	}
	a->heard |= 1;
	/* One that a later one overtook says nothing new. */
	if (a->root != spt->root || spt->timestamp >= a->timestamp ||
	    node->now - a->told_at >= node->plan.rendezvous / 2) {
		a->root = spt->root;
		a->parent = spt->parent;
		a->cost = spt->cost;
		a->timestamp = spt->timestamp;
		a->told = overlay_spt_told(spt, node->spanning->self);
	}
	a->heard_at = a->told_at = node->now;
	spanning_choose(node);
}

static void take_goodbye(struct overlay_node *node, const struct overlay_address *from,
			 const struct overlay_spt *spt)
{
	struct spanning *s = node->spanning;
	struct spanning_adjacent *a = spanning_find(s, spt->source);

	if (!a)
		return;
	if (!overlay_address_equal(&a->address, from)) {
		node->counts.forged++;
		return;
	}
	s->gone[s->next_gone++ % SPANNING_GONE] = (struct spanning_gone){
		.logical = spt->source,
		.address = *from,
		.until = node->now + node->plan.rendezvous / 2,
	};
	spanning_remove(s, a);
	spanning_choose(node);
}

static bool reachable(const struct overlay_node *node, const struct overlay_address *from)
{
	uint32_t ip;
	uint16_t port;

	return from->realm == node->plan.self.realm && overlay_address_get_ipv4(from, &ip, &port);
}

/* Counts what is not to be believed. */
static bool believed(struct overlay_node *node, const struct overlay_address *from,
		     const struct overlay_spt *spt)
{
	struct np_overlay_node_counts *counts = &node->counts;
	const bool beacon = spt->type == OVERLAY_SPT_BEACON;

	if (beacon && (spt->cost < 0 || spt->cost > SPANNING_COST_MAX))
		counts->malformed++;
	else if (spt->hash != node->plan.hash || !reachable(node, from))
		counts->foreign++;
	else if (beacon && !same_place(&spt->address, from))
		counts->forged++;
	else if (!node->joined)
		counts->not_joined++;
	else
		return true;
	return false;
}

void spanning_receive(struct overlay_node *node, const struct overlay_address *from,
		      const void *message, size_t bytes)
{
	struct overlay_spt spt;

	if (overlay_spt_decode(message, bytes, &spt)) {
		node->counts.malformed++;
		return;
	}
	/* The group gives a node its own messages back. */
	if (overlay_address_equal(from, &node->plan.self) || !believed(node, from, &spt))
		return;
	node->counts.protocol_received++;
	if (spt.source == node->spanning->self) {
		if (spt.type == OVERLAY_SPT_BEACON)
			take_twin(node, from);
		else
			node->counts.forged++;
		return;
	}
	switch (spt.type) {
	case OVERLAY_SPT_BEACON:
		if (!has_gone(node, spt.source, from))
			take_beacon(node, from, &spt);
		break;
	case OVERLAY_SPT_GOODBYE: take_goodbye(node, from, &spt); break;
	case OVERLAY_SPT_ROUTE_REQUEST: spanning_take_request(node, from, &spt); break;
	default: spanning_take_reply(node, from, &spt); break;
	}
}
