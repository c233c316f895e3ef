// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * account: what each end and its TCP did in a run, and what its host dropped of the messages: by
 * its kernel's counters, which also say where they were lost, and by its kernel's reasons.
 */
#include "conversation.h"
#include "sender.h"

#include <string.h>

#define SMALL_BYTES 65536 /* from there on a larger message saves no processor time */
#define BUSY	    0.9
#define HELD_UP	    0.1

static struct transport_kernel read_kernel(const struct transport *t)
{
	struct transport_kernel now = {.sockets = transport_count(t)};

	/* What a stream has no room for waits, what is dropped of it is sent again. */
	now.known = t->face->datagrams && !np_datagram_kernel_counts(&now.all);
	if (t->face->datagrams && !t->lanes)
		np_path_read(&now.path, transport_options(t)->socket.asked.ip.device,
			     t->face->local(t, NULL));
	return now;
}

/*
 * Counts what this host dropped in the run so far; of datagrams also what is lost of that: what the
 * sender was told of is not.
 */
static void count_drops(struct sender *s)
{
	const struct transport_counts now = transport_count(&s->transport);
	const struct transport_counts *before = &s->before.sockets;
	struct np_drops_total total;

	/* Others may use the same watch: their receivers are others. */
	session_count_drops(s->session,
			    s->session->drops_watch == NP_DROPS_ALL ? NULL : &s->transport.to);
	total = np_drops_total(&s->session->dropped.run);
	if (sender_repeats(s))
		s->run.result.lost_here = np_drops_unreported(
			&total, now.known_dropped - before->known_dropped,
			now.known_dropped_perhaps - before->known_dropped_perhaps);
}

void account_tcp(const struct transport *t, uint64_t connections)
{
	struct np_block_tcp *tcp = &t->session->progress.tcp;

	tcp->known = t->face->tcp && t->face->tcp(t, tcp) == connections;
}

struct np_block_tcp account_tcp_since(const struct session *s, const struct np_stream_tcp *begun)
{
	struct np_block_tcp tcp = s->progress.tcp;

	np_schema_since(np_stream_tcp_columns, &tcp.figures, begun);
	return tcp;
}

void account_tcp_add(struct np_block_tcp *sum, const struct np_block_tcp *before)
{
	sum->known &= before->known;
	np_schema_append(np_stream_tcp_columns, &sum->figures, &before->figures);
}

bool account_processor_limits(const struct load_options *load, const struct np_usage *usage,
			      np_time elapsed, const struct np_block_tcp *tcp)
{
	const struct np_stream_tcp *figures = &tcp->figures;
	const double held_up =
		(double)(figures->receive_window_limited + figures->send_buffer_limited);

	return load->message_bytes < SMALL_BYTES && elapsed >= FIGURES_MEANT &&
	       !options_paced(load) && !load->ping_pong && !load->transacts && !load->from_stdin &&
	       np_usage_share(usage, elapsed) >= BUSY && tcp->known &&
	       figures->parts & NP_STREAM_TCP_NEW && held_up <= HELD_UP * (double)elapsed;
}

/* Adds what this host dropped of the run: in all, and by the kernel's reasons. */
static void add_dropped(struct message_account *account, struct np_drops_total total,
			const struct np_drops_counts *dropped)
{
	struct message_reasons *reasons = &account->reasons;

	account->dropped = total;
	reasons->others = dropped->others;
	for (unsigned i = 0; i < dropped->entries; i++) {
		if (i < MESSAGE_REASONS)
			reasons->entry[reasons->count++] = dropped->entry[i];
		else
			reasons->others += dropped->entry[i].packets;
	}
}

struct message_account send_account(struct sender *s)
{
	struct message_account account = {
		.cpu = {true, np_usage_since(&s->session->progress.usage)}};

	if (s->session->drops && sender_repeats(s)) {
		count_drops(s);
		add_dropped(&account, s->run.result.lost_here, &s->session->dropped.run);
	}
	return account;
}

void send_account_begin(struct sender *s)
{
	s->before = read_kernel(&s->transport);
	/* Of a stream a run has all drops since its connections were made. */
	if (!s->session->drops || !sender_repeats(s))
		return;
	count_drops(s);
	s->session->dropped.before = s->session->dropped.now;
}

void send_account_end(struct sender *s)
{
	const struct transport_kernel now = read_kernel(&s->transport), *before = &s->before;
	struct record_transmit *result = &s->run.result;

	result->send_errors = now.sockets.send_errors - s->sum.send_errors;
	result->send_error = now.sockets.send_error;
	result->refusals = (struct record_refusals){
		.known = now.known && before->known,
		.errors = now.all.send_buffer_errors - before->all.send_buffer_errors,
		.retried = now.sockets.retried - before->sockets.retried,
	};
	if (!s->session->drops)
		return;
	result->dropped = &s->session->dropped.run;
	count_drops(s);
	if (!sender_repeats(s))
		s->session->dropped.before = s->session->dropped.now;
}

/* Whose messages: all of a host, where there are several streams, each from a port of its own. */
static struct np_address sender_of(const struct receiver *r)
{
	const struct receiver_run *run = &r->run;
	struct np_address sender = run->sender;

	if (run->streams > 1)
		np_address_set_port(&sender, 0);
	return sender;
}

void receive_account_begin(struct receiver *r, bool again)
{
	const struct np_address sender = sender_of(r);

	r->before = read_kernel(&r->transport);
	if (!r->session->drops || (!again && np_address_equal(&sender, &r->dropped_of)))
		return;
	/*
	 * The first message that came may not be the first one: others may be dropped already. But
	 * all ports of a host may have been those of another run.
	 */
	r->session->dropped.before = (struct np_drops_counts){.known = true, .exact = true};
	if (again || (!np_address_port(&sender) && r->session->runs)) {
		session_count_drops(r->session, &sender);
		r->session->dropped.before = r->session->dropped.now;
	}
	r->dropped_of = sender;
}

void receive_account(struct receiver *r)
{
	struct transport_kernel now;
	const struct transport_counts *sockets = &now.sockets, *before = &r->before.sockets;
	const struct receiver_run *run = &r->run;
	struct record_receive *result = &r->run.result;
	struct message_report *report = &result->report;
	const uint64_t by_end = run->dropped_by_end - before->dropped;
	struct np_loss_drops *drops = &report->drops;
	uint64_t damaged, doubtful = run->ends_missed;
	bool known;

	report->account = (struct message_account){
		.cpu = {true, np_usage_since(&r->session->progress.usage)}};
	now = read_kernel(&r->transport);
	known = sockets->dropped_known && sockets->drop_unit;
	result->path = now.path;
	np_path_since(&result->path, &r->before.path);
	if (known) {
		/*
		 * Those that found no room: perhaps all, but so many at least as cannot have been
		 * damaged.
		 */
		drops->upmost = sockets->dropped - before->dropped;
		/*
		 * Of these may be no message that is missed: where messages came twice, the copy of
		 * one that came; those of others where they use the same socket; ENDs that were
		 * sent before those that were received, or after.
		 */
		if (report->counts.duplicates || sockets->drops_of_others)
			doubtful = drops->upmost;
		else if (run->ended_at)
			doubtful += run->ends_behind +
				    (drops->upmost > by_end ? drops->upmost - by_end : 0);
		drops->others = np_least(doubtful, drops->upmost);
		drops->most = np_loss_most(sockets->drop_unit, run->start.message_bytes);
		damaged = now.all.checksum_errors - r->before.all.checksum_errors;
		if (drops->upmost && !sockets->drops_of_others && r->before.known && now.known)
			np_loss_drops_full(drops, drops->upmost, drops->upmost, damaged);
		report->drop_unit = strcmp(sockets->drop_unit, "packet") ? MESSAGE_DROPS_BUFFERS
									 : MESSAGE_DROPS_PACKETS;
	}
	/* TCP loses nothing on the path: missing messages were never sent, or are still there. */
	result->where = np_flow_attribute(&report->counts, known ? drops : NULL);
	result->where.exact &= report->counts.sent_known && !report->counts.missed_before;
	if (!r->session->drops || run->raw)
		return;
	r->dropped_of = sender_of(r);
	/* A stream loses nothing by it. */
	if (!result->datagrams)
		return;
	session_count_drops(r->session, &r->dropped_of);
	add_dropped(&report->account, np_drops_total(&r->session->dropped.run),
		    &r->session->dropped.run);
}

void receive_account_end(struct receiver *r)
{
	struct record_receive *result = &r->run.result;
	struct np_drops_total *by_sender = &result->sender.dropped;

	/* Where this end does not look, the sender's drops are not counted either. */
	if (!r->session->drops || r->run.raw) {
		*by_sender = (struct np_drops_total){.known = false};
		return;
	}
	result->dropped = &r->session->dropped.run;
	session_count_drops(r->session, &r->dropped_of);
	/* A next run whose START is lost begins here. */
	r->session->dropped.before = r->session->dropped.now;
	if (result->datagrams)
		result->report.account.dropped = np_drops_total(result->dropped);
	/* What is sent to a group reaches this host before the copy for others can be dropped. */
	if (r->transport.group && by_sender->packets && np_address_is_local(&r->run.sender))
		by_sender->exact = false;
}
