// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* setup: a node from a plan of values, and what all nodes are opened with. */
#include "setup.h"

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

/* The hash of that realm with that substrate. */
static uint16_t hash_realm(enum np_overlay_substrate kind, const char *realm)
{
	static const char *const kinds[] = {
		[NP_OVERLAY_UDP] = "IPv4_UDP",
		[NP_OVERLAY_TCP] = "IPv4_TCP",
		[NP_OVERLAY_PAIR] = "IPv4_UDPxIPv4_UDPMulticast",
		[NP_OVERLAY_NULL] = "IPv4_UDP",
	};

	return overlay_hash_realm(realm, kinds[kind]);
}

/* SplitMix64. */
uint64_t overlay_setup_draw(struct overlay_setup *setup, uint64_t below)
{
	uint64_t z = setup->node.seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % below;
}

int overlay_setup_finish(struct overlay_setup *setup, const struct np_overlay_options *options,
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
	node->verification = plan->any_neighbour ? OVERLAY_ANY_NEIGHBOUR : OVERLAY_REVERSE_PATH;
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
		node->coordinates.x = (int32_t)overlay_setup_draw(setup, COORDINATES);
		if (plan->protocol != NP_OVERLAY_SPT)
			node->coordinates.y = (int32_t)overlay_setup_draw(setup, COORDINATES);
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
	static const enum overlay_protocol protocols[] = {
		[NP_OVERLAY_DT_BUDDIES] = OVERLAY_DT_BUDDIES,
		[NP_OVERLAY_DT_BROADCAST] = OVERLAY_DT_BROADCAST,
		[NP_OVERLAY_NONE] = OVERLAY_NONE,
		[NP_OVERLAY_SPT] = OVERLAY_SPT,
	};
	int rc;

	*setup = (struct overlay_setup){.kind = plan->substrate,
					.receive_buffer = plan->receive_buffer,
					.read_timeout = NP_TIME_NEVER};
	rc = check(plan, fault);
	if (rc)
		return rc;
	setup->node = overlay_plan_default(protocols[plan->protocol]);
	setup->node.hash = hash_of(plan->id);
	setup->node.self.realm = hash_realm(plan->substrate, plan->realm ? plan->realm : REALM);
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
		rc = overlay_setup_finish(setup, options, fault);
	if (!rc)
		take_coordinates(setup, plan);
	return rc;
}

void overlay_setup_free(struct overlay_setup *setup)
{
	free(setup->contact);
	setup->contact = NULL;
}
