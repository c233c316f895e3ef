// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* host_drops: tells the library's count of drops which packets are messages. */
#include "host_drops.h"

#include "../wire/message.h"

int host_drops_watch(struct np_drops *drops, struct np_drops_packets packets)
{
	uint8_t mark[MESSAGE_MARK_BYTES];

	message_mark_data(mark);
	np_drops_mark(&packets, mark, sizeof(mark));
	return np_drops_watch(drops, &packets);
}
