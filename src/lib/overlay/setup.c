// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* setup: what a node is opened with, from a plan of values or from a configuration. */
#include "setup.h"

#include "config.h"
#include "xml.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define REALM		"public_internet"
#define GROUP_IP	0xe0e4134eU /* 224.228.19.78 */
#define GROUP_PORT	9472
#define COORDINATES	10000 /* random ones: 0 to one less */
#define MESSAGE_MIN	512
#define MESSAGE_MAX_UDP 65507
#define MESSAGE_MAX_TCP (1U << 24)
#define WAITING_MAX	1000000
/* A day, as in a file: nothing overflows. */
#define TIME_MOST (86400 * NP_SECOND)
#define MS(n)	  ((n)*NP_MILLISECOND)

struct np_overlay_plan np_overlay_plan_default(enum np_overlay_protocol protocol,
					       enum np_overlay_substrate substrate)
{
	const bool spanning = protocol == NP_OVERLAY_SPT;

	return (struct np_overlay_plan){
		.protocol = protocol,
		.substrate = substrate,
		.any_port = true,
		.heartbeat_fast = MS(250),
		.heartbeat_slow = MS(2000),
		.timeout = spanning ? MS(5000) : MS(10000),
		.rendezvous = spanning				    ? MS(1000)
			      : protocol == NP_OVERLAY_DT_BROADCAST ? MS(250)
								    : MS(2000),
		.hop_limit = 255,
		.route_records = spanning ? 2 : 0,
		.message_max = 8192,
		.message_buffer = 100,
		.receive_buffer = 200,
		.connect_timeout = MS(3000),
		.idle_max = MS(10000),
		.backlog = 50,
	};
}

/* SplitMix64. */
static uint64_t draw(struct overlay_setup *setup, uint64_t below)
{
	uint64_t z = setup->node.seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % below;
}

static int finish(struct overlay_setup *setup, const struct np_overlay_options *options,
		  struct np_fault *fault)
{
	struct overlay_substrate_plan *s = &setup->substrate;
	char text[INET_ADDRSTRLEN];
	const struct sockaddr_in *local = (const void *)&s->local.storage;
	int rc = 0;

	s->options = options ? *options : (struct np_overlay_options){.tos = -1, .ttl = -1};
	if (np_address_is_wildcard(&s->local))
		rc = np_address_of_this_host(&s->local, np_address_port(&s->local));
	if (rc || s->local.any.sa_family != AF_INET)
		return np_fault_set(fault, rc ? rc : -EADDRNOTAVAIL, setup->object,
				    "%sno IPv4 address by which others reach this host; expected "
				    "one of its own to be given",
				    setup->place);
	inet_ntop(AF_INET, &local->sin_addr, text, sizeof(text));
	if (!setup->place[0])
		snprintf(setup->object, sizeof(setup->object), "%s:%u", text,
			 np_address_port(&s->local));
	else
		snprintf(setup->place + strlen(setup->place),
			 sizeof(setup->place) - strlen(setup->place), "%s:%u: ", text,
			 np_address_port(&s->local));
	setup->node.seed = s->options.seed;
	if (!setup->node.seed && getrandom(&setup->node.seed, sizeof(setup->node.seed), 0) < 0)
		return np_fault_errno(fault, -errno, setup->object);
	s->realm = setup->node.self.realm;
	s->message_max = setup->node.message_max;
	s->stall_max = setup->node.timeout;
	setup->node.contacts = setup->contact;
	return 0;
}

/* The ranges that the node does not check itself, or not by name. */
static int check(const struct np_overlay_plan *plan, struct np_fault *fault)
{
	const size_t most = plan->substrate == NP_OVERLAY_TCP ? MESSAGE_MAX_TCP : MESSAGE_MAX_UDP;
	const bool spanning = plan->protocol == NP_OVERLAY_SPT;
	const struct {
		const char *name;
		int64_t value, min, max;
	} rows[] = {
		{"protocol", plan->protocol, 0, NP_OVERLAY_SPT},
		{"substrate", plan->substrate, 0, NP_OVERLAY_NULL},
		{"contacts", plan->contacts, 0, OVERLAY_CONTACTS_MAX},
		{"fast heartbeat (ns)", plan->heartbeat_fast, 1, TIME_MOST},
		{"slow heartbeat (ns)", plan->heartbeat_slow, plan->heartbeat_fast, TIME_MOST},
		{"time-out (ns)", plan->timeout, plan->heartbeat_slow + 1, TIME_MOST},
		{"rendezvous (ns)", plan->rendezvous, 1, TIME_MOST},
		{"hop limit", plan->hop_limit, 1, 255},
		{"route records", plan->route_records, spanning, 255},
		{"longest message", (int64_t)plan->message_max, MESSAGE_MIN, (int64_t)most},
		{"message buffer", plan->message_buffer, 1, WAITING_MAX},
		{"receive buffer", plan->receive_buffer, 1, WAITING_MAX},
		{"time to connect (ns)", plan->connect_timeout, 1, TIME_MOST},
		{"idle time (ns)", plan->idle_max, 1, TIME_MOST},
		{"backlog", plan->backlog, 1, 65535},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].value < rows[i].min || rows[i].value > rows[i].max)
			return np_fault_set(fault, -EINVAL, rows[i].name,
					    "%lld; expected %lld to %lld", (long long)rows[i].value,
					    (long long)rows[i].min, (long long)rows[i].max);
	}
	if ((spanning || plan->protocol == NP_OVERLAY_DT_BROADCAST) &&
	    plan->substrate != NP_OVERLAY_PAIR)
		return np_fault_set(fault, -EINVAL, spanning ? "SPT" : "DTBroadcast",
				    "needs a multicast group; expected the substrate pair");
	return 0;
}

static struct np_address ipv4(uint32_t ip, uint16_t port)
{
	struct np_address address = {.length = sizeof(struct sockaddr_in)};
	const struct sockaddr_in made = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(ip)};

	memcpy(&address.storage, &made, sizeof(made));
	return address;
}

static int take_contacts(struct overlay_setup *setup, const struct np_overlay_plan *plan,
			 struct np_fault *fault)
{
	char text[NP_ADDRESS_TEXT];

	setup->contact = calloc(plan->contacts + 1, sizeof(*setup->contact));
	if (!setup->contact)
		return np_fault_errno(fault, -ENOMEM, "contacts");
	setup->node.contact_count = plan->contacts;
	for (unsigned i = 0; i < plan->contacts; i++) {
		const struct sockaddr_in *in = (const void *)&plan->contact[i].storage;

		if (in->sin_family != AF_INET || !in->sin_addr.s_addr || !in->sin_port)
			return np_fault_set(fault, -EINVAL,
					    np_address_format(&plan->contact[i], text),
					    "expected an IPv4 address and a port");
		setup->contact[i] = overlay_address_ipv4(
			ntohl(in->sin_addr.s_addr), ntohs(in->sin_port), setup->node.self.realm);
	}
	return 0;
}

static void take_times(struct overlay_setup *setup, const struct np_overlay_plan *plan)
{
	struct overlay_plan *node = &setup->node;

	node->heartbeat_fast = plan->heartbeat_fast;
	node->heartbeat_slow = plan->heartbeat_slow;
	node->timeout = plan->timeout;
	node->rendezvous = plan->rendezvous;
	node->any_neighbour = plan->any_neighbour;
	node->hop_limit = plan->hop_limit;
	node->route_records = plan->route_records;
	node->message_max = plan->message_max;
	if (plan->protocol == NP_OVERLAY_SPT) {
		/* In HyperCast's own proportion to the time-out. */
		node->age_max = plan->timeout;
		node->adjacency_timeout = node->root_history = 4 * plan->timeout;
	}
	setup->substrate.connect_timeout = plan->connect_timeout;
	setup->substrate.idle_max = plan->idle_max;
}

/* Anywhere but 0,0. */
static void take_coordinates(struct overlay_setup *setup, const struct np_overlay_plan *plan)
{
	struct overlay_plan *node = &setup->node;

	node->coordinates = (struct overlay_point){plan->x, plan->y};
	node->fixed = !overlay_point_null(node->coordinates);
	while (overlay_point_null(node->coordinates)) {
		node->coordinates.x = (int32_t)draw(setup, COORDINATES);
		if (plan->protocol != NP_OVERLAY_SPT)
			node->coordinates.y = (int32_t)draw(setup, COORDINATES);
	}
}

static uint32_t hash_of(const char *id)
{
	static const char path[] = "/Public/OverlayID=";
	const size_t bytes = id ? strlen(id) : 0;
	char *text = bytes ? malloc(sizeof(path) + bytes) : NULL;
	uint32_t hash = 0;

	if (text) {
		memcpy(text, path, sizeof(path));
		memcpy(text + sizeof(path) - 1, id, bytes + 1);
		hash = overlay_hash(text, sizeof(path) - 1 + bytes);
	}
	free(text);
	return hash;
}

int overlay_setup_of_plan(struct overlay_setup *setup, const struct np_overlay_plan *plan,
			  const struct np_overlay_options *options, struct np_fault *fault)
{
	int rc;

	*setup = (struct overlay_setup){.kind = plan->substrate,
					.receive_buffer = plan->receive_buffer,
					.read_timeout = NP_TIME_NEVER};
	rc = check(plan, fault);
	if (rc)
		return rc;
	setup->node = overlay_plan_default(plan->protocol);
	setup->node.hash = hash_of(plan->id);
	setup->node.self.realm =
		overlay_hash_realm(plan->realm ? plan->realm : REALM, plan->substrate);
	take_times(setup, plan);
	setup->substrate.local = plan->local.length ? plan->local : ipv4(0, 0);
	setup->substrate.any_port = plan->any_port;
	setup->substrate.message_buffer = plan->message_buffer;
	setup->substrate.backlog = plan->backlog;
	setup->substrate.group = plan->group.length ? plan->group : ipv4(GROUP_IP, GROUP_PORT);
	setup->substrate.group_device = plan->device;
	setup->substrate.group_max = plan->message_max;
	snprintf(setup->object, sizeof(setup->object), "overlay");
	rc = take_contacts(setup, plan, fault);
	if (!rc)
		rc = finish(setup, options, fault);
	if (!rc)
		take_coordinates(setup, plan);
	return rc;
}

void overlay_setup_free(struct overlay_setup *setup)
{
	free(setup->contact);
	setup->contact = NULL;
}

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

static void take_interface(struct overlay_setup *setup, const struct overlay_interface *interface)
{
	struct overlay_substrate_plan *s = &setup->substrate;

	setup->kind = interface->kind;
	setup->node.self.realm = interface->realm_hash;
	setup->node.message_max = interface->packet_max;
	s->local = ipv4(interface->address.ip, interface->address.port);
	s->any_port = interface->random_port;
	s->connect_timeout = interface->connect_timeout;
	s->idle_max = interface->idle_max;
	s->backlog = interface->backlog;
	s->group = ipv4(interface->group.address.ip, interface->group.address.port);
	s->group_max = interface->group.packet_max;
	s->group_device =
		interface->group.network_interface[0] ? interface->group.network_interface : NULL;
}

static void draw_coordinates(struct overlay_setup *setup, const struct overlay_coords *coords)
{
	struct overlay_point *at = &setup->node.coordinates;

	setup->node.fixed = coords->fixed;
	if (coords->fixed) {
		*at = coords->point;
		return;
	}
	do {
		at->x = (int32_t)(coords->corner.x + (int64_t)draw(setup, coords->width));
		at->y = (int32_t)(coords->corner.y + (int64_t)draw(setup, coords->height));
	} while (overlay_point_null(*at));
}

/* Copies them: @config does not live as long as the node. */
static int copy_contacts(struct overlay_setup *setup, const struct overlay_config *config)
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
	const struct overlay_interface *interface;
	int rc = 0;

	*setup = (struct overlay_setup){.node = config->node,
					.receive_buffer = config->receive_buffer,
					.read_timeout = config->read_timeout ? config->read_timeout
									     : NP_TIME_NEVER};
	interface = find_interface(config, file, &rc, fault);
	if (!interface)
		return rc;
	overlay_xml_place(file, interface->line, setup->object);
	snprintf(setup->place, sizeof(setup->place), "<Interface>: ");
	setup->substrate.message_buffer = config->message_buffer;
	take_interface(setup, interface);
	rc = copy_contacts(setup, config);
	if (rc)
		return np_fault_errno(fault, rc, file);
	rc = finish(setup, options, fault);
	if (!rc && config->node.protocol != NP_OVERLAY_NONE)
		draw_coordinates(setup, &config->coords);
	return rc;
}
