// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* spanning_tree: the nodes that one of the spanning tree hears, its root, its parent. */
#include "spanning.h"

/* Additional beacons are at least a tenth of an interval after another one. */
#define URGENT_PART 10

struct spanning_adjacent *spanning_find(struct spanning *s, int32_t logical)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->adjacent[i].logical == logical)
			return &s->adjacent[i];
	}
	return NULL;
}

void spanning_remove(struct spanning *s, struct spanning_adjacent *adjacent)
{
	s->lost = s->lost || adjacent->neighbour;
	*adjacent = s->adjacent[--s->count];
}

static bool alive(const struct np_overlay *node, const struct spanning_adjacent *a)
{
	return node->now - a->heard_at <= node->plan.timeout;
}

struct spanning_adjacent *spanning_add(struct np_overlay *node, int32_t logical,
				       const struct overlay_address *address)
{
	struct spanning *s = node->spanning;
	struct spanning_adjacent *most = NULL;

	/* The one that has been silent for longest makes room. */
	for (unsigned i = 0; s->count == s->room && i < s->count; i++) {
		struct spanning_adjacent *a = &s->adjacent[i];

		if (!alive(node, a) && (!most || a->heard_at < most->heard_at))
			most = a;
	}
	if (most)
		spanning_remove(s, most);
	if (s->count == s->room)
		return NULL;
	s->adjacent[s->count] = (struct spanning_adjacent){.logical = logical, .address = *address};
	return &s->adjacent[s->count++];
}

/* Whether a stamp of that root is newer than what is, or lately was, believed of it. */
static bool newer(const struct np_overlay *node, int32_t root, int64_t timestamp)
{
	const struct spanning *s = node->spanning;

	if (s->parent && root == s->root)
		return timestamp > s->timestamp;
	for (unsigned i = 0; i < SPANNING_ROOTS; i++) {
		if (s->history[i].logical == root && node->now < s->history[i].until)
			return timestamp > s->history[i].timestamp;
	}
	return true;
}

/* Its root is this node's. */
static void adopt(struct np_overlay *node, const struct spanning_adjacent *a)
{
	struct spanning *s = node->spanning;
	struct spanning_root *entry = &s->history[0];

	/* The root's, or that which is over first. */
	for (unsigned i = 0; i < SPANNING_ROOTS && entry->logical != a->root; i++) {
		struct spanning_root *r = &s->history[i];

		if (r->logical == a->root || r->until < entry->until)
			entry = r;
	}
	s->parent = a->logical;
	s->root = a->root;
	s->cost = a->cost + 1;
	s->timestamp = a->timestamp;
	s->advanced = node->now;
	*entry = (struct spanning_root){
		.logical = a->root,
		.timestamp = a->timestamp,
		.until = node->now + node->plan.root_history,
	};
}

/* Whether it may be the parent: heard and hearing, with a better root than this node, before it. */
static bool usable(const struct np_overlay *node, const struct spanning_adjacent *a)
{
	const struct spanning *s = node->spanning;

	return alive(node, a) && a->heard && (a->told & OVERLAY_SPT_HEARD) && a->root < s->self &&
	       a->parent != s->self && a->cost < SPANNING_COST_MAX;
}

/* Smaller is better: the root, then the cost, then the address, that there is an end of it. */
static bool better(const struct spanning_adjacent *a, const struct spanning_adjacent *b)
{
	if (a->root != b->root)
		return a->root < b->root;
	return a->cost != b->cost ? a->cost < b->cost : a->logical < b->logical;
}

void spanning_choose(struct np_overlay *node)
{
	struct spanning *s = node->spanning;
	const struct spanning_adjacent *parent = s->parent ? spanning_find(s, s->parent) : NULL;
	const int32_t former[] = {s->root, s->parent, s->cost};
	const np_time due = s->beacon_at + node->plan.rendezvous / URGENT_PART;
	const struct spanning_adjacent *best = NULL;
	bool news = s->lost;

	if (parent && !usable(node, parent))
		parent = NULL;
	/* Whether the parent can stay; takes over what is new of it. */
	if (parent && newer(node, parent->root, parent->timestamp)) {
		adopt(node, parent);
	} else if (parent && parent->root == s->root &&
		   node->now - s->advanced <= node->plan.age_max) {
		s->cost = parent->cost + 1;
	} else {
		s->parent = s->cost = 0;
		s->root = s->self;
	}
	for (unsigned i = 0; i < s->count; i++) {
		const struct spanning_adjacent *a = &s->adjacent[i];

		if (a->logical != s->parent && (!best || better(a, best)) && usable(node, a) &&
		    newer(node, a->root, a->timestamp))
			best = a;
	}
	/*
	 * The metric of the policy Cost is 10000 less the cost: for the same root a new parent has
	 * to be nearer to it by the threshold. (That it is not two hops farther, HyperCast asks as
	 * well.)
	 */
	if (best && (!s->parent || best->root < s->root ||
		     (best->root == s->root && better(best, parent) &&
		      parent->cost - best->cost >= (int32_t)node->plan.jump_threshold)))
		adopt(node, best);
	if (s->root != former[0] || s->parent != former[1] || s->cost != former[2]) {
		s->changed = node->now;
		node->next_call =
			np_clock_sooner(node->next_call, due > node->now ? due : node->now);
	}
	s->lost = false;
	for (unsigned i = 0; i < s->count; i++) {
		struct spanning_adjacent *a = &s->adjacent[i];
		const bool there = alive(node, a);
		const bool is = there && (a->logical == s->parent || a->parent == s->self);

		node->counts.timed_out += a->neighbour && !there;
		news = news || is != a->neighbour;
		a->neighbour = is;
		s->settled = s->settled || is;
	}
	if (news) {
		s->changed = node->now;
		memset(s->route, 0, sizeof(s->route));
		overlay_pend(node, NP_OVERLAY_NEIGHBOURHOOD);
	}
}
