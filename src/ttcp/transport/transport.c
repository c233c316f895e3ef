// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* transport: the table of transports. */
#include "transport.h"

#include "../report/block.h"

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

void transport_describe(const struct transport *t, struct np_record *start,
			const struct np_address *peer)
{
	struct record_socket socket;

	for (unsigned i = 0; t->face->socket(t, i, peer, &socket); i++)
		record_socket(start, &socket);
}

void transport_facts(const struct transport *t, struct np_block_full *full)
{
	struct record_socket socket;

	if (t->face->socket(t, 0, NULL, &socket))
		block_full_socket(full, &socket);
}
