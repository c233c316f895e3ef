/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay_spanning: a bench with a node of the spanning tree, address 500, and what others say to
 * it: station n speaks from address(n).
 */
#ifndef UNIT_OVERLAY_SPANNING_H
#define UNIT_OVERLAY_SPANNING_H

#include "../../src/lib/overlay/spanning.h"
#include "overlay_bench.h"

#define SELF_NUMBER 500
#define MS(n)	    ((n)*NP_MILLISECOND)

static inline struct overlay_plan spanning_plan(void)
{
	struct overlay_plan plan = plan_of(OVERLAY_SPT, NULL);

	plan.coordinates = P(SELF_NUMBER, 0);
	return plan;
}

static inline void open_spanning(struct bench *b)
{
	const struct overlay_plan plan = spanning_plan();

	open_plan(b, &plan);
}

/* The root's clock as others would know it now. */
static inline int64_t stamp(const struct bench *b)
{
	return b->now / NP_MILLISECOND;
}

/* What a node of the tree stands for, and what it heard of this one. */
struct view {
	int32_t logical, root, parent, cost;
	uint8_t told;
	int64_t stamp; /* 0: of now */
};

static inline void hear_spt(struct bench *b, unsigned from, const struct overlay_spt *spt)
{
	const struct overlay_address where = address(from);
	struct overlay_spt whole = *spt;
	uint8_t message[2048];
	ssize_t bytes;

	whole.rendezvous = OVERLAY_RENDEZVOUS_MULTICAST;
	whole.hash = HASH;
	bytes = overlay_spt_encode(message, sizeof(message), &whole);
	assert_true(bytes > 0);
	overlay_node_receive(b->node, &where, message, (size_t)bytes, b->now);
}

static inline void hear_view(struct bench *b, unsigned from, const struct view *view)
{
	const struct np_overlay_logical self = overlay_node_logical(b->node);
	uint8_t sender[OVERLAY_SPT_SENDER_BYTES];
	const struct overlay_spt spt = {
		.source = view->logical,
		.address = address(from),
		.root = view->root,
		.parent = view->parent,
		.cost = view->cost,
		.timestamp = view->stamp ? view->stamp : stamp(b),
		.metric = (uint16_t)(10000 - view->cost),
		.senders = view->told != 0,
		.sender = sender,
	};

	overlay_spt_put_sender(sender, overlay_logical_get_number(&self), view->told);
	hear_spt(b, from, &spt);
}

/* A root that hears this node. */
static inline void hear_root(struct bench *b, unsigned from, int32_t logical)
{
	const struct view view = {logical, logical, 0, 0, 1, 0};

	hear_view(b, from, &view);
}

/* A child of this node, which has the root @root. */
static inline void hear_child(struct bench *b, unsigned from, int32_t logical, int32_t root)
{
	const struct view view = {logical, root, SELF_NUMBER, 2, 1, 0};

	hear_view(b, from, &view);
}

static inline void hear_goodbye(struct bench *b, unsigned from, int32_t logical)
{
	const struct overlay_spt spt = {.type = OVERLAY_SPT_GOODBYE, .source = logical};

	hear_spt(b, from, &spt);
}

/* The latest message of that type to the group; type 255: there is none. */
static inline struct overlay_spt said_to_group(const struct bench *b, enum overlay_spt_type type)
{
	struct overlay_spt spt, found = {.type = 255};

	for (unsigned i = b->sent > SENT ? b->sent - SENT : 0; i < b->sent; i++) {
		const struct sent *sent = &b->message[i % SENT];

		if (sent->to.length || overlay_spt_decode(sent->data, sent->bytes, &spt))
			continue;
		if (spt.type == type)
			found = spt;
	}
	return found;
}

/* The root, parent and cost that the node announces next. */
static inline void announces(struct bench *b, int32_t root, int32_t parent, int32_t cost)
{
	struct overlay_spt spt;

	b->sent = 0;
	pass(b, NP_SECOND);
	spt = said_to_group(b, OVERLAY_SPT_BEACON);
	assert_int_equal(spt.type, OVERLAY_SPT_BEACON);
	assert_int_equal(spt.root, root);
	assert_int_equal(spt.parent, parent);
	assert_int_equal(spt.cost, cost);
	assert_int_equal(spt.metric, 10000 - cost);
	assert_int_equal(!b->node->spanning->parent, root == SELF_NUMBER);
}

static inline bool is_in_tree(const struct bench *b, int32_t logical)
{
	struct overlay_neighbour at[64];
	const unsigned count = overlay_node_neighbours(b->node, at, 64);

	for (unsigned i = 0; i < count; i++) {
		if (overlay_logical_get_number(&at[i].logical) == logical)
			return true;
	}
	return false;
}

static inline int32_t next_hop(const struct bench *b, int32_t to)
{
	const struct np_overlay_logical root = overlay_logical_number(to);
	struct overlay_neighbour at;

	return overlay_node_parent(b->node, &root, &at) ? overlay_logical_get_number(&at.logical)
							: 0;
}

static inline const struct spanning *inside(const struct bench *b)
{
	return b->node->spanning;
}

static inline int32_t self(const struct bench *b)
{
	const struct np_overlay_logical logical = overlay_node_logical(b->node);

	return overlay_logical_get_number(&logical);
}

/* A node above, of that root, with that stamp; true when it is the parent then. */
static inline bool follows(struct bench *b, unsigned from, int32_t logical, int32_t root,
			   int64_t at)
{
	const struct view view = {logical, root, 40, 1, 1, at};

	hear_view(b, from, &view);
	return inside(b)->parent == logical;
}

#endif
