// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receive: takes datagrams apart and counts them in their flows. */
#include "session.h"

#include <inttypes.h>
#include <netperf/units.h>

/* Copies of the number begin at 28: with fewer process bytes there is nothing to check. */
#define CHECKED_FROM  32
#define NOT_FULL_EACH 10000

static uint32_t first_word(const struct np_packet *packet)
{
	uint32_t word = 0;

	for (size_t i = 0; i < 4 && i < packet->length; i++)
		word |= (uint32_t)packet->data[i] << (24 - 8 * i);
	return word;
}

static void complain_of_header(struct listener *l, const struct np_packet *packet)
{
	uint64_t missed;

	l->corrupt++;
	if (!complaints_allow(&l->header_complaints, packet->stamp, &missed))
		return;
	reporting_ticks(l);
	np_log_warning(l->endpoint->reporter->log, NULL,
		       "the packet contains a corrupted header: %" PRId32,
		       (int32_t)first_word(packet));
	if (missed)
		np_log_warning(l->endpoint->reporter->log, NULL,
			       "%" PRIu64 " more packet%s had a corrupted header", missed,
			       np_plural(missed));
}

/* The first wrong word of a packet, and its value. */
struct bad_word {
	size_t index; /* 0: all words are right */
	uint32_t found;
};

static struct bad_word check_content(const struct listener *l, const struct np_packet *packet,
				     const struct wire_packet *head)
{
	const size_t bytes = l->endpoint->options->packet.process_bytes;
	struct bad_word bad = {.index = 0};

	if (bytes >= CHECKED_FROM)
		bad.index =
			wire_check_content(packet->data, packet->length, bytes, head, &bad.found);
	return bad;
}

static void complain_of_content(struct listener *l, const struct np_packet *packet,
				const struct bad_word *bad, uint64_t number)
{
	const struct np_log *log = l->endpoint->reporter->log;
	char source[NP_ADDRESS_TEXT];
	uint64_t missed;

	if (!bad->found && l->count % NOT_FULL_EACH)
		return;
	if (!complaints_allow(&l->content_complaints, packet->stamp, &missed))
		return;
	reporting_ticks(l);
	if (!bad->found)
		np_log_warning(log, NULL,
			       "the packet is not full, configure publisher to process the same "
			       "number of bytes");
	else
		np_log_warning(log, NULL,
			       "corrupted packet from %s at i=%zu, n=%" PRId32
			       ", nCurrent=%" PRId32,
			       np_address_format(packet->source, source), bad->index,
			       (int32_t)bad->found, (int32_t)number);
	if (missed)
		np_log_warning(log, NULL, "%" PRIu64 " more packet%s corrupted", missed,
			       missed == 1 ? " was" : "s were");
}

static struct flow *begin_flow(struct listener *l, const struct np_packet *packet,
			       const struct wire_packet *head, const struct wire_trailer *trailer)
{
	struct endpoint *endpoint = l->endpoint;
	struct flow *flow;

	if (l->flows.count >= FLOWS_MAX)
		reporting_displace(l);
	flow = flows_add(&l->flows, packet->source, head, trailer, packet->stamp);
	if (!flow)
		return NULL;
	l->news = true;
	for (size_t i = 0; i < endpoint->peer_count && !flow->peer; i++) {
		if (np_address_equal(&endpoint->peer[i].address, &flow->printed))
			flow->peer = (unsigned)i + 1;
	}
	reporting_receives(l);
	return flow;
}

/* A foreign publisher has no run id: after a long silence its next packet starts a new flow. */
static bool begun_again(const struct listener *l, const struct flow *flow,
			const struct np_packet *packet, const struct wire_packet *head)
{
	np_time timeout = (np_time)l->endpoint->options->listen.timeout_ms * NP_MILLISECOND;
	np_time since = flow->heard > l->resumed ? flow->heard : l->resumed;

	if (flow->ours || !timeout || packet->stamp - since < timeout)
		return false;
	return np_flow_unwrap(flow->account, (uint32_t)head->number) <=
	       np_flow_highest(flow->account);
}

/* Counts @count packets: @packet and those with the next numbers. */
static struct flow *count_in_flow(struct listener *l, const struct np_packet *packet,
				  const struct wire_packet *head,
				  const struct wire_trailer *trailer, uint64_t count)
{
	struct flow *flow = flows_find(&l->flows, packet->source, trailer ? trailer->run : 0);
	uint64_t counted = l->endpoint->options->packet.heard_bytes;

	if (!flow && trailer && flows_departed(&l->flows, packet->source, trailer->run)) {
		l->stray += count;
		return NULL;
	}
	if (!flow || (!trailer && begun_again(l, flow, packet, head)))
		flow = begin_flow(l, packet, head, trailer);
	if (!flow) {
		l->flows.refused += count;
		return NULL;
	}
	if (flow->past) {
		flow->past = false;
		reporting_receives(l);
	}
	flow->came_bytes += count * flow_wire_bytes(flow, packet->length);
	if (flow->peer)
		peer_hear(&l->endpoint->peer[flow->peer - 1], head->send_time, packet->stamp);
	flow_count(flow, head, trailer, count, packet->length < counted ? packet->length : counted,
		   packet->stamp);
	return flow;
}

/* Counts a single packet, whose content may be wrong. */
static void count_one(struct listener *l, const struct np_packet *packet,
		      const struct wire_packet *head, const struct wire_trailer *trailer)
{
	struct flow *flow = count_in_flow(l, packet, head, trailer, 1);
	const struct bad_word bad = check_content(l, packet, head);

	if (!flow || !bad.index)
		return;
	flow->content_errors++;
	l->content_errors++;
	complain_of_content(l, packet, &bad, head->number);
}

/* A damaged packet may have a wrong number: it counts in its source's flow, but starts none. */
static void count_damaged(struct listener *l, const struct np_packet *packet,
			  const struct wire_packet *head)
{
	struct flow *flow = flows_find(&l->flows, packet->source, 0);

	l->damaged++;
	if (!flow || !flow->ours)
		return;
	flow->damaged++;
	flow_count(flow, head, NULL, 1, packet->length, packet->stamp);
}

/* A receive buffer sized for our packets holds more of shorter ones, and fewer of longer ones. */
static void note_size(struct listener *l, const struct np_packet *packet)
{
	char source[NP_ADDRESS_TEXT];

	if (packet->length < l->shortest)
		l->shortest = packet->length;
	if (packet->length <= l->longest)
		return;
	if (l->longest == l->endpoint->options->packet.packet_bytes)
		np_log_warning(l->endpoint->reporter->log,
			       np_address_format(packet->source, source),
			       "sends packets of %zu bytes, longer than -packetSize %zu here; the "
			       "receive buffer is for as many of those",
			       packet->length, l->longest);
	l->longest = packet->length;
}

/* What every kind of packet does, for @count packets like @packet. */
static void note(struct listener *l, const struct np_packet *packet, uint64_t count)
{
	struct endpoint *e = l->endpoint;

	l->count += count;
	l->datagrams += count;
	note_size(l, packet);
	l->last_packet = packet->stamp;
	l->news |= !l->heard;
	l->heard = l->unreported = true;
	if (!atomic_load_explicit(&e->go, memory_order_relaxed)) {
		atomic_store(&e->go, true);
		worker_wake(e->publisher.worker.wake);
	}
}

/* Packets of ours with consecutive numbers that arrived in one buffer. */
struct packet_series {
	const struct np_packet *first;
	struct wire_packet head;
	struct wire_trailer trailer;
	uint64_t count; /* 0: there is none */
};

/* Only the first packet carries an ack. */
static bool continues(const struct packet_series *run, const struct np_packet *packet,
		      const struct wire_packet *head, const struct wire_trailer *trailer)
{
	return run->count && head->number == run->head.number + run->count &&
	       head->ack == WIRE_NO_ACK && head->send_time == run->head.send_time &&
	       head->wide == run->head.wide && trailer->run == run->trailer.run &&
	       trailer->confirmed == run->trailer.confirmed &&
	       packet->source == run->first->source && packet->stamp == run->first->stamp &&
	       packet->length == run->first->length;
}

static void look_at_count(struct listener *l, np_time now)
{
	if (l->count >= l->due)
		reporting_due(l, now);
}

static void end_run(struct listener *l, struct packet_series *run)
{
	if (!run->count)
		return;
	note(l, run->first, run->count);
	count_in_flow(l, run->first, &run->head, &run->trailer, run->count);
	run->count = 0;
	look_at_count(l, run->first->stamp);
}

/* Counts a packet that cannot join others: it is foreign or damaged. */
static void take_alone(struct listener *l, const struct np_packet *packet, enum wire_kind kind,
		       const struct wire_packet *head, const struct wire_trailer *trailer)
{
	note(l, packet, 1);
	switch (kind) {
	case WIRE_CORRUPT: complain_of_header(l, packet); break;
	case WIRE_SHORT: l->short_packets++; break;
	case WIRE_DAMAGED: count_damaged(l, packet, head); break;
	default: count_one(l, packet, head, trailer); break;
	}
	look_at_count(l, packet->stamp);
}

/* Who is published to may answer. */
static bool is_allowed(const struct listener *l, const struct np_address *source)
{
	const struct endpoint *endpoint = l->endpoint;

	if (np_address_networks_have(endpoint->allowed, source))
		return true;
	for (size_t i = 0; i < endpoint->peer_count; i++) {
		if (np_address_equal(&endpoint->peer[i].address, source))
			return true;
	}
	return false;
}

/*
 * Counts one packet, or adds it to the packets collected, which are counted before anything else.
 */
static void take_packet(struct listener *l, struct packet_series *run,
			const struct np_packet *packet)
{
	struct wire_trailer trailer;
	struct wire_packet head;
	const enum wire_kind kind = wire_decode(packet->data, packet->length, &head, &trailer);
	const bool ours = kind == WIRE_OURS;
	const bool good = ours && !check_content(l, packet, &head).index;

	if (!is_allowed(l, packet->source)) {
		l->not_allowed++;
		return;
	}
	if (!good || !continues(run, packet, &head, &trailer))
		end_run(l, run);
	if (kind == WIRE_CONTROL)
		control_take(l, packet);
	else if (!good)
		take_alone(l, packet, kind, &head, ours ? &trailer : NULL);
	else if (run->count)
		run->count++;
	else
		*run = (struct packet_series){packet, head, trailer, 1};
	/* Reports are due at exact counts. */
	if (run->count && l->count + run->count >= l->due)
		end_run(l, run);
}

void receive_packets(struct listener *l, const struct np_packet *packets, size_t count)
{
	struct packet_series run = {.count = 0};

	for (size_t i = 0; i < count; i++)
		take_packet(l, &run, &packets[i]);
	end_run(l, &run);
}
