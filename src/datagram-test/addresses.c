// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* addresses: resolves -local, --group and the peers, and refuses what cannot work. */
#include "session.h"

#include <errno.h>

/* Each function returns 0 or, after a message, 2. */
static int resolve(const struct session *s, struct np_address_list *list, const char *text)
{
	size_t before = list->count;
	int rc = np_address_list_parse(list, text, (uint16_t)s->options->port,
				       np_socket_family(&s->options->socket.asked));

	if (!rc && list->count == before)
		rc = -EINVAL;
	for (struct np_address *at = list->item + before; !rc && at < list->item + list->count;
	     at++) {
		/*
		 * "localhost" means the address by which others reach this host: the loopback is
		 * out of their reach.
		 */
		if (strcmp(at->name, "localhost"))
			continue;
		rc = np_address_of_this_host(at, at->any.sa_family, np_address_port(at));
		snprintf(at->name, sizeof(at->name), "localhost");
	}
	if (!rc)
		return 0;
	return np_log_refuse(
		s->log, text, "%s",
		rc == -EINVAL	      ? "not an address; expected HOST:PORT, HOST or [IPV6]:PORT"
		: rc == -EAFNOSUPPORT ? "an address of the other family than -4 or -6 asks for"
		: rc == -ERANGE	      ? "port out of range (1 to 65535), or too many addresses"
		: rc == -ENOENT	      ? "could not resolve address"
				      : strerror(-rc));
}

static int check_local(const struct session *s, struct np_address *local)
{
	const struct np_address_text text = np_address_format(local);

	if (np_address_is_wildcard(local))
		return np_log_refuse(s->log, text.text,
				     "means every address of this host, which cannot be published "
				     "from; name one of them, or several");
	if (!strncmp(text.text, "/[fe80:", 7) && !strchr(text.text, '%'))
		return np_log_refuse(s->log, text.text,
				     "a link-local address needs its interface, as fe80::1%%eth0");
	if (np_address_is_multicast(local) || !np_address_is_local(local))
		return np_log_refuse(s->log, text.text,
				     "is not a local address; name one of this host's");
	if (s->options->listen.sockets > 1 && !np_address_port(local))
		return np_log_refuse(s->log, "--sockets", "needs a port; see --bind");
	local->name[0] = '\0';
	return 0;
}

static int check_peer(const struct session *s, const struct np_address *peer)
{
	const char *reason = NULL;

	if (!np_address_port(peer))
		reason = "nothing can be sent to port 0";
	else if (np_address_is_multicast(peer) && !s->addresses.group.count)
		reason = "is multi-cast; publish to it with --group";
	else if (np_address_is_broadcast(peer))
		reason = "is a broadcast address; name hosts, or publish to a group with --group";
	else if (peer->any.sa_family != s->addresses.locals.item[0].any.sa_family)
		reason = "cannot be reached from the local address, which is of another "
			 "family; see --bind";
	return reason ? np_log_refuse(s->log, np_address_format(peer).text, "%s", reason) : 0;
}

int addresses_resolve(struct session *s)
{
	struct addresses *a = &s->addresses;
	const struct options *o = s->options;
	const char *group = o->listen.group, *local = o->local;
	struct np_address_text literal;
	struct np_address at;
	int status = 0;

	/* A rank of a mesh has one address, at a port of the kernel's choice unless it is named. */
	if (o->mesh.mesh && !np_options_given(o->given, "bind")) {
		if (np_mesh_address(&o->mesh, np_socket_family(&o->socket.asked), &at, s->log))
			return 2;
		literal = np_address_literal(&at);
		local = literal.text;
	}
	if (resolve(s, &a->locals, local) ||
	    np_socket_allowed(&a->allowed, o->socket.allow, s->log))
		return 2;
	if (o->mesh.mesh && a->locals.count > 1)
		return np_log_refuse(s->log, o->local, "a rank of a mesh has one address");
	for (size_t i = 0; !status && i < a->locals.count; i++)
		status = check_local(s, &a->locals.item[i]);
	if (!status && group)
		status = resolve(s, &a->group, group);
	if (!status && group && (a->group.count > 1 || !np_address_is_multicast(a->group.item)))
		return np_log_refuse(s->log, group,
				     "is not a multicast group; expected one address in "
				     "224.0.0.0/4 or ff00::/8");
	for (size_t i = 0; !status && i < o->peers.count; i++)
		status = resolve(s, &a->peers, o->peers.item[i]);
	for (size_t i = 0; !status && i < a->peers.count; i++)
		status = check_peer(s, &a->peers.item[i]);
	if (!status &&
	    np_options_check_burst(
		    o->given, o->publish.rate_bytes_per_s / options_mean_bytes(&o->packet),
		    o->publish.burst * a->locals.count * a->peers.count, o->publish.duration) >= 0)
		return 2;
	return status;
}
