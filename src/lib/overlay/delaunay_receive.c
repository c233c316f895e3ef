// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delaunay_receive: how a node answers each message, who comes and goes, when it moves away. */
#include "delaunay.h"

#include <errno.h>

/* Moves at a time; if four nodes are still on a circle then, the next change is awaited. */
#define MOVES_MOST 32
/* Hellos of a neighbour that are first for the proof of its address. */
#define PROOF_TRIES 8
/* A node that met duplicates again goes farther, up to 2 to this power: there are places for all.
 */
#define WIDEST 10

/* The place that this node makes of an address, which nobody else can know. */
static struct overlay_point proof_of(const struct np_overlay *node,
				     const struct overlay_address *address)
{
	/* IPv4 and port, and the number of bytes. */
	const uint64_t word = np_field_get64(address->bytes) >> 16 | UINT64_C(6) << 56;
	const uint64_t hash = np_siphash(NP_SIPHASH_2_4, node->plan.key, &word, 1);

	return (struct overlay_point){(int32_t)(hash >> 32 | 1), (int32_t)hash};
}

/* Proof of address: a Ping whose source is that place, to which the Pong is therefore sent. */
static void ping(struct np_overlay *node, struct overlay_point point,
		 const struct overlay_address *to)
{
	const struct overlay_dt question = {
		.type = OVERLAY_DT_PING, .source = proof_of(node, to), .destination = point};

	delaunay_send(node, to, &question, NULL);
}

/* The table has changed: makes the next heartbeat due at once if heartbeats were slow. */
static void hurry(struct np_overlay *node)
{
	if (node->stable && node->next_heartbeat > node->now)
		node->next_heartbeat = node->now;
}

void delaunay_drop(struct np_overlay *node, struct overlay_member *member)
{
	overlay_table_remove(&node->delaunay->table, member);
	overlay_pend(node, NP_OVERLAY_NEIGHBOURHOOD);
	hurry(node);
}

/* One step of at most @reach, not across 0. */
static int32_t step(struct np_overlay *node, int32_t from, uint32_t reach)
{
	const uint64_t drawn = overlay_random(&node->random, 2 * (uint64_t)reach + 1);
	const int64_t to = (int64_t)from + (int64_t)drawn - reach;

	return to < INT32_MIN || to > INT32_MAX || (to < 0) != (from < 0) ? from : (int32_t)to;
}

/* To a free place at most @reach away. Returns 0, or -EADDRNOTAVAIL when all are taken. */
static int move(struct np_overlay *node, uint32_t reach)
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
	node->logical = overlay_logical_point(to);
	if (table->count != neighbours)
		overlay_pend(node, NP_OVERLAY_NEIGHBOURHOOD);
	node->delaunay->settled = NP_TIME_NEVER;
	if (!(node->pending & 1u << NP_OVERLAY_ADDRESS))
		overlay_pend(node, NP_OVERLAY_ADDRESS)->node[0] = overlay_logical_point(from);
	node->counts.moves++;
	hurry(node);
	return 0;
}

/* Coordinates that a user named, and others know, are not given up for a newcomer. */
static bool keeps_coordinates(const struct np_overlay *node)
{
	const struct delaunay *d = node->delaunay;

	return node->plan.fixed && d->settled != NP_TIME_NEVER &&
	       overlay_point_equal(d->table.self, node->plan.coordinates);
}

void delaunay_leave_circles(struct np_overlay *node)
{
	const np_time wait = node->plan.timeout + 2 * node->plan.heartbeat_slow;
	struct delaunay *d = node->delaunay;
	struct overlay_point four[4];

	for (unsigned i = 0; i < MOVES_MOST; i++) {
		const bool first = d->cocircular_since == NP_TIME_NEVER;

		if (!overlay_table_cocircular(&d->table, four)) {
			d->cocircular_since = NP_TIME_NEVER;
			return;
		}
		for (unsigned k = 0; k < 4 && (first || !keeps_coordinates(node)); k++)
			overlay_pend(node, NP_OVERLAY_COCIRCULAR)->node[k] =
				overlay_logical_point(four[k]);
		if (keeps_coordinates(node) && first)
			d->cocircular_since = node->now;
		/* A forged neighbour is gone after a time-out. */
		if ((keeps_coordinates(node) && node->now - d->cocircular_since <= wait) ||
		    move(node, 1))
			return;
	}
}

/*
 * Adds @member if there is room; moves if four nodes lie on a circle. True when it is a neighbour
 * now.
 */
static bool insert(struct np_overlay *node, const struct overlay_member *member)
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
	hurry(node);
	return overlay_table_find(table, member->point) != NULL;
}

/* Another node with these coordinates is at @address. True when this node has moved away. */
static bool take_duplicate(struct np_overlay *node, const struct overlay_address *address)
{
	struct delaunay *d = node->delaunay;
	const bool recent = node->now - d->duplicate_moved < node->plan.timeout;

	overlay_duplicate_address(node, address);
	if (keeps_coordinates(node) || (d->settled != NP_TIME_NEVER && recent) ||
	    move(node, UINT32_C(1) << d->duplicate_moves))
		return false;
	d->duplicate_moves += d->duplicate_moves < WIDEST;
	d->duplicate_moved = node->now;
	delaunay_leave_circles(node);
	return true;
}

/* A message that passed the checks. */
struct arrival {
	const struct overlay_address *from;
	const struct overlay_dt *dt;
	size_t bytes;
	struct overlay_member *member; /* NULL: not from a neighbour */
};

/*
 * Answers the message by a Hello or NotNeighbour to @to, who may not be there: if that would be
 * longer than the message, it follows when the address is proven.
 */
static void answer(struct np_overlay *node, const struct arrival *arrival,
		   enum overlay_dt_type type, struct overlay_point point,
		   const struct overlay_address *to)
{
	size_t credit = arrival->bytes;

	if (!delaunay_hello(node, type, point, to, &credit))
		ping(node, point, to);
}

static bool pairs_equal(const struct overlay_pair *a, const struct overlay_pair *b)
{
	return overlay_point_equal(a->point, b->point) &&
	       (overlay_point_null(a->point) || overlay_address_equal(&a->address, &b->address));
}

/*
 * A node is at one place: the neighbour of that address, known at another point, has moved to where
 * the message says that it is. True when its address is proven.
 */
static bool forget_moved(struct np_overlay *node, const struct overlay_address *from)
{
	struct overlay_table *table = &node->delaunay->table;

	for (unsigned i = 0; i < table->count; i++) {
		const bool proven = table->member[i].proven;

		if (overlay_address_equal(&table->member[i].address, from)) {
			delaunay_drop(node, &table->member[i]);
			return proven;
		}
	}
	return false;
}

static void take_hello(struct np_overlay *node, const struct arrival *arrival)
{
	const struct overlay_dt *dt = arrival->dt;
	struct overlay_table *table = &node->delaunay->table;
	struct overlay_member *member = arrival->member;
	bool same;
	struct overlay_member newcomer = {
		.point = dt->source,
		.address = *arrival->from,
		.cw = dt->a,
		.ccw = dt->b,
		.heard = node->now,
		.credit = arrival->bytes,
	};

	if (!member || !overlay_address_equal(&member->address, arrival->from))
		newcomer.proven = forget_moved(node, arrival->from);
	/* One that came back elsewhere, or a neighbour that has moved to the place of another. */
	member = overlay_table_find(table, dt->source);
	if (member && !overlay_address_equal(&member->address, arrival->from)) {
		member->address = *arrival->from;
		member->proven = newcomer.proven;
		member->credit = arrival->bytes;
		member->hellos = 0;
	}
	if (!member && overlay_table_should(table, dt->source) &&
	    overlay_reaches(node, arrival->from) && insert(node, &newcomer))
		member = overlay_table_find(table, dt->source);
	if (!member) {
		if (dt->type == OVERLAY_DT_HELLO)
			answer(node, arrival, OVERLAY_DT_NOT_NEIGHBOUR, dt->source, arrival->from);
		return;
	}
	same = pairs_equal(&member->cw, &dt->a) && pairs_equal(&member->ccw, &dt->b);
	member->cw = dt->a;
	member->ccw = dt->b;
	member->heard = node->now;
	if (!same && !overlay_table_stable(table))
		hurry(node);
	/*
	 * It is asked to prove its address; if it does not answer for long, only every second Hello
	 * is for that, the others are for its heartbeats.
	 */
	if (member->proven || member->credit < OVERLAY_DT_MIN ||
	    (++member->hellos > PROOF_TRIES && member->hellos % 2))
		return;
	member->credit -= OVERLAY_DT_MIN;
	ping(node, member->point, &member->address);
}

/* Somebody is looking for its place: a Hello to it from its neighbours, else one hop towards it. */
static void take_walk(struct np_overlay *node, const struct arrival *arrival)
{
	struct delaunay *d = node->delaunay;
	const struct overlay_table *table = &d->table;
	const struct overlay_pair *who = &arrival->dt->a;
	const uint64_t key = (uint64_t)(uint32_t)who->point.x << 32 | (uint32_t)who->point.y;
	uint8_t *walks = &d->walks[((key ^ node->plan.seed) * UINT64_C(0x9e3779b97f4a7c15) >> 56) %
				   DELAUNAY_WALKS];
	const struct overlay_member *next = overlay_table_find(table, who->point);
	struct overlay_dt onwards = {.type = arrival->dt->type, .a = *who, .b = arrival->dt->b};

	if (overlay_point_null(who->point) ||
	    (next && overlay_address_equal(&next->address, &who->address)))
		return;
	/* A duplicate of a neighbour: that is who can tell it so. */
	if (!next && overlay_table_should(table, who->point)) {
		answer(node, arrival, OVERLAY_DT_HELLO, who->point, &who->address);
		return;
	}
	if (!next)
		next = overlay_table_parent(table, who->point);
	if (!next || overlay_address_equal(&next->address, arrival->from)) {
		node->counts.unroutable++;
		return;
	}
	if (node->now - d->walks_from >= node->plan.heartbeat_fast) {
		d->walks_from = node->now;
		memset(d->walks, 0, sizeof(d->walks));
	}
	if (*walks == DELAUNAY_WALKS_MAX) {
		node->counts.looped++;
		return;
	}
	++*walks;
	onwards.destination = next->point;
	delaunay_send(node, &next->address, &onwards, NULL);
}

/* A leader calls: the node nearest to it, as far as this one knows, answers. */
static void take_beacon(struct np_overlay *node, const struct arrival *arrival)
{
	const struct overlay_table *table = &node->delaunay->table;
	const struct overlay_point source = arrival->dt->source;

	if (arrival->member)
		return;
	for (unsigned i = 0; i < table->count; i++) {
		if (overlay_farther(source, table->self, table->member[i].point) > 0)
			return;
	}
	answer(node, arrival, OVERLAY_DT_HELLO, source, arrival->from);
}

/* The proof of an address; what did not fit before, or was not sent, can be sent there now. */
static void take_pong(struct np_overlay *node, const struct arrival *arrival)
{
	const struct overlay_table *table = &node->delaunay->table;
	const struct overlay_point source = arrival->dt->source;
	struct overlay_member *member = arrival->member;
	bool belongs = true;

	if (!overlay_point_equal(arrival->dt->destination, proof_of(node, arrival->from)))
		return;
	if (!member || !overlay_address_equal(&member->address, arrival->from)) {
		forget_moved(node, arrival->from);
		belongs = !overlay_table_find(table, source) && table->count < table->room &&
			  overlay_table_should(table, source);
	} else if (member->proven) {
		return;
	} else {
		member->proven = true;
	}
	delaunay_hello(node, belongs ? OVERLAY_DT_HELLO : OVERLAY_DT_NOT_NEIGHBOUR, source,
		       arrival->from, NULL);
}

/*
 * A neighbour that speaks from another address: a restarted one when it was silent for a while and
 * can be reached there, else somebody in its name. Only what changes the table counts: a duplicate
 * may look for its place.
 */
static bool forged(struct np_overlay *node, const struct arrival *arrival)
{
	if (arrival->dt->type > OVERLAY_DT_GOODBYE ||
	    overlay_address_equal(&arrival->member->address, arrival->from))
		return false;
	if (node->now - arrival->member->heard > 2 * node->plan.heartbeat_slow &&
	    overlay_reaches(node, arrival->from))
		return false;
	node->counts.forged++;
	if (arrival->dt->type == OVERLAY_DT_HELLO)
		answer(node, arrival, OVERLAY_DT_NOT_NEIGHBOUR, arrival->dt->source, arrival->from);
	return true;
}

/*
 * Somebody, a neighbour or not, says that it knows another node at this node's place: gives way if
 * this one is not to stay. A node that stays yields to the word of its neighbours.
 */
static void take_refusal(struct np_overlay *node, const struct overlay_address *from,
			 const struct overlay_dt *dt)
{
	struct delaunay *d = node->delaunay;
	const struct overlay_member *by = overlay_table_find(&d->table, dt->source);
	const struct overlay_pair *known = &dt->a;
	const np_time timeout = node->plan.timeout, restart = 2 * node->plan.heartbeat_slow;
	bool lately;

	if (dt->type != OVERLAY_DT_NOT_NEIGHBOUR || !pairs_equal(known, &dt->b) ||
	    !overlay_point_equal(known->point, d->table.self) ||
	    overlay_address_equal(&known->address, &node->plan.self))
		return;
	/*
	 * A neighbour must repeat that for longer than it takes a restarted node for its duplicate;
	 * if this node settled long ago, for longer than a forged neighbour lasts.
	 */
	if (by && overlay_address_equal(&by->address, from) && d->settled != NP_TIME_NEVER) {
		if (node->now - d->refused > timeout)
			d->refused_since = node->now;
		d->refused = node->now;
		lately = d->refused_since - d->settled < timeout;
		if (node->now - d->refused_since > restart + (lately ? 0 : timeout))
			d->settled = NP_TIME_NEVER;
	}
	take_duplicate(node, &known->address);
}

/*
 * True when the message is in this node's own name, or looks for a place that is its own, and this
 * node stays where it is. It tells a duplicate so, but never answers an answer.
 */
static bool own_name(struct np_overlay *node, const struct arrival *arrival)
{
	const struct overlay_point self = node->delaunay->table.self;
	const struct overlay_dt *dt = arrival->dt;
	const bool walk = dt->type == OVERLAY_DT_I_AM_HERE || dt->type == OVERLAY_DT_NEW_NODE;
	const struct overlay_address *address = walk ? &dt->a.address : arrival->from;

	if (!overlay_point_equal(walk ? dt->a.point : dt->source, self))
		return false;
	if (overlay_address_equal(address, &node->plan.self))
		return true;
	if (take_duplicate(node, address))
		return false;
	if (walk)
		answer(node, arrival, OVERLAY_DT_HELLO, self, address);
	else if (dt->type == OVERLAY_DT_HELLO || dt->type == OVERLAY_DT_BEACON)
		answer(node, arrival, OVERLAY_DT_NOT_NEIGHBOUR, self, arrival->from);
	return true;
}

void delaunay_receive(struct np_overlay *node, const struct overlay_address *from,
		      const void *message, size_t bytes)
{
	struct delaunay *d = node->delaunay;
	struct overlay_dt dt, pong = {.type = OVERLAY_DT_PONG};
	struct arrival arrival = {.from = from, .dt = &dt, .bytes = bytes};
	struct np_overlay_logical source;

	if (overlay_dt_decode(message, bytes, &dt) || overlay_point_null(dt.source)) {
		node->counts.malformed++;
		return;
	}
	if (dt.hash != node->plan.hash) {
		node->counts.foreign++;
		return;
	}
	if (!node->joined) {
		if (dt.type != OVERLAY_DT_GOODBYE)
			delaunay_goodbye(node, dt.source, from);
		return;
	}
	if (own_name(node, &arrival))
		return;
	take_refusal(node, from, &dt);
	delaunay_forget_buddy(d, from);
	arrival.member = overlay_table_find(&d->table, dt.source);
	if (arrival.member && overlay_address_equal(&arrival.member->address, from))
		arrival.member->credit += bytes;
	if (arrival.member && forged(node, &arrival))
		return;
	source = overlay_logical_point(dt.source);
	switch (dt.type) {
	case OVERLAY_DT_HELLO:
	case OVERLAY_DT_NOT_NEIGHBOUR:
		if (!overlay_has_gone(node, &source, from))
			take_hello(node, &arrival);
		break;
	case OVERLAY_DT_GOODBYE:
		if (!arrival.member)
			break;
		overlay_note_gone(node, &source, from, node->plan.heartbeat_fast);
		delaunay_drop(node, arrival.member);
		break;
	case OVERLAY_DT_NEW_NODE:
	case OVERLAY_DT_I_AM_HERE: take_walk(node, &arrival); break;
	case OVERLAY_DT_PING:
		pong.destination = dt.source;
		delaunay_send(node, from, &pong, NULL);
		break;
	case OVERLAY_DT_PONG: take_pong(node, &arrival); break;
	case OVERLAY_DT_BEACON: take_beacon(node, &arrival); break;
	}
}
