// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result_block: gathers what the result block says. */
#include "record.h"

#include "console.h"

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

static void fill_peer(struct np_block_row *row, const struct peer *peer, char name[NP_ADDRESS_TEXT])
{
	const struct wire_counts *counts = &peer->counts;

	*row = (struct np_block_row){
		.name = plain(&peer->address, name),
		.confirmed = atomic_load(&peer->end_acked),
		.received_bytes_per_s = -1,
	};
	attribute_peer(&row->result, peer);
	if (!row->confirmed)
		return;
	row->received_bytes_per_s = rate(counts->flow.bytes, counts->flow.elapsed);
	row->delay_known = counts->delays.known;
	row->delay_p50 = counts->delays.p50;
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

		fill_peer(row, &endpoint->peer[i], names[i]);
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
	const struct wire_delays *delays = &peer->counts.delays;

	snprintf(to, NP_ADDRESS_TEXT, "%s", block->row[0].name);
	block->received_bytes_per_s = block->row[0].received_bytes_per_s;
	/* At least; the listener does not tell how much came together. */
	if (peer->counts.flow.received)
		block->head_share = 1.0 / (double)peer->counts.flow.received;
	if (!block->row[0].confirmed || !delays->known)
		return;
	block->delay = (struct np_histogram_figures){
		.count = peer->counts.flow.received,
		.p50 = delays->p50,
		.p99 = delays->p99,
		.max = delays->max,
	};
	block->delay_bound = delays->bound;
}

void result_block_describe(struct np_block_full *full, const struct options *o)
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

static void set_usage(struct np_block *block, const struct result_block_process *process,
		      np_time elapsed, double *share, const struct np_usage **usage)
{
	if (process->several) {
		share = &block->cpu_process;
		usage = &block->usage_process;
	}
	*share = np_usage_share(&process->usage, elapsed);
	*usage = &process->usage;
}

void result_block_publisher(const struct endpoint *endpoint,
			    const struct result_block_process *process)
{
	const struct publisher_result *publisher = &endpoint->publisher->result;
	char(*names)[NP_ADDRESS_TEXT] = calloc(endpoint->peer_count + 1, sizeof(*names));
	char title[TITLE_ROOM] = "", at[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT], time[NP_BLOCK_TIME];
	struct np_block block = np_block_init(title, "packets", endpoint->options->unit);

	block.row = calloc(endpoint->peer_count + 1, sizeof(*block.row));
	if (!names || !block.row)
		goto free;
	block.noun = "listener";
	block.interrupted = process->interrupted;
	if (publisher->packets > 1)
		block.sent_bytes_per_s = rate(publisher->bytes, publisher->elapsed);
	add_peers(&block, endpoint, names);
	if (endpoint->peer_count == 1)
		add_only(&block, &endpoint->peer[0], to);
	else
		snprintf(to, sizeof(to), "%zu listeners", endpoint->peer_count);
	if (endpoint->peer_count > 1)
		block.received_bytes_per_s = np_block_rate_sum(&block);
	if (publisher->dropped.known && !block.unconfirmed)
		block.dropped_sender = &publisher->dropped;
	set_usage(&block, process, publisher->elapsed, &block.cpu_sender, &block.usage_sender);
	snprintf(title, sizeof(title), "datagram-test: UDP %s -> %s, %" PRIu64 "-byte packets, %s",
		 plain(&publisher->at, at), to,
		 publisher->packets ? publisher->bytes / publisher->packets : 0,
		 np_block_time(publisher->elapsed, time));
	print(endpoint->reporter, &block);
free:
	free(block.row);
	free(names);
}

static void fill_flow(struct np_block_row *row, const struct listener_result *listener,
		      const struct listener_flow *flow, char name[NP_ADDRESS_TEXT])
{
	const struct np_flow_counts *c = &flow->life;

	*row = (struct np_block_row){
		.name = plain(&flow->printed, name),
		.confirmed = true,
		.received_bytes_per_s = rate(c->bytes - c->head_bytes, c->elapsed),
		.delay_p50 = flow->delay.p50,
		.delay_known = flow->delay.count,
	};
	attribute_flow(&row->result, listener, flow);
}

/* A listener that has seen the end of every run can be stopped only by a signal. */
static bool all_ended(const struct listener_result *listener)
{
	for (size_t i = 0; i < listener->concluded_count; i++) {
		if (!listener->concluded[i].life.sent_known)
			return false;
	}
	return true;
}

void result_block_listener(const struct endpoint *endpoint,
			   const struct result_block_process *process)
{
	const struct listener_result *listener = &endpoint->listener->result;
	const struct np_flow_counts *c = &listener->total;
	const size_t count = listener->concluded_count;
	char(*names)[NP_ADDRESS_TEXT] = calloc(count + 1, sizeof(*names));
	char title[TITLE_ROOM] = "", at[NP_ADDRESS_TEXT], from[NP_ADDRESS_TEXT],
	     time[NP_BLOCK_TIME];
	struct np_block block = np_block_init(title, "packets", endpoint->options->unit);

	block.row = calloc(count + 1, sizeof(*block.row));
	if (!names || !block.row || !count)
		goto free;
	block.noun = "publisher";
	block.interrupted = process->interrupted && !all_ended(listener);
	attribute_listener(&block.result, listener);
	for (; block.rows < count; block.rows++)
		fill_flow(&block.row[block.rows], listener, &listener->concluded[block.rows],
			  names[block.rows]);
	snprintf(from, sizeof(from), "%zu publishers", count + (size_t)listener->unlisted);
	if (!listener->unlisted)
		block.received_bytes_per_s = np_block_rate_sum(&block);
	if (listener->flows_dropped.known)
		block.dropped_receiver = &listener->flows_dropped;
	set_usage(&block, process, c->elapsed, &block.cpu_receiver, &block.usage_receiver);
	if (c->bytes)
		block.head_share = (double)c->head_bytes / (double)c->bytes;
	if (count == 1) {
		block.received_bytes_per_s = block.row[0].received_bytes_per_s;
		block.delay = listener->concluded[0].delay;
		block.delay_bound = listener->concluded[0].delay_bound;
		block.rtt = listener->concluded[0].rtt;
		snprintf(from, sizeof(from), "%s", block.row[0].name);
	}
	snprintf(title, sizeof(title), "datagram-test: UDP %s -> %s, %" PRIu64 "-byte packets, %s",
		 from, plain(&listener->local, at), console_average(c->bytes, c->received),
		 np_block_time(c->elapsed, time));
	print(endpoint->reporter, &block);
free:
	free(block.row);
	free(names);
}
