// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delaunay_send: the messages that a node of the Delaunay triangulation sends. */
#include "delaunay.h"

void delaunay_send(struct overlay_node *node, const struct overlay_address *to,
		   const struct overlay_dt *dt)
{
	struct overlay_dt out = *dt;
	uint8_t message[OVERLAY_DT_MAX];

	if (to && !delaunay_reaches(node, to))
		return;
	out.rendezvous = node->plan.protocol == OVERLAY_DT_BUDDIES ? OVERLAY_RENDEZVOUS_BUDDIES
								   : OVERLAY_RENDEZVOUS_MULTICAST;
	out.hash = node->plan.hash;
	out.source = node->delaunay->table.self;
	overlay_send_protocol(node, to, message, overlay_dt_encode(message, &out));
}

static struct overlay_pair pair_of(const struct overlay_member *member)
{
	return member ? (struct overlay_pair){member->point, member->address}
		      : (struct overlay_pair){0};
}

void delaunay_hello(struct overlay_node *node, enum overlay_dt_type type,
		    struct overlay_point point, const struct overlay_address *to)
{
	const struct overlay_table *table = &node->delaunay->table;
	const struct overlay_member *same = overlay_table_same(table, point);
	struct overlay_dt dt = {.type = (uint8_t)type, .destination = point};

	if (type == OVERLAY_DT_NOT_NEIGHBOUR && same) {
		dt.a = dt.b = pair_of(same);
	} else {
		dt.a = pair_of(overlay_table_cw(table, point));
		dt.b = pair_of(overlay_table_ccw(table, point));
	}
	delaunay_send(node, to, &dt);
}

void delaunay_goodbye(struct overlay_node *node, struct overlay_point point,
		      const struct overlay_address *to)
{
	const struct overlay_dt dt = {.type = OVERLAY_DT_GOODBYE, .destination = point};

	delaunay_send(node, to, &dt);
}

bool delaunay_reaches(const struct overlay_node *node, const struct overlay_address *to)
{
	uint32_t ip;
	uint16_t port;

	return to->realm == node->plan.self.realm && overlay_address_get_ipv4(to, &ip, &port) &&
	       !overlay_address_equal(to, &node->plan.self);
}

struct overlay_pair delaunay_self(const struct overlay_node *node)
{
	return (struct overlay_pair){node->delaunay->table.self, node->plan.self};
}
