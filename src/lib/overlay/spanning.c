// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* spanning: joining and leaving a spanning tree, beacons, what each message tells, next hops. */
#include "spanning.h"

#include <errno.h>
#include <stdlib.h>

/* A node that has a duplicate takes a new address at most this far from its old one. */
#define MOVE_MOST  1000
#define MOVE_TRIES 64

/* Another address than others are known to have. */
static void move(struct np_overlay *node)
{
	struct spanning *s = node->spanning;
	const int32_t from = s->self;

	for (unsigned i = 0; i < MOVE_TRIES; i++) {
		const int64_t to = (int64_t)from +
				   (int64_t)overlay_random(&node->random, 2 * MOVE_MOST + 1) -
				   MOVE_MOST;

		if (to < INT32_MIN || to > INT32_MAX || !to || to == from ||
		    spanning_find(s, (int32_t)to))
			continue;
		s->self = (int32_t)to;
		node->logical = overlay_logical_number(s->self);
		s->moved = node->now;
		node->counts.moves++;
		overlay_pend(node, NP_OVERLAY_ADDRESS)->node[0] = overlay_logical_number(from);
		/* Its own root, without neighbours. */
		s->parent = 0;
		s->settled = node->stable = false;
		for (unsigned k = 0; k < s->count; k++)
			s->adjacent[k].told = 0;
		spanning_choose(node);
		return;
	}
}

/*
 * Another node has this node's address. This one gives way: if nobody knows it yet, at once; if it
 * has neighbours, only when the user did not name its address, and when the other one stays.
 */
static void take_duplicate(struct np_overlay *node, const struct overlay_address *from)
{
	struct spanning *s = node->spanning;

	if (node->now - s->duplicate_heard >= node->plan.timeout)
		s->duplicate_since = node->now;
	s->duplicate_heard = node->now;
	overlay_duplicate_address(node, from);
	if (node->now - s->moved >= node->plan.timeout &&
	    (!s->settled ||
	     (!node->plan.fixed && node->now - s->duplicate_since >= 2 * node->plan.rendezvous)))
		move(node);
}

/* Who sent the beacon; NULL: it is forged, or there is no room. */
static struct spanning_adjacent *sender(struct np_overlay *node, const struct overlay_address *from,
					int32_t logical)
{
	struct spanning *s = node->spanning;
	struct spanning_adjacent *a = spanning_find(s, logical);

	if (a && overlay_address_equal(&a->address, from))
		return a;
	/* A known one elsewhere: it came back, or it is somebody in its name. */
	if (a && node->now - a->heard_at <= node->plan.timeout) {
		node->counts.forged++;
		return NULL;
	}
	if (a)
		spanning_remove(s, a);
	/* A node that is known by another number has moved from there. */
	for (unsigned i = 0; i < s->count; i++) {
		if (overlay_address_equal(&s->adjacent[i].address, from)) {
			spanning_remove(s, &s->adjacent[i]);
			break;
		}
	}
	a = spanning_add(node, logical, from);
	node->counts.full += !a;
	return a;
}

static void take_beacon(struct np_overlay *node, const struct overlay_address *from,
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

static void take_goodbye(struct np_overlay *node, const struct overlay_address *from,
			 const struct overlay_spt *spt)
{
	const struct np_overlay_logical source = overlay_logical_number(spt->source);
	struct spanning *s = node->spanning;
	struct spanning_adjacent *a = spanning_find(s, spt->source);

	if (!a)
		return;
	if (!overlay_address_equal(&a->address, from)) {
		node->counts.forged++;
		return;
	}
	overlay_note_gone(node, &source, from, node->plan.rendezvous / 2);
	spanning_remove(s, a);
	spanning_choose(node);
}

/* Sends to the group. A payload may be about to be sent from the node's buffer, but no beacon. */
static void send_to_group(struct np_overlay *node, const struct overlay_spt *spt)
{
	const bool beacon = spt->type == OVERLAY_SPT_BEACON;
	struct overlay_spt out = *spt;
	uint8_t small[OVERLAY_SPT_BEACON_MAX];
	uint8_t *message = beacon ? node->message : small;
	ssize_t bytes;

	out.rendezvous = OVERLAY_RENDEZVOUS_MULTICAST;
	out.hash = node->plan.hash;
	out.source = node->spanning->self;
	bytes = overlay_spt_encode(message, beacon ? node->plan.message_max : sizeof(small), &out);
	if (bytes > 0)
		node->substrate->face->send(node->substrate, NULL, message, (size_t)bytes,
					    OVERLAY_PROTOCOL);
}

static struct spanning_route *set_of(const struct np_overlay *node, int32_t to)
{
	const uint64_t key =
		((uint64_t)(uint32_t)to ^ node->plan.seed) * UINT64_C(0x9e3779b97f4a7c15);

	return node->spanning->route[(key >> 32) % SPANNING_SETS];
}

static void learn(struct np_overlay *node, int32_t to, int32_t by)
{
	struct spanning_route *set = set_of(node, to), *oldest = &set[0];

	if (to == by)
		return;
	for (unsigned i = 0; i < SPANNING_WAYS; i++) {
		if (set[i].to == to) {
			oldest = &set[i];
			break;
		}
		if (!set[i].to || (oldest->to && set[i].since < oldest->since))
			oldest = &set[i];
	}
	*oldest = (struct spanning_route){to, by, node->now};
}

/* NULL: it is none. */
static const struct spanning_adjacent *neighbour(struct spanning *s, int32_t logical)
{
	const struct spanning_adjacent *a = spanning_find(s, logical);

	return a && a->neighbour ? a : NULL;
}

/* The next hop by the tree only; NULL: unknown. */
static const struct spanning_adjacent *tree_hop(struct spanning *s, int32_t to)
{
	if (to == s->self)
		return NULL;
	return neighbour(s, to == s->root ? s->parent : to);
}

/* By the tree or a learnt route; NULL: unknown. */
static const struct spanning_adjacent *next_hop(const struct np_overlay *node, int32_t to)
{
	struct spanning *s = node->spanning;
	const struct spanning_adjacent *hop = tree_hop(s, to);
	const struct spanning_route *set = set_of(node, to);

	if (hop || to == s->self)
		return hop;
	for (unsigned i = 0; i < SPANNING_WAYS; i++) {
		if (set[i].to == to && node->now - set[i].since <= node->plan.route_cache)
			return neighbour(s, set[i].by);
	}
	return NULL;
}

/* From a neighbour, and from where that is. */
static const struct spanning_adjacent *asker(struct np_overlay *node,
					     const struct overlay_address *from,
					     const struct overlay_spt *spt)
{
	const struct spanning_adjacent *who = neighbour(node->spanning, spt->source);

	if (who && !overlay_address_equal(&who->address, from)) {
		node->counts.forged++;
		return NULL;
	}
	return who;
}

static void take_request(struct np_overlay *node, const struct overlay_address *from,
			 const struct overlay_spt *spt)
{
	struct spanning *s = node->spanning;
	const struct spanning_adjacent *who = asker(node, from, spt);
	const struct spanning_adjacent *hop = next_hop(node, spt->wanted);
	const struct overlay_spt reply = {
		.type = OVERLAY_SPT_ROUTE_REPLY,
		.next_hop = hop ? hop->logical : s->self,
		.wanted = spt->wanted,
	};

	if (!who || hop == who || (!hop && spt->wanted != s->self))
		return;
	if (s->answered++ < SPANNING_ASKED_MAX)
		send_to_group(node, &reply);
}

/* Counts what is not to be believed. */
static bool believed(struct np_overlay *node, const struct overlay_address *from,
		     const struct overlay_spt *spt)
{
	struct np_overlay_node_counts *counts = &node->counts;
	const bool beacon = spt->type == OVERLAY_SPT_BEACON;
	struct overlay_address told = spt->address;

	/* The realm that it names does not matter. */
	told.realm = from->realm;
	if (beacon && (spt->cost < 0 || spt->cost > SPANNING_COST_MAX))
		counts->malformed++;
	else if (spt->hash != node->plan.hash || !overlay_reaches(node, from))
		counts->foreign++;
	else if (beacon && !overlay_address_equal(&told, from))
		counts->forged++;
	else
		return node->joined;
	return false;
}

static void spanning_receive(struct np_overlay *node, const struct overlay_address *from,
			     const void *message, size_t bytes)
{
	const int32_t self = node->spanning->self;
	const struct spanning_adjacent *who;
	struct np_overlay_logical source;
	struct overlay_spt spt;

	if (overlay_spt_decode(message, bytes, &spt)) {
		node->counts.malformed++;
		return;
	}
	/* The group gives a node its own messages back. */
	if (overlay_address_equal(from, &node->plan.self) || !believed(node, from, &spt))
		return;
	if (spt.source == self) {
		if (spt.type == OVERLAY_SPT_BEACON)
			take_duplicate(node, from);
		else
			node->counts.forged++;
		return;
	}
	switch (spt.type) {
	case OVERLAY_SPT_BEACON:
		source = overlay_logical_number(spt.source);
		if (!overlay_has_gone(node, &source, from))
			take_beacon(node, from, &spt);
		break;
	case OVERLAY_SPT_GOODBYE: take_goodbye(node, from, &spt); break;
	case OVERLAY_SPT_ROUTE_REQUEST: take_request(node, from, &spt); break;
	default:
		who = asker(node, from, &spt);
		if (who && spt.wanted != self && spt.next_hop != self)
			learn(node, spt.wanted, who->logical);
	}
}

#define METRIC_BEST 10000
/* The tree is stable once it has not changed for this many intervals. */
#define STABLE_INTERVALS 3

static int spanning_open(struct np_overlay *node)
{
	const size_t fit =
		(node->plan.message_max - OVERLAY_SPT_BEACON_MAX) / OVERLAY_SPT_SENDER_BYTES;
	const size_t most = node->plan.neighbours_max;
	struct spanning *s = calloc(1, sizeof(*s) + most * sizeof(*s->adjacent));

	node->spanning = s;
	if (!s)
		return -ENOMEM;
	s->self = s->root = node->plan.coordinates.x;
	node->logical = overlay_logical_number(s->self);
	s->room = (unsigned)(most < fit ? most : fit);
	return 0;
}

static void spanning_join(struct np_overlay *node)
{
	struct spanning *s = node->spanning;

	node->next_heartbeat =
		node->now + (np_time)overlay_random(&node->random, (uint64_t)node->plan.rendezvous);
	s->beacon_at = s->changed = node->now;
	s->duplicate_heard = s->moved = node->now - node->plan.timeout; /* too long ago to count */
	node->next_call = NP_TIME_NEVER;
	s->settled = node->stable = false;
	memset(s->history, 0, sizeof(s->history));
	memset(s->route, 0, sizeof(s->route));
}

static void spanning_leave(struct np_overlay *node)
{
	const struct overlay_spt goodbye = {.type = OVERLAY_SPT_GOODBYE};
	struct spanning *s = node->spanning;

	send_to_group(node, &goodbye);
	s->count = 0;
	s->lost = node->stable = false;
	s->parent = s->cost = 0;
	s->root = s->self;
}

/*
 * It lists the nodes that were heard lately. A root's stamp is the wall clock, as Java's is, and
 * newer than every stamp believed so far: Java compares them from one root to the next, too, and a
 * clock set back must not silence this one.
 */
static void send_beacon(struct np_overlay *node)
{
	struct spanning *s = node->spanning;
	uint8_t senders[OVERLAY_NEIGHBOURS_MAX * OVERLAY_SPT_SENDER_BYTES];
	const int64_t wall = (node->plan.epoch + node->now) / NP_MILLISECOND;
	struct overlay_spt beacon = {
		.type = OVERLAY_SPT_BEACON,
		.address = node->plan.self,
		.root = s->root,
		.parent = s->parent,
		.cost = s->cost,
		.metric = (uint16_t)(METRIC_BEST - s->cost),
		.sender = senders,
	};

	for (unsigned i = 0; i < s->count; i++) {
		const struct spanning_adjacent *a = &s->adjacent[i];
		/* In how many of the latest intervals something arrived from it. */
		const int heard = __builtin_popcount(a->heard);
		const int told = heard | (a->neighbour ? OVERLAY_SPT_TREE : 0);
		uint8_t *at = senders + (size_t)OVERLAY_SPT_SENDER_BYTES * beacon.senders;

		if (told)
			overlay_spt_put_sender(at, a->logical, (uint8_t)told);
		beacon.senders += told != 0;
	}
	if (!s->parent && (wall > s->timestamp || s->timestamp == INT64_MAX))
		s->timestamp = wall;
	else if (!s->parent)
		s->timestamp++;
	beacon.timestamp = s->timestamp;
	s->beacon_at = node->now;
	node->next_call = NP_TIME_NEVER;
	send_to_group(node, &beacon);
}

static void spanning_tick(struct np_overlay *node)
{
	struct spanning *s = node->spanning;

	if (node->next_heartbeat > node->now) {
		if (node->next_call <= node->now)
			send_beacon(node);
		return;
	}
	node->next_heartbeat = node->now + node->plan.rendezvous;
	s->asked = s->answered = 0;
	for (unsigned i = s->count; i-- > 0;) {
		struct spanning_adjacent *a = &s->adjacent[i];

		a->heard = (uint16_t)(a->heard << 1) & ((1u << SPANNING_INTERVALS) - 1);
		if (node->now - a->heard_at > node->plan.adjacency_timeout)
			spanning_remove(s, a);
	}
	spanning_choose(node);
	/* Nothing has changed for a while, and the neighbours take this node for one of theirs. */
	node->stable = node->now - s->changed >= STABLE_INTERVALS * node->plan.rendezvous;
	for (unsigned i = 0; i < s->count; i++) {
		if (s->adjacent[i].neighbour && !(s->adjacent[i].told & OVERLAY_SPT_TREE))
			node->stable = false;
	}
	send_beacon(node);
}

/* The children are all but the one that is before this node, seen from the root. */
static bool spanning_neighbour(const struct np_overlay *node, unsigned *at,
			       const struct np_overlay_logical *root, struct overlay_neighbour *out)
{
	const struct spanning *s = node->spanning;

	while (*at < s->count) {
		const struct spanning_adjacent *a = &s->adjacent[(*at)++];

		if (!a->neighbour ||
		    (root && a == next_hop(node, overlay_logical_get_number(root))))
			continue;
		*out = (struct overlay_neighbour){overlay_logical_number(a->logical), a->address};
		return true;
	}
	return false;
}

static bool spanning_parent(const struct np_overlay *node, const struct np_overlay_logical *root,
			    struct overlay_neighbour *out)
{
	const struct spanning_adjacent *hop = next_hop(node, overlay_logical_get_number(root));

	if (!hop)
		return false;
	*out = (struct overlay_neighbour){overlay_logical_number(hop->logical), hop->address};
	return true;
}

/* Asks the nodes that hear this node for the way. */
static bool spanning_seek(struct np_overlay *node, const struct np_overlay_logical *root)
{
	const struct overlay_spt request = {.type = OVERLAY_SPT_ROUTE_REQUEST,
					    .wanted = overlay_logical_get_number(root)};

	if (node->spanning->asked++ < SPANNING_ASKED_MAX)
		send_to_group(node, &request);
	return true;
}

/* From a neighbour; if the source's place in the tree is known, from the one on that side. */
static bool spanning_accepts(struct np_overlay *node, const struct overlay_address *from,
			     const struct overlay_ol *ol)
{
	struct spanning *s = node->spanning;
	const int32_t source = overlay_logical_get_number(&ol->source);
	const int32_t previous = overlay_logical_get_number(&ol->previous);
	struct spanning_adjacent *by = spanning_find(s, previous);
	const struct spanning_adjacent *hop = tree_hop(s, source);

	if (!by || !by->neighbour || (hop && hop != by)) {
		node->counts.not_from_parent++;
		return false;
	}
	if (!overlay_address_equal(&by->address, from)) {
		node->counts.forged++;
		return false;
	}
	/* On a slow link its beacons wait behind its payloads. */
	by->heard_at = node->now;
	by->heard |= 1;
	if (!hop)
		learn(node, source, previous);
	return true;
}

const struct overlay_rules overlay_rules_spanning = {
	.open = spanning_open,
	.join = spanning_join,
	.leave = spanning_leave,
	.tick = spanning_tick,
	.receive = spanning_receive,
	.neighbour = spanning_neighbour,
	.parent = spanning_parent,
	.seek = spanning_seek,
	.accepts = spanning_accepts,
};
