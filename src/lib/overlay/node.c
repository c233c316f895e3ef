// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * node: made and freed, messages and time handed to its protocol, events handed out, questions; and
 * NONE, which is no protocol.
 */
#include "node.h"

#include <errno.h>
#include <stdlib.h>

struct overlay_plan overlay_plan_default(enum overlay_protocol protocol)
{
	struct overlay_plan plan = {
		.protocol = protocol,
		.heartbeat_fast = 250 * NP_MILLISECOND,
		.heartbeat_slow = 2 * NP_SECOND,
		.timeout = 10 * NP_SECOND,
		.rendezvous =
			protocol == OVERLAY_DT_BROADCAST ? 250 * NP_MILLISECOND : 2 * NP_SECOND,
		.hop_limit = 255,
		.route_records = 2,
		.message_max = 8192,
		.neighbours_max = 128,
	};

	if (protocol == OVERLAY_SPT) {
		plan.rendezvous = NP_SECOND;
		plan.timeout = plan.age_max = 5 * NP_SECOND;
		plan.adjacency_timeout = plan.root_history = plan.route_cache = 20 * NP_SECOND;
		plan.jump_threshold = 1;
		plan.neighbours_max = 1024;
	}
	return plan;
}

/* Each neighbour gets one copy, and the node itself none: one list may serve all nodes. */
static int none_open(struct np_overlay *node)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < node->plan.contact_count; i++) {
		const struct overlay_address *contact = &node->contacts[i];
		bool listed = overlay_address_equal(contact, &node->plan.self);

		for (unsigned k = 0; k < kept && !listed; k++)
			listed = overlay_address_equal(&node->contacts[k], contact);
		if (!listed)
			node->contacts[kept++] = *contact;
	}
	node->plan.contact_count = kept;
	node->logical = overlay_logical_address(&node->plan.self);
	node->stable = true;
	return 0;
}

/* Nobody forwards what others send to all. */
static bool none_neighbour(const struct np_overlay *node, unsigned *at,
			   const struct np_overlay_logical *root, struct overlay_neighbour *out)
{
	if (*at == node->plan.contact_count || (root && !np_overlay_equal(root, &node->logical)))
		return false;
	out->address = node->contacts[(*at)++];
	out->logical = overlay_logical_address(&out->address);
	return true;
}

static bool none_parent(const struct np_overlay *node, const struct np_overlay_logical *root,
			struct overlay_neighbour *out)
{
	out->logical = *root;
	return overlay_logical_get_address(root, &out->address) &&
	       overlay_reaches(node, &out->address);
}

/* From anybody; what is for another is not forwarded, as nobody sends it here. */
static bool none_accepts(struct np_overlay *node, const struct overlay_address *from,
			 const struct overlay_ol *ol)
{
	(void)from;
	if (ol->mode == OVERLAY_UNICAST && !np_overlay_equal(&ol->destination, &node->logical)) {
		node->counts.not_from_parent++;
		return false;
	}
	return true;
}

/* An overlay without a protocol: neighbours are configured, payloads go straight. */
static const struct overlay_rules rules_none = {
	.open = none_open,
	.neighbour = none_neighbour,
	.parent = none_parent,
	.accepts = none_accepts,
};

int overlay_node_create(struct np_overlay **node, const struct overlay_plan *plan,
			struct overlay_substrate *substrate,
			const struct np_overlay_listener *listener)
{
	static const struct overlay_rules *const rules[] = {
		[OVERLAY_DT_BUDDIES] = &overlay_rules_delaunay,
		[OVERLAY_DT_BROADCAST] = &overlay_rules_delaunay,
		[OVERLAY_NONE] = &rules_none,
		[OVERLAY_SPT] = &overlay_rules_spanning,
	};
	struct np_overlay *made;
	size_t contacts;
	int rc = -ENOMEM;

	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->plan = *plan;
	made->substrate = substrate;
	made->listener = *listener;
	made->random = plan->seed;
	made->rules = rules[plan->protocol];
	made->next_heartbeat = made->next_call = NP_TIME_NEVER;
	contacts = plan->contact_count * sizeof(*made->contacts);
	made->message = malloc(plan->message_max);
	made->route = malloc((size_t)plan->route_records * NP_OVERLAY_LOGICAL_BYTES + 1);
	made->contacts = malloc(contacts + (plan->buddy_cache + 1) * sizeof(*made->contacts));
	if (made->message && made->route && made->contacts) {
		if (contacts)
			memcpy(made->contacts, plan->contacts, contacts);
		made->plan.contacts = made->contacts;
		rc = made->rules->open(made);
	}
	if (rc) {
		overlay_node_free(made);
		return rc;
	}
	*node = made;
	return 0;
}

void overlay_node_free(struct np_overlay *node)
{
	if (!node)
		return;
	free(node->delaunay);
	free(node->spanning);
	free(node->contacts);
	free(node->route);
	free(node->message);
	free(node);
}

/* SplitMix64. */
uint64_t overlay_random(uint64_t *state, uint64_t below)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % below;
}

struct np_overlay_event *overlay_pend(struct np_overlay *node, enum np_overlay_event_kind kind)
{
	node->pending |= 1u << kind;
	node->event[kind].kind = kind;
	return &node->event[kind];
}

/* Reports each change of a call once. */
static void notify_pending(struct np_overlay *node)
{
	const unsigned pending = node->pending;

	node->pending = 0;
	for (unsigned kind = 0; pending >> kind; kind++) {
		if (pending >> kind & 1 && node->listener.event)
			node->listener.event(node->listener.context, &node->event[kind]);
	}
}

void overlay_duplicate_address(struct np_overlay *node, const struct overlay_address *address)
{
	struct np_overlay_event *event;

	if (node->now - node->duplicate_reported < node->plan.timeout)
		return;
	node->duplicate_reported = node->now;
	event = overlay_pend(node, NP_OVERLAY_TWIN);
	event->node[0] = node->logical;
	event->address = overlay_address_endpoint(address);
}

bool overlay_reaches(const struct np_overlay *node, const struct overlay_address *to)
{
	struct sockaddr_in ipv4;

	return to->realm == node->plan.self.realm && overlay_address_get_ipv4(to, &ipv4) &&
	       !overlay_address_equal(to, &node->plan.self);
}

void overlay_note_gone(struct np_overlay *node, const struct np_overlay_logical *logical,
		       const struct overlay_address *address, np_time span)
{
	node->gone[node->next_gone++ % OVERLAY_GONE] =
		(struct overlay_gone){*logical, *address, node->now + span};
}

bool overlay_has_gone(const struct np_overlay *node, const struct np_overlay_logical *logical,
		      const struct overlay_address *address)
{
	for (unsigned i = 0; i < OVERLAY_GONE; i++) {
		const struct overlay_gone *gone = &node->gone[i];

		if (node->now < gone->until && np_overlay_equal(&gone->logical, logical) &&
		    overlay_address_equal(&gone->address, address))
			return true;
	}
	return false;
}

void np_overlay_join(struct np_overlay *node, np_time now)
{
	if (node->joined)
		return;
	node->now = now;
	node->joined = true;
	node->duplicate_reported = now - node->plan.timeout; /* too long ago to count */
	memset(node->gone, 0, sizeof(node->gone));
	if (node->rules->join)
		node->rules->join(node);
	notify_pending(node);
}

void np_overlay_leave(struct np_overlay *node, np_time now)
{
	if (!node->joined)
		return;
	node->now = now;
	if (node->rules->leave)
		node->rules->leave(node);
	node->joined = false;
	overlay_pend(node, NP_OVERLAY_LEFT);
	notify_pending(node);
}

void overlay_node_receive(struct np_overlay *node, const struct overlay_address *from,
			  const void *message, size_t bytes, np_time now)
{
	const uint8_t *data = message;

	node->now = now;
	if (!bytes)
		node->counts.malformed++;
	else if (data[0] >> 4 == OVERLAY_MESSAGE_OL)
		overlay_forward_receive(node, from, message, bytes);
	else if (node->rules->receive)
		node->rules->receive(node, from, message, bytes);
	else
		node->counts.foreign++;
	notify_pending(node);
}

void overlay_node_tick(struct np_overlay *node, np_time now)
{
	if (!node->joined || !node->rules->tick)
		return;
	node->now = now;
	node->rules->tick(node);
	notify_pending(node);
}

np_time overlay_node_deadline(const struct np_overlay *node)
{
	if (!node->joined)
		return NP_TIME_NEVER;
	return node->next_heartbeat < node->next_call ? node->next_heartbeat : node->next_call;
}

bool np_overlay_stable(const struct np_overlay *node)
{
	return node->joined && node->stable;
}

struct np_overlay_logical np_overlay_logical(const struct np_overlay *node)
{
	return node->logical;
}

static struct np_overlay_neighbour public_of(const struct overlay_neighbour *neighbour)
{
	return (struct np_overlay_neighbour){
		neighbour->logical,
		overlay_address_endpoint(&neighbour->address),
	};
}

/* The neighbours, or with @root those to which this node forwards what that one sends to all. */
static unsigned list(const struct np_overlay *node, const struct np_overlay_logical *root,
		     struct np_overlay_neighbour *out, unsigned room)
{
	struct overlay_neighbour found;
	unsigned count = 0;

	for (unsigned at = 0; node->rules->neighbour(node, &at, root, &found); count++) {
		if (count < room)
			out[count] = public_of(&found);
	}
	return count;
}

unsigned np_overlay_neighbours(const struct np_overlay *node, struct np_overlay_neighbour *out,
			       unsigned room)
{
	return list(node, NULL, out, room);
}

unsigned np_overlay_children(const struct np_overlay *node, const struct np_overlay_logical *root,
			     struct np_overlay_neighbour *out, unsigned room)
{
	return list(node, root ? root : &node->logical, out, room);
}

bool np_overlay_parent(const struct np_overlay *node, const struct np_overlay_logical *root,
		       struct np_overlay_neighbour *out)
{
	struct overlay_neighbour hop;

	if (!node->rules->parent(node, root, &hop))
		return false;
	*out = public_of(&hop);
	return true;
}
