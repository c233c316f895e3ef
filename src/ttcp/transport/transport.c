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
	if (!t->group && !t->lanes)
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

void transport_start(const struct transport *t, const struct np_address *peer)
{
	struct record_socket socket;
	struct np_record *start;

	if (!t->session->records || t->session->runs)
		return;
	start = record_start(transport_options(t));
	for (unsigned i = 0; t->face->socket(t, i, peer, &socket); i++)
		record_socket(start, &socket);
	session_write(t->session, start);
}

void transport_block(const struct transport *t, struct block_run *run, struct record_socket *socket)
{
	const struct session *s = t->session;

	run->options = s->options;
	run->datagrams = t->face->datagrams;
	run->interrupted = s->interrupts;
	run->usage = np_usage_since(&s->progress.usage);
	run->full = s->full;
	run->socket = t->face->socket(t, 0, NULL, socket) ? socket : NULL;
}

void transport_summary(const struct transport *t, struct np_record *summary,
		       const uint64_t *not_allowed)
{
	const struct np_usage usage = np_usage_since(&t->session->usage);

	if (t->face->sum_up)
		t->face->sum_up(t, summary);
	if (not_allowed)
		np_record_count(summary, "not_allowed", *not_allowed);
	np_record_usage(summary, &usage);
	np_record_flag(summary, "interrupted", t->session->interrupts);
	session_write(t->session, summary);
}
