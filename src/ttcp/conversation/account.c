// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * account: what each end and its TCP did in a run, and what its host dropped of the messages: by
 * its kernel's counters, which also say where they were lost, and by its kernel's reasons; what the
 * user is warned of after a run, and the exit status that it deserves; and which runs a receiver
 * refuses.
 */
#include "conversation.h"
#include "sender.h"

#include <errno.h>
#include <inttypes.h>

#define SMALL_BYTES  65536	  /* from there on a larger message saves no processor time */
#define LARGE_BYTES  (128u << 10) /* that are advised instead: 128K */
#define BUSY	     0.9
#define HELD_UP	     0.1
#define WORTH_SAYING 0.05 /* of a rate that is too high */

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

	result->send_errors = now.sockets.send_errors - before->sockets.send_errors;
	result->send_error = now.sockets.send_error;
	result->path_mtu = now.sockets.mtu;
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
	struct np_drops_total *by_sender = &result->sender.dropped;
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
	/* Where this end does not look, the sender's drops are not counted either. */
	if (!r->session->drops || run->raw) {
		*by_sender = (struct np_drops_total){.known = false};
		return;
	}
	r->dropped_of = sender_of(r);
	session_count_drops(r->session, &r->dropped_of);
	result->dropped = &r->session->dropped.run;
	/* A next run whose START is lost begins here. */
	r->session->dropped.before = r->session->dropped.now;
	/* A stream loses nothing by it. */
	if (r->transport.face->datagrams)
		add_dropped(&report->account, np_drops_total(result->dropped), result->dropped);
	/* What is sent to a group reaches this host before the copy for others can be dropped. */
	if (r->transport.group && by_sender->packets && np_address_is_local(&r->run.sender))
		by_sender->exact = false;
}

/*
 * Warns when a run with @messages was too short for its rate to mean much, or had too few of them:
 * then the text's rate, by the original's arithmetic, is @too_high (1: double). Not if the partner
 * warns.
 */
static void warn_rate(const struct session *s, np_time elapsed, uint64_t messages, double too_high)
{
	if (s->partner_warns)
		return;
	if (messages == 1 && elapsed < FIGURES_MEANT)
		np_log_warning(s->log, s->client,
			       "a single message has no rate; send more messages (-n), or for a "
			       "longer time (--duration)");
	else if (messages && elapsed < FIGURES_MEANT)
		np_log_warning(s->log, s->client,
			       "the run took %.3f ms, too short for its rate to mean much; raise "
			       "-n or give a --duration",
			       (double)elapsed / (double)NP_MILLISECOND);
	else if (too_high > WORTH_SAYING && s->options->report.layout != NP_REPORT_RESULT)
		np_log_warning(s->log, s->client,
			       "too few messages: the original's rate is %.0f %% too high; that of "
			       "--json is correct",
			       100 * too_high);
}

void send_warn(const struct sender *s, const struct record_transmit *result)
{
	struct np_usage usage = np_usage_since(&s->session->progress.usage);
	const int error = result->send_error;
	const np_time span = result->figures.last - result->figures.first;
	const bool behind = np_pacer_fell_behind(result->behind, s->run.pacer.rate_per_s);

	/* Each thread has a processor. */
	usage.user /= s->threads;
	usage.system /= s->threads;
	/* A mesh shares its process. */
	if (!s->options->mesh.mesh &&
	    account_processor_limits(s->load, &usage, result->figures.elapsed, &result->tcp))
		np_log_info(s->session->log,
			    "the sender's processor was the limit, busy %.0f %% of the time with "
			    "messages of %" PRIu64
			    " bytes; -l 128K sends as much in 1/%.0f of them",
			    100 * np_usage_share(&usage, result->figures.elapsed),
			    s->load->message_bytes,
			    (double)LARGE_BYTES / (double)s->load->message_bytes);
	warn_rate(s->session, span, result->figures.sent,
		  (double)result->figures.elapsed / (double)(span + 1) - 1);
	if (behind && s->load->trips)
		np_log_warning(s->session->log, "--latency-under-load",
			       "round trips began up to %.3f s late",
			       np_clock_seconds(result->behind));
	else if (behind)
		np_log_warning(s->session->log, s->name,
			       "sending fell behind the rate of %s by up to %.3f s",
			       np_rate_format(result->rate_bits / 8, s->options->report.unit).text,
			       np_clock_seconds(result->behind));
	if (result->tcp.figures.copied)
		np_log_warning(s->session->log, "--zero-copy",
			       "the kernel copied the data of %" PRIu64 " of %" PRIu64
			       " calls all the same, as it does within a host",
			       result->tcp.figures.copied, result->tcp.figures.pinned);
	if (s->run.strays)
		np_log_warning(s->session->log, s->name,
			       "ignored %" PRIu64 " answer%s to this run from other addresses",
			       s->run.strays, np_plural(s->run.strays));
	if (result->figures.unsent)
		np_log_warning(s->session->log, s->name, "%" PRIu64 " message%s could not be sent",
			       result->figures.unsent, np_plural(result->figures.unsent));
	if (result->send_errors)
		np_log_warning(s->session->log, s->name, "%" PRIu64 " send or ICMP error%s%s%s",
			       result->send_errors, np_plural(result->send_errors),
			       error ? "; the last error: " : "", error ? strerror(-error) : "");
}

int send_judge(const struct sender *s, const struct record_transmit *result)
{
	const struct receivers *receivers = result->receivers;
	const bool silent = !receivers_reported(receivers);
	const int error = result->send_error;
	const int refusal = s->transport.group ? 0 : transport_count(&s->transport).refusal;
	const double most = s->options->max_loss_percent;
	bool cut_short = false, lossy = false;

	if (s->options->socket.dont_fragment && error == -EMSGSIZE) {
		np_log_error(s->session->log, s->name,
			     "%" PRIu64 " messages of %zu bytes did not fit the path MTU of %u, "
			     "and --dont-fragment forbids fragments",
			     result->figures.unsent, (size_t)s->load->message_bytes,
			     transport_count(&s->transport).mtu);
		return result->figures.sent ? 1 : 2;
	}
	if (!result->figures.sent && result->figures.unsent)
		return np_log_refuse(s->session->log, s->name,
				     "none of %" PRIu64 " message%s could be sent%s%s",
				     result->figures.unsent, np_plural(result->figures.unsent),
				     error ? ": " : "", error ? strerror(-error) : "");
	/* Whether what was sent to those of whom none reports was refused, or must be reported. */
	if (silent && refusal == -ECONNREFUSED)
		session_blame_refusal(s->session);
	else if (silent && (refusal == -EHOSTUNREACH || refusal == -ENETUNREACH))
		np_log_error(s->session->log, s->name,
			     "%s: nothing that was sent is known to have arrived",
			     strerror(-refusal));
	else if (silent && s->options->require_report)
		np_log_error(s->session->log, NULL,
			     "no report from %s, which --require-report asks for", s->name);
	else if (silent && most < 100)
		np_log_error(s->session->log, s->name,
			     "did not report what arrived, so --max-loss %g may be exceeded", most);
	else if (silent)
		return 0;
	if (silent)
		return 1;
	/*
	 * A receiver that was stopped, or received nothing for too long, has not seen all of the
	 * run; nor has one that was there before the first message, but reports that it came later.
	 */
	for (size_t i = 0; i < receivers->count; i++) {
		const struct receivers_receiver *receiver = &receivers->receiver[i];
		const struct message_report *report = &receiver->report;
		const uint64_t missed = receiver->joined_late ? 0 : report->counts.missed_before;

		if (!receiver->reported || (report->status < MESSAGE_TIMED_OUT && !missed))
			continue;
		cut_short = true;
		if (report->status >= MESSAGE_TIMED_OUT)
			np_log_error(
				s->session->log, receiver->name, "%s before the end of the run",
				report->status == MESSAGE_TIMED_OUT ? "timed out" : "was stopped");
		else
			np_log_error(s->session->log, receiver->name,
				     "was started again during the run: how many of the %" PRIu64
				     " message%s before that arrived is unknown",
				     missed, np_plural(missed));
	}
	for (size_t i = 0; i < receivers->count && !cut_short; i++) {
		const struct receivers_receiver *receiver = &receivers->receiver[i];
		const uint64_t lost = receiver->report.counts.lost;

		if (receiver->reported)
			lossy |= np_loss_exceeds(np_loss_percent(lost, result->figures.sent), most,
						 receiver->name, s->session->log);
	}
	return cut_short || lossy;
}

void receive_warn(struct receiver *r)
{
	const struct np_flow_counts *f = &r->run.result.report.counts;
	const struct np_log *log = r->session->log;
	double too_high = 0;

	/* The text's rate counts what came first, too. */
	if (f->bytes > f->head_bytes)
		too_high = (double)f->head_bytes / (double)(f->bytes - f->head_bytes);
	/* The last line is to be the error that ended the run, which is said already. */
	if (!r->cut_off)
		warn_rate(r->session, f->elapsed, f->received, too_high);
	if (f->missed_before)
		np_log_warning(log, r->name,
			       "was sending already: whether the %" PRIu64 " message%s before the "
			       "first received %s lost is unknown",
			       f->missed_before, np_plural(f->missed_before),
			       f->missed_before == 1 ? "was" : "were");
	if (r->strays)
		np_log_warning(log, NULL, "%" PRIu64 " datagram%s or messages belonged to no run",
			       r->strays, np_plural(r->strays));
	r->cut_off = false;
	r->strays = 0;
}

enum message_limit receive_limit(const struct options *o, const struct message_start *start)
{
	/* Version 1 rounds it up to whole kbit/s. */
	const uint64_t most_kbps = (uint64_t)(o->wait.max_rate_bits + 999) / 1000;
	const double most = 1000 * (double)most_kbps;
	const double rate = (double)start->rate_bits;
	const double bits = 8.0 * start->message_bytes * start->streams * (double)start->messages;
	double time = (double)start->duration;

	if (most > 0 && (rate <= 0 || rate > most))
		return MESSAGE_LIMIT_RATE;
	/* With both, the first to be reached ends the run. */
	if (rate > 0 && bits > 0 && (time <= 0 || bits / rate * NP_SECOND < time))
		time = bits / rate * NP_SECOND;
	return o->wait.max_duration && time >= (double)o->wait.max_duration + 1
		       ? MESSAGE_LIMIT_DURATION
		       : MESSAGE_LIMIT_NONE;
}
