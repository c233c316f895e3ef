// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * transports: the table of transports, and how each one's keys become its plan; resolves host
 * names, and locates the word of the line that is wrong.
 */
#include "transports.h"

#include "../wire/jgroups.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

/*
 * Resolves a host without a port, of the plan's family; an IPv6 literal may be in brackets. Returns
 * 0, -EINVAL, -ENOENT, -EAFNOSUPPORT ...
 */
static int one_host(const struct transport_plan *plan, const char *text, uint16_t port,
		    struct np_address *address)
{
	const char *colon = strchr(text, ':');
	int rc = colon && !strchr(colon + 1, ':')
			 ? -EINVAL
			 : np_address_parse_family(address, text, port, plan->family);

	return !rc && np_address_port(address) != port ? -EINVAL : rc;
}

static const char *not_of_family(const struct transport_plan *plan)
{
	return plan->family == AF_INET ? "is no IPv4 address" : "is no IPv6 address";
}

/* Why this host cannot bind to @text; NULL: it can. */
static const char *wrong_local_address(const struct transport_plan *plan, const char *text,
				       struct np_address *local_address)
{
	int rc = one_host(plan, text, 0, local_address);

	if (rc == -EAFNOSUPPORT)
		return not_of_family(plan);
	if (rc)
		return rc == -ENOENT ? "could not be resolved; expected an address of this host"
				     : "not valid; expected an address of this host";
	if (np_address_is_wildcard(local_address) || !np_address_is_local(local_address))
		return "is not an address of this host";
	return NULL;
}

static int resolve_group(struct transport_plan *plan, const struct settings *s,
			 struct np_fault *fault)
{
	const struct transport_settings *t = &s->transport;
	const int rc = one_host(plan, t->mcast_addr, (uint16_t)t->mcast_port, &plan->udp.group);

	if (rc == -EAFNOSUPPORT)
		return settings_wrong(s, fault, "mcast_addr", "%s", not_of_family(plan));
	if (rc || !np_address_is_multicast(&plan->udp.group))
		return settings_wrong(
			s, fault, "mcast_addr",
			"is not a multicast address; expected 224.0.0.0 to 239.255.255.255 "
			"or ff00::/8");
	return 0;
}

static int resolve_entry(struct transport_plan *plan, const char *entry, const struct settings *s,
			 struct np_fault *fault)
{
	struct np_address_list *list = &plan->tcp.cluster;
	size_t before = list->count;
	int rc = np_address_list_parse_family(list, entry, (uint16_t)s->transport.start_port,
					      plan->family);

	if (rc == -EAFNOSUPPORT)
		return settings_wrong(s, fault, "cluster", "'%.60s' %s", entry,
				      not_of_family(plan));
	if (rc || list->count == before)
		return settings_wrong(s, fault, "cluster", "'%.60s' %s; expected HOST:PORT", entry,
				      rc == -ENOENT ? "could not be resolved" : "is no address");
	for (size_t i = 0; i < before; i++) {
		for (size_t k = before; k < list->count; k++) {
			if (np_address_equal(&list->item[i], &list->item[k]))
				return settings_wrong(s, fault, "cluster", "lists '%.60s' twice",
						      entry);
		}
	}
	return 0;
}

static int resolve_cluster(struct transport_plan *plan, const struct settings *s,
			   struct np_fault *fault)
{
	const char *text = s->transport.cluster;
	char entry[300];
	int rc = 0;

	if (!text)
		return settings_wrong(
			s, fault, "cluster",
			"is missing; expected HOST:PORT of every member, separated by "
			"commas");
	while (!rc && *text) {
		size_t length = strcspn(text, ",");

		snprintf(entry, sizeof(entry), "%.*s", (int)(length < 299 ? length : 299), text);
		rc = resolve_entry(plan, entry, s, fault);
		text += length + (text[length] == ',');
	}
	if (!rc && plan->tcp.cluster.count < plan->members)
		rc = settings_wrong(s, fault, "cluster",
				    "lists %zu addresses, but num_members is %u",
				    plan->tcp.cluster.count, plan->members);
	return rc;
}

int transports_resolve_own(struct transport_plan *plan, const char *bind, const struct settings *s,
			   struct np_fault *fault)
{
	const char *text = bind ? bind : s->transport.bind_addr, *why;

	/* A missing interface is the error of the option or key that named it. */
	if (plan->device && !if_nametoindex(plan->device)) {
		if (plan->device == s->transport.bind_interface)
			return settings_wrong(s, fault, "bind_interface", "%s", strerror(ENODEV));
		return np_fault_set(fault, -ENODEV, "--device", "%.80s: %s", plan->device,
				    strerror(ENODEV));
	}
	if (!text)
		return 0;
	why = wrong_local_address(plan, text, &plan->bind);
	if (why && bind)
		return np_fault_set(fault, -EINVAL, "-bind_addr", "'%.80s' %s", bind, why);
	return why ? settings_wrong(s, fault, "bind_addr", "%s", why) : 0;
}

#define PACKAGE "org.jgroups.tests.perf.transports."

/* The longest messages: a datagram; what Java's UdpTransport accepts. */
#define UDP_BYTES_MAX	    65507
#define JGROUPS_UDP_PAYLOAD 64999

static int plan_udp(struct transport_plan *plan, const struct settings *s, struct np_fault *fault)
{
	if (plan->data_bytes > UDP_BYTES_MAX)
		return settings_wrong(s, fault, "msg_size",
				      "is too long for a datagram; expected at most %zu",
				      UDP_BYTES_MAX - plan->data_header_bytes);
	if (plan->ttl < 0)
		plan->ttl = (int)s->transport.ttl;
	return resolve_group(plan, s, fault);
}

static int plan_udp_java(struct settings *s, const struct np_log *log, struct np_fault *fault)
{
	if (s->transport.mcast_port != JGROUPS_UDP_PORT) {
		np_log_warning(log, "mcast_port", "%u instead of %" PRIu64 ", as all Java members",
			       JGROUPS_UDP_PORT, s->transport.mcast_port);
		s->transport.mcast_port = JGROUPS_UDP_PORT;
	}
	if (s->group.msg_size > JGROUPS_UDP_PAYLOAD)
		return settings_wrong(s, fault, "msg_size",
				      "is too long for Java's UdpTransport; expected at most %u",
				      JGROUPS_UDP_PAYLOAD);
	return 0;
}

static int plan_tcp(struct transport_plan *plan, const struct settings *s, struct np_fault *fault)
{
	if (!s->mesh)
		return resolve_cluster(plan, s, fault);
	plan->tcp.later = true;
	if (!settings_given(s, "start_port") && !settings_given(s, "srv_port"))
		plan->tcp.first_port = 0;
	return 0;
}

static int plan_mqtt(struct transport_plan *plan, const struct settings *s, struct np_fault *fault)
{
	if (plan->mqtt.broker)
		return 0;
	return settings_wrong(s, fault, "broker",
			      "is missing; expected HOST or HOST:PORT of an MQTT broker");
}

static int plan_overlay(struct transport_plan *plan, const struct settings *s,
			struct np_fault *fault)
{
	char reason[180];

	if (plan->family != AF_UNSPEC)
		return np_fault_set(fault, -EINVAL, plan->family == AF_INET ? "-4" : "-6",
				    "has no meaning with transport=overlay; PhyAddr in %.80s is "
				    "this node's address",
				    plan->overlay.file);
	if (plan->bind.any.sa_family == AF_UNSPEC)
		return 0;
	snprintf(reason, sizeof(reason),
		 "has no meaning with transport=overlay; PhyAddr in %.80s is this node's address",
		 plan->overlay.file);
	if (s->transport.bind_addr)
		return settings_wrong(s, fault, "bind_addr", "%s", reason);
	return np_fault_set(fault, -EINVAL, "-bind_addr", "%s", reason);
}

/*
 * JGroups' own defaults for what its UDP leaves out: equal in 2.2.7, except for a ttl of 64, and in
 * 3.0.16.
 */
static const struct transports_default udp_stack[] = {
	{"mcast_addr", "228.8.8.8"}, {"mcast_port", "7600"}, {"ttl", "8"}, {}};

static const struct transports_row rows[] = {
	{"udp", (const char *const[]){"UdpTransport", "JGroupsTransport", NULL}, udp_stack, true,
	 plan_udp, plan_udp_java},
	{"tcp", (const char *const[]){"TcpTransport", "JGroupsClusterTransport", NULL}, NULL, true,
	 plan_tcp, NULL},
	{"mqtt", (const char *const[]){"JmsTransport", NULL}, NULL, false, plan_mqtt, NULL},
	{"overlay", NULL, NULL, false, plan_overlay, NULL},
	{"null", NULL, NULL, true, NULL, NULL},
};

static const char *class_of(const struct transports_row *row, const char *text)
{
	for (const char *const *class = row->classes; class && *class; class ++) {
		if (!strcmp(*class, text))
			return *class;
	}
	return NULL;
}

const struct transports_row *transports_find(const char *text, const char **class)
{
	*class = NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(rows[i].name, text))
			return &rows[i];
	}
	if (!strncmp(text, PACKAGE, strlen(PACKAGE)))
		text += strlen(PACKAGE);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		*class = class_of(&rows[i], text);
		if (*class)
			return &rows[i];
	}
	return NULL;
}
