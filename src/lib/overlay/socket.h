/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* socket: a node, its substrate and the program that has them: netperf/overlay.h. */
#ifndef OVERLAY_SOCKET_H
#define OVERLAY_SOCKET_H

#include "inbox.h"
#include "node.h"
#include "setup.h"
#include "substrate.h"

#include <string.h>

struct np_overlay {
	struct overlay_node *node;
	struct overlay_substrate substrate;
	struct np_overlay_listener listener;
	struct np_overlay_info info;
	enum overlay_protocol protocol;
	uint16_t realm;
	struct overlay_inbox inbox;
	uint64_t undelivered;
	bool sending;		       /* a payload of this node's own */
	np_time now;		       /* of the turn */
	np_time at;		       /* when the message in hand arrived */
	struct overlay_neighbour *hop; /* room for all next hops */
	unsigned hops_max;
};

/* The same thing inside and outside. */
static inline struct overlay_logical socket_inner(const struct np_overlay_logical *logical)
{
	struct overlay_logical made = {.size = logical->size};

	memcpy(made.bytes, logical->bytes, sizeof(made.bytes));
	return made;
}

static inline struct np_overlay_logical socket_outer(const struct overlay_logical *logical)
{
	struct np_overlay_logical made = {.size = logical->size};

	memcpy(made.bytes, logical->bytes, sizeof(made.bytes));
	return made;
}

/* length 0: it is no IPv4 address. */
struct np_address socket_address(const struct overlay_address *address);

/* The node's port. */
int socket_send(void *context, const struct overlay_address *to, const void *message, size_t bytes);
void socket_deliver(void *context, const struct overlay_payload *payload);
void socket_tell(void *context, const struct overlay_event *event);
/* The substrate's. */
void socket_take(void *context, const struct overlay_address *from, const void *message,
		 size_t bytes, np_time at);

#endif
