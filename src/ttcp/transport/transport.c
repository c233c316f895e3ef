// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* transport: the table of transports, and what they share. */
#include "transport.h"

#include <netperf/wait.h>

const struct transport_face *transport_face_of(enum options_transport transport, bool sends)
{
	static const struct transport_face *const faces[] = {
		[TRANSPORT_UDP] = &transport_udp,
		[TRANSPORT_MULTICAST] = &transport_udp,
		[TRANSPORT_OVERLAY] = &transport_overlay,
	};

	if (transport == TRANSPORT_TCP)
		return sends ? &transport_tcp_sender : &transport_tcp_receiver;
	return faces[transport];
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

void transport_describe(const struct transport *t, struct np_record *start,
			const struct np_address *peer)
{
	struct record_socket socket;

	for (unsigned i = 0; t->face->socket(t, i, peer, &socket); i++)
		record_socket(start, &socket);
}
