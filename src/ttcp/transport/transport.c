// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* transport: the table of transports, and what they share. */
#include "transport.h"

#include <netperf/clock.h>

const struct transport_face *const transport_faces[] = {
	[TRANSPORT_TCP] = &transport_tcp,
	[TRANSPORT_UDP] = &transport_udp,
	[TRANSPORT_MULTICAST] = &transport_udp,
	[TRANSPORT_OVERLAY] = &transport_overlay,
};

int transport_resolve(struct transport *t)
{
	const struct session *s = t->session;
	const struct place_options *place = &s->options->place;
	int status;

	t->group = place->transport == TRANSPORT_MULTICAST;
	if (!t->group && !t->lanes && !place->reverse)
		return 0;
	status = session_resolve(s, place->to, place->port, AF_UNSPEC, &t->to);
	if (status ||
	    (t->group ? np_address_is_multicast(&t->to) : !np_address_is_broadcast(&t->to)))
		return status;
	np_log_error(s->log, place->to, "%s",
		     t->group ? "is not a multicast group; -m takes 224.0.0.0 to 239.255.255.255 "
				"or ff00::/8; -u sends to one host"
			      : "is a broadcast address; name a host, or a group with -m");
	return 2;
}

struct transport_counts transport_count(const struct transport *t)
{
	struct transport_counts counts = {.drop_unit = NULL};

	if (t->face->counts)
		t->face->counts(t, &counts);
	return counts;
}

int transport_wait(struct transport *t, struct pollfd *fds, unsigned count, np_time deadline)
{
	int ready;

	fds[count] = (struct pollfd){.fd = np_signals_fd(t->session->signals), .events = POLLIN};
	ready = np_wait_ready(fds, count + 1, deadline);
	if (ready <= 0 || !fds[count].revents)
		return ready;
	session_look(t->session);
	return 0;
}
