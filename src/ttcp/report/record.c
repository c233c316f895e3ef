// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* record: the figures of senders and receivers as JSON, in plain units; divides the losses. */
#include "../transport/transport.h"

#include <inttypes.h>

struct np_record *record_start(const struct options *options, const struct transport *t,
			       const struct np_address *peer)
{
	const struct option_words *words = &options->words;
	const uint64_t *kbps = options->load.rate_kbps;
	struct np_record *start = np_record_start(&ttcp_options, options);
	struct np_record *given = np_record_object(start, "options"), *rates;

	/* Of the options whose words are numbers, with other units than these members have. */
	np_record_count(given, "repeat_runs", options->load.runs);
	if (words->bandwidth.given) {
		np_record_count(given, "bandwidth_ms",
				(uint64_t)(options->files.window / NP_MILLISECOND));
		np_record_text(given, "bandwidth_file", words->bandwidth.word[1]);
	}
	if (words->rate.given) {
		rates = np_record_object(given, "rates");
		np_record_count(rates, "start_bits_per_s", kbps[0] * 1000);
		np_record_count(rates, "end_bits_per_s", kbps[1] * 1000);
		np_record_count(rates, "increment_bits_per_s", kbps[2] * 1000);
	}
	if (t)
		t->face->describe(t, peer, start, NULL);
	return start;
}

struct np_record *record_interval(const char *side, const char *client, uint64_t run, np_time at,
				  const struct np_flow_counts *figures,
				  const struct np_histogram_figures *delays)
{
	struct np_record *r = np_record_new("interval");
	const bool receives = side[0] == 'r';
	char flow[32 + NP_ADDRESS_TEXT];

	snprintf(flow, sizeof(flow), "%s %" PRIu64 "%s%s", side, run, client ? " " : "",
		 client ? client : "");
	np_record_text(r, "side", side);
	np_record_text(r, "client", client);
	np_record_count(r, "run", run);
	np_record_interval(r, at - figures->elapsed, at, flow, "messages");
	if (receives) {
		np_record_flow(r, "messages", figures, NP_FLOW_DAMAGE);
		if (delays)
			np_record_figures(r, "delay_ns", delays);
		return r;
	}
	np_record_count(r, "sent_messages", figures->sent);
	np_record_rates(r, "messages", figures->sent, figures->bytes, figures->elapsed,
			np_flow_counts_share(figures));
	return r;
}

void record_tcp(struct np_record *record, const struct np_block_tcp *tcp)
{
	struct np_record *r;

	if (!tcp->known)
		return;
	r = np_record_object(record, "tcp");
	if (tcp->figures.parts & NP_STREAM_TCP_SENT && tcp->congestion[0])
		np_record_text(r, "congestion", tcp->congestion);
	np_schema_record(r, np_stream_tcp_columns, tcp->figures.parts, &tcp->figures, "");
}

struct np_result record_attribute_receive(const struct record_receive *result)
{
	const struct np_flow_counts *f = &result->report.counts;
	/* A dropped message need not be a lost one: copies were dropped, or the end is unknown. */
	const bool doubtful = !f->sent_known || f->missed_before || f->duplicates;
	struct np_result r = np_result_of(f);

	if (f->missed_before)
		r.sent.known = r.lost.known = NP_AT_LEAST;
	r.damaged.n += f->stray;
	np_result_attribute(&r, &result->where, &result->sender.dropped,
			    &result->report.account.dropped, doubtful);
	return r;
}

struct np_result record_attribute_report(const struct record_transmit *sent,
					 const struct receivers_receiver *receiver)
{
	const struct message_report *report = &receiver->report;
	const bool doubtful =
		!report->exact || report->counts.duplicates || report->counts.missed_before;
	struct np_drops_total here = sent->lost_here;
	struct np_loss_drops drops = report->drops;
	const uint64_t lost = report->counts.lost;
	struct np_loss loss = {.unattributed = lost, .exact = !lost};
	struct np_result r = np_result_of(&report->counts);

	if (report->drop_unit != MESSAGE_DROPS_UNKNOWN) {
		drops.most = np_loss_most(record_drop_unit(report->drop_unit),
					  sent->receivers->message_bytes);
		drops.others = report->counts.duplicates ? drops.upmost : 0;
		loss = np_loss_attribute(lost, &drops);
	}
	r.sent = NP_COUNT_EXACT(sent->figures.sent);
	r.lost.known = report->exact ? NP_EXACT : NP_AT_LEAST;
	/* A member on this host gets its copy before the one for the others can be dropped. */
	if (sent->group && here.packets && np_address_is_local(&receiver->address))
		here.exact = false;
	np_result_attribute(&r, &loss, &here, &report->account.dropped, doubtful);
	return r;
}

/* By the clocks as they are, and corrected where their offset is known. */
static void add_one_way(struct np_record *r, const struct np_histogram_figures *raw,
			const struct np_offset *clock)
{
	struct np_histogram_figures corrected;

	np_record_figures(r, "delay_raw_ns", raw);
	if (clock->known) {
		np_record_time(r, "clock_offset_ns", clock->offset);
		np_record_time(r, "delay_bound_ns", clock->bound);
	}
	if (np_delay_correct(raw, clock, &corrected))
		np_record_figures(r, "delay_ns", &corrected);
}

const char *record_drop_unit(uint8_t unit)
{
	return unit == MESSAGE_DROPS_UNKNOWN   ? NULL
	       : unit == MESSAGE_DROPS_PACKETS ? "packet"
					       : "buffer";
}

/* What the receive buffer had no room for. */
static void add_drops(struct np_record *r, const struct message_report *report)
{
	const char *unit = record_drop_unit(report->drop_unit);
	struct np_record *dropped;

	if (!unit)
		return;
	np_record_text(r, "drop_unit", unit);
	dropped = np_record_object(r, "dropped_by_host");
	np_record_count(dropped, "rcvbuf", report->drops.least);
	np_record_count(dropped, "rcvbuf_most", report->drops.upmost);
}

/* That of the other end. */
static void add_cpu(struct np_record *r, const char *name, const struct message_cpu *cpu)
{
	struct np_record *object;

	if (!cpu->known)
		return;
	object = np_record_object(r, name);
	np_record_time(object, "user_ns", cpu->usage.user);
	np_record_time(object, "system_ns", cpu->usage.system);
}

static void add_transactions(struct np_record *record, const struct record_transactions *t,
			     bool asks)
{
	struct np_record *r;

	if (!t->request_bytes)
		return;
	r = np_record_object(record, "transactions");
	np_record_count(r, "request_bytes", t->request_bytes);
	np_record_count(r, "response_bytes", t->response_bytes);
	if (asks)
		np_record_count(r, "broken_off", t->broken);
	np_record_flag(r, "connects", t->connects);
	np_record_figures(r, "connect_ns", &t->connect);
}

struct np_record *record_receive(const char *type, const struct record_receive *result)
{
	struct np_record *r = np_record_new(type), *stream;
	struct np_flow_counts figures = result->report.counts;
	struct np_histogram_figures delays;
	struct np_result account;

	np_record_text(r, "side", "receive");
	np_record_count(r, "run", result->run);
	record_tcp(r, &result->tcp);
	add_transactions(r, &result->transactions, false);
	if (result->raw) {
		np_record_flow(r, "messages", &figures, NP_FLOW_BARE);
		return r;
	}
	account = record_attribute_receive(result);
	figures.sent = account.sent.n;
	figures.lost = account.lost.n;
	np_record_flow(r, "messages", &figures, NP_FLOW_DAMAGE | NP_FLOW_WHOLE);
	if (result->grace)
		np_record_time(r, "grace_ns", result->grace);
	/* Where the lost were lost; and whether this, and the counts, are exact. */
	np_record_flag(r, "exact",
		       np_record_lost(r, &account, "messages") &&
			       (!figures.sent || np_flow_counts_exact(&figures)));
	add_drops(r, &result->report);
	np_headers_record(r, &result->headers);
	if (result->dropped)
		np_record_drops(r, result->dropped);
	if (result->path.softnet_known || result->path.interfaces_known)
		np_record_path(r, &result->path);
	add_one_way(r, &result->report.delays, &result->report.clock);
	add_cpu(r, "sender_cpu", &result->sender.cpu);
	for (unsigned i = 0; result->stream && i < result->streams; i++) {
		const struct record_stream *one = &result->stream[i];

		stream = np_record_append(r, "streams");
		np_record_count(stream, "stream", i + 1);
		np_record_flow(stream, "messages", &one->counts, NP_FLOW_DAMAGE);
		if (np_delay_correct(&one->delays, &result->report.clock, &delays))
			np_record_figures(stream, "delay_ns", &delays);
	}
	return r;
}

static void add_receiver(struct np_record *transmit, const struct record_transmit *result,
			 const struct receivers_receiver *receiver)
{
	static const char *const status[] = {
		[MESSAGE_COMPLETE] = "complete",
		[MESSAGE_SHORT] = "short",
		[MESSAGE_TIMED_OUT] = "timed-out",
		[MESSAGE_INTERRUPTED] = "interrupted",
	};
	struct np_record *r = np_record_append(transmit, "receivers");
	const struct message_report *report = &receiver->report;
	const struct np_flow_counts *c = &report->counts;
	struct np_result account;

	np_record_text(r, "receiver", receiver->name);
	np_record_flag(r, "reported", receiver->reported);
	np_record_flag(r, "joined_late", receiver->joined_late);
	np_record_count(r, "acks", receiver->acks);
	if (receiver->reported) {
		account = record_attribute_report(result, receiver);
		np_record_text(r, "status", status[report->status]);
		np_record_count(r, "received_messages", c->received);
		np_record_count(r, "lost_messages", account.lost.n);
		np_record_flag(r, "exact",
			       np_record_lost(r, &account, "messages") && report->exact);
		np_record_count(r, "duplicates_messages", c->duplicates);
		np_record_count(r, "reordered_messages", c->reordered);
		np_record_count(r, "late_messages", c->late);
		np_record_count(r, "damaged_messages", c->damaged);
		np_record_count(r, "missed_before_messages", c->missed_before);
		add_drops(r, report);
		np_record_rates(r, "messages", c->received, c->bytes, c->elapsed,
				np_flow_counts_share(c));
		add_cpu(r, "cpu", &report->account.cpu);
	}
	add_one_way(r, &report->delays, receiver->clock.known ? &receiver->clock : &report->clock);
}

struct np_record *record_transmit(const char *type, const struct record_transmit *result)
{
	const struct np_flow_counts *f = &result->figures;
	const struct record_refusals *refusals = &result->refusals;
	const struct receivers *receivers = result->receivers;
	struct np_record *r = np_record_new(type), *dropped;

	np_record_text(r, "side", "transmit");
	np_record_count(r, "run", result->run);
	np_record_count(r, "sent_messages", f->sent);
	np_record_count(r, "unsent_messages", f->unsent);
	np_record_count(r, "send_errors", result->send_errors);
	if (result->send_errors && result->send_error)
		np_record_error(r, "send_error", result->send_error);
	if (result->path_mtu)
		np_record_count(r, "path_mtu_bytes", result->path_mtu);
	np_record_rates(r, "messages", f->sent, f->bytes, f->elapsed, np_flow_counts_share(f));
	if (result->rate_bits > 0) {
		np_record_number(r, "asked_rate_bytes_per_s", result->rate_bits / 8);
		np_record_time(r, "behind_ns", result->behind);
	}
	/* TCP keeps what there is no room for. */
	if (refusals->known) {
		dropped = np_record_object(r, "dropped_by_host");
		np_record_count(dropped, "sndbuf", refusals->errors);
		np_record_count(dropped, "sndbuf_retried", refusals->retried);
	}
	record_tcp(r, &result->tcp);
	add_transactions(r, &result->transactions, true);
	if (result->dropped)
		np_record_drops(r, result->dropped);
	if (!receivers)
		return r;
	np_record_count(r, "acks", receivers->acks);
	np_record_histogram(r, "rtt_ns", receivers->rtt, true);
	for (size_t i = 0; i < receivers->count; i++)
		if (receivers->receiver[i].ready || receivers->receiver[i].reported)
			add_receiver(r, result, &receivers->receiver[i]);
	return r;
}
