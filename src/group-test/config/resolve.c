// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* resolve: resolves host names, and locates the word of the line that is wrong. */
#include "resolve.h"

#include <errno.h>
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

static int resolve_bind(struct transport_plan *plan, const char *bind, const struct settings *s,
			struct np_fault *fault)
{
	const char *text = bind ? bind : s->transport.bind_addr, *why;

	if (!text)
		return 0;
	why = wrong_local_address(plan, text, &plan->bind);
	if (why && bind)
		return np_fault_set(fault, -EINVAL, "-bind_addr", "'%.80s' %s", bind, why);
	return why ? settings_wrong(s, fault, "bind_addr", "%s", why) : 0;
}

int resolve_group(struct transport_plan *plan, const struct settings *s, struct np_fault *fault)
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

int resolve_cluster(struct transport_plan *plan, const struct settings *s, struct np_fault *fault)
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

/* A missing interface is the error of the option or key that named it. */
static int check_device(const struct transport_plan *plan, const struct settings *s,
			struct np_fault *fault)
{
	if (!plan->device || if_nametoindex(plan->device))
		return 0;
	if (plan->device == s->transport.bind_interface)
		return settings_wrong(s, fault, "bind_interface", "%s", strerror(ENODEV));
	return np_fault_set(fault, -ENODEV, "--device", "%.80s: %s", plan->device,
			    strerror(ENODEV));
}

int resolve_own(struct transport_plan *plan, const char *bind, const struct settings *settings,
		struct np_fault *fault)
{
	int rc = check_device(plan, settings, fault);

	return rc ? rc : resolve_bind(plan, bind, settings, fault);
}
