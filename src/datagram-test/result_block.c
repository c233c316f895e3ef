// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result_block: gathers what the result block says. */
#include "result_block.h"

#include "console_figures.h"

#include <inttypes.h>
#include <netperf/result.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_ROOM (2 * NP_ADDRESS_TEXT + 128)
#define TIME_ROOM  32

/* Not "/10.0.0.1:9999", which is the original's way. */
static const char *plain(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	const char *text = np_address_format(address, out);

	return text + strspn(text, "/");
}

static const char *duration(np_time elapsed, char out[TIME_ROOM])
{
	if (elapsed >= NP_SECOND)
		snprintf(out, TIME_ROOM, "%.2f s", np_clock_seconds(elapsed));
	else
		np_units_format_latency(elapsed, out, TIME_ROOM);
	return out;
}

/* Of the bytes after the first packet: no time passed before that. */
static double rate(uint64_t bytes, np_time elapsed)
{
	return elapsed > 0 && bytes ? np_units_rate(bytes, elapsed) : -1;
}

/* Its report has a lower bound of what its socket dropped. */
static void attribute(struct np_result *to, const struct shared_peer *peer)
{
	const struct wire_counts *counts = &peer->counts;
	const bool doubtful = counts->before || counts->duplicates;
	struct np_loss loss = {.unattributed = counts->missing, .exact = !counts->missing};

	if (counts->lost_host != WIRE_UNKNOWN && counts->lost_host <= counts->missing) {
		loss.host = counts->lost_host;
		loss.unattributed -= loss.host;
	}
	np_result_attribute(to, &loss, &peer->dropped, &counts->host, doubtful);
}

static void fill_peer(struct np_block_row *row, const struct shared_peer *peer,
		      char name[NP_ADDRESS_TEXT])
{
	const struct wire_counts *counts = &peer->counts;

	*row = (struct np_block_row){
		.name = plain(&peer->address, name),
		.confirmed = atomic_load(&peer->end_acked),
		.received_bytes_per_s = -1,
	};
	row->result.sent = NP_COUNT_EXACT(peer->last - peer->unsent);
	if (!row->confirmed)
		return;
	row->result.received = NP_COUNT_EXACT(counts->received);
	row->result.lost = counts->before ? NP_COUNT_AT_LEAST(counts->missing)
					  : NP_COUNT_EXACT(counts->missing);
	row->result.duplicates = NP_COUNT_EXACT(counts->duplicates);
	row->result.reordered = NP_COUNT_EXACT(counts->reordered);
	row->result.damaged = NP_COUNT_EXACT(counts->damaged);
	attribute(&row->result, peer);
	row->received_bytes_per_s = rate(counts->bytes, counts->elapsed);
	row->delay_known = counts->delays.known;
	row->delay_p50 = counts->delays.p50;
}

static const char *why_unconfirmed(const struct shared *shared)
{
	for (size_t i = 0; i < shared->peer_count; i++) {
		if (atomic_load(&shared->peer[i].confirmed))
			return "no listener reported at the end";
	}
	return "the other end sends no report";
}

/* Of the peers, or of those that reported if some did. */
static void add_peers(struct np_block *block, const struct shared *shared,
		      char (*names)[NP_ADDRESS_TEXT])
{
	struct np_result all = {.sent.known = NP_EXACT};
	bool any = false;

	for (size_t i = 0; i < shared->peer_count; i++) {
		struct np_block_row *row = &block->row[block->rows++];

		fill_peer(row, &shared->peer[i], names[i]);
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
		block->unconfirmed = why_unconfirmed(shared);
	}
}

static void add_only(struct np_block *block, const struct shared_peer *peer,
		     char to[NP_ADDRESS_TEXT])
{
	const struct wire_delays *delays = &peer->counts.delays;

	snprintf(to, NP_ADDRESS_TEXT, "%s", block->row[0].name);
	block->received_bytes_per_s = block->row[0].received_bytes_per_s;
	if (!block->row[0].confirmed || !delays->known)
		return;
	block->delay = (struct np_histogram_figures){
		.count = peer->counts.received,
		.p50 = delays->p50,
		.p99 = delays->p99,
		.max = delays->max,
	};
	block->delay_bound = delays->bound;
}

void result_block_publisher(FILE *out, const struct publisher_result *publisher,
			    const struct shared *shared, bool bytes)
{
	char(*names)[NP_ADDRESS_TEXT] = calloc(shared->peer_count + 1, sizeof(*names));
	char title[TITLE_ROOM] = "", at[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT], time[TIME_ROOM];
	struct np_block block = np_block_init(title, "packets", bytes);

	block.row = calloc(shared->peer_count + 1, sizeof(*block.row));
	if (!names || !block.row)
		goto free;
	block.noun = "listener";
	if (publisher->packets > 1)
		block.sent_bytes_per_s = rate(publisher->bytes, publisher->elapsed);
	add_peers(&block, shared, names);
	if (shared->peer_count == 1)
		add_only(&block, &shared->peer[0], to);
	else
		snprintf(to, sizeof(to), "%zu listeners", shared->peer_count);
	snprintf(title, sizeof(title), "datagram-test: %s -> %s, %" PRIu64 "-byte packets, %s",
		 plain(&publisher->at, at), to,
		 publisher->packets ? publisher->bytes / publisher->packets : 0,
		 duration(publisher->elapsed, time));
	fputc('\n', out);
	np_block_print(out, &block);
	fflush(out);
free:
	free(block.row);
	free(names);
}

static void count_flow(struct np_result *to, const struct np_flow_counts *c)
{
	const bool whole = c->sent_known && !c->missed_before;

	to->sent = whole ? NP_COUNT_EXACT(c->sent) : NP_COUNT_AT_LEAST(c->sent);
	to->received = NP_COUNT_EXACT(c->received);
	to->lost = whole ? NP_COUNT_EXACT(c->lost) : NP_COUNT_AT_LEAST(c->lost);
	to->duplicates = NP_COUNT_EXACT(c->duplicates);
	to->reordered = NP_COUNT_EXACT(c->reordered);
	to->late = NP_COUNT_EXACT(c->late);
	to->damaged = NP_COUNT_EXACT(c->damaged);
}

static void fill_flow(struct np_block_row *row, const struct listener_flow *flow,
		      char name[NP_ADDRESS_TEXT])
{
	const struct np_flow_counts *c = &flow->life.counts;

	*row = (struct np_block_row){
		.name = plain(&flow->printed, name),
		.confirmed = true,
		.received_bytes_per_s = rate(c->bytes - c->head_bytes, c->elapsed),
		.delay_p50 = flow->delay.p50,
		.delay_known = flow->delay.count,
	};
	count_flow(&row->result, c);
}

void result_block_listener(FILE *out, const struct listener_result *listener, bool bytes)
{
	const struct np_flow_counts *c = &listener->total.counts;
	const size_t count = listener->concluded_count;
	const bool doubtful = c->duplicates || !c->sent_known || c->missed_before;
	const struct np_drops_total here = np_drops_total(&listener->flows_dropped);
	char(*names)[NP_ADDRESS_TEXT] = calloc(count + 1, sizeof(*names));
	char title[TITLE_ROOM] = "", at[NP_ADDRESS_TEXT], from[NP_ADDRESS_TEXT], time[TIME_ROOM];
	struct np_block block = np_block_init(title, "packets", bytes);

	block.row = calloc(count + 1, sizeof(*block.row));
	if (!names || !block.row || !count)
		goto free;
	block.noun = "publisher";
	count_flow(&block.result, c);
	np_result_attribute(&block.result, &listener->loss, &listener->flows_sender, &here,
			    doubtful);
	for (; block.rows < count; block.rows++)
		fill_flow(&block.row[block.rows], &listener->concluded[block.rows],
			  names[block.rows]);
	snprintf(from, sizeof(from), "%zu publishers", count + (size_t)listener->unlisted);
	if (count == 1) {
		block.received_bytes_per_s = block.row[0].received_bytes_per_s;
		block.delay = listener->concluded[0].delay;
		block.delay_bound = listener->concluded[0].delay_bound;
		block.rtt = listener->concluded[0].rtt;
		snprintf(from, sizeof(from), "%s", block.row[0].name);
	}
	snprintf(title, sizeof(title), "datagram-test: %s -> %s, %" PRIu64 "-byte packets, %s",
		 from, plain(&listener->local, at), console_average(c->bytes, c->received),
		 duration(c->elapsed, time));
	fputc('\n', out);
	np_block_print(out, &block);
	fflush(out);
free:
	free(block.row);
	free(names);
}
