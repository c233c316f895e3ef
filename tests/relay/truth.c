// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* truth: the record of each direction and each flow. */
#include "truth.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

#define ENDPOINT_BYTES (INET6_ADDRSTRLEN + 16)

/* What arrives of a datagram may then be only its copies. */
static bool copies_alone(const struct flows *flows)
{
	for (unsigned i = 0; i < flows->count; i++) {
		const struct flow_counts *counts = &flows->flow[i]->counts;

		if (counts->refused && counts->duplicated)
			return true;
	}
	return false;
}

const char *truth_void(const struct truth *truth)
{
	const struct lane_counts *counts = &truth->lane->counts;

	if (counts->oversize)
		return "frames longer than the MTU: segmentation offload is on";
	if (counts->unfinished)
		return "unfinished checksums: checksum offload is on";
	if (truth->in.dropped)
		return "the relay's receive buffer ran over";
	if (truth->interface_dropped)
		return "the kernel dropped frames before the relay saw them";
	if (truth->interface_unaccounted)
		return "the out interface sent another number of frames than the relay";
	if (counts->untracked)
		return "too many flows";
	if (counts->no_room)
		return "no room for frames that should wait: enlarge --delay-queue";
	if (copies_alone(&truth->lane->flows))
		return "the out link refused datagrams that have copies";
	return NULL;
}

static void put_endpoint(struct np_record *record, const char *name, int family,
			 const uint8_t *address, unsigned port)
{
	char host[INET6_ADDRSTRLEN] = "", text[ENDPOINT_BYTES];

	inet_ntop(family, address, host, sizeof(host));
	snprintf(text, sizeof(text), family == AF_INET ? "%s:%u" : "[%s]:%u", host, port);
	np_record_text(record, name, text);
}

static void put_ends(struct np_record *record, const struct datagram_ends *ends)
{
	int family = ends->version == 4 ? AF_INET : AF_INET6;

	put_endpoint(record, "source", family, ends->source, ends->source_port);
	put_endpoint(record, "destination", family, ends->destination, ends->destination_port);
}

static void put_order(struct np_record *record, const struct order *order)
{
	struct np_record *extents = np_record_object(record, "extents");

	np_record_count(record, "reordered", order->reordered);
	np_record_count(record, "extent_sum", order->extent_sum);
	np_record_count(record, "extent_max", order->extent_max);
	np_record_count(record, "extent_unknown", order->extent_unknown);
	for (unsigned i = 1; i <= ORDER_EXTENTS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		if (order->extent_count[i])
			np_record_count(extents, name, order->extent_count[i]);
	}
}

static void put_flow(struct np_record *record, const struct flow *flow)
{
	const struct flow_counts *counts = &flow->counts;
	uint64_t right = counts->forwarded - counts->forwarded_bad;

	np_record_count(record, "number", flow->number);
	put_ends(record, &flow->ends);
	np_record_count(record, "seen", counts->seen);
	np_record_count(record, "dropped", counts->dropped);
	np_record_count(record, "held", counts->held);
	np_record_count(record, "delayed", counts->delayed);
	np_record_count(record, "damaged_right", counts->damaged_right);
	np_record_count(record, "damaged_bad", counts->damaged_bad);
	np_record_count(record, "forwarded", counts->forwarded);
	np_record_count(record, "duplicated", counts->duplicated);
	np_record_count(record, "refused", counts->refused);
	np_record_count(record, "copies_refused", counts->copies_refused);
	np_record_count(record, "left", counts->left);
	/*
	 * What reaches the receiver's host, each datagram once, and what its kernel drops before
	 * the socket.
	 */
	np_record_count(record, "arriving", right + counts->duplicated - counts->duplicated_bad);
	np_record_count(record, "arriving_distinct", right);
	np_record_count(record, "arriving_bad", counts->forwarded_bad + counts->duplicated_bad);
	put_order(record, &flow->order);
}

static void put_way(struct np_record *record, const struct truth *truth)
{
	const struct lane_counts *counts = &truth->lane->counts;
	const struct flows *flows = &truth->lane->flows;

	np_record_text(record, "from", truth->from);
	np_record_text(record, "to", truth->to);
	np_record_text(record, "void", truth_void(truth));
	np_record_count(record, "frames", counts->frames);
	np_record_count(record, "others", counts->others);
	np_record_count(record, "others_forwarded", counts->others_forwarded);
	np_record_count(record, "others_refused", counts->others_refused);
	np_record_count(record, "retries", counts->retries);
	np_record_count(record, "oversize", counts->oversize);
	np_record_count(record, "unfinished_checksums", counts->unfinished);
	np_record_count(record, "untracked", counts->untracked);
	np_record_count(record, "no_room", counts->no_room);
	np_record_count(record, "receive_buffer_dropped", truth->in.dropped);
	np_record_count(record, "interface_dropped", truth->interface_dropped);
	np_record_count(record, "interface_unaccounted", truth->interface_unaccounted);
	for (unsigned i = 0; i < flows->count; i++)
		put_flow(np_record_append(record, "flows"), flows->flow[i]);
}

int truth_write(struct np_report *report, const char *type, const struct truth truths[WAYS])
{
	struct np_record *record = np_record_new(type);

	np_record_flag(record, "valid", !truth_void(&truths[AB]) && !truth_void(&truths[BA]));
	put_way(np_record_object(record, "ab"), &truths[AB]);
	put_way(np_record_object(record, "ba"), &truths[BA]);
	return np_report_write(report, record);
}
