// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result_block: gathers what the result block says. */
#include "session.h"

#include <inttypes.h>
#include <netperf/result.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_ROOM (2 * NP_ADDRESS_TEXT + 128)

/* Not "name/10.0.0.1:9999", which is the original's way. */
static const char *plain(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	return strchr(np_address_format(address, out), '/') + 1;
}

/* Of the bytes after the first packet: no time passed before that. */
static double rate(uint64_t bytes, np_time elapsed)
{
	return elapsed > 0 && bytes ? np_units_rate(bytes, elapsed) : -1;
}

static struct np_block_row row_of_peer(struct peer *peer, char name[NP_ADDRESS_TEXT])
{
	const struct wire_counts *counts = &peer->counts;
	const bool confirmed = atomic_load(&peer->end_acked);

	return (struct np_block_row){
		.name = plain(&peer->address, name),
		.confirmed = confirmed,
		.result = peer->result,
		.received_bytes_per_s =
			confirmed ? rate(counts->flow.bytes, counts->flow.elapsed) : -1,
		.delay_known = confirmed && counts->delay.count,
		.delay_p50 = counts->delay.p50,
	};
}

static const char *why_unconfirmed(const struct endpoint *endpoint)
{
	for (size_t i = 0; i < endpoint->peer_count; i++) {
		if (atomic_load(&endpoint->peer[i].confirmed))
			return "no listener reported at the end";
	}
	return "no report came from the other end";
}

/* Of the peers, or of those that reported if some did. */
static void add_peers(struct np_block *block, const struct endpoint *endpoint,
		      char (*names)[NP_ADDRESS_TEXT])
{
	struct np_result all = {.sent.known = NP_EXACT};
	bool any = false;

	for (size_t i = 0; i < endpoint->peer_count; i++) {
		struct np_block_row *row = &block->row[block->rows++];

		*row = row_of_peer(&endpoint->peer[i], names[i]);
		all.sent.n += row->result.sent.n;
		if (!row->confirmed)
			continue;
		if (any)
			np_schema_add(np_result_columns, &block->result, &row->result);
		else
			block->result = row->result;
		any = true;
	}
	if (!any) {
		block->result = all;
		block->unconfirmed = why_unconfirmed(endpoint);
	}
}

static void add_only(struct np_block *block, const struct peer *peer, char to[NP_ADDRESS_TEXT])
{
	const struct wire_counts *counts = &peer->counts;

	snprintf(to, NP_ADDRESS_TEXT, "%s", block->row[0].name);
	block->received_bytes_per_s = block->row[0].received_bytes_per_s;
	/* At least; the listener does not tell how much came together. */
	if (counts->flow.received)
		block->head_share = 1.0 / (double)counts->flow.received;
	if (block->row[0].delay_known) {
		block->delay = counts->delay;
		block->delay_bound = counts->delay_bound;
	}
}

void block_describe(struct np_block_full *full, const struct options *o)
{
	char rate[NP_RATE_TEXT];

	np_block_full_say(full, NP_BLOCK_CONFIGURATION, "packet", "%" PRIu64 " bytes",
			  o->packet.packet_bytes);
	if (o->publish.rate_bytes_per_s > 0)
		np_block_full_say(full, NP_BLOCK_CONFIGURATION, "rate", "%s",
				  np_rate_format(o->publish.rate_bytes_per_s, o->unit, rate));
	np_block_full_say(full, NP_BLOCK_CONFIGURATION, "receive buffer", "%" PRIu64 " packets",
			  o->listen.buffer_packets);
	np_block_full_say(full, NP_BLOCK_CONFIGURATION, "send buffer", "%" PRIu64 " packets",
			  o->publish.buffer_packets);
}

static void print(const struct reporter *reporter, struct np_block *block)
{
	block->full = reporter->full;
	fputc('\n', reporter->block);
	np_block_print(reporter->block, block);
	fflush(reporter->block);
}

/* @share, @usage: this end's, unless @several ends or sockets used the process. */
static void set_usage(struct np_block *block, const struct np_usage *used, bool several,
		      np_time elapsed, double *share, const struct np_usage **usage)
{
	if (several) {
		share = &block->cpu_process;
		usage = &block->usage_process;
	}
	*share = np_usage_share(used, elapsed);
	*usage = used;
}

static void print_publisher(const struct endpoint *endpoint, bool several)
{
	const struct publisher *p = &endpoint->publisher;
	const size_t count = endpoint->peer_count;
	char(*names)[NP_ADDRESS_TEXT] = calloc(count + 1, sizeof(*names));
	char title[TITLE_ROOM] = "", at[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT], time[NP_BLOCK_TIME];
	struct np_block block = np_block_init(title, "packets", endpoint->options->unit);

	block.row = calloc(count + 1, sizeof(*block.row));
	if (!names || !block.row)
		goto free;
	block.noun = "listener";
	block.interrupted = endpoint->session->interrupts;
	if (p->packets > 1)
		block.sent_bytes_per_s = rate(p->bytes, p->elapsed);
	add_peers(&block, endpoint, names);
	if (count == 1) {
		add_only(&block, &endpoint->peer[0], to);
	} else {
		snprintf(to, sizeof(to), "%zu listeners", count);
		block.received_bytes_per_s = np_block_rate_sum(&block);
	}
	if (p->dropped.known && !block.unconfirmed)
		block.dropped_sender = &p->dropped;
	set_usage(&block, &endpoint->session->usage, several, p->elapsed, &block.cpu_sender,
		  &block.usage_sender);
	snprintf(title, sizeof(title), "datagram-test: UDP %s -> %s, %" PRIu64 "-byte packets, %s",
		 plain(&p->at, at), to, p->packets ? p->bytes / p->packets : 0,
		 np_block_time(p->elapsed, time));
	print(&endpoint->session->reporter, &block);
free:
	free(block.row);
	free(names);
}

/* Nothing if nobody came. */
static void print_listener(const struct endpoint *endpoint, bool several)
{
	const struct listener *l = &endpoint->listener;
	const struct np_flow_counts *c = &l->total;
	char(*names)[NP_ADDRESS_TEXT] = calloc(l->flow_count + 1, sizeof(*names));
	char title[TITLE_ROOM] = "", at[NP_ADDRESS_TEXT], from[NP_ADDRESS_TEXT],
	     time[NP_BLOCK_TIME];
	struct np_block block = np_block_init(title, "packets", endpoint->options->unit);
	bool all_ended = true;

	block.row = calloc(l->flow_count + 1, sizeof(*block.row));
	if (!names || !block.row || !l->flow_count)
		goto free;
	block.noun = "publisher";
	block.result = l->result;
	for (; block.rows < l->flow_count; block.rows++) {
		const struct flow *flow = &l->flow[block.rows];
		const struct np_flow_counts *life = &flow->life;

		all_ended &= life->sent_known;
		block.row[block.rows] = (struct np_block_row){
			.name = plain(&flow->printed, names[block.rows]),
			.confirmed = true,
			.result = flow->result,
			.received_bytes_per_s = rate(life->bytes - life->head_bytes, life->elapsed),
			.delay_p50 = flow->delay.p50,
			.delay_known = flow->delay.count,
		};
	}
	/* A listener that has seen the end of every run can be stopped only by a signal. */
	block.interrupted = endpoint->session->interrupts && !all_ended;
	snprintf(from, sizeof(from), "%zu publishers", l->flow_count + (size_t)l->unlisted);
	if (!l->unlisted)
		block.received_bytes_per_s = np_block_rate_sum(&block);
	if (l->total_dropped.known)
		block.dropped_receiver = &l->total_dropped;
	set_usage(&block, &endpoint->session->usage, several, c->elapsed, &block.cpu_receiver,
		  &block.usage_receiver);
	if (c->bytes)
		block.head_share = (double)c->head_bytes / (double)c->bytes;
	if (l->flow_count == 1) {
		block.received_bytes_per_s = block.row[0].received_bytes_per_s;
		block.delay = l->flow[0].delay;
		block.delay_bound = l->flow[0].delay_bound;
		block.rtt = l->flow[0].rtt_figures;
		snprintf(from, sizeof(from), "%s", block.row[0].name);
	}
	snprintf(title, sizeof(title), "datagram-test: UDP %s -> %s, %" PRIu64 "-byte packets, %s",
		 from, plain(&l->local, at), c->received ? c->bytes / c->received : 0,
		 np_block_time(c->elapsed, time));
	print(&endpoint->session->reporter, &block);
free:
	free(block.row);
	free(names);
}

void block_print(const struct session *s)
{
	bool several = s->endpoint_count > 1;

	for (const struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		several |= e->publisher.socket && e->listener.flow_count;
		print_listener(e, several);
		if (e->publisher.socket)
			print_publisher(e, several);
	}
}
