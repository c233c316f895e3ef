// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receive_drops: what this host dropped of a run, by its kernel's counters. */
#include "receive_session.h"

#include <netperf/datagram.h>
#include <string.h>

/* What this host's cards and backlog dropped, by their counters as they are. */
static void read_path(const struct receive_session *r, struct np_path_drops *path)
{
	const struct transport_face *face = r->transport.face;

	*path = (struct np_path_drops){.softnet_known = false};
	/* What is dropped of a stream is sent again. */
	if (face->datagrams)
		np_path_read(path, receive_options(r)->socket.asked.device,
			     face->local(&r->transport, NULL));
}

static struct transport_counts count(const struct receive_session *r)
{
	struct transport_counts counts;

	r->transport.face->counts(&r->transport, &counts);
	return counts;
}

/* The counter is of all programs here. False: not to be had. */
static bool wrong_checksums(uint64_t *count)
{
	struct np_datagram_kernel kernel;

	if (np_datagram_kernel_counts(&kernel))
		return false;
	*count = kernel.checksum_errors;
	return true;
}

void receive_drops_begin(struct receive_session *r)
{
	struct receive_drops *d = &r->drops;

	*d = (struct receive_drops){.before = count(r).dropped};
	read_path(r, &d->path_before);
	d->checksums_known = wrong_checksums(&d->checksums_before);
}

void receive_drops_ended(struct receive_session *r)
{
	r->drops.at_end = count(r).dropped;
}

/* How many of the dropped may have been of wrong checksum: all, when nobody can tell. */
static uint64_t count_damaged(const struct receive_drops *d)
{
	uint64_t now;

	if (!d->dropped || !d->checksums_known || !wrong_checksums(&now))
		return d->dropped;
	now -= d->checksums_before;
	return now < d->dropped ? now : d->dropped;
}

void receive_drops_account(struct receive_session *r, struct message_report *report)
{
	const struct transport_counts now = count(r);
	struct receive_drops *d = &r->drops;

	read_path(r, &d->path);
	np_path_since(&d->path, &d->path_before);
	report->drop_unit = MESSAGE_DROPS_UNKNOWN;
	d->dropped = d->damaged = 0;
	d->unit = now.drop_unit;
	if (!now.dropped_known)
		return;
	d->dropped = now.dropped - d->before;
	d->damaged = count_damaged(d);
	d->of_others = now.drops_of_others;
	report->host_drops = d->of_others ? 0 : d->dropped - d->damaged;
	report->host_drops_most = d->dropped;
	report->drop_unit =
		strcmp(d->unit, "packet") ? MESSAGE_DROPS_BUFFERS : MESSAGE_DROPS_PACKETS;
}
