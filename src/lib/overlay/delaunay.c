// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delaunay: joining and leaving a Delaunay triangulation, heartbeats, rendezvous, next hops. */
#include "delaunay.h"

#include <errno.h>
#include <stdlib.h>

bool delaunay_send(struct np_overlay *node, const struct overlay_address *to,
		   const struct overlay_dt *dt, size_t *credit)
{
	struct overlay_dt out = *dt;
	uint8_t message[OVERLAY_DT_MAX];
	size_t bytes;

	if (to && !overlay_reaches(node, to))
		return true;
	out.rendezvous = node->plan.protocol == OVERLAY_DT_BUDDIES ? OVERLAY_RENDEZVOUS_BUDDIES
								   : OVERLAY_RENDEZVOUS_MULTICAST;
	out.hash = node->plan.hash;
	if (overlay_point_null(out.source))
		out.source = node->delaunay->table.self;
	bytes = overlay_dt_encode(message, &out);
	if (credit && bytes > *credit)
		return false;
	if (credit)
		*credit -= bytes;
	/* A failure is counted by the substrate. */
	node->substrate->face->send(node->substrate, to, message, bytes, OVERLAY_PROTOCOL);
	return true;
}

static struct overlay_pair pair_of(const struct overlay_member *member)
{
	return member ? (struct overlay_pair){member->point, member->address}
		      : (struct overlay_pair){0};
}

bool delaunay_hello(struct np_overlay *node, enum overlay_dt_type type, struct overlay_point point,
		    const struct overlay_address *to, size_t *credit)
{
	const struct overlay_table *table = &node->delaunay->table;
	const struct overlay_member *same = overlay_table_same(table, point);
	struct overlay_dt dt = {.type = (uint8_t)type, .destination = point};

	if (type == OVERLAY_DT_NOT_NEIGHBOUR && same) {
		dt.a = dt.b = pair_of(same);
	} else {
		dt.a = pair_of(overlay_table_beside(table, point, OVERLAY_CW));
		dt.b = pair_of(overlay_table_beside(table, point, OVERLAY_CCW));
	}
	return delaunay_send(node, to, &dt, credit);
}

void delaunay_goodbye(struct np_overlay *node, struct overlay_point point,
		      const struct overlay_address *to)
{
	const struct overlay_dt dt = {.type = OVERLAY_DT_GOODBYE, .destination = point};

	delaunay_send(node, to, &dt, NULL);
}

/* The bytes that a neighbour may be sent; NULL: any number. */
static size_t *credit_of(struct overlay_member *member)
{
	return member->proven ? NULL : &member->credit;
}

/* This node as a pair. */
static struct overlay_pair self_pair(const struct np_overlay *node)
{
	return (struct overlay_pair){node->delaunay->table.self, node->plan.self};
}

static int delaunay_open(struct np_overlay *node)
{
	const struct overlay_plan *plan = &node->plan;
	const size_t room = plan->neighbours_max;
	struct delaunay *d = calloc(1, sizeof(*d) + room * sizeof(*d->member));

	node->delaunay = d;
	if (!d)
		return -ENOMEM;
	/* Nodes with the same seed draw differently, too: duplicates must not move to the same
	 * place. */
	node->random ^= (uint64_t)overlay_hash(0, plan->self.bytes, plan->self.length) << 32;
	d->table.self = plan->coordinates;
	node->logical = overlay_logical_point(d->table.self);
	d->table.room = plan->neighbours_max;
	d->table.member = d->member;
	d->buddy = node->contacts + plan->contact_count;
	return 0;
}

static void delaunay_join(struct np_overlay *node)
{
	struct delaunay *d = node->delaunay;
	const uint64_t fast = (uint64_t)node->plan.heartbeat_fast;
	const uint64_t rendezvous = (uint64_t)node->plan.rendezvous;

	node->stable = d->called = false;
	d->duplicate_moves = 0;
	d->settled = d->cocircular_since = NP_TIME_NEVER;
	/* Too long ago to count. */
	d->duplicate_moved = d->refused = node->now - node->plan.timeout - 1;
	node->next_heartbeat = node->now + (np_time)overlay_random(&node->random, fast);
	node->next_call = node->now + (np_time)overlay_random(&node->random, rendezvous);
}

static void delaunay_leave(struct np_overlay *node)
{
	struct overlay_table *table = &node->delaunay->table;

	for (unsigned i = 0; i < table->count; i++)
		delaunay_goodbye(node, table->member[i].point, &table->member[i].address);
	table->count = 0;
}

static void rendezvous(struct np_overlay *node)
{
	const struct overlay_dt beacon = {.type = OVERLAY_DT_BEACON};
	const struct overlay_dt here = {
		.type = OVERLAY_DT_I_AM_HERE, .a = self_pair(node), .b = self_pair(node)};
	struct delaunay *d = node->delaunay;
	const struct overlay_address *drawn = NULL;
	unsigned others = 0;

	node->next_call = node->now + node->plan.rendezvous;
	d->called = true;
	if (node->plan.protocol == OVERLAY_DT_BROADCAST) {
		if (overlay_table_leader(&d->table))
			delaunay_send(node, NULL, &beacon, NULL);
		return;
	}
	/* One of the configured buddies, not this node itself. */
	for (unsigned i = 0; i < node->plan.contact_count; i++) {
		if (!overlay_address_equal(&node->contacts[i], &node->plan.self) &&
		    !overlay_random(&node->random, ++others))
			drawn = &node->contacts[i];
	}
	if (drawn)
		delaunay_send(node, drawn, &here, NULL);
	for (unsigned i = 0; i < d->buddies; i++)
		delaunay_send(node, &d->buddy[i], &here, NULL);
}

void delaunay_forget_buddy(struct delaunay *d, const struct overlay_address *address)
{
	for (unsigned i = 0; i < d->buddies; i++) {
		if (!overlay_address_equal(&d->buddy[i], address))
			continue;
		memmove(d->buddy + i, d->buddy + i + 1, (--d->buddies - i) * sizeof(*d->buddy));
		return;
	}
}

/* Of the nodes that neighbours named, the nearest that should be a neighbour and is not. */
static void offer_nearest(struct np_overlay *node)
{
	const struct overlay_table *table = &node->delaunay->table;
	const struct overlay_pair *best = NULL;
	struct overlay_member *by = NULL;

	for (unsigned i = 0; i < 2 * table->count; i++) {
		struct overlay_member *m = &table->member[i / 2];
		const struct overlay_pair *told = i % 2 ? &m->ccw : &m->cw;

		if (overlay_point_null(told->point) ||
		    overlay_point_equal(told->point, table->self) ||
		    !overlay_reaches(node, &told->address) ||
		    overlay_table_find(table, told->point) ||
		    !overlay_table_should(table, told->point))
			continue;
		if (!best || overlay_farther(table->self, best->point, told->point) > 0) {
			best = told;
			by = m;
		}
	}
	if (best)
		delaunay_hello(node, OVERLAY_DT_HELLO, best->point, &best->address, credit_of(by));
}

static void heartbeat(struct np_overlay *node)
{
	struct delaunay *d = node->delaunay;
	const bool stable = d->called && overlay_table_stable(&d->table);
	struct overlay_dt here = {.type = OVERLAY_DT_I_AM_HERE};
	bool leads;

	if (stable && !node->stable)
		overlay_pend(node, NP_OVERLAY_STABLE);
	node->stable = stable;
	if (d->settled == NP_TIME_NEVER && stable && d->table.count)
		d->settled = node->now;
	node->next_heartbeat =
		node->now + (stable ? node->plan.heartbeat_slow : node->plan.heartbeat_fast);
	for (unsigned i = 0; i < d->table.count; i++) {
		struct overlay_member *m = &d->table.member[i];

		if (node->now - m->heard <= node->plan.timeout)
			continue;
		/* A proven one becomes the first buddy; the last goes if there is no room. */
		if (m->proven) {
			delaunay_forget_buddy(d, &m->address);
			memmove(d->buddy + 1, d->buddy, d->buddies * sizeof(*d->buddy));
			d->buddy[0] = m->address;
			d->buddies += d->buddies < node->plan.buddy_cache;
		}
		node->counts.timed_out++;
		delaunay_drop(node, m);
		i--;
	}
	delaunay_leave_circles(node);
	if (!overlay_table_stable(&d->table))
		offer_nearest(node);
	leads = node->plan.protocol == OVERLAY_DT_BUDDIES && overlay_table_leader(&d->table);
	here.a = self_pair(node);
	for (unsigned i = 0; i < d->table.count; i++) {
		struct overlay_member *m = &d->table.member[i];

		delaunay_hello(node, OVERLAY_DT_HELLO, m->point, &m->address, credit_of(m));
		here.destination = m->point;
		if (leads)
			delaunay_send(node, &m->address, &here, credit_of(m));
	}
}

static void delaunay_tick(struct np_overlay *node)
{
	if (node->next_call <= node->now)
		rendezvous(node);
	if (node->next_heartbeat <= node->now)
		heartbeat(node);
}

static bool delaunay_neighbour(const struct np_overlay *node, unsigned *at,
			       const struct np_overlay_logical *root, struct overlay_neighbour *out)
{
	const struct overlay_table *table = &node->delaunay->table;

	while (*at < table->count) {
		const struct overlay_member *m = &table->member[(*at)++];

		if (root && !overlay_table_child(table, m, overlay_logical_get_point(root)))
			continue;
		*out = (struct overlay_neighbour){overlay_logical_point(m->point), m->address};
		return true;
	}
	return false;
}

static bool delaunay_parent(const struct np_overlay *node, const struct np_overlay_logical *root,
			    struct overlay_neighbour *out)
{
	const struct overlay_member *parent =
		overlay_table_parent(&node->delaunay->table, overlay_logical_get_point(root));

	if (!parent)
		return false;
	*out = (struct overlay_neighbour){overlay_logical_point(parent->point), parent->address};
	return true;
}

static bool delaunay_accepts(struct np_overlay *node, const struct overlay_address *from,
			     const struct overlay_ol *ol)
{
	const struct overlay_table *table = &node->delaunay->table;
	struct overlay_member *previous =
		overlay_table_find(table, overlay_logical_get_point(&ol->previous));
	const struct overlay_point source = overlay_logical_get_point(&ol->source);
	bool follows = node->plan.any_neighbour;

	if (!previous) {
		node->counts.not_from_parent++;
		return false;
	}
	if (!overlay_address_equal(&previous->address, from)) {
		node->counts.forged++;
		return false;
	}
	/* On a slow link its heartbeats wait behind its payloads. */
	previous->heard = node->now;
	/* To all: from the parent; to one: from who takes this node for the next hop. */
	if (!follows && ol->mode == OVERLAY_MULTICAST)
		follows = overlay_table_parent(table, source) == previous;
	else if (!follows)
		follows = overlay_table_child(table, previous,
					      overlay_logical_get_point(&ol->destination));
	node->counts.not_from_parent += !follows;
	return follows;
}

const struct overlay_rules overlay_rules_delaunay = {
	.open = delaunay_open,
	.join = delaunay_join,
	.leave = delaunay_leave,
	.tick = delaunay_tick,
	.receive = delaunay_receive,
	.neighbour = delaunay_neighbour,
	.parent = delaunay_parent,
	.accepts = delaunay_accepts,
};
