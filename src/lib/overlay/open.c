// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * open: a node and its sockets, opened by a configuration. Asks this host for its addresses and for
 * random numbers.
 */
#include "config.h"
#include "socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netperf/xml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* What is being opened, and where a fault in it stands. */
struct opening {
	struct overlay_config *config;
	struct overlay_interface *interface; /* the active one */
	char place[NP_XML_PLACE];	     /* "FILE:LINE" */
	char address[INET_ADDRSTRLEN + 8];   /* "a.b.c.d:port: ", once it is known */
	struct np_fault *fault;
};

static int refuse(const struct opening *o, int error, const char *reason)
{
	return np_fault_set(o->fault, error, o->place, "<Interface>: %s%s", o->address, reason);
}

static int find_interface(struct opening *o, const char *file)
{
	for (unsigned i = 0; i < o->config->interface_count; i++) {
		struct overlay_interface *at = &o->config->interface[i];

		if (!at->active)
			continue;
		np_xml_place(file, at->line, o->place);
		if (o->interface)
			return refuse(o, -EOPNOTSUPP,
				      "a second active interface; expected "
				      "<Active>false</Active> in all but one");
		o->interface = at;
	}
	if (o->interface)
		return 0;
	np_xml_place(file, 1, o->place);
	return refuse(o, -EOPNOTSUPP, "none is active; expected one");
}

/* Anywhere in the frame but 0,0. */
static void draw_coordinates(struct overlay_plan *node, const struct overlay_coords *coords)
{
	struct overlay_point *at = &node->coordinates;

	node->fixed = coords->fixed;
	*at = coords->point;
	while (overlay_point_null(*at)) {
		at->x = (int32_t)(coords->corner.x +
				  (int64_t)overlay_random(&node->seed, coords->width));
		at->y = (int32_t)(coords->corner.y +
				  (int64_t)overlay_random(&node->seed, coords->height));
	}
}

/* What the file leaves to this host, and what node and substrate both need to know. */
static int complete(struct opening *o, const struct np_overlay_options *options)
{
	struct overlay_plan *node = &o->config->node;
	struct overlay_substrate_plan *s = &o->interface->plan;
	const struct sockaddr_in *local = (const void *)&s->local.storage;
	char ip[INET_ADDRSTRLEN];
	int rc = 0;

	s->options = options ? *options : (struct np_overlay_options){.tos = -1, .ttl = -1};
	if (np_address_is_wildcard(&s->local))
		rc = np_address_of_this_host(&s->local, AF_UNSPEC, np_address_port(&s->local));
	if (rc || s->local.any.sa_family != AF_INET)
		return refuse(o, rc ? rc : -EADDRNOTAVAIL,
			      "no IPv4 address by which others reach this host; expected one of "
			      "its own to be given");
	snprintf(o->address, sizeof(o->address),
		 "%s:%u: ", inet_ntop(AF_INET, &local->sin_addr, ip, sizeof(ip)),
		 np_address_port(&s->local));
	node->seed = s->options.seed;
	if (getrandom(node->key, sizeof(node->key), 0) < 0 ||
	    (!node->seed && getrandom(&node->seed, sizeof(node->seed), 0) < 0))
		return np_fault_errno(o->fault, -errno, o->place);
	if (node->protocol != OVERLAY_NONE)
		draw_coordinates(node, &o->config->coords);
	node->contacts = o->config->contact;
	node->contact_count = o->config->contact_count;
	node->message_max = s->message_max;
	s->message_buffer = o->config->message_buffer;
	s->stall_max = node->timeout;
	return 0;
}

static void describe(struct np_overlay *o, const struct overlay_plan *node)
{
	static const char *const protocols[] = {
		[OVERLAY_DT_BUDDIES] = "DTBuddyList",
		[OVERLAY_DT_BROADCAST] = "DTBroadcast",
		[OVERLAY_NONE] = "NONE",
		[OVERLAY_SPT] = "SPT",
	};
	static const char *const kinds[] = {
		[OVERLAY_UDP] = "udp",
		[OVERLAY_TCP] = "tcp",
		[OVERLAY_PAIR] = "pair",
	};
	const struct overlay_substrate *s = &o->substrate;

	o->info = (struct np_overlay_info){
		.protocol = protocols[node->protocol],
		.substrate = kinds[s->kind],
		.local = s->local,
		.hash = node->hash,
		.message_max = s->plan.message_max,
		.payload_max_all = overlay_node_payload_max(o->node, false),
		.payload_max_one = overlay_node_payload_max(o->node, true),
		.message_buffer = s->plan.message_buffer,
		.timeout = node->protocol == OVERLAY_NONE ? 0 : node->timeout,
		.receive_granted = s->receive_granted,
		.send_granted = s->send_granted,
		.stamps = s->stamps,
		.drop_unit = s->drop_unit,
	};
}

static int open_node(struct np_overlay *o, struct overlay_plan *plan)
{
	const struct overlay_port port = {o, socket_send, socket_deliver, socket_notify};
	const struct np_clock_pair clocks = np_clock_pair_read();

	plan->epoch = clocks.realtime - clocks.monotonic;
	plan->self = overlay_substrate_address(&o->substrate, &o->substrate.local);
	o->protocol = plan->protocol;
	o->hops_max = plan->contact_count > plan->neighbours_max ? plan->contact_count
								 : plan->neighbours_max;
	o->hop = calloc(o->hops_max, sizeof(*o->hop));
	return o->hop ? overlay_node_create(&o->node, plan, &port) : -ENOMEM;
}

static int open_config(struct np_overlay **overlay, struct opening *opening,
		       const struct np_overlay_listener *listener)
{
	struct overlay_plan *node = &opening->config->node;
	struct np_overlay *o = calloc(1, sizeof(*o));
	int rc;

	if (!o)
		return np_fault_errno(opening->fault, -ENOMEM, opening->place);
	if (listener)
		o->listener = *listener;
	o->substrate.context = o;
	o->substrate.take = socket_take;
	rc = overlay_substrate_open(&o->substrate, opening->interface->kind,
				    &opening->interface->plan);
	if (!rc)
		rc = open_node(o, node);
	if (rc) {
		np_overlay_free(o);
		return refuse(opening, rc, strerror(-rc));
	}
	describe(o, node);
	*overlay = o;
	return 0;
}

int np_overlay_open_file(struct np_overlay **overlay, const char *file,
			 const struct np_overlay_options *options,
			 const struct np_overlay_listener *listener, struct np_fault *fault)
{
	struct overlay_config config;
	struct opening opening = {.config = &config, .fault = fault};
	int rc;

	*overlay = NULL;
	rc = overlay_config_read(&config, file, options ? options->log : NULL, fault);
	if (!rc)
		rc = find_interface(&opening, file);
	if (!rc)
		rc = complete(&opening, options);
	if (!rc)
		rc = open_config(overlay, &opening, listener);
	overlay_config_free(&config);
	return rc;
}

void np_overlay_free(struct np_overlay *overlay)
{
	if (!overlay)
		return;
	overlay_node_free(overlay->node);
	overlay_substrate_close(&overlay->substrate);
	free(overlay->hop);
	free(overlay);
}
