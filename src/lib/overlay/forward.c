// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* forward: payloads: sent, forwarded to the next hops, and delivered. */
#include "node.h"

#include <errno.h>

#define HOPS_MOST 255
/* Type of the next, and one byte of width, before an extension's length. */
#define EXTENSION_HEADER 2

/* Whether the message has passed @who. */
static bool passed(const struct overlay_extension *route, const struct np_overlay_logical *who)
{
	for (size_t at = 0; route && at + who->size <= route->bytes; at += who->size) {
		if (!memcmp(route->data + at, who->bytes, who->size))
			return true;
	}
	return false;
}

static int send_copy(struct np_overlay *node, const struct overlay_neighbour *to, size_t bytes)
{
	return node->substrate->face->send(node->substrate, &to->address, node->message, bytes,
					   node->class);
}

/* Whether the message has passed that node, or comes from it, so that it gets no copy. */
static bool knows(const struct overlay_ol *ol, const struct np_overlay_logical *who)
{
	return passed(overlay_ol_find(ol, OVERLAY_EXTENSION_ROUTE), who) ||
	       np_overlay_equal(who, &ol->previous);
}

/*
 * Sends a message to all: to the children; one to a node whose next hop is unknown: to all
 * neighbours. Returns the number of copies; *@rc is the first error of a copy.
 */
static unsigned to_many(struct np_overlay *node, const struct overlay_ol *ol, size_t bytes, int *rc)
{
	/* In a spanning tree: all but where it came from, which would be sought for each. */
	const bool children = ol->mode == OVERLAY_MULTICAST && !node->rules->seek;
	const struct np_overlay_logical *root = children ? &ol->source : NULL;
	struct overlay_neighbour to;
	unsigned copies = 0;

	for (unsigned at = 0; node->rules->neighbour(node, &at, root, &to);) {
		int failed;

		if (knows(ol, &to.logical))
			continue;
		failed = send_copy(node, &to, bytes);
		*rc = *rc ? *rc : failed;
		copies++;
	}
	return copies;
}

static int unroutable(struct np_overlay *node)
{
	node->counts.unroutable++;
	return -EHOSTUNREACH;
}

/*
 * Forwards the message, whose hop limit is already decremented, with the newest hops and this node
 * in its route.
 */
static int pass_on(struct np_overlay *node, const struct overlay_ol *ol)
{
	const struct np_overlay_logical *self = &node->logical;
	const size_t room = (size_t)node->plan.route_records * self->size;
	const struct overlay_extension *route = overlay_ol_find(ol, OVERLAY_EXTENSION_ROUTE);
	struct overlay_neighbour next;
	const unsigned at = route ? (unsigned)(route - ol->extension) : ol->extensions;
	size_t kept = route ? route->bytes : 0;
	struct overlay_ol out = *ol;
	ssize_t bytes;
	int rc = 0;

	if (at < OVERLAY_EXTENSIONS_MAX) {
		if (kept + self->size > room)
			kept = room > self->size ? room - self->size : 0;
		if (kept)
			memcpy(node->route, route->data + route->bytes - kept, kept);
		if (room)
			memcpy(node->route + kept, self->bytes, self->size);
		out.extensions += !route;
		out.extension[at] = (struct overlay_extension){
			OVERLAY_EXTENSION_ROUTE, 0, room ? kept + self->size : 0, node->route};
	}
	out.previous = *self;
	out.long_width = 0;
	bytes = overlay_ol_encode(node->message, node->plan.message_max, &out);
	if (bytes < 0) {
		node->counts.too_long++;
		return (int)bytes;
	}
	if (ol->mode != OVERLAY_UNICAST) {
		to_many(node, ol, (size_t)bytes, &rc);
		return rc;
	}
	if (node->rules->parent(node, &ol->destination, &next))
		return knows(ol, &next.logical) ? unroutable(node)
						: send_copy(node, &next, (size_t)bytes);
	/*
	 * The next hop is unknown: if the protocol looks for it, to all neighbours; a forwarding
	 * node without another neighbour then drops the message without an error.
	 */
	if (!node->rules->seek || !node->rules->seek(node, &ol->destination) ||
	    (!to_many(node, ol, (size_t)bytes, &rc) && np_overlay_equal(&ol->source, self)))
		return unroutable(node);
	return rc;
}

/* Forwards the message, and delivers it if it is for this node. */
static int handle(struct np_overlay *node, const struct overlay_ol *ol, bool own)
{
	const bool here =
		ol->mode == OVERLAY_MULTICAST || np_overlay_equal(&ol->destination, &node->logical);
	struct np_overlay_message payload = {
		.source = ol->source,
		.previous = ol->previous,
		.unicast = ol->mode == OVERLAY_UNICAST,
		.own = own,
		.hop_limit = ol->hop_limit,
	};
	const struct overlay_extension *data;
	int rc = 0;

	node->class = own ? OVERLAY_OWN : OVERLAY_FORWARDED;
	if (ol->hop_limit && (ol->mode == OVERLAY_MULTICAST || !here))
		rc = pass_on(node, ol);
	else if (!here)
		node->counts.expired++;
	if (!here)
		return rc;
	node->counts.delivered += !own;
	data = overlay_ol_find(ol, OVERLAY_EXTENSION_DATA);
	payload.data = data->data;
	payload.bytes = data->bytes;
	payload.at = own ? np_clock_now() : node->at;
	if (node->listener.deliver)
		node->listener.deliver(node->listener.context, &payload);
	return rc;
}

void overlay_forward_receive(struct np_overlay *node, const struct overlay_address *from,
			     const void *message, size_t bytes)
{
	const struct np_overlay_logical *self = &node->logical;
	struct np_overlay_node_counts *counts = &node->counts;
	struct overlay_ol ol;

	if (!node->joined)
		return;
	if (overlay_ol_decode(message, bytes, &ol)) {
		counts->malformed++;
		return;
	}
	counts->received++;
	if (ol.source.size != self->size) {
		counts->foreign++;
	} else if (ol.mode == OVERLAY_FLOOD) {
		return; /* such messages are not delivered */
	} else if (np_overlay_equal(&ol.source, self) ||
		   passed(overlay_ol_find(&ol, OVERLAY_EXTENSION_ROUTE), self)) {
		counts->looped++;
	} else if (!ol.hop_limit) {
		counts->expired++;
	} else if (!overlay_ol_find(&ol, OVERLAY_EXTENSION_DATA)) {
		counts->empty++;
	} else if (node->rules->accepts(node, from, &ol)) {
		if (ol.hop_limit > HOPS_MOST)
			ol.hop_limit = HOPS_MOST;
		ol.hop_limit--;
		handle(node, &ol, false);
	}
}

bool np_overlay_room(const struct np_overlay *node, const struct np_overlay_logical *to)
{
	const struct np_overlay_logical *root = to ? NULL : &node->logical;
	struct overlay_substrate *s = node->substrate;
	struct overlay_neighbour hop;

	/* The usual case: nothing waits for anybody. */
	if (!s->face->room || s->face->room(s, NULL))
		return true;
	if (to && node->rules->parent(node, to, &hop))
		return s->face->room(s, &hop.address);
	/* Without a next hop SPT seeks it everywhere. */
	for (unsigned at = 0; node->rules->neighbour(node, &at, root, &hop);) {
		if (!s->face->room(s, &hop.address))
			return false;
	}
	return true;
}

int np_overlay_send(struct np_overlay *node, const struct np_overlay_logical *to, const void *data,
		    size_t bytes)
{
	struct overlay_ol ol = {
		.mode = to ? OVERLAY_UNICAST : OVERLAY_MULTICAST,
		/* The hop to the neighbour is subtracted. */
		.hop_limit = (uint16_t)(node->plan.hop_limit - 1),
		.source = node->logical,
		.previous = node->logical,
		.extensions = 1,
		.extension = {{OVERLAY_EXTENSION_DATA, 0, bytes, data}},
	};

	if (node->joined && !np_overlay_room(node, to))
		return -EAGAIN;
	if (to && (to->size != node->logical.size || overlay_logical_null(to)))
		return -EINVAL;
	if (!node->joined)
		return -ENOTCONN;
	if (bytes > overlay_node_payload_max(node, to))
		return -EMSGSIZE;
	if (to)
		ol.destination = *to;
	node->counts.sent++;
	return handle(node, &ol, true);
}

/* Leaves room for the longest route, so that every hop can forward the message. */
size_t overlay_node_payload_max(const struct np_overlay *node, bool unicast)
{
	const size_t address = node->logical.size, room = node->plan.message_max;
	const size_t hops = node->plan.route_records * address;
	const size_t route = EXTENSION_HEADER + overlay_ol_width(hops) + hops;
	const size_t head = 11 + address * (unicast ? 3 : 2);
	size_t total = room > head ? room - head : 0, shorter;

	/* The long form takes an extension of its own. */
	if (total > UINT16_MAX) {
		shorter = total - EXTENSION_HEADER - 1 - overlay_ol_width(total);
		total = shorter > UINT16_MAX ? shorter : UINT16_MAX;
	}
	if (total <= route + EXTENSION_HEADER)
		return 0;
	/* The data and their length. */
	total -= route + EXTENSION_HEADER;
	return total - overlay_ol_width(total - 1);
}
