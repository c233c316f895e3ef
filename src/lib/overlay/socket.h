/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* socket: a node, its substrate, and the program that uses them: netperf/overlay.h. */
#ifndef OVERLAY_SOCKET_H
#define OVERLAY_SOCKET_H

#include "node.h"
#include "substrate.h"

struct np_overlay {
	struct overlay_node *node;
	struct overlay_substrate substrate;
	struct np_overlay_listener listener;
	struct np_overlay_info info;
	enum overlay_protocol protocol;
	bool sending;		       /* a payload of this node is being sent */
	np_time now;		       /* of the current turn */
	np_time at;		       /* when the current message arrived */
	struct overlay_neighbour *hop; /* room for all next hops */
	unsigned hops_max;
};

/* Implement the node's port. */
int socket_send(void *context, const struct overlay_address *to, const void *message, size_t bytes);
void socket_deliver(void *context, const struct np_overlay_message *payload);
void socket_notify(void *context, const struct np_overlay_event *event);

/* Takes a message of the substrate. */
void socket_take(void *context, const struct overlay_address *from, const void *message,
		 size_t bytes, np_time at);

#endif
