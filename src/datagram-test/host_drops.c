// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* host_drops: tells the library's count of drops which packets are of a run. */
#include "host_drops.h"

#include "wire.h"

#include <netperf/field.h>

int host_drops_watch(struct np_drops *drops, enum np_drops_direction direction,
		     const struct np_address *local, int socket)
{
	struct np_drops_packets packets = {
		.direction = direction,
		.local = local,
		.socket = socket,
	};
	uint8_t mark[4];

	/* Packets of either program, not control datagrams. */
	np_field_put32(mark, WIRE_MAGIC);
	np_drops_mark(&packets, mark, sizeof(mark));
	return np_drops_watch(drops, &packets);
}
