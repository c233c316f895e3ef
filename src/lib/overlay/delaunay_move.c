// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delaunay_move: who comes into the table and goes, and when this node gives way by moving. */
#include "delaunay.h"

#include <errno.h>

/* Moves in one go; what is on a circle still after them waits for the next change. */
#define MOVES_MOST 32

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
	overlay_pend(node, OVERLAY_NEIGHBOURHOOD);
	delaunay_hurry(node);
}

/* One step of -1, 0 or 1, not across 0. */
static int32_t step(struct overlay_node *node, int32_t from)
{
	const int64_t to = (int64_t)from + (int64_t)overlay_draw(node, 3) - 1;

	return to < INT32_MIN || to > INT32_MAX || (to < 0) != (from < 0) ? from : (int32_t)to;
}

/* To a free place beside this one. Returns 0, or -EADDRNOTAVAIL when all are taken. */
static int move(struct overlay_node *node)
{
	struct overlay_table *table = &node->delaunay->table;
	const struct overlay_point from = table->self;
	const unsigned neighbours = table->count;
	struct overlay_point to;
	unsigned tries = 0;

	do {
		if (tries++ == MOVES_MOST)
			return -EADDRNOTAVAIL;
		to = (struct overlay_point){step(node, from.x), step(node, from.y)};
	} while (overlay_point_equal(to, from) || overlay_point_null(to) ||
		 overlay_table_find(table, to));
	overlay_table_move(table, to);
	if (table->count != neighbours)
		overlay_pend(node, OVERLAY_NEIGHBOURHOOD);
	node->delaunay->settled = false;
	if (!(node->pending.kinds & 1u << OVERLAY_ADDRESS))
		node->pending.moved.from = from;
	overlay_pend(node, OVERLAY_ADDRESS);
	node->counts.moves++;
	delaunay_hurry(node);
	return 0;
}

/* Coordinates that a user named, and others know: not given up for somebody who just came. */
static bool holds(const struct overlay_node *node)
{
	return node->plan.fixed && node->delaunay->settled;
}

/* Whether it is time to give way: a forged neighbour is gone after a time-out. */
static bool waited(struct overlay_node *node)
{
	struct delaunay *d = node->delaunay;

	if (!holds(node))
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
		if (first || !holds(node))
			overlay_pend(node, OVERLAY_COCIRCULAR);
		if (!waited(node) || move(node))
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
	overlay_pend(node, OVERLAY_NEIGHBOURHOOD);
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
		overlay_pend(node, OVERLAY_TWIN);
	}
	if (holds(node) || (d->settled && recent) || move(node))
		return false;
	d->twin_moved = node->now;
	delaunay_leave_circles(node);
	return true;
}
