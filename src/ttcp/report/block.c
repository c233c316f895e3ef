// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* block: gathers what the result block says, and what --report=full adds. */
#include "../conversation/conversation.h"
#include "../conversation/sender.h"

#include <inttypes.h>
#include <stdlib.h>

#define TITLE_ROOM 512
#define DROPS_TEXT 96

/* What both ends know of a run beside its counts. */
struct run {
	const struct transport *t;
	const char *from, *to; /* "10.0.0.1", "10.0.0.2:5001", or a group */
	size_t message_bytes;  /* 0: raw bytes */
	uint64_t streams;
	const struct message_start *start; /* as the sender announced it; NULL: it did not */
};

/* Writes the address without its port, for a title. Returns @out. */
static char *host_of(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	char text[NP_ADDRESS_TEXT];

	return console_host(peer_name(address, text), out);
}

/* What @partner calls this end: an address of this host, its node's, or a receiver's group. */
static const char *own_name(const struct transport *t, const struct np_address *partner,
			    char out[NP_ADDRESS_TEXT])
{
	const char *bind = transport_options(t)->place.bind;
	const struct np_address *local = t->face->local(t, NULL);
	struct np_address toward;

	if (t->face->self)
		return t->face->self(t, out);
	if (t->lanes && !local && bind)
		return bind;
	if (t->lanes && !local && np_address_toward(partner, NULL, &toward))
		return "this host";
	if (t->lanes)
		return host_of(local ? local : &toward, out);
	if (t->group || !local)
		return peer_name(&t->to, out);
	if (np_address_is_wildcard(local) && !np_address_toward(partner, NULL, &toward)) {
		np_address_set_port(&toward, np_address_port(local));
		local = &toward;
	}
	return peer_name(local, out);
}

/* A stream without ttcp's framing: its reads and writes are no messages. */
static bool is_raw_stream(const struct run *run)
{
	return !run->message_bytes && !run->t->face->datagrams;
}

/* With how many of the transactions @asked were done in the @elapsed time. */
static void print(const struct console *console, struct np_block *block,
		  const struct record_transactions *asked, double done, np_time elapsed)
{
	FILE *out = console->block;

	fputc('\n', out);
	np_block_print(out, block);
	if (asked->request_bytes && elapsed > 0)
		fprintf(out, "  %-13s %.1f a second\n", "transactions",
			done / np_clock_seconds(elapsed));
	np_block_figures(out, "  connect       ", &asked->connect, "");
	if (asked->broken)
		fprintf(out, "  %-13s %" PRIu64 " without a response\n", "broken off",
			asked->broken);
	fflush(out);
}

/* Of the bytes after the first message: no time passed before that. */
static double rate_of(const struct np_flow_counts *c)
{
	if (c->elapsed <= 0 || c->bytes <= c->head_bytes)
		return -1;
	return np_units_rate(c->bytes - c->head_bytes, c->elapsed);
}

static void add_delay(struct np_block *block, const struct np_histogram_figures *raw,
		      const struct np_offset *clock)
{
	block->delay_raw = *raw;
	block->clock = *clock;
	if (np_delay_correct(raw, clock, &block->delay))
		block->delay_bound = clock->bound;
}

/* What the other end reported of itself, as the one at @end. @dropped keeps its reasons. */
static void put_account(struct np_block *block, unsigned end, const struct message_account *account,
			np_time elapsed, struct np_drops_counts *dropped)
{
	const struct message_reasons *reasons = &account->reasons;

	block->cpu[end].usage = account->cpu.known ? &account->cpu.usage : NULL;
	block->cpu[end].elapsed = elapsed;
	/* As if they had been counted here, without places. */
	*dropped = (struct np_drops_counts){
		.known = account->dropped.known,
		.exact = account->dropped.exact,
		.packets = reasons->others,
		.others = reasons->others,
		.entries = reasons->count,
	};
	memcpy(dropped->entry, reasons->entry, reasons->count * sizeof(*reasons->entry));
	for (unsigned i = 0; i < reasons->count; i++)
		dropped->packets += reasons->entry[i].packets;
	if (dropped->packets)
		block->dropped[end] = dropped;
}

/* Datagrams with wrong checksums are dropped, too, and only the host's total of these is known. */
static char *drops_text(const struct message_report *report, char out[DROPS_TEXT])
{
	const char *unit = record_drop_unit(report->drop_unit);
	const uint64_t least = report->drops.least, most = report->drops.upmost;

	if (!unit)
		snprintf(out, DROPS_TEXT, "unknown");
	else if (least == most)
		snprintf(out, DROPS_TEXT, "%" PRIu64 " %ss", least, unit);
	else
		snprintf(out, DROPS_TEXT, "%" PRIu64 " to %" PRIu64 " %ss", least, most, unit);
	return out;
}

/*
 * What both ends say, first of all for --report=full. @title: "ttcp: UDP 10.0.0.1 -> 10.0.0.2:5001,
 * 512-byte messages, 10.00 s".
 */
static struct np_block begin(const struct run *run, const struct record_transactions *asked,
			     const struct np_block_tcp *tcp, np_time elapsed,
			     char title[TITLE_ROOM])
{
	const enum np_block_part part = NP_BLOCK_CONFIGURATION;
	const struct message_start *start = run->start;
	const struct session *s = run->t->session;
	const bool raw = is_raw_stream(run);
	char size[96] = "raw bytes", streams[32] = "";
	struct np_block block;

	if (start) {
		np_block_full_say(s->full, part, "message", "%" PRIu32 " bytes",
				  start->message_bytes);
		if (start->messages)
			np_block_full_say(s->full, part, "messages", "%" PRIu64 "%s",
					  start->messages,
					  start->streams > 1 ? " by each stream" : "");
		if (start->duration)
			np_block_full_say(s->full, part, "duration", "%g s",
					  np_clock_seconds(start->duration));
		if (start->rate_bits)
			np_block_full_say(s->full, part, "rate", "%s",
					  np_rate_format((double)start->rate_bits / 8,
							 s->options->report.unit)
						  .text);
		np_block_full_say(s->full, part, "session", "%s", start->session);
	}
	run->t->face->describe(run->t, NULL, NULL, s->full);
	if (tcp->known)
		np_block_full_columns(s->full, NP_BLOCK_TRANSPORT, np_stream_tcp_columns,
				      tcp->figures.parts, &tcp->figures, s->options->report.unit);
	if (asked->request_bytes)
		snprintf(size, sizeof(size), "%" PRIu64 "+%" PRIu64 "-byte transactions%s",
			 asked->request_bytes, asked->response_bytes,
			 asked->connects ? ", new connections" : "");
	else if (run->message_bytes)
		snprintf(size, sizeof(size), "%zu-byte messages", run->message_bytes);
	if (run->streams > 1)
		snprintf(streams, sizeof(streams), ", %" PRIu64 " streams", run->streams);
	snprintf(title, TITLE_ROOM, "ttcp: %s %s -> %s, %s%s, %s",
		 options_transports[s->options->place.transport].title, run->from, run->to, size,
		 streams, np_block_time(elapsed).text);
	block = np_block_init(title,
			      asked->request_bytes ? "transactions"
			      : raw		   ? "bytes"
						   : "messages",
			      s->options->report.unit);
	block.full = s->full;
	block.interrupted = s->interrupts;
	return block;
}

/*
 * The rows, and their sum in the block; and of datagrams what each host dropped. Returns how many
 * receivers reported.
 */
static size_t fill_rows(struct np_block *block, const struct run *run,
			const struct record_transmit *sent)
{
	struct np_block_full *full = run->t->session->full;
	const bool datagrams = run->t->face->datagrams;
	const struct receivers *receivers = sent->receivers;
	size_t confirmed = 0;

	for (size_t i = 0; i < receivers->count; i++) {
		const struct receivers_receiver *receiver = &receivers->receiver[i];
		const struct message_report *report = &receiver->report;
		struct np_block_row *row = &block->row[block->rows];
		char drops[DROPS_TEXT], before[64] = "";

		if (!receiver->ready && !receiver->reported)
			continue;
		block->rows++;
		*row = (struct np_block_row){.name = receiver->name, .received_bytes_per_s = -1};
		row->confirmed = receiver->reported;
		if (!row->confirmed) {
			if (datagrams)
				np_block_full_say(full, NP_BLOCK_HOSTS, row->name, "no report");
			continue;
		}
		confirmed++;
		row->result = record_attribute_report(sent, receiver);
		row->received_bytes_per_s = rate_of(&report->counts);
		(void)np_delay_correct(&report->delays,
				       receiver->clock.known ? &receiver->clock : &report->clock,
				       &row->delay);
		np_result_add(&block->result, &row->result);
		if (report->counts.missed_before)
			snprintf(before, sizeof(before),
				 ", %" PRIu64 " before its first, lost or not",
				 report->counts.missed_before);
		if (datagrams)
			np_block_full_say(full, NP_BLOCK_HOSTS, row->name,
					  "receive buffer drops: %s%s%s", drops_text(report, drops),
					  receiver->joined_late ? ", joined late" : "", before);
	}
	block->result.sent = NP_COUNT_EXACT(
		is_raw_stream(run) ? sent->figures.bytes
				   : sent->figures.sent * (confirmed ? confirmed : 1));
	return confirmed;
}

void block_transmit(const struct sender *s)
{
	const struct record_transmit *result = &s->run.result;
	const struct receivers_receiver *only = receivers_only(result->receivers);
	const struct transport *t = &s->transport;
	char from[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT], title[TITLE_ROOM];
	const char *there = t->face->self ? (only ? only->name : s->name) : peer_name(&t->to, to);
	const struct run run = {
		.t = t,
		.from = own_name(t, &t->to, from),
		.to = there,
		.message_bytes = s->raw_bytes ? 0 : s->load->message_bytes,
		.streams = t->lanes,
		.start = s->classic ? NULL : &s->run.start,
	};
	const struct np_usage usage = np_usage_since(&s->session->progress.usage);
	struct np_block_full *full = s->session->full;
	struct np_drops_counts dropped;
	struct np_block block;
	size_t confirmed;

	if (!s->session->console.block)
		return;
	block = begin(&run, &result->transactions, &result->tcp, result->figures.elapsed, title);
	if (result->rate_bits > 0)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "worst lag", "%.3f ms behind schedule",
				  (double)result->behind / (double)NP_MILLISECOND);
	if (result->figures.unsent)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "could not be sent",
				  "%" PRIu64 " messages", result->figures.unsent);
	if (result->send_errors)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "send or ICMP errors",
				  "%" PRIu64 "%s%s", result->send_errors,
				  result->send_error ? ": " : "",
				  result->send_error ? strerror(-result->send_error) : "");
	if (result->refusals.known && result->refusals.errors)
		np_block_full_say(full, NP_BLOCK_HOSTS, "no room to send",
				  "%" PRIu64 " datagrams of all programs, %s%" PRIu64 " sent again",
				  result->refusals.errors,
				  result->refusals.retried < result->refusals.errors ? "at least "
										     : "",
				  result->refusals.retried);
	block.noun = "receiver";
	block.repaired = !t->face->datagrams;
	block.cpu[NP_BLOCK_SENDER] = (struct np_block_cpu){&usage, result->figures.elapsed};
	block.dropped[NP_BLOCK_SENDER] = result->dropped;
	block.tcp = result->tcp;
	block.row = calloc(result->receivers->count + 1, sizeof(*block.row));
	if (!block.row)
		return;
	confirmed = fill_rows(&block, &run, result);
	/* By the protocol the other end reports. */
	if (!confirmed)
		block.unconfirmed = !s->classic && !s->run.silent
					    ? "no receiver reported"
					    : "no report came from the other end";
	block.sent_bytes_per_s = rate_of(&result->figures);
	if (confirmed > 1) {
		block.sent_each = is_raw_stream(&run) ? 0 : result->figures.sent;
		block.received_bytes_per_s = np_block_rate_sum(&block);
	}
	if (only) {
		put_account(&block, NP_BLOCK_RECEIVER, &only->report.account,
			    only->report.counts.elapsed, &dropped);
		block.received_bytes_per_s = rate_of(&only->report.counts);
		block.head_share = 1 - np_flow_counts_share(&only->report.counts);
		add_delay(&block, &only->report.delays,
			  only->clock.known ? &only->clock : &only->report.clock);
	}
	if (result->receivers->rtt && result->receivers->acks)
		np_histogram_figures(result->receivers->rtt, &block.rtt);
	print(&s->session->console, &block, &result->transactions, (double)result->receivers->acks,
	      result->figures.elapsed);
	free(block.row);
}

void block_receive(const struct receiver *r)
{
	const struct transport *t = &r->transport;
	const struct record_receive *result = &r->run.result;
	const struct message_start *start = &r->run.start;
	char from[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	const struct run run = {
		.t = t,
		.from = (t->face->name ? t->face->name : host_of)(&r->run.sender, from),
		.to = own_name(t, &r->run.sender, to),
		.message_bytes = result->raw ? 0 : start->message_bytes,
		.streams = result->raw ? 1 : start->streams,
		.start = r->run.started ? start : NULL,
	};
	const struct np_usage usage = np_usage_since(&r->session->progress.usage);
	const struct np_flow_counts *f = &result->report.counts;
	struct np_block_row rows[MESSAGE_STREAMS_MAX];
	struct np_text names[MESSAGE_STREAMS_MAX];
	char title[TITLE_ROOM], text[DROPS_TEXT], path[NP_PATH_TEXT];
	struct np_block_full *full = r->session->full;
	struct np_drops_counts dropped;
	struct np_block block;

	if (!r->session->console.block)
		return;
	block = begin(&run, &result->transactions, &result->tcp, f->elapsed, title);
	if (f->missed_before)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "before the first",
				  "%" PRIu64 " messages, lost or not", f->missed_before);
	if (result->grace)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "waited after the end", "%.3f ms",
				  (double)result->grace / (double)NP_MILLISECOND);
	if (t->face->datagrams)
		np_block_full_say(full, NP_BLOCK_HOSTS, "receive buffer drops", "%s",
				  drops_text(&result->report, text));
	if (result->path.softnet_known || result->path.interfaces_known)
		np_block_full_say(full, NP_BLOCK_HOSTS, "dropped before UDP",
				  "at most %s, in frames of all programs",
				  np_path_format(&result->path, path));
	put_account(&block, NP_BLOCK_SENDER, &result->sender, f->elapsed, &dropped);
	block.repaired = !t->face->datagrams || result->raw;
	block.cpu[NP_BLOCK_RECEIVER] = (struct np_block_cpu){&usage, f->elapsed};
	block.dropped[NP_BLOCK_RECEIVER] = result->raw ? NULL : result->dropped;
	block.received_bytes_per_s = rate_of(f);
	block.head_share = 1 - np_flow_counts_share(f);
	block.result.received = NP_COUNT_EXACT(is_raw_stream(&run) ? f->bytes : f->received);
	if (!result->raw) {
		block.result = record_attribute_receive(result);
		add_delay(&block, &result->report.delays, &result->report.clock);
	}
	block.row = rows;
	for (; result->stream && block.rows < result->streams; block.rows++) {
		const struct record_stream *stream = &result->stream[block.rows];
		struct np_block_row *row = &rows[block.rows];

		block.noun = "stream";
		snprintf(names[block.rows].text, NP_TEXT, "%zu", block.rows + 1);
		*row = (struct np_block_row){
			.name = names[block.rows].text,
			.result = np_result_of(&stream->counts),
			.confirmed = true,
			.received_bytes_per_s = rate_of(&stream->counts),
		};
		(void)np_delay_correct(&stream->delays, &result->report.clock, &row->delay);
	}
	if (!block.rows)
		rows[block.rows++] = (struct np_block_row){.name = ""};
	if (block.rows == 1)
		np_headers_format(&result->headers, rows->headers);
	print(&r->session->console, &block, &result->transactions,
	      (double)f->received * np_flow_counts_share(f), f->elapsed);
}
