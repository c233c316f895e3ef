// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * record: divides losses among the hosts and the path, and writes the figures of flows, listeners
 * and publishers as JSON, in plain units.
 */
#include "session.h"

/*
 * What became of the packets of a run; @loss: by the receiver's socket; @sender, @receiver: the
 * hosts' own accounts, by their kernels' reasons.
 */
static struct np_result divide(const struct np_flow_counts *c, struct np_loss loss,
			       struct np_drops_total sender, struct np_drops_total receiver)
{
	struct np_result result = np_result_of(c);
	/* Of a run that began before the listener, or came twice, other packets may be meant. */
	const bool doubtful = c->duplicates || c->missed_before;
	const uint64_t more = receiver.packets > loss.host ? receiver.packets - loss.host : 0,
		       path = more < loss.path ? more : loss.path;

	if (c->missed_before)
		result.sent.known = result.lost.known = NP_AT_LEAST;
	/*
	 * The receiver's kernel knows of packets that it dropped before its socket: they were lost
	 * in that host. They are taken from the path, then from what nobody knows.
	 */
	if (!doubtful && receiver.known && more && more <= loss.path + loss.unattributed) {
		loss.host += more;
		loss.path -= path;
		loss.unattributed -= more - path;
		loss.exact &= receiver.exact;
	}
	np_result_attribute(&result, &loss, &sender, &receiver, doubtful || !c->sent_known);
	return result;
}

void attribute(struct endpoint *endpoint)
{
	struct listener *l = &endpoint->listener;

	l->result = divide(&l->total, l->loss, l->total_sender, np_drops_total(&l->total_dropped));
	for (struct flow *flow = l->flow; flow < l->flow + l->flow_count; flow++) {
		/* The socket's drops are of all its flows. */
		const struct wire_counts *c = &flow->counts;
		struct np_loss loss = {.unattributed = c->flow.lost, .exact = !c->flow.lost};

		if (l->total.flows == 1 && listener_counts(l, flow))
			loss = l->loss;
		else if (!l->stats.dropped && !flow->late_start)
			loss = (struct np_loss){.path = c->flow.lost, .exact = true};
		flow->result = divide(&c->flow, loss, flow->sender, c->host);
	}
	for (struct peer *peer = endpoint->peer; peer < endpoint->peer + endpoint->peer_count;
	     peer++) {
		const struct wire_counts *report = &peer->counts;
		const struct np_count sent = NP_COUNT_EXACT(peer->last - peer->unsent);
		struct np_flow_counts c = report->flow;
		struct np_loss loss = {.unattributed = c.lost, .exact = !c.lost};

		peer->result = (struct np_result){.sent = sent};
		if (!atomic_load(&peer->end_acked))
			continue;
		if (report->lost_host <= c.lost) {
			const uint64_t others = c.lost - report->lost_host;

			loss.host = report->lost_host;
			loss.path = report->lost_exact ? others : 0;
			loss.unattributed = others - loss.path;
			loss.exact |= report->lost_exact;
		}
		c.sent = sent.n - c.missed_before;
		c.sent_known = true;
		peer->result = divide(&c, loss, peer->dropped, report->host);
		peer->result.sent = sent;
		peer->result.late.known = NP_UNKNOWN;
	}
}

#define WHAT (NP_FLOW_DAMAGE | NP_FLOW_ORDER)

static void add_counts(struct np_record *r, const struct np_flow_counts *c, unsigned what)
{
	np_record_flow(r, "packets", c, what);
	np_record_time(r, "after_end_packets", (int64_t)c->after_end);
}

void record_interval(const struct listener *l, struct flow *flow, bool last)
{
	const char *listener = l->endpoint->name;
	const np_time to = flow->heard - flow->begun;
	char name[2 * NP_ADDRESS_TEXT + 8];
	struct np_flow_counts life, span;
	struct np_record *r;

	flow_life(flow, &life);
	span = life;
	np_flow_counts_since(&span, &flow->rowed);
	if (last && flow->rowed.flows && np_flow_counts_empty(&span))
		return;
	flow->rowed = life;
	r = np_record_new("interval");
	np_record_text(r, "listener", listener);
	np_record_text(r, "publisher", flow->name);
	snprintf(name, sizeof(name), "%s -> %s", flow->name, listener);
	np_record_interval(r, flow->rowed_to, to, name, "packets");
	flow->rowed_to = to;
	add_counts(r, &span, WHAT);
	(void)np_report_write(l->endpoint->session->run->report, r);
}

struct np_record *record_start(const struct session *s)
{
	struct np_record *start, *r;

	if (!s->records)
		return NULL;
	start = np_record_start(&datagram_test_options, s->options);
	for (const struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		const struct np_datagram_info *info = &e->listener.info;

		r = np_record_append(start, "listeners");
		np_record_text(r, "listener", e->name);
		np_record_text(r, "batch", info->variant);
		np_record_text(r, "stamps", info->stamps);
		np_record_count(r, "receive_buffer_bytes", info->receive_granted);
		if (!e->publisher.socket)
			continue;
		info = np_datagram_info(e->publisher.socket);
		r = np_record_append(start, "publishers");
		np_record_text(r, "publisher", e->name);
		np_record_text(r, "batch", info->variant);
		np_record_count(r, "send_buffer_bytes", info->send_granted);
		if (e->publisher.rate_bytes_per_s > 0)
			np_record_number(r, "asked_rate_bytes_per_s",
					 e->publisher.rate_bytes_per_s);
	}
	return start;
}

/* Where packets were lost: lower bounds unless exact. */
static void add_lost(struct np_record *r, const struct np_result *result)
{
	const bool exact = np_record_lost(r, result, "packets") && result->lost.known == NP_EXACT &&
			   !result->lost_unattributed.n;

	np_record_flag(r, "exact", exact || !result->sent.n);
}

static void add_flow(struct np_record *summary, const struct listener *l, const struct flow *flow)
{
	struct np_record *r = np_record_append(summary, "flows"), *ack;
	const struct np_flow_counts *c = &flow->counts.flow;

	np_record_text(r, "listener", l->endpoint->name);
	np_record_text(r, "publisher", flow->name);
	np_record_text(r, "source", np_address_format(&flow->source).text);
	np_record_flag(r, "late_start", flow->late_start);
	np_record_flag(r, "proven", flow->proven);
	add_counts(r, c, WHAT | NP_FLOW_WHOLE);
	add_lost(r, &flow->result);
	np_record_drops(r, &flow->dropped);
	np_headers_record(r, &flow->headers);
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
	np_record_figures(r, "rtt_ns", &flow->rtt_figures);
	np_record_figures(r, "delay_ns", &flow->counts.delay);
	if (flow->counts.delay.count)
		np_record_time(r, "delay_bound_ns", flow->counts.delay_bound);
}

static void add_listener(struct np_record *summary, const struct listener *l)
{
	struct np_record *r = np_record_append(summary, "listeners"), *dropped;

	np_record_text(r, "listener", l->endpoint->name);
	np_record_count(r, "datagrams", l->datagrams);
	np_record_count(r, "short_packets", l->short_packets);
	np_record_count(r, "corrupt_packets", l->corrupt);
	np_record_count(r, "damaged_packets", l->damaged);
	np_record_count(r, "content_errors_packets", l->content_errors);
	np_record_count(r, "stray_packets", l->stray);
	np_record_count(r, "control_errors", l->control_errors);
	np_record_count(r, "refused_packets", l->flows.refused);
	np_record_count(r, "not_allowed_packets", l->not_allowed);
	np_record_count(r, "displaced_flows", l->displaced);
	np_record_count(r, "displaced_packets", l->displaced_packets);
	np_record_count(r, "unlisted_flows", l->unlisted);
	add_lost(r, &l->result);
	np_record_path(r, &l->path);
	np_record_text(r, "drop_unit", l->info.drop_unit);
	dropped = np_record_object(r, "dropped_by_host");
	np_record_count(dropped, "rcvbuf", l->drops.upmost);
	np_record_count(dropped, "rcvbuf_or_checksum", l->drops.upmost - l->drops.least);
	np_record_count(dropped, "checksum", l->stats.dropped - l->drops.upmost);
	np_record_drops(r, &l->dropped);
	for (size_t i = 0; i < l->flow_count; i++)
		add_flow(summary, l, &l->flow[i]);
}

/*
 * What was sent to one peer or to several, and what became of it, if all of them reported; else
 * returns false. Listeners of the first version report no times.
 */
static bool add_confirmed(struct np_record *r, const struct np_result *result,
			  const struct np_flow_counts *counts)
{
	np_record_count(r, "unsent_packets", counts->unsent);
	if (result->received.known != NP_EXACT) {
		np_record_count(r, "sent_packets", result->sent.n);
		np_record_flag(r, "exact", false);
		return false;
	}
	np_schema_record(r, np_result_columns, 0, result, "packets");
	np_record_count(r, "missed_before_packets", counts->missed_before);
	add_lost(r, result);
	if (counts->elapsed) {
		np_record_time(r, "elapsed_ns", counts->elapsed);
		np_record_number(r, "rate_bytes_per_s",
				 np_units_rate(counts->bytes, counts->elapsed));
	}
	return true;
}

static void add_peer(struct np_record *publisher, const struct endpoint *endpoint,
		     const struct peer *peer)
{
	const struct np_datagram_options how = endpoint_socket(endpoint);
	const unsigned mtu = np_datagram_mtu(&how, &peer->address);
	struct np_record *r = np_record_append(publisher, "peers"), *times;
	const struct np_histogram_figures *delay = &peer->counts.delay;
	struct np_flow_counts counts = peer->counts.flow;

	np_record_text(r, "peer", peer->name);
	np_record_flag(r, "confirmed", atomic_load(&peer->confirmed));
	if (mtu)
		np_record_count(r, "path_mtu_bytes", mtu);
	counts.unsent = peer->unsent;
	if (!add_confirmed(r, &peer->result, &counts) || !delay->count)
		return;
	times = np_record_object(r, "delay_ns");
	np_record_time(times, "p50", delay->p50);
	np_record_time(times, "p99", delay->p99);
	np_record_time(times, "max", delay->max);
	np_record_time(r, "delay_bound_ns", peer->counts.delay_bound);
}

static void add_publisher(struct np_record *summary, const struct endpoint *endpoint)
{
	const struct publisher *p = &endpoint->publisher;
	struct np_record *r = np_record_append(summary, "publishers"), *dropped;

	np_record_text(r, "publisher", endpoint->name);
	np_record_count(r, "rounds", p->rounds);
	np_record_count(r, "sent_packets", p->packets);
	np_record_count(r, "unsent_packets", p->unsent);
	np_record_count(r, "send_errors", p->stats.send_errors);
	np_record_count(r, "icmp_errors", p->stats.icmp_errors);
	np_record_rates(r, "packets", p->packets, p->bytes, p->elapsed, p->packets > 1);
	if (p->rate_bytes_per_s > 0) {
		np_record_number(r, "asked_rate_bytes_per_s", p->rate_bytes_per_s);
		np_record_time(r, "behind_ns", p->pacer.worst_behind);
	}
	dropped = np_record_object(r, "dropped_by_host");
	np_record_count(dropped, "sndbuf", p->send_buffer_errors);
	np_record_count(dropped, "sndbuf_retried", p->stats.send_refused);
	np_record_drops(r, &p->dropped);
	for (size_t i = 0; i < endpoint->peer_count; i++)
		add_peer(r, endpoint, &endpoint->peer[i]);
}

struct np_record *record_summary(const struct session *s, struct np_flow_counts *counts)
{
	struct np_drops_counts dropped = {.known = true, .exact = true};
	struct np_result result = {0};
	bool heard = false, published = false;
	uint64_t errors = 0;
	struct np_record *summary = s->records ? np_record_new("summary") : NULL;

	*counts = (struct np_flow_counts){0};
	for (const struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		const struct listener *l = &e->listener;

		/* Of one without flows everything is unknown. */
		if (l->total.flows) {
			heard = true;
			np_result_add(&result, &l->result);
			np_flow_counts_add(counts, &l->total);
		}
		errors += l->short_packets + l->corrupt + l->damaged + l->flows.refused +
			  l->displaced_packets - l->displaced_damaged;
		np_drops_add(&dropped, &l->dropped);
		add_listener(summary, l);
		if (!e->publisher.socket)
			continue;
		np_drops_add(&dropped, &e->publisher.dropped);
		add_publisher(summary, e);
	}
	/*
	 * No publisher was heard, and some here have sent: the result is of what their peers
	 * reported, and of the counts there are unsent, missed_before and those of the rate: bytes,
	 * without those of each first packet, and elapsed, the longest; 0: unknown.
	 */
	for (const struct endpoint *e = s->endpoint; !heard && e < s->endpoint + s->endpoint_count;
	     e++) {
		for (const struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
			const struct np_flow_counts *c = &peer->counts.flow;

			published = true;
			np_result_add(&result, &peer->result);
			counts->unsent += peer->unsent;
			counts->missed_before += c->missed_before;
			counts->bytes += c->bytes;
			if (c->elapsed > counts->elapsed)
				counts->elapsed = c->elapsed;
		}
	}
	if (!heard && !published)
		result = s->endpoint->listener.result;
	if (published) {
		(void)add_confirmed(summary, &result, counts);
	} else {
		add_counts(summary, counts, WHAT | NP_FLOW_WHOLE);
		add_lost(summary, &result);
	}
	np_record_text(summary, "drop_unit",
		       s->endpoint[s->endpoint_count - 1].listener.info.drop_unit);
	np_record_drops(summary, &dropped);
	np_record_count(summary, "errors_packets", errors);
	np_record_usage(summary, &s->usage);
	np_record_flag(summary, "interrupted", s->interrupts);
	return summary;
}
