// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * record: divides losses among the hosts and the path, and writes the figures of flows, listeners
 * and publishers as JSON, in plain units.
 */
#include "record.h"

#include <netperf/interval.h>
#include <netperf/units.h>
#include <stdio.h>

static void count(struct np_result *to, const struct np_flow_counts *c)
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

/*
 * The receiver's kernel knows of packets that it dropped before its socket: they were lost in that
 * host. They are taken from the path, then from what nobody knows.
 */
static void raise_host(struct np_loss *loss, const struct np_drops_total *receiver)
{
	uint64_t more, path;

	if (!receiver->known || receiver->packets <= loss->host ||
	    receiver->packets - loss->host > loss->path + loss->unattributed)
		return;
	more = receiver->packets - loss->host;
	path = more < loss->path ? more : loss->path;
	loss->host += more;
	loss->path -= path;
	loss->unattributed -= more - path;
	loss->exact &= receiver->exact;
}

/* The hosts' own accounts, by their kernels' reasons. */
struct hosts {
	struct np_drops_total sender, receiver;
};

static void divide(struct np_result *to, const struct np_flow_counts *c, struct np_loss loss,
		   const struct hosts *hosts)
{
	/* Of a run that began before the listener, or came twice, other packets may be meant. */
	const bool doubtful = c->duplicates || c->missed_before;

	if (!doubtful)
		raise_host(&loss, &hosts->receiver);
	np_result_attribute(to, &loss, &hosts->sender, &hosts->receiver,
			    doubtful || !c->sent_known);
}

void attribute_listener(struct np_result *to, const struct listener_result *listener)
{
	const struct np_flow_counts *c = &listener->total;
	const struct hosts hosts = {listener->flows_sender,
				    np_drops_total(&listener->flows_dropped)};

	*to = (struct np_result){.sent.known = NP_UNKNOWN};
	count(to, c);
	divide(to, c, listener->loss, &hosts);
}

void attribute_flow(struct np_result *to, const struct listener_result *listener,
		    const struct listener_flow *flow)
{
	const struct np_flow_counts *c = &flow->life;
	const struct hosts hosts = {flow->sender, np_drops_total(&flow->dropped)};
	/* The socket's drops are of all its flows. */
	struct np_loss loss = {.unattributed = c->lost, .exact = !c->lost};

	if (listener->total.flows == 1)
		loss = listener->loss;
	*to = (struct np_result){.sent.known = NP_UNKNOWN};
	count(to, c);
	divide(to, c, loss, &hosts);
}

void attribute_peer(struct np_result *to, const struct peer *peer)
{
	const struct wire_counts *report = &peer->counts;
	const struct hosts hosts = {peer->dropped, report->host};
	struct np_flow_counts c = report->flow;
	struct np_loss loss = {.unattributed = report->flow.lost, .exact = !report->flow.lost};

	*to = (struct np_result){.sent = NP_COUNT_EXACT(peer->last - peer->unsent)};
	if (!atomic_load(&peer->end_acked))
		return;
	c.sent = peer->last - peer->unsent - c.missed_before;
	c.sent_known = true;
	count(to, &c);
	to->sent = NP_COUNT_EXACT(peer->last - peer->unsent);
	to->late.known = NP_UNKNOWN;
	if (report->lost_host <= report->flow.lost) {
		loss.host = report->lost_host;
		loss.unattributed -= loss.host;
	}
	if (report->lost_exact && report->lost_host <= report->flow.lost) {
		loss.path = loss.unattributed;
		loss.unattributed = 0;
		loss.exact = true;
	}
	divide(to, &c, loss, &hosts);
}

static void add_address(struct np_record *r, const char *name, const struct np_address *address)
{
	char text[NP_ADDRESS_TEXT];

	np_record_text(r, name, np_address_format(address, text));
}

#define WHAT (NP_FLOW_DAMAGE | NP_FLOW_ORDER)

static void add_counts(struct np_record *r, const struct np_flow_counts *c, unsigned what)
{
	np_record_flow(r, "packets", c, what);
	np_record_difference(r, "after_end_packets", (int64_t)c->after_end);
}

struct np_record *record_interval(const struct np_address *listener, struct flow *flow,
				  const struct np_flow_counts *span)
{
	struct np_record *r = np_record_new("interval");
	const np_time to = flow->heard - flow->begun;
	char from[NP_ADDRESS_TEXT], at[NP_ADDRESS_TEXT], name[2 * NP_ADDRESS_TEXT + 8];

	add_address(r, "listener", listener);
	add_address(r, "publisher", &flow->printed);
	snprintf(name, sizeof(name), "%s -> %s", np_address_format(&flow->printed, from),
		 np_address_format(listener, at));
	np_record_interval(r, &(struct np_interval_row){.from = flow->rowed_to,
							.to = to,
							.flow = name,
							.unit = "packets",
							.counts = np_result_of(span)});
	flow->rowed_to = to;
	add_counts(r, span, WHAT);
	return r;
}

struct np_record *record_transmit(const struct np_address *publisher, np_time at,
				  const struct np_flow_counts *span)
{
	struct np_record *r = np_record_new("transmit");
	char name[NP_ADDRESS_TEXT];

	add_address(r, "publisher", publisher);
	np_record_interval(
		r, &(struct np_interval_row){.from = at - span->elapsed,
					     .to = at,
					     .flow = np_address_format(publisher, name),
					     .unit = "packets",
					     .counts = {.sent = NP_COUNT_EXACT(span->sent)}});
	np_record_count(r, "sent_packets", span->sent);
	np_record_rates(r, "packets", span->sent, span->bytes, span->elapsed, 1);
	return r;
}

void record_start_listener(struct np_record *start, const struct listener_result *listener)
{
	struct np_record *r = np_record_append(start, "listeners");

	add_address(r, "listener", &listener->local);
	np_record_text(r, "batch", listener->info.variant);
	np_record_text(r, "stamps", listener->info.stamps);
	np_record_count(r, "receive_buffer_bytes", listener->info.receive_granted);
}

void record_start_publisher(struct np_record *start, const struct publisher_result *publisher)
{
	struct np_record *r = np_record_append(start, "publishers");

	add_address(r, "publisher", &publisher->at);
	np_record_text(r, "batch", publisher->variant);
	np_record_count(r, "send_buffer_bytes", publisher->send_buffer_bytes);
	if (publisher->rate_bytes_per_s > 0)
		np_record_number(r, "asked_rate_bytes_per_s", publisher->rate_bytes_per_s);
}

/* Where packets were lost: lower bounds unless exact. */
static void add_lost(struct np_record *r, const struct np_result *result)
{
	const struct {
		const char *name;
		const struct np_count *count;
	} places[] = {
		{"lost_sender_host_packets", &result->lost_sender_host},
		{"lost_path_packets", &result->lost_path},
		{"lost_receiver_host_packets", &result->lost_receiver_host},
		{"lost_unattributed_packets", &result->lost_unattributed},
	};
	bool exact = result->lost.known == NP_EXACT && !result->lost_unattributed.n;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		exact &= places[i].count->known != NP_AT_LEAST;
		if (places[i].count->known != NP_UNKNOWN)
			np_record_count(r, places[i].name, places[i].count->n);
	}
	np_record_flag(r, "exact", exact || !result->sent.n);
}

static void add_flow(struct np_record *summary, const struct listener_result *listener,
		     const struct listener_flow *flow)
{
	struct np_record *r = np_record_append(summary, "flows"), *ack;
	const struct np_flow_counts *c = &flow->life;
	struct np_result result;

	attribute_flow(&result, listener, flow);
	add_address(r, "listener", &listener->local);
	add_address(r, "publisher", &flow->printed);
	add_address(r, "source", &flow->source);
	np_record_flag(r, "late_start", flow->late_start);
	add_counts(r, c, WHAT | NP_FLOW_WHOLE);
	add_lost(r, &result);
	np_record_drops(r, &flow->dropped);
	np_record_time(r, "grace_ns", flow->grace);
	np_record_count(r, "content_errors_packets", flow->content_errors);
	/*
	 * As the original computes it, from the returned send time: includes the time that the
	 * partner held it.
	 */
	if (c->acks) {
		ack = np_record_object(r, "ack_ns");
		np_record_number(ack, "mean", (double)c->ack_time / (double)c->acks);
		np_record_count(ack, "count", c->acks);
	}
	np_record_figures(r, "rtt_ns", &flow->rtt);
	np_record_figures(r, "delay_ns", &flow->delay);
	if (flow->delay.count)
		np_record_time(r, "delay_bound_ns", flow->delay_bound);
}

void record_summary_listener(struct np_record *summary, const struct listener_result *listener)
{
	struct np_record *r = np_record_append(summary, "listeners"), *dropped;
	struct np_result result;

	attribute_listener(&result, listener);
	add_address(r, "listener", &listener->local);
	np_record_count(r, "datagrams", listener->packets);
	np_record_count(r, "short_packets", listener->short_packets);
	np_record_count(r, "corrupt_packets", listener->corrupt);
	np_record_count(r, "damaged_packets", listener->damaged);
	np_record_count(r, "content_errors_packets", listener->content_errors);
	np_record_count(r, "stray_packets", listener->stray);
	np_record_count(r, "control_errors", listener->control_errors);
	np_record_count(r, "refused_packets", listener->refused);
	np_record_count(r, "not_allowed_packets", listener->not_allowed);
	np_record_count(r, "displaced_flows", listener->displaced);
	np_record_count(r, "displaced_packets", listener->displaced_packets);
	np_record_count(r, "unlisted_flows", listener->unlisted);
	add_lost(r, &result);
	np_record_path(r, &listener->path);
	np_record_text(r, "drop_unit", listener->info.drop_unit);
	dropped = np_record_object(r, "dropped_by_host");
	np_record_count(dropped, "rcvbuf", listener->drops.upmost);
	np_record_count(dropped, "rcvbuf_or_checksum",
			listener->drops.upmost - listener->drops.least);
	np_record_count(dropped, "checksum", listener->stats.dropped - listener->drops.upmost);
	np_record_drops(r, &listener->dropped);
	for (size_t i = 0; i < listener->concluded_count; i++)
		add_flow(summary, listener, &listener->concluded[i]);
}

/*
 * What was sent to one peer or to several, and what became of it, if all of them reported; else
 * returns false. Listeners of the first version report no times.
 */
static bool add_confirmed(struct np_record *r, const struct np_result *result,
			  const struct np_flow_counts *counts)
{
	np_record_count(r, "sent_packets", result->sent.n);
	np_record_count(r, "unsent_packets", counts->unsent);
	if (result->received.known != NP_EXACT) {
		np_record_flag(r, "exact", false);
		return false;
	}
	np_record_count(r, "received_packets", result->received.n);
	np_record_count(r, "lost_packets", result->lost.n);
	np_record_count(r, "missed_before_packets", counts->missed_before);
	np_record_count(r, "duplicates_packets", result->duplicates.n);
	np_record_count(r, "reordered_packets", result->reordered.n);
	np_record_count(r, "damaged_packets", result->damaged.n);
	add_lost(r, result);
	if (counts->elapsed) {
		np_record_time(r, "elapsed_ns", counts->elapsed);
		np_record_number(r, "rate_bytes_per_s",
				 np_units_rate(counts->bytes, counts->elapsed));
	}
	return true;
}

static void add_peer(struct np_record *publisher, const struct peer *peer)
{
	struct np_record *r = np_record_append(publisher, "peers"), *times;
	const struct wire_delays *delays = &peer->counts.delays;
	struct np_flow_counts counts = peer->counts.flow;
	struct np_result result;

	add_address(r, "peer", &peer->address);
	np_record_flag(r, "confirmed", atomic_load(&peer->confirmed));
	attribute_peer(&result, peer);
	counts.unsent = peer->unsent;
	if (!add_confirmed(r, &result, &counts) || !delays->known)
		return;
	times = np_record_object(r, "delay_ns");
	np_record_time(times, "p50", delays->p50);
	np_record_time(times, "p99", delays->p99);
	np_record_time(times, "max", delays->max);
	np_record_time(r, "delay_bound_ns", delays->bound);
}

void record_summary_publisher(struct np_record *summary, const struct endpoint *endpoint)
{
	const struct publisher_result *publisher = &endpoint->publisher->result;
	struct np_record *r = np_record_append(summary, "publishers"), *dropped;

	add_address(r, "publisher", &publisher->at);
	np_record_count(r, "rounds", publisher->rounds);
	np_record_count(r, "sent_packets", publisher->packets);
	np_record_count(r, "unsent_packets", publisher->unsent);
	np_record_count(r, "send_errors", publisher->stats.send_errors);
	np_record_count(r, "icmp_errors", publisher->stats.icmp_errors);
	np_record_rates(r, "packets", publisher->packets, publisher->bytes, publisher->elapsed,
			publisher->packets > 1);
	if (publisher->rate_bytes_per_s > 0) {
		np_record_number(r, "asked_rate_bytes_per_s", publisher->rate_bytes_per_s);
		np_record_time(r, "behind_ns", publisher->worst_behind);
	}
	dropped = np_record_object(r, "dropped_by_host");
	np_record_count(dropped, "sndbuf", publisher->send_buffer_errors);
	np_record_count(dropped, "sndbuf_retried", publisher->stats.send_refused);
	np_record_drops(r, &publisher->dropped);
	for (size_t i = 0; i < endpoint->peer_count; i++)
		add_peer(r, &endpoint->peer[i]);
}

void record_summary_sum(struct np_record *summary, const struct record_sum *sum,
			const struct np_usage *usage, bool interrupted)
{
	if (sum->published) {
		(void)add_confirmed(summary, &sum->result, &sum->counts);
	} else {
		add_counts(summary, &sum->counts, WHAT | NP_FLOW_WHOLE);
		add_lost(summary, &sum->result);
	}
	np_record_text(summary, "drop_unit", sum->drop_unit);
	np_record_drops(summary, &sum->dropped);
	np_record_count(summary, "errors_packets", sum->errors);
	np_record_usage(summary, usage);
	np_record_flag(summary, "interrupted", interrupted);
}
