// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* spanning_routes: next hops in the spanning tree: by the tree, learnt of payloads, asked for. */
#include "spanning.h"

#include <string.h>

static struct spanning_route *set_of(const struct overlay_node *node, int32_t to)
{
	const uint64_t key =
		((uint64_t)(uint32_t)to ^ node->plan.seed) * UINT64_C(0x9e3779b97f4a7c15);

	return node->spanning->route[(key >> 32) % SPANNING_SETS];
}

void spanning_learn(struct overlay_node *node, int32_t to, int32_t by)
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

void spanning_forget_routes(struct spanning *s)
{
	memset(s->route, 0, sizeof(s->route));
}

/* The neighbour of that address; NULL: it is none. */
static const struct spanning_adjacent *neighbour(const struct spanning *s, int32_t logical)
{
	for (unsigned i = 0; i < s->neighbours; i++) {
		if (s->adjacent[s->tree[i]].logical == logical)
			return &s->adjacent[s->tree[i]];
	}
	return NULL;
}

const struct spanning_adjacent *spanning_tree_hop(const struct spanning *s, int32_t to)
{
	if (to == s->self)
		return NULL;
	return neighbour(s, to == s->root ? s->parent : to);
}

const struct spanning_adjacent *spanning_next_hop(const struct overlay_node *node, int32_t to)
{
	const struct spanning *s = node->spanning;
	const struct spanning_adjacent *hop = spanning_tree_hop(s, to);
	const struct spanning_route *set = set_of(node, to);

	if (hop || to == s->self)
		return hop;
	for (unsigned i = 0; i < SPANNING_WAYS; i++) {
		if (set[i].to == to && node->now - set[i].since <= node->plan.route_cache)
			return neighbour(s, set[i].by);
	}
	return NULL;
}

void spanning_ask(struct overlay_node *node, int32_t to)
{
	const struct overlay_spt request = {.type = OVERLAY_SPT_ROUTE_REQUEST, .wanted = to};

	if (node->spanning->asked++ < SPANNING_ASKED_MAX)
		spanning_send(node, &request);
}

/* From a neighbour, and from where that is. */
static const struct spanning_adjacent *asker(struct overlay_node *node,
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

void spanning_take_request(struct overlay_node *node, const struct overlay_address *from,
			   const struct overlay_spt *spt)
{
	struct spanning *s = node->spanning;
	const struct spanning_adjacent *who = asker(node, from, spt);
	const struct spanning_adjacent *hop = spanning_next_hop(node, spt->wanted);
	const struct overlay_spt reply = {
		.type = OVERLAY_SPT_ROUTE_REPLY,
		.next_hop = hop ? hop->logical : s->self,
		.wanted = spt->wanted,
	};

	if (!who || hop == who || (!hop && spt->wanted != s->self))
		return;
	if (s->answered++ < SPANNING_ASKED_MAX)
		spanning_send(node, &reply);
}

void spanning_take_reply(struct overlay_node *node, const struct overlay_address *from,
			 const struct overlay_spt *spt)
{
	const int32_t self = node->spanning->self;
	const struct spanning_adjacent *who = asker(node, from, spt);

	if (who && spt->wanted != self && spt->next_hop != self)
		spanning_learn(node, spt->wanted, who->logical);
}
