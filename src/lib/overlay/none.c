// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* none: an overlay without a protocol: neighbours are configured, payloads go straight. */
#include "rules.h"

/* Each neighbour gets one copy, and the node itself none: one list may serve all nodes. */
static int none_open(struct overlay_node *node)
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
	node->stable = true;
	return 0;
}

static struct np_overlay_logical none_logical(const struct overlay_node *node)
{
	return overlay_logical_address(&node->plan.self);
}

static unsigned none_count(const struct overlay_node *node)
{
	return node->plan.contact_count;
}

static void none_neighbour(const struct overlay_node *node, unsigned index,
			   struct overlay_neighbour *out)
{
	out->address = node->contacts[index];
	out->logical = overlay_logical_address(&out->address);
}

/* Nobody forwards what others send to all. */
static bool none_is_child(const struct overlay_node *node, unsigned index,
			  const struct np_overlay_logical *root)
{
	const struct np_overlay_logical self = none_logical(node);

	(void)index;
	return np_overlay_equal(root, &self);
}

static bool none_parent(const struct overlay_node *node, const struct np_overlay_logical *root,
			struct overlay_neighbour *out)
{
	const struct np_overlay_logical self = none_logical(node);
	struct sockaddr_in to;

	out->logical = *root;
	return overlay_logical_get_address(root, &out->address) &&
	       overlay_address_get_ipv4(&out->address, &to) &&
	       out->address.realm == node->plan.self.realm && !np_overlay_equal(root, &self);
}

/* From anybody; what is for another is not forwarded, as nobody sends it here. */
static bool none_accepts(struct overlay_node *node, const struct overlay_address *from,
			 const struct overlay_ol *ol)
{
	const struct np_overlay_logical self = none_logical(node);

	(void)from;
	if (ol->mode == OVERLAY_UNICAST && !np_overlay_equal(&ol->destination, &self)) {
		node->counts.not_from_parent++;
		return false;
	}
	return true;
}

const struct overlay_rules overlay_rules_none = {
	.logical_size = NP_OVERLAY_LOGICAL_BYTES,
	.open = none_open,
	.logical = none_logical,
	.count = none_count,
	.neighbour = none_neighbour,
	.is_child = none_is_child,
	.parent = none_parent,
	.accepts = none_accepts,
};
