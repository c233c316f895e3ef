// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* setup_config: a node from a configuration. */
#include "config.h"
#include "setup.h"
#include "xml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct np_fault *fault, const char *file, unsigned line, const char *reason)
{
	char place[OVERLAY_XML_PLACE];

	overlay_xml_place(file, line, place);
	return np_fault_set(fault, -EOPNOTSUPP, place, "%s", reason);
}

/* The one that is active; NULL with @fault and *@rc. */
static const struct overlay_interface *find_interface(const struct overlay_config *config,
						      const char *file, int *rc,
						      struct np_fault *fault)
{
	const struct overlay_interface *found = NULL;

	for (unsigned i = 0; i < config->interface_count; i++) {
		const struct overlay_interface *at = &config->interface[i];

		if (!at->active)
			continue;
		if (found) {
			*rc = refuse(fault, file, at->line,
				     "<Interface>: a second active interface; expected "
				     "<Active>false</Active> in all but one");
			return NULL;
		}
		found = at;
	}
	if (!found)
		*rc = refuse(fault, file, 1, "<Interfaces>: none is active; expected one");
	return found;
}

static struct np_address address_of(const struct overlay_endpoint *endpoint)
{
	struct np_address address = {.length = sizeof(struct sockaddr_in)};
	const struct sockaddr_in made = {.sin_family = AF_INET,
					 .sin_port = htons(endpoint->port),
					 .sin_addr.s_addr = htonl(endpoint->ip)};

	memcpy(&address.storage, &made, sizeof(made));
	return address;
}

static void take_interface(struct overlay_setup *setup, const struct overlay_interface *interface)
{
	static const enum np_overlay_substrate kinds[] = {
		[OVERLAY_INTERFACE_UDP] = NP_OVERLAY_UDP,
		[OVERLAY_INTERFACE_TCP] = NP_OVERLAY_TCP,
		[OVERLAY_INTERFACE_PAIR] = NP_OVERLAY_PAIR,
	};
	struct overlay_substrate_plan *s = &setup->substrate;

	setup->kind = kinds[interface->kind];
	setup->node.self.realm = interface->realm_hash;
	setup->node.message_max = interface->packet_max;
	s->local = address_of(&interface->address);
	s->any_port = interface->random_port;
	s->connect_timeout = interface->connect_timeout;
	s->idle_max = interface->idle_max;
	s->backlog = interface->backlog;
	s->group = address_of(&interface->group.address);
	s->group_max = interface->group.packet_max;
	s->group_device =
		interface->group.network_interface[0] ? interface->group.network_interface : NULL;
}

static void take_delaunay(struct overlay_setup *setup, const struct overlay_config_dt *dt)
{
	struct overlay_plan *node = &setup->node;

	node->heartbeat_fast = dt->heartbeat_fast;
	node->heartbeat_slow = dt->heartbeat_slow;
	node->timeout = dt->timeout;
	node->rendezvous = dt->rendezvous;
	node->buddy_cache = dt->buddy_cache;
	node->verification = dt->any_neighbour ? OVERLAY_ANY_NEIGHBOUR : OVERLAY_REVERSE_PATH;
	node->fixed = dt->coords.fixed;
}

static void take_spanning(struct overlay_setup *setup, const struct overlay_config_spt *spt)
{
	struct overlay_plan *node = &setup->node;

	node->rendezvous = spt->beacon;
	node->timeout = spt->neighbour_timeout;
	node->adjacency_timeout = spt->adjacency_timeout;
	node->age_max = spt->message_age_max;
	node->root_history = spt->root_history;
	node->route_cache = spt->route_cache;
	node->jump_threshold = spt->jump_threshold;
	node->fixed = spt->coords.fixed;
}

static void take_coordinates(struct overlay_setup *setup, const struct overlay_coords *coords)
{
	struct overlay_point *at = &setup->node.coordinates;

	if (coords->fixed) {
		*at = coords->point;
		return;
	}
	do {
		at->x = (int32_t)(coords->corner.x +
				  (int64_t)overlay_setup_draw(setup, coords->width));
		at->y = (int32_t)(coords->corner.y +
				  (int64_t)overlay_setup_draw(setup, coords->height));
	} while (overlay_point_null(*at));
}

/* Copies them: @config does not live as long as the node. */
static int take_contacts(struct overlay_setup *setup, const struct overlay_config *config)
{
	const size_t bytes = config->contact_count * sizeof(*setup->contact);

	setup->contact = malloc(bytes + 1);
	if (!setup->contact)
		return -ENOMEM;
	if (bytes)
		memcpy(setup->contact, config->contact, bytes);
	setup->node.contact_count = config->contact_count;
	return 0;
}

int overlay_setup_of_config(struct overlay_setup *setup, const struct overlay_config *config,
			    const char *file, const struct np_overlay_options *options,
			    struct np_fault *fault)
{
	static const enum overlay_protocol protocols[] = {
		[OVERLAY_SYSTEM_DT_BUDDIES] = OVERLAY_DT_BUDDIES,
		[OVERLAY_SYSTEM_DT_BROADCAST] = OVERLAY_DT_BROADCAST,
		[OVERLAY_SYSTEM_SPT] = OVERLAY_SPT,
		[OVERLAY_SYSTEM_NONE] = OVERLAY_NONE,
	};
	const struct overlay_interface *interface;
	const bool delaunay = config->system == OVERLAY_SYSTEM_DT_BUDDIES ||
			      config->system == OVERLAY_SYSTEM_DT_BROADCAST;
	int rc = 0;

	*setup = (struct overlay_setup){.receive_buffer = config->receive_buffer,
					.read_timeout = config->read_timeout ? config->read_timeout
									     : NP_TIME_NEVER};
	interface = find_interface(config, file, &rc, fault);
	if (!interface)
		return rc;
	overlay_xml_place(file, interface->line, setup->object);
	snprintf(setup->place, sizeof(setup->place), "<Interface>: ");
	setup->node = overlay_plan_default(protocols[config->system]);
	setup->node.hash = config->hash;
	setup->node.hop_limit = config->hop_limit;
	setup->node.route_records = config->route_records;
	setup->substrate.message_buffer = config->message_buffer;
	take_interface(setup, interface);
	if (delaunay)
		take_delaunay(setup, &config->dt);
	if (config->system == OVERLAY_SYSTEM_SPT)
		take_spanning(setup, &config->spt);
	rc = take_contacts(setup, config);
	if (rc)
		return np_fault_errno(fault, rc, file);
	rc = overlay_setup_finish(setup, options, fault);
	if (!rc && delaunay)
		take_coordinates(setup, &config->dt.coords);
	if (!rc && config->system == OVERLAY_SYSTEM_SPT)
		take_coordinates(setup, &config->spt.coords);
	return rc;
}
