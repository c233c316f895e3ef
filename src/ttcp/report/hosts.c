// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* hosts: what is left of the lost messages when each host has told what it dropped. */
#include "hosts.h"

bool hosts_way(const struct hosts *hosts, uint64_t *way)
{
	return !hosts->doubtful && np_drops_way(hosts->lost, &hosts->sender, &hosts->receiver, way);
}

void hosts_record(struct np_record *record, const struct hosts *hosts)
{
	uint64_t way;

	if (hosts->sender.known && hosts->sender.exact)
		np_record_count(record, "dropped_by_sender_messages", hosts->sender.packets);
	if (hosts->receiver.known && hosts->receiver.exact)
		np_record_count(record, "dropped_by_receiver_messages", hosts->receiver.packets);
	if (hosts_way(hosts, &way))
		np_record_count(record, "lost_way_messages", way);
}
