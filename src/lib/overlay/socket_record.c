// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* socket_record: what an overlay's node did, as JSON, under the names of netperf-json(5). */
#include <netperf/overlay.h>
#include <netperf/report.h>

static void add_copies(struct np_record *r, const char *name,
		       const struct np_overlay_copies *copies)
{
	struct np_record *object = np_record_object(r, name);

	np_record_count(object, "own", copies->own);
	np_record_count(object, "forwarded", copies->forwarded);
	np_record_count(object, "protocol", copies->protocol);
}

struct np_record *np_record_overlay(struct np_record *record, const struct np_overlay_stats *stats,
				    unsigned neighbours)
{
	const struct np_overlay_substrate_counts *s = &stats->substrate;
	const struct np_overlay_node_counts *n = &stats->node;
	struct np_record *r = np_record_object(record, "overlay");

	np_record_count(r, "neighbours", neighbours);
	add_copies(r, "sent_copies", &s->sent);
	add_copies(r, "no_room_copies", &s->no_room);
	add_copies(r, "unreachable_copies", &s->unreachable);
	add_copies(r, "refused_copies", &s->refused);
	np_record_count(r, "received_copies", s->received);
	np_record_count(r, "delivered_copies", n->delivered);
	np_record_count(r, "malformed", n->malformed + s->unreadable + s->oversize);
	np_record_count(r, "foreign", n->foreign + n->forged);
	np_record_count(r, "not_from_parent", n->not_from_parent);
	np_record_count(r, "looped", n->looped);
	np_record_count(r, "expired", n->expired);
	np_record_count(r, "unroutable", n->unroutable);
	np_record_count(r, "too_long", n->too_long);
	np_record_count(r, "moves", n->moves);
	np_record_count(r, "timed_out", n->timed_out);
	return r;
}
