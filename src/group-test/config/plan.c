// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * plan: the table of transports, and how each one's keys become its plan; computes the sizes and
 * numbers of a run, and refuses what protocols and transports cannot do. Resolves host names.
 */
#include "settings.h"

#include "../wire/jgroups.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>

/*
 * A tcp peer that accepts nothing for this long is disconnected; Java members cannot report that
 * they are alive.
 */
#define STALL	   (5 * NP_SECOND)
#define STALL_JAVA (30 * NP_SECOND)
/* The neighbors of a node that leaves an overlay take so long, at most, to agree again. */
#define LINGER_MORE (2 * NP_SECOND)
/* The most that a reader may leave unread before its kernel announces room again. */
#define UNREPORTED_ROOM (128 << 10)

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
			 : np_address_parse(address, text, port, plan->family);

	return !rc && np_address_port(address) != port ? -EINVAL : rc;
}

static const char *not_of_family(const struct transport_plan *plan)
{
	return plan->family == AF_INET ? "is no IPv4 address" : "is no IPv6 address";
}

static int resolve_cluster(struct settings *s, struct np_fault *fault)
{
	struct transport_plan *plan = &s->transport;
	struct np_address_list *list = &plan->tcp.cluster;
	const char *text = s->cluster;
	char entry[300];

	if (!text)
		return settings_wrong(
			s, fault, "cluster",
			"is missing; expected HOST:PORT of every member, separated by "
			"commas");
	while (*text) {
		const size_t length = strcspn(text, ","), before = list->count;
		int rc;

		snprintf(entry, sizeof(entry), "%.*s", (int)(length < 299 ? length : 299), text);
		rc = np_address_list_parse(list, entry, plan->tcp.first_port, plan->family);
		if (rc == -EAFNOSUPPORT)
			return settings_wrong(s, fault, "cluster", "'%.60s' %s", entry,
					      not_of_family(plan));
		if (rc || list->count == before)
			return settings_wrong(
				s, fault, "cluster", "'%.60s' %s; expected HOST:PORT", entry,
				rc == -ENOENT ? "could not be resolved" : "is no address");
		for (size_t i = 0; i < before * (list->count - before); i++) {
			if (np_address_equal(&list->item[i % before],
					     &list->item[before + i / before]))
				return settings_wrong(s, fault, "cluster", "lists '%.60s' twice",
						      entry);
		}
		text += length + (text[length] == ',');
	}
	if (list->count < plan->members)
		return settings_wrong(s, fault, "cluster",
				      "lists %zu addresses, but num_members is %u", list->count,
				      plan->members);
	return 0;
}

/* Fills bind; options override the settings. Checks that the device exists, too. */
static int resolve_own(struct settings *s, const struct options *o, struct np_fault *fault)
{
	struct transport_plan *plan = &s->transport;
	const char *bind = o->socket.bind, *text = bind ? bind : s->bind_addr, *why = NULL;
	int rc;

	/* A missing interface is the error of the option or key that named it. */
	if (plan->ip.device && !if_nametoindex(plan->ip.device)) {
		if (!o->socket.asked.ip.device)
			return settings_wrong(s, fault, "bind_interface", "%s", strerror(ENODEV));
		return np_fault_set(fault, -ENODEV, "--device", "%.80s: %s", plan->ip.device,
				    strerror(ENODEV));
	}
	if (!text)
		return 0;
	rc = one_host(plan, text, 0, &plan->bind);
	if (rc == -EAFNOSUPPORT)
		why = not_of_family(plan);
	else if (rc)
		why = rc == -ENOENT ? "could not be resolved; expected an address of this host"
				    : "not valid; expected an address of this host";
	else if (!strncasecmp(text, "fe80:", 5) && !strchr(text, '%'))
		why = "is link-local and needs its interface, as fe80::1%eth0";
	else if (np_address_is_wildcard(&plan->bind) || !np_address_is_local(&plan->bind))
		why = "is not an address of this host";
	if (why && bind)
		return np_fault_set(fault, -EINVAL, "-bind_addr", "'%.80s' %s", bind, why);
	return why ? settings_wrong(s, fault, "bind_addr", "%s", why) : 0;
}

#define PACKAGE "org.jgroups.tests.perf.transports."

/* The longest messages: a datagram; what Java's UdpTransport accepts. */
#define UDP_BYTES_MAX	    65507
#define JGROUPS_UDP_PAYLOAD 64999

static int plan_udp(struct settings *s, const struct np_log *log, struct np_fault *fault)
{
	const bool java = s->member.protocol == PROTOCOL_JGROUPS3;
	struct transport_plan *plan = &s->transport;
	int rc;

	if (java && s->mcast_port != JGROUPS_UDP_PORT) {
		np_log_warning(log, "mcast_port", "%u instead of %" PRIu64 ", as all Java members",
			       JGROUPS_UDP_PORT, s->mcast_port);
		s->mcast_port = JGROUPS_UDP_PORT;
	}
	if (java && s->member.payload > JGROUPS_UDP_PAYLOAD)
		return settings_wrong(s, fault, "msg_size",
				      "is too long for Java's UdpTransport; expected at most %u",
				      JGROUPS_UDP_PAYLOAD);
	if (plan->data_bytes > UDP_BYTES_MAX)
		return settings_wrong(s, fault, "msg_size",
				      "is too long for a datagram; expected at most %zu",
				      UDP_BYTES_MAX - plan->data_header_bytes);
	if (plan->ip.ttl < 0)
		plan->ip.ttl = (int)s->ttl;
	rc = one_host(plan, s->mcast_addr, (uint16_t)s->mcast_port, &plan->udp.group);
	if (rc == -EAFNOSUPPORT)
		return settings_wrong(s, fault, "mcast_addr", "%s", not_of_family(plan));
	if (rc || !np_address_is_multicast(&plan->udp.group))
		return settings_wrong(
			s, fault, "mcast_addr",
			"is not a multicast address; expected 224.0.0.0 to 239.255.255.255 "
			"or ff00::/8");
	return 0;
}

static int plan_tcp(struct settings *s, const struct np_log *log, struct np_fault *fault)
{
	(void)log;
	if (!s->mesh)
		return resolve_cluster(s, fault);
	if (!config_file_find(&s->lines, "start_port") && !config_file_find(&s->lines, "srv_port"))
		s->transport.tcp.first_port = 0;
	return 0;
}

static int plan_mqtt(struct settings *s, const struct np_log *log, struct np_fault *fault)
{
	(void)log;
	if (s->transport.mqtt.broker)
		return 0;
	return settings_wrong(s, fault, "broker",
			      "is missing; expected HOST or HOST:PORT of an MQTT broker");
}

static int plan_overlay(struct settings *s, const struct np_log *log, struct np_fault *fault)
{
	struct transport_plan *plan = &s->transport;
	const char *option = plan->family == AF_INET ? "-4" : "-6";
	char reason[180];

	plan->overlay.log = log;
	snprintf(reason, sizeof(reason),
		 "has no meaning with transport=overlay; PhyAddr in %.80s is this node's address",
		 plan->overlay.file);
	if (plan->family != AF_UNSPEC)
		return np_fault_set(fault, -EINVAL, option, "%s", reason);
	if (plan->bind.any.sa_family == AF_UNSPEC)
		return 0;
	if (s->bind_addr)
		return settings_wrong(s, fault, "bind_addr", "%s", reason);
	return np_fault_set(fault, -EINVAL, "-bind_addr", "%s", reason);
}

static const struct transports_row rows[] = {
	{"udp", {"UdpTransport", "JGroupsTransport"}, true, true, plan_udp},
	{"tcp", {"TcpTransport", "JGroupsClusterTransport"}, true, true, plan_tcp},
	{"mqtt", {"JmsTransport"}, false, false, plan_mqtt},
	{"overlay", {NULL}, false, true, plan_overlay},
	{"null", {NULL}, true, false, NULL},
};

const struct transports_row *transports_find(const char *text, const char **class)
{
	const char *name = strncmp(text, PACKAGE, strlen(PACKAGE)) ? text : text + strlen(PACKAGE);

	*class = NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(rows[i].name, text))
			return &rows[i];
		for (unsigned k = 0; k < 2 && rows[i].classes[k]; k++) {
			if (strcmp(rows[i].classes[k], name))
				continue;
			*class = rows[i].classes[k];
			return &rows[i];
		}
	}
	return NULL;
}

/* Far enough away, and may be added to the clock. */
#define FOREVER (INT64_MAX / 2)

static void fill(struct settings *s, const struct options *o)
{
	const bool java = s->member.protocol == PROTOCOL_JGROUPS3;
	const struct np_rate *rate = &o->pace.rate;
	struct transport_plan *t = &s->transport;
	const char *bind_interface = t->ip.device;
	struct member_plan *m = &s->member;

	m->sender = o->role.sender;
	m->processing_delay = (np_time)s->processing_delay_ms * NP_MILLISECOND;
	m->rate = rate->unit == NP_RATE_PACKETS || rate->per_s <= 0
			  ? rate->per_s
			  : np_rate_bytes(rate, 0) / (double)m->payload;
	np_options_warn_slow(o->given, m->rate, "message");
	m->limits = member_limits(o->group.join_timeout, java ? 0 : m->members);
	t->members = m->members;
	t->senders = m->senders;
	t->data_header_bytes = member_header_bytes(m->protocol);
	t->data_bytes = t->data_header_bytes + m->payload;
	t->control_bytes = member_control_bytes(m);
	t->ip = o->socket.asked.ip;
	if (!t->ip.device)
		t->ip.device = bind_interface;
	t->family = np_socket_family(&o->socket.asked);
	t->udp.batch = np_datagram_variants[o->socket.batch];
	/* A member that waits after each message makes room only at that rate. */
	t->tcp.stall = (java ? STALL_JAVA : member_limit_wide(STALL, m->members)) +
		       m->processing_delay * (np_time)(UNREPORTED_ROOM / t->data_bytes + 1);
	t->tcp.strict = !java;
	t->tcp.allow = o->socket.allowed;
	t->mqtt.wait = o->group.join_timeout ? o->group.join_timeout : FOREVER;
}

int plan_make(struct settings *settings, const struct options *options, const struct np_log *log,
	      struct np_fault *fault)
{
	const struct transports_row *row = settings->row;
	const bool java = options->member.protocol == PROTOCOL_JGROUPS3;
	const bool jgroups = settings_is_jgroups(settings);
	int rc;

	if (java && (jgroups || !row->java))
		return settings_wrong(settings, fault, "transport",
				      "is not possible with --protocol=jgroups3; expected %s",
				      jgroups ? "UdpTransport or TcpTransport" : "udp or tcp");
	if (options->pace.rate.per_s > 0 && options->pace.rate.unit != NP_RATE_PACKETS &&
	    !settings->member.payload)
		return np_fault_set(fault, -EINVAL, "--rate",
				    "messages of msg_size 0 have no bits; give a rate in pps");
	if (options->socket.allowed && !options->mesh.mesh && strcmp(row->name, "tcp"))
		return np_fault_set(fault, -EINVAL, "--allow",
				    "is for transport=tcp, which accepts connections, not for %s",
				    row->name);
	fill(settings, options);
	rc = resolve_own(settings, options, fault);
	return rc || !row->plan ? rc : row->plan(settings, log, fault);
}

int plan_complete(struct settings *settings, const struct options *options,
		  const struct transport_info *info, struct np_fault *fault)
{
	struct member_plan *m = &settings->member;
	const size_t bytes = settings->transport.data_bytes;
	const struct np_clock_pair pair = np_clock_pair_read();
	const np_time outage = info->outage;

	m->self = info->self;
	/* Where more can be on the way to a member than it has room for. */
	if (m->protocol == PROTOCOL_NATIVE && info->lossy) {
		m->credit = !options->group.flow_control;
		settings->flow_control = m->credit ? "credit" : "none";
	}
	m->window_bytes = info->window_bytes;
	/* Members that forward for others drop on the way, too. */
	if (info->drop_unit && !info->relays)
		m->drop_most = np_loss_most(info->drop_unit, bytes);
	m->connected = !info->lossy;
	/* Who is not heard may be alive, behind one that is not; and leaves with the last. */
	m->limits.ready += outage;
	m->limits.silent += outage;
	m->limits.grant += outage;
	m->limits.report += outage;
	m->limits.linger += outage < LINGER_MORE ? outage : LINGER_MORE;
	m->realtime = pair.realtime - pair.monotonic;
	/* At least one message of each sender can be on the way, whatever credit it has. */
	if (!m->credit || !info->message_cost || info->window_bytes >= m->senders * bytes)
		return 0;
	return settings_wrong(
		settings, fault, "recv_buf_size",
		"%zu bytes have room for %zu messages of %zu bytes, too few for %u senders; "
		"expected at least %zu (see net.core.rmem_max), or --flow-control=none",
		info->receive_granted, info->window_bytes / bytes, bytes, m->senders,
		m->senders * info->message_cost);
}
