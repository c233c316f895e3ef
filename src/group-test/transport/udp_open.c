// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* udp_open: opens the two sockets of a member of a multicast group. */
#include "local_address.h"
#include "udp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netperf/socket.h>
#include <stdio.h>

#define BUFFER_BYTES 5000000 /* for each, as the lineage asks for */
#define BATCH_LEAST  8

/*
 * The most that a message of @bytes can take of a receive buffer: the kernel's own 768 bytes for
 * each packet or fragment of it, and its memory, which comes in powers of two (linux/skbuff.h,
 * SKB_TRUESIZE). Buffers of many messages take less.
 */
static size_t message_cost(size_t bytes)
{
	return 768 * (1 + bytes / 1400) + 2 * bytes;
}

static int check(const struct transport *t, const struct transport_plan *plan,
		 struct np_fault *fault)
{
	const struct np_address *group = &plan->udp.group;
	char text[IDENTITY_TEXT];
	struct identity id = identity_of(group);

	if (t->message_bytes > NP_DATAGRAM_BYTES_MAX)
		return np_fault_set(fault, -EMSGSIZE, plan->variant,
				    "messages of %zu bytes do not fit a datagram, which holds %d",
				    t->message_bytes, NP_DATAGRAM_BYTES_MAX);
	identity_format(&id, text);
	if (!np_address_is_multicast(group) || !np_address_port(group))
		return np_fault_set(fault, -EINVAL, text, "not a multicast group and port");
	if (plan->bind.any.sa_family != AF_UNSPEC &&
	    plan->bind.any.sa_family != group->any.sa_family)
		return np_fault_set(fault, -EAFNOSUPPORT, text,
				    "not of the family of the address to bind to");
	if (plan->udp.batch && !strcmp(plan->udp.batch, "null"))
		return np_fault_set(fault, -EPROTONOSUPPORT, "null",
				    "sends nothing, but a member must receive its own messages");
	return 0;
}

/* Finds an address of our own, since a wildcard is no identity. */
static int find_local_address(const struct transport_plan *plan, struct np_address *local_address,
			      struct np_fault *fault)
{
	int rc = 0;

	*local_address = plan->bind;
	if (local_address->any.sa_family == AF_UNSPEC || np_address_is_wildcard(local_address))
		rc = local_address_for_group(&plan->udp.group, plan->device, local_address);
	np_address_set_port(local_address, 0);
	return rc ? np_fault_set(fault, rc, plan->variant,
				 "this host has no address for the group: bind to one")
		  : 0;
}

static int open_socket(struct udp_state *s, enum udp_socket which,
		       const struct np_datagram_options *options, struct np_fault *fault)
{
	int rc = np_datagram_open(&s->socket[which], options);
	struct identity id = identity_of(options->group ? options->group : options->local);
	char text[IDENTITY_TEXT];

	if (rc == -EPROTONOSUPPORT)
		return np_fault_set(fault, rc, options->variant,
				    "is not possible with messages of %zu bytes here",
				    options->packet_bytes);
	return rc ? np_fault_errno(fault, rc, identity_format(&id, text)) : 0;
}

static int open_own(struct transport *t, const struct np_datagram_options *shared,
		    struct np_fault *fault)
{
	struct udp_state *s = t->state;
	struct np_datagram_options options = *shared;
	size_t fit = NP_DATAGRAM_BYTES_MAX / t->data_bytes;

	/* As many as one gso buffer holds, so that no remainder needs a call of its own. */
	if (fit < BATCH_LEAST)
		fit = BATCH_LEAST;
	s->batch = fit < TRANSPORT_BATCH ? (unsigned)fit : TRANSPORT_BATCH;
	options.batch = s->batch;
	options.loopback = true;
	options.packet_bytes = t->data_bytes;
	return open_socket(s, UDP_OWN, &options, fault);
}

static int open_group(struct transport *t, const struct np_datagram_options *shared,
		      struct np_fault *fault)
{
	struct udp_state *s = t->state;
	struct np_datagram_options options = *shared;
	struct np_address local = *shared->local;

	np_address_set_port(&local, np_address_port(&s->group));
	options.local = &local;
	options.group = &s->group;
	options.reuse = true;
	options.batch = TRANSPORT_BATCH;
	options.packet_bytes = 1; /* it sends nothing, and receives by UDP_GRO whatever the size */
	return open_socket(s, UDP_GROUP, &options, fault);
}

static void describe(struct transport *t)
{
	const struct udp_state *s = t->state;
	const struct np_datagram_info *own = np_datagram_info(s->socket[UDP_OWN]);
	const struct np_datagram_info *group = np_datagram_info(s->socket[UDP_GROUP]);
	struct identity id = identity_of(&s->group);
	char text[IDENTITY_TEXT];

	t->info.self = identity_of(&own->local);
	t->info.receive_granted = group->receive_granted;
	t->info.send_granted = own->send_granted;
	t->info.stamps = strcmp(group->stamps, own->stamps) ? "mixed" : group->stamps;
	t->info.drop_unit = group->drop_unit;
	t->info.lossy = true;
	/*
	 * Half of the buffer is left for the rest: control messages, and memory that is freed late.
	 */
	t->info.message_cost = message_cost(t->data_bytes);
	t->info.window_bytes = group->receive_granted / t->info.message_cost * t->data_bytes;
	snprintf(t->info.detail, sizeof(t->info.detail),
		 "group %s, sends with %s, receives with %s", identity_format(&id, text),
		 own->variant, group->variant);
}

int udp_open_sockets(struct transport *t, const struct transport_plan *plan, struct np_fault *fault)
{
	struct udp_state *s = t->state;
	struct np_address local_address;
	struct np_datagram_options shared = {
		.variant = plan->udp.batch,
		.local = &local_address,
		.longest_bytes = t->message_bytes,
		.receive_bytes = plan->receive_bytes ? plan->receive_bytes : BUFFER_BYTES,
		.send_bytes = plan->send_bytes ? plan->send_bytes : BUFFER_BYTES,
		.tos = plan->tos,
		.ttl = plan->ttl,
		.device = plan->device,
	};
	int rc = check(t, plan, fault);

	s->group = plan->udp.group;
	if (!rc)
		rc = find_local_address(plan, &local_address, fault);
	if (!rc)
		rc = np_multicast_interface(plan->device, &s->group, &local_address, &s->interface)
			     ? np_fault_errno(fault, -ENODEV, plan->device)
			     : 0;
	if (!rc)
		rc = open_own(t, &shared, fault);
	if (!rc)
		rc = open_group(t, &shared, fault);
	if (rc)
		return rc;
	for (unsigned i = 0; i < s->batch; i++)
		memset(np_datagram_slot(s->socket[UDP_OWN], i), TRANSPORT_FILL, t->data_bytes);
	describe(t);
	return 0;
}

void udp_set_scope(const struct udp_state *s, struct np_address *address)
{
	struct sockaddr_in6 *ipv6 = (void *)&address->storage;

	if (address->any.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&ipv6->sin6_addr))
		ipv6->sin6_scope_id = s->interface;
}
