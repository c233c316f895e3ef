// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* transport: the table of transports. */
#include "transport.h"

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
