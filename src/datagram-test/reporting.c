// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* reporting: decides when a listener prints what, and keeps the figures of flows that are over. */
#include "session.h"

void reporting_ticks(struct listener *l)
{
	report_ticks(l->endpoint->reporter, 'i', l->ticked, l->count);
	l->ticked = l->count;
}

static uint64_t next_multiple(uint64_t count, uint64_t interval)
{
	return interval ? (count / interval + 1) * interval : UINT64_MAX;
}

void reporting_set_due(struct listener *l)
{
	uint64_t report = next_multiple(l->count, l->endpoint->options->report_packets);
	uint64_t row = l->log_file
			       ? next_multiple(l->count, l->endpoint->options->listen.log_packets)
			       : UINT64_MAX;

	l->due = report < row ? report : row;
}

/*
 * How many of the datagrams that the socket dropped may not be missing packets: duplicates if there
 * are any, control datagrams that never arrived, and packets of others if there are any.
 */
static uint64_t others(const struct listener *l, const struct np_flow_counts *sum)
{
	const struct endpoint *endpoint = l->endpoint;
	uint64_t controls = l->past_controls;

	if (sum->duplicates || l->short_packets || l->corrupt || l->control_errors ||
	    l->flows.refused || l->displaced || l->not_allowed)
		return NP_LOSS_UNKNOWN;
	for (const struct flow *flow = l->flows.first; flow; flow = flow->next)
		controls += flow_controls_missing(flow);
	for (size_t i = 0; i < endpoint->peer_count; i++)
		controls += wire_copies_missing(&endpoint->peer[i].requests) +
			    wire_copies_missing(&endpoint->peer[i].acks);
	return controls;
}

struct np_loss reporting_loss(struct listener *l)
{
	struct np_flow_counts sum = l->total, life;
	struct np_datagram_kernel now;
	struct np_loss loss;
	uint64_t dropped;

	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		flow_life(flow, &life);
		np_flow_counts_add(&sum, &life);
	}
	np_datagram_stats(l->socket, &l->stats);
	/* By the socket's full buffer since it was opened, as far as that is known. */
	dropped = l->stats.dropped;
	l->drops = (struct np_loss_drops){
		.upmost = dropped,
		.most = np_loss_most(l->info.drop_unit, l->shortest),
	};
	/* These counters cover all sockets of the host: they are read only when needed. */
	if (dropped && !np_datagram_kernel_counts(&now))
		np_loss_drops_full(&l->drops, dropped,
				   now.receive_buffer_errors - l->kernel.receive_buffer_errors,
				   now.checksum_errors - l->kernel.checksum_errors);
	l->drops.others = others(l, &sum);
	loss = np_flow_attribute(&sum, &l->drops);
	/* Some of the drops may have been packets of sources that are not counted. */
	loss.exact &= !l->flows.refused && !l->displaced;
	return loss;
}

struct np_drops_counts reporting_dropped(const struct listener *l, const struct flow *flow)
{
	struct np_drops_counts dropped;
	bool shared = false;

	np_drops_count(l->endpoint->drops, l->drops_watch, &flow->source, &dropped);
	for (size_t i = 0; i < l->flow_count && !shared; i++)
		shared = np_address_equal(&l->flow[i].source, &flow->source);
	for (const struct flow *other = l->flows.first; other && !shared; other = other->next)
		shared = other != flow && np_address_equal(&other->source, &flow->source);
	/* Then it is not known whose they were. */
	if (shared && dropped.known)
		return (struct np_drops_counts){.why = "two runs from one port"};
	return dropped;
}

static void write_block(struct listener *l, bool life, bool now)
{
	struct reporter *r = l->endpoint->reporter;
	struct console_style style = report_style(r, &l->local);
	FILE *text;

	reporting_ticks(l);
	text = report_text_begin(r);
	if (!text)
		return;
	if (life)
		console_rx_report(text, &style, &l->flows, true);
	if (now)
		console_rx_report(text, &style, &l->flows, false);
	report_text_end(r);
}

/*
 * Writes what was counted since the flow's last row; a count may be negative: see netperf-json(5).
 * Together the rows of a flow sum to the figures of its life. @last: the flow is over, so a row
 * without any count is left out.
 */
static void write_row(struct listener *l, struct flow *flow, bool last)
{
	struct np_flow_counts life, span;

	flow_life(flow, &life);
	span = life;
	np_flow_counts_since(&span, &flow->rowed);
	if (last && flow->has_rows && np_flow_counts_empty(&span))
		return;
	flow->rowed = life;
	flow->has_rows = true;
	report_record(l->endpoint->reporter, record_interval(&l->local, flow, &span));
}

void reporting_report(struct listener *l, np_time now, bool mark)
{
	struct reporter *r = l->endpoint->reporter;

	if (flows_count(&l->flows))
		write_block(l, true, true);
	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (flow->past)
			continue;
		if (r->records)
			write_row(l, flow, false);
		if (mark)
			flow_mark(flow, now);
	}
}

void reporting_due(struct listener *l, np_time now)
{
	uint64_t report = l->endpoint->options->report_packets;
	uint64_t row = l->endpoint->options->listen.log_packets;

	if (l->log_file && row && l->count % row == 0)
		log_file_interval(l->log_file, &l->flows);
	if (report && l->count % report == 0)
		reporting_report(l, now, true);
	reporting_set_due(l);
}

/* Writes a closing Lifetime block, unless no packet came since the last one. */
static void report_lifetime(struct listener *l)
{
	if (l->unreported && flows_count(&l->flows))
		write_block(l, true, false);
	l->unreported = false;
}

/* Reports the end of a flow once; its row is written when its own wait is over. */
static void report_end(struct listener *l, struct flow *flow)
{
	if (flow->reported)
		return;
	if (l->log_file)
		log_file_life(l->log_file, flow);
	flow->grace = flow_grace(flow);
	flow->reported = true;
}

void reporting_ends(struct listener *l, np_time now)
{
	bool any = false;

	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (!flow->ended || flow->reported || !flow_accounted(flow, now))
			continue;
		any = true;
		report_end(l, flow);
		/* This listener may end before the publisher asks again. */
		if (flow->end_at)
			control_acknowledge(l, flow);
	}
	if (!any)
		return;
	l->gone = true;
	report_lifetime(l);
}

static void write_last_row(struct listener *l, struct flow *flow)
{
	if (report_wants_rest(l->endpoint->reporter))
		write_row(l, flow, true);
}

/*
 * The entry for a flow in the result. If all are taken, the smallest unproven one is dropped; NULL:
 * none.
 */
static struct listener_flow *place_for(struct listener *l, const struct flow *flow,
				       const struct np_flow_counts *life)
{
	struct listener_flow *least = NULL;

	if (l->flow_count < l->flow_room)
		return &l->flow[l->flow_count++];
	l->unlisted++;
	for (struct listener_flow *past = l->flow; past < l->flow + l->flow_count; past++) {
		if (!past->proven && (!least || past->life.received < least->life.received))
			least = past;
	}
	if (!least || (!flow->proven && life->received <= least->life.received))
		return NULL;
	return least;
}

static void conclude_flow(struct listener *l, struct flow *flow)
{
	const struct np_drops_counts dropped = reporting_dropped(l, flow);
	struct listener_flow *past;
	struct np_flow_counts life;

	write_last_row(l, flow);
	flow_life(flow, &life);
	np_flow_counts_add(&l->total, &life);
	l->past_controls += flow_controls_missing(flow);
	np_drops_add(&l->total_dropped, &dropped);
	/* Not of a late start: its host was not watched when the run began. */
	l->total_sender.known &= flow->sender.known && !flow->late_start;
	l->total_sender.exact &= flow->sender.exact;
	l->total_sender.packets += flow->sender.packets;
	past = place_for(l, flow, &life);
	if (!past)
		return;
	*past = (struct listener_flow){
		.source = flow->source,
		.printed = flow->printed,
		.proven = flow->proven,
		.grace = flow->grace,
		.late_start = flow->late_start,
		.life = life,
		.dropped = dropped,
		.sender = flow->sender,
		.content_errors = flow->content_errors,
		.delay_bound = np_flow_delay_bound(flow->account),
	};
	(void)flow_delay(flow, &past->delay);
	if (flow->rtt)
		np_histogram_figures(flow->rtt, &past->rtt);
}

void reporting_displace(struct listener *l)
{
	struct flow *victim = flows_victim(&l->flows);

	if (!victim)
		return;
	if (victim->reported) {
		conclude_flow(l, victim);
	} else {
		l->displaced++;
		l->displaced_packets += victim->packets;
		l->displaced_damaged += victim->damaged;
	}
	flows_remove(&l->flows, victim);
}

void reporting_receives(struct listener *l)
{
	char text[NP_ADDRESS_TEXT];

	if (!l->endpoint->reporter->newest)
		return;
	reporting_ticks(l);
	report_newest(l->endpoint->reporter, "\n%s receiving data from %zu publisher(s).\n",
		      np_address_format(&l->local, text), flows_count(&l->flows));
}

/* Removes flows that have ended, as soon as nothing more can arrive for them. */
static void remove_ended(struct listener *l, np_time now)
{
	for (struct flow *flow = l->flows.first, *next; flow; flow = next) {
		next = flow->next;
		if (flow->ours && !flow->ended)
			continue;
		report_end(l, flow);
		write_last_row(l, flow);
		if (!flow_over(flow, now))
			continue;
		conclude_flow(l, flow);
		flows_remove(&l->flows, flow);
	}
}

/* Of flows whose END was lost, too: what this host dropped of them is known to be lost. */
static void take_drops(struct listener *l)
{
	(void)np_drops_update(l->endpoint->drops);
	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		const struct np_drops_counts dropped = reporting_dropped(l, flow);

		flow->dropped = np_drops_total(&dropped).packets;
	}
}

void reporting_silence(struct listener *l, np_time now)
{
	l->heard = false;
	take_drops(l);
	if (flows_count(&l->flows)) {
		l->gone = true;
		if (l->endpoint->reporter->newest)
			reporting_ticks(l);
		report_newest(l->endpoint->reporter, "\nClients have stopped.\n");
		report_lifetime(l);
	}
	remove_ended(l, now);
	l->count = l->ticked = 0;
	reporting_set_due(l);
	if (l->endpoint->options->publish.polite)
		atomic_store(&l->endpoint->go, false);
}

void reporting_close(struct listener *l)
{
	const struct np_path_drops opened = l->path;

	take_drops(l);
	l->loss = reporting_loss(l);
	/* What this host dropped before its UDP layer since the opening. */
	np_path_read(&l->path, l->endpoint->options->socket.asked.device, &l->local);
	np_path_since(&l->path, &opened);
	report_lifetime(l);
	np_drops_count(l->endpoint->drops, l->drops_watch, NULL, &l->dropped);
	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		report_end(l, flow);
		conclude_flow(l, flow);
	}
}
