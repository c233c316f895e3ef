// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* spanning: joining and leaving a spanning tree, beacons, next hops. */
#include "spanning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define METRIC_BEST 10000
/* The tree is stable once it has not changed for this many intervals. */
#define STABLE_INTERVALS 3

static int spanning_open(struct overlay_node *node)
{
	const size_t fit =
		(node->plan.message_max - OVERLAY_SPT_BEACON_MAX) / OVERLAY_SPT_SENDER_BYTES;
	struct spanning *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	node->spanning = s;
	s->self = s->root = node->plan.coordinates.x;
	s->room = node->plan.neighbours_max < fit ? node->plan.neighbours_max : (unsigned)fit;
	s->adjacent = calloc(s->room, sizeof(*s->adjacent));
	s->tree = calloc(s->room, sizeof(*s->tree));
	s->senders = calloc(s->room, OVERLAY_SPT_SENDER_BYTES);
	s->message_room = OVERLAY_SPT_BEACON_MAX + (size_t)s->room * OVERLAY_SPT_SENDER_BYTES;
	s->message = calloc(1, s->message_room);
	return s->adjacent && s->tree && s->senders && s->message ? 0 : -ENOMEM;
}

static void spanning_close(struct overlay_node *node)
{
	if (!node->spanning)
		return;
	free(node->spanning->message);
	free(node->spanning->senders);
	free(node->spanning->tree);
	free(node->spanning->adjacent);
	free(node->spanning);
}

static void spanning_join(struct overlay_node *node)
{
	struct spanning *s = node->spanning;

	s->next_interval = node->now + (np_time)overlay_draw(node, (uint64_t)node->plan.rendezvous);
	s->beacon_at = s->changed = node->now;
	s->twin_heard = s->twin_told = s->moved = s->urgent = NP_TIME_NEVER;
	s->settled = s->stable = false;
	memset(s->history, 0, sizeof(s->history));
	memset(s->gone, 0, sizeof(s->gone));
	spanning_forget_routes(s);
}

static void spanning_leave(struct overlay_node *node)
{
	const struct overlay_spt goodbye = {.type = OVERLAY_SPT_GOODBYE};
	struct spanning *s = node->spanning;

	spanning_send(node, &goodbye);
	s->count = s->neighbours = 0;
	s->lost = s->stable = false;
	s->parent = s->cost = 0;
	s->root = s->self;
}

void spanning_send(struct overlay_node *node, const struct overlay_spt *spt)
{
	const struct spanning *s = node->spanning;
	struct overlay_spt out = *spt;
	ssize_t bytes;

	out.rendezvous = OVERLAY_RENDEZVOUS_MULTICAST;
	out.hash = node->plan.hash;
	out.source = s->self;
	bytes = overlay_spt_encode(s->message, s->message_room, &out);
	if (bytes > 0)
		overlay_send_protocol(node, NULL, s->message, (size_t)bytes);
}

/* Writes the nodes that were heard lately, for the beacon; returns how many. */
static unsigned list_senders(struct spanning *s)
{
	unsigned listed = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const struct spanning_adjacent *a = &s->adjacent[i];
		const unsigned told = spanning_heard(a) | (a->neighbour ? OVERLAY_SPT_TREE : 0u);

		if (told)
			overlay_spt_put_sender(s->senders +
						       (size_t)OVERLAY_SPT_SENDER_BYTES * listed++,
					       a->logical, (uint8_t)told);
	}
	return listed;
}

/*
 * A root's stamp: the wall clock, as Java's is, and newer than every stamp believed so far: Java
 * compares them from one root to the next, too, and a clock set back must not silence this one.
 */
static int64_t next_stamp(const struct overlay_node *node)
{
	const int64_t wall = (node->plan.epoch + node->now) / NP_MILLISECOND;
	const int64_t last = node->spanning->timestamp;

	return wall > last || last == INT64_MAX ? wall : last + 1;
}

static void send_beacon(struct overlay_node *node)
{
	struct spanning *s = node->spanning;
	struct overlay_spt beacon = {
		.type = OVERLAY_SPT_BEACON,
		.address = node->plan.self,
		.root = s->root,
		.parent = s->parent,
		.cost = s->cost,
		.metric = (uint16_t)(METRIC_BEST - s->cost),
		.senders = list_senders(s),
		.sender = s->senders,
	};

	if (!s->parent)
		s->timestamp = next_stamp(node);
	beacon.timestamp = s->timestamp;
	s->beacon_at = node->now;
	s->urgent = NP_TIME_NEVER;
	spanning_send(node, &beacon);
}

/* Nothing has changed for a while, and the neighbours take this node for one of theirs. */
static bool agreed(const struct overlay_node *node)
{
	const struct spanning *s = node->spanning;

	for (unsigned i = 0; i < s->neighbours; i++) {
		if (!(s->adjacent[s->tree[i]].told & OVERLAY_SPT_TREE))
			return false;
	}
	return node->now - s->changed >= STABLE_INTERVALS * node->plan.rendezvous;
}

static void spanning_tick(struct overlay_node *node)
{
	struct spanning *s = node->spanning;

	if (s->next_interval <= node->now) {
		s->next_interval = node->now + node->plan.rendezvous;
		s->asked = s->answered = 0;
		spanning_age(node);
		spanning_choose(node);
		s->stable = agreed(node);
		send_beacon(node);
	} else if (s->urgent <= node->now) {
		send_beacon(node);
	}
}

static np_time spanning_deadline(const struct overlay_node *node)
{
	const struct spanning *s = node->spanning;

	return s->urgent < s->next_interval ? s->urgent : s->next_interval;
}

static bool spanning_stable(const struct overlay_node *node)
{
	return node->spanning->stable;
}

static bool spanning_leader(const struct overlay_node *node)
{
	return !node->spanning->parent;
}

static struct np_overlay_logical spanning_logical(const struct overlay_node *node)
{
	return overlay_logical_number(node->spanning->self);
}

static unsigned spanning_count(const struct overlay_node *node)
{
	return node->spanning->neighbours;
}

static void give(const struct spanning_adjacent *a, struct overlay_neighbour *out)
{
	out->logical = overlay_logical_number(a->logical);
	out->address = a->address;
}

static const struct spanning_adjacent *at(const struct overlay_node *node, unsigned index)
{
	return &node->spanning->adjacent[node->spanning->tree[index]];
}

static void spanning_neighbour(const struct overlay_node *node, unsigned index,
			       struct overlay_neighbour *out)
{
	give(at(node, index), out);
}

/* All but the one that is before this node, seen from the root. */
static bool spanning_is_child(const struct overlay_node *node, unsigned index,
			      const struct np_overlay_logical *root)
{
	return at(node, index) != spanning_next_hop(node, overlay_logical_get_number(root));
}

static bool spanning_parent(const struct overlay_node *node, const struct np_overlay_logical *root,
			    struct overlay_neighbour *out)
{
	const struct spanning_adjacent *hop =
		spanning_next_hop(node, overlay_logical_get_number(root));

	if (hop)
		give(hop, out);
	return hop != NULL;
}

static bool spanning_seek(struct overlay_node *node, const struct np_overlay_logical *root)
{
	spanning_ask(node, overlay_logical_get_number(root));
	return true;
}

/* From a neighbour; if the source's place in the tree is known, from the one on that side. */
static bool spanning_accepts(struct overlay_node *node, const struct overlay_address *from,
			     const struct overlay_ol *ol)
{
	const struct spanning *s = node->spanning;
	const int32_t source = overlay_logical_get_number(&ol->source);
	const int32_t previous = overlay_logical_get_number(&ol->previous);
	struct spanning_adjacent *by = spanning_find(s, previous);
	const struct spanning_adjacent *hop = spanning_tree_hop(s, source);

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
		spanning_learn(node, source, previous);
	return true;
}

const struct overlay_rules overlay_rules_spanning = {
	.logical_size = OVERLAY_NUMBER_BYTES,
	.open = spanning_open,
	.close = spanning_close,
	.join = spanning_join,
	.leave = spanning_leave,
	.tick = spanning_tick,
	.deadline = spanning_deadline,
	.receive = spanning_receive,
	.stable = spanning_stable,
	.leader = spanning_leader,
	.logical = spanning_logical,
	.count = spanning_count,
	.neighbour = spanning_neighbour,
	.is_child = spanning_is_child,
	.parent = spanning_parent,
	.seek = spanning_seek,
	.accepts = spanning_accepts,
};
