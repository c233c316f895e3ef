// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delaunay_move: who comes into the table and goes, and when this node gives way by moving. */
#include "delaunay.h"

#include <errno.h>

/* Moves at a time; if four nodes are still on a circle then, the next change is awaited. */
#define MOVES_MOST 32
/* A node that met twins again goes farther, up to 2 to this power: there are places for all. */
#define WIDEST 10

void delaunay_hurry(struct overlay_node *node)
{
	struct delaunay *d = node->delaunay;

	if (!d->slow)
		return;
	d->slow = false;
	d->next_heartbeat = node->now;
}

void delaunay_drop(struct overlay_node *node, struct overlay_member *member)
{
	overlay_table_remove(&node->delaunay->table, member);
	overlay_pend(node, NP_OVERLAY_NEIGHBOURHOOD);
	delaunay_hurry(node);
}

/* One step of at most @reach, not across 0. */
static int32_t step(struct overlay_node *node, int32_t from, uint32_t reach)
{
	const uint64_t drawn = overlay_draw(node, 2 * (uint64_t)reach + 1);
	const int64_t to = (int64_t)from + (int64_t)drawn - reach;

	return to < INT32_MIN || to > INT32_MAX || (to < 0) != (from < 0) ? from : (int32_t)to;
}

/* To a free place at most @reach away. Returns 0, or -EADDRNOTAVAIL when all are taken. */
static int move(struct overlay_node *node, uint32_t reach)
{
	struct overlay_table *table = &node->delaunay->table;
	const struct overlay_point from = table->self;
	const unsigned neighbours = table->count;
	struct overlay_point to;
	unsigned tries = 0;

	do {
		if (tries++ == MOVES_MOST)
			return -EADDRNOTAVAIL;
		to = (struct overlay_point){step(node, from.x, reach), step(node, from.y, reach)};
	} while (overlay_point_equal(to, from) || overlay_point_null(to) ||
		 overlay_table_find(table, to));
	overlay_table_move(table, to);
	if (table->count != neighbours)
		overlay_pend(node, NP_OVERLAY_NEIGHBOURHOOD);
	node->delaunay->settled = false;
	if (!(node->pending.kinds & 1u << NP_OVERLAY_ADDRESS))
		node->pending.moved.from = from;
	overlay_pend(node, NP_OVERLAY_ADDRESS);
	node->counts.moves++;
	delaunay_hurry(node);
	return 0;
}

/* Coordinates that a user named, and others know, are not given up for a newcomer. */
static bool keeps_coordinates(const struct overlay_node *node)
{
	const struct delaunay *d = node->delaunay;

	return node->plan.fixed && d->settled &&
	       overlay_point_equal(d->table.self, node->plan.coordinates);
}

/* Whether this node may leave a circle now: a forged neighbour is gone after a time-out. */
static bool may_leave_circle(struct overlay_node *node)
{
	struct delaunay *d = node->delaunay;

	if (!keeps_coordinates(node))
		return true;
	if (d->cocircular_since == NP_TIME_NEVER) {
		d->cocircular_since = node->now;
		return false;
	}
	return node->now - d->cocircular_since > node->plan.timeout + 2 * node->plan.heartbeat_slow;
}

void delaunay_leave_circles(struct overlay_node *node)
{
	struct overlay_point *four = node->pending.cocircular.node;
	struct delaunay *d = node->delaunay;

	for (unsigned i = 0; i < MOVES_MOST; i++) {
		const bool first = d->cocircular_since == NP_TIME_NEVER;

		if (!overlay_table_cocircular(&d->table, four)) {
			d->cocircular_since = NP_TIME_NEVER;
			return;
		}
		if (first || !keeps_coordinates(node))
			overlay_pend(node, NP_OVERLAY_COCIRCULAR);
		if (!may_leave_circle(node) || move(node, 1))
			return;
	}
}

bool delaunay_insert(struct overlay_node *node, const struct overlay_member *member)
{
	struct overlay_table *table = &node->delaunay->table;
	const int rc = overlay_table_insert(table, member);

	if (rc) {
		node->counts.full += rc == -ENOSPC;
		return false;
	}
	overlay_table_prune(table);
	delaunay_leave_circles(node);
	overlay_pend(node, NP_OVERLAY_NEIGHBOURHOOD);
	delaunay_hurry(node);
	return overlay_table_find(table, member->point) != NULL;
}

bool delaunay_twin(struct overlay_node *node, const struct overlay_address *address)
{
	struct delaunay *d = node->delaunay;
	const bool recent =
		d->twin_moved != NP_TIME_NEVER && node->now - d->twin_moved < node->plan.timeout;

	node->counts.twins++;
	if (d->twin_told == NP_TIME_NEVER || node->now - d->twin_told >= node->plan.timeout) {
		d->twin_told = node->now;
		node->pending.twin.node[0] = d->table.self;
		node->pending.twin.address = *address;
		overlay_pend(node, NP_OVERLAY_TWIN);
	}
	if (keeps_coordinates(node) || (d->settled && recent) ||
	    move(node, UINT32_C(1) << d->twin_moves))
		return false;
	d->twin_moves += d->twin_moves < WIDEST;
	d->twin_moved = node->now;
	delaunay_leave_circles(node);
	return true;
}

/*
 * Whether to believe a neighbour that it knows another node here. It must repeat that for longer
 * than a neighbour takes a restarted node for its twin; if this node settled long ago, for longer
 * than a forged neighbour lasts.
 */
static bool neighbour_insists(struct overlay_node *node)
{
	const np_time timeout = node->plan.timeout, restart = 2 * node->plan.heartbeat_slow;
	struct delaunay *d = node->delaunay;
	bool lately;

	if (d->refused_since == NP_TIME_NEVER || node->now - d->refused > timeout)
		d->refused_since = node->now;
	d->refused = node->now;
	lately = d->refused_since - d->settled_at < timeout;
	return node->now - d->refused_since > (lately ? restart : timeout + restart);
}

void delaunay_refused(struct overlay_node *node, const struct overlay_member *by,
		      const struct overlay_address *known)
{
	if (by && node->delaunay->settled && neighbour_insists(node))
		node->delaunay->settled = false;
	delaunay_twin(node, known);
}
