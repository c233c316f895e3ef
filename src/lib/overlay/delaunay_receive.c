// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delaunay_receive: how a node of the Delaunay triangulation answers each message. */
#include "delaunay.h"
#include "geometry.h"

#include <string.h>

/* A message that passed the checks. */
struct arrival {
	const struct overlay_address *from;
	const struct overlay_dt *dt;
	struct overlay_member *member; /* NULL: not from a neighbour */
};

static bool pairs_equal(const struct overlay_pair *a, const struct overlay_pair *b)
{
	return overlay_point_equal(a->point, b->point) &&
	       (overlay_point_null(a->point) || overlay_address_equal(&a->address, &b->address));
}

static void refresh(struct overlay_node *node, struct overlay_member *member,
		    const struct overlay_dt *dt)
{
	const bool same = pairs_equal(&member->cw, &dt->a) && pairs_equal(&member->ccw, &dt->b);

	member->cw = dt->a;
	member->ccw = dt->b;
	member->heard = node->now;
	if (!same && !overlay_table_stable(&node->delaunay->table))
		delaunay_hurry(node);
}

/*
 * A node is at one place: the neighbour of that address, known at another point, has moved to where
 * the message says that it is.
 */
static void forget_moved(struct overlay_node *node, const struct overlay_address *from)
{
	struct overlay_table *table = &node->delaunay->table;

	for (unsigned i = 0; i < table->count; i++) {
		if (overlay_address_equal(&table->member[i].address, from)) {
			delaunay_drop(node, &table->member[i]);
			return;
		}
	}
}

static void take_hello(struct overlay_node *node, const struct arrival *arrival)
{
	const struct overlay_dt *dt = arrival->dt;
	struct overlay_member *member = arrival->member;
	const struct overlay_member newcomer = {
		.point = dt->source,
		.address = *arrival->from,
		.cw = dt->a,
		.ccw = dt->b,
		.heard = node->now,
	};

	if (!member || !overlay_address_equal(&member->address, arrival->from))
		forget_moved(node, arrival->from);
	/* One that came back elsewhere, or a neighbour that has moved to the place of another. */
	member = overlay_table_find(&node->delaunay->table, dt->source);
	if (member) {
		member->address = *arrival->from;
		refresh(node, member, dt);
		return;
	}
	if (overlay_table_should(&node->delaunay->table, dt->source) &&
	    delaunay_reaches(node, arrival->from) && delaunay_insert(node, &newcomer))
		return;
	if (dt->type == OVERLAY_DT_HELLO)
		delaunay_hello(node, OVERLAY_DT_NOT_NEIGHBOUR, dt->source, arrival->from);
}

static void take_goodbye(struct overlay_node *node, const struct arrival *arrival)
{
	struct delaunay *d = node->delaunay;
	struct delaunay_gone *gone = &d->gone[d->next_gone % DELAUNAY_GONE];

	if (!arrival->member)
		return;
	d->next_gone++;
	gone->who = (struct overlay_pair){arrival->dt->source, *arrival->from};
	gone->until = node->now + node->plan.heartbeat_fast;
	delaunay_drop(node, arrival->member);
}

static bool has_gone(const struct overlay_node *node, const struct arrival *arrival)
{
	const struct overlay_pair who = {arrival->dt->source, *arrival->from};
	const struct delaunay *d = node->delaunay;

	for (unsigned i = 0; i < DELAUNAY_GONE; i++) {
		if (node->now < d->gone[i].until && pairs_equal(&d->gone[i].who, &who))
			return true;
	}
	return false;
}

/* Counts a walk to @point; false when there were too many. */
static bool may_walk(struct overlay_node *node, struct overlay_point point)
{
	struct delaunay *d = node->delaunay;
	const uint64_t key = (uint64_t)(uint32_t)point.x << 32 | (uint32_t)point.y;
	uint8_t *walks = &d->walks[((key ^ node->plan.seed) * UINT64_C(0x9e3779b97f4a7c15) >> 56) %
				   DELAUNAY_WALKS];

	if (node->now - d->walks_from >= node->plan.heartbeat_fast) {
		d->walks_from = node->now;
		memset(d->walks, 0, sizeof(d->walks));
	}
	if (*walks == DELAUNAY_WALKS_MAX) {
		node->counts.looped++;
		return false;
	}
	++*walks;
	return true;
}

/* Somebody is looking for its place: a Hello to it from its neighbours, else one hop towards it. */
static void take_walk(struct overlay_node *node, const struct arrival *arrival)
{
	const struct overlay_table *table = &node->delaunay->table;
	const struct overlay_pair *who = &arrival->dt->a;
	const struct overlay_member *next = overlay_table_find(table, who->point);
	struct overlay_dt onwards = {.type = arrival->dt->type, .a = *who, .b = arrival->dt->b};

	if (overlay_point_null(who->point) ||
	    (next && overlay_address_equal(&next->address, &who->address)))
		return;
	/* A twin of a neighbour: that is who can tell it so. */
	if (!next && overlay_table_should(table, who->point)) {
		delaunay_hello(node, OVERLAY_DT_HELLO, who->point, &who->address);
		return;
	}
	if (!next)
		next = overlay_table_parent(table, who->point);
	if (!next || overlay_address_equal(&next->address, arrival->from)) {
		node->counts.unroutable++;
		return;
	}
	onwards.destination = next->point;
	if (may_walk(node, who->point))
		delaunay_send(node, &next->address, &onwards);
}

/* A leader calls: the node nearest to it, as far as this one knows, answers. */
static void take_beacon(struct overlay_node *node, const struct arrival *arrival)
{
	const struct overlay_table *table = &node->delaunay->table;
	const struct overlay_point source = arrival->dt->source;

	if (arrival->member)
		return;
	for (unsigned i = 0; i < table->count; i++) {
		if (overlay_farther(source, table->self, table->member[i].point) > 0)
			return;
	}
	delaunay_hello(node, OVERLAY_DT_HELLO, source, arrival->from);
}

static void take(struct overlay_node *node, const struct arrival *arrival)
{
	const struct overlay_dt pong = {.type = OVERLAY_DT_PONG,
					.destination = arrival->dt->source};

	switch (arrival->dt->type) {
	case OVERLAY_DT_HELLO:
	case OVERLAY_DT_NOT_NEIGHBOUR:
		if (!has_gone(node, arrival))
			take_hello(node, arrival);
		break;
	case OVERLAY_DT_GOODBYE: take_goodbye(node, arrival); break;
	case OVERLAY_DT_NEW_NODE:
	case OVERLAY_DT_I_AM_HERE: take_walk(node, arrival); break;
	case OVERLAY_DT_PING: delaunay_send(node, arrival->from, &pong); break;
	case OVERLAY_DT_BEACON: take_beacon(node, arrival); break;
	}
}

/*
 * A neighbour that speaks from another address: a restarted one when it was silent for a while and
 * can be reached there, else somebody in its name. Only what changes the table counts: a twin may
 * look for its place.
 */
static bool forged(struct overlay_node *node, const struct arrival *arrival)
{
	if (arrival->dt->type > OVERLAY_DT_GOODBYE ||
	    overlay_address_equal(&arrival->member->address, arrival->from))
		return false;
	if (node->now - arrival->member->heard > 2 * node->plan.heartbeat_slow &&
	    delaunay_reaches(node, arrival->from))
		return false;
	node->counts.forged++;
	if (arrival->dt->type == OVERLAY_DT_HELLO)
		delaunay_hello(node, OVERLAY_DT_NOT_NEIGHBOUR, arrival->dt->source, arrival->from);
	return true;
}

/* Somebody, a neighbour or not, says that it knows another node at this node's place. */
static void take_refusal(struct overlay_node *node, const struct overlay_address *from,
			 const struct overlay_dt *dt)
{
	const struct overlay_table *table = &node->delaunay->table;
	const struct overlay_member *by = overlay_table_find(table, dt->source);
	const struct overlay_pair *known = &dt->a;

	if (dt->type == OVERLAY_DT_NOT_NEIGHBOUR && pairs_equal(known, &dt->b) &&
	    overlay_point_equal(known->point, table->self) &&
	    !overlay_address_equal(&known->address, &node->plan.self))
		delaunay_refused(node, by && overlay_address_equal(&by->address, from) ? by : NULL,
				 &known->address);
}

/*
 * True when the message is in this node's own name, or looks for a place that is its own, and this
 * node stays where it is. It tells a twin so, but never answers an answer.
 */
static bool own_name(struct overlay_node *node, const struct arrival *arrival)
{
	const struct overlay_point self = node->delaunay->table.self;
	const struct overlay_dt *dt = arrival->dt;
	const bool walk = dt->type == OVERLAY_DT_I_AM_HERE || dt->type == OVERLAY_DT_NEW_NODE;
	const struct overlay_address *address = walk ? &dt->a.address : arrival->from;

	if (!overlay_point_equal(walk ? dt->a.point : dt->source, self))
		return false;
	if (overlay_address_equal(address, &node->plan.self))
		return true;
	if (delaunay_twin(node, address))
		return false;
	if (walk)
		delaunay_hello(node, OVERLAY_DT_HELLO, self, address);
	else if (dt->type == OVERLAY_DT_HELLO || dt->type == OVERLAY_DT_BEACON)
		delaunay_hello(node, OVERLAY_DT_NOT_NEIGHBOUR, self, arrival->from);
	return true;
}

void delaunay_receive(struct overlay_node *node, const struct overlay_address *from,
		      const void *message, size_t bytes)
{
	struct delaunay *d = node->delaunay;
	struct overlay_dt dt;
	struct arrival arrival = {.from = from, .dt = &dt};

	if (overlay_dt_decode(message, bytes, &dt) || overlay_point_null(dt.source)) {
		node->counts.malformed++;
		return;
	}
	if (dt.hash != node->plan.hash) {
		node->counts.foreign++;
		return;
	}
	if (!node->joined) {
		node->counts.not_joined++;
		if (dt.type != OVERLAY_DT_GOODBYE)
			delaunay_goodbye(node, dt.source, from);
		return;
	}
	node->counts.protocol_received++;
	if (own_name(node, &arrival))
		return;
	take_refusal(node, from, &dt);
	overlay_buddies_remove(&d->buddies, from);
	arrival.member = overlay_table_find(&d->table, dt.source);
	if (!arrival.member || !forged(node, &arrival))
		take(node, &arrival);
}
