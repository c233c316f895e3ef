// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* transports: the table of transports, and how each one's keys become its plan. */
#include "transports.h"

#include "../wire/jgroups.h"
#include "resolve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
	if (!s->sources.mesh)
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
