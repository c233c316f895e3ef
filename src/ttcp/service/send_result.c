// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * send_result: reports a sender's runs: text, records, the log; and what this host dropped of its
 * messages, by its kernel's reasons.
 */
#include "../report/block.h"
#include "send_session.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/datagram.h>
#include <netperf/pacer.h>
#include <netperf/units.h>
#include <stdio.h>
#include <string.h>

#define LOG_ROOM 1024

void send_record_start(struct send_session *s)
{
	struct np_record *start;

	if (!s->session->records || send_run_of(s)->number > 1)
		return;
	start = record_start(send_options(s));
	transport_describe(&s->transport, start, NULL);
	session_write(s->session, start);
}

/* A sender's own figures have neither loss nor order. */
static struct np_flow_counts figures_of(const struct send_session *s)
{
	const uint64_t messages = sender_messages(s->sender);

	return (struct np_flow_counts){
		.sent = messages,
		.sent_known = true,
		.bytes = s->raw_bytes ? s->raw_bytes : messages * s->plan.message_bytes,
		.first = send_run_of(s)->first,
		.last = send_run_of(s)->last,
		.elapsed = send_run_of(s)->last - send_run_of(s)->first,
	};
}

/* At a rate n messages take n intervals; the last one follows the last message. */
static np_time end_of(const struct send_session *s)
{
	const struct sender_run *run = send_run_of(s);
	np_time due = run->pacer.rate_per_s > 0 ? np_pacer_next(&run->pacer) : run->last;

	return sender_messages(s->sender) > 1 && due > run->last ? due : run->last;
}

/* A single message has no rate. */
static uint64_t alone(const struct send_session *s)
{
	return sender_messages(s->sender) == 1 ? s->plan.message_bytes : 0;
}

/* Others may use the same watch: their receivers are others. */
static void count_dropped(const struct send_session *s, struct np_drops_counts *counts)
{
	const struct session *session = s->session;
	const bool shared = session->drops_watch != NP_DROPS_ALL;

	np_drops_count(session->drops, session->drops_watch, shared ? &s->transport.to : NULL,
		       counts);
}

/* What is lost of @dropped during the run: without what the sender was told of. */
static struct np_drops_total count_lost(const struct send_session *s,
					const struct np_drops_counts *dropped)
{
	const struct transport_counts now = transport_count(&s->transport);
	const struct np_drops_total total = np_drops_total(dropped);

	return np_drops_unreported(&total, now.known_dropped - s->drops.known_before,
				   now.known_dropped_perhaps - s->drops.known_before_perhaps);
}

void send_account(void *context, struct message_end *end)
{
	struct send_session *s = context;
	const struct np_usage usage = np_usage_since(&s->progress.usage);
	struct np_drops_counts *now = &s->drops.run;

	end->cpu = (struct message_cpu){true, usage.user, usage.system};
	if (!s->session->drops || !s->transport.face->datagrams)
		return;
	(void)np_drops_peek(s->session->drops);
	count_dropped(s, now);
	np_drops_since(now, &s->drops.before);
	end->dropped = count_lost(s, now);
	record_put_reasons(now, &end->reasons);
}

static void conclude_drops(struct send_session *s)
{
	struct send_drops *d = &s->drops;
	struct np_drops_counts now;

	if (!s->session->drops)
		return;
	(void)np_drops_update(s->session->drops);
	count_dropped(s, &now);
	d->run = now;
	np_drops_since(&d->run, &d->before);
	if (s->transport.face->datagrams)
		d->lost = count_lost(s, &d->run);
	else
		d->before = now;
	if (!s->runs)
		s->dropped = (struct np_drops_counts){.known = true, .exact = true};
	np_drops_add(&s->dropped, &d->run);
}

static void report_interval(struct send_session *s, np_time now, uint64_t head_bytes,
			    struct session_rows rows)
{
	const np_time at = now - send_run_of(s)->first;
	struct np_flow_counts life = figures_of(s), part = life;

	np_flow_counts_since(&part, &s->progress.marked);
	part.head_bytes = head_bytes;
	part.elapsed = np_interval_next(&s->progress.interval, now);
	s->progress.marked = life;
	s->progress.intervals++;
	if (rows.text) {
		console_interval(&s->session->console, at, &part, false);
		session_row(s->session, at, &part, (struct np_count){.known = NP_UNKNOWN}, NULL);
	}
	if (rows.records)
		session_write(s->session,
			      record_interval("transmit", send_run_of(s)->number, at, &part, NULL));
}

void send_interval(struct send_session *s, np_time now)
{
	const struct session_rows all = {.text = true, .records = s->session->records};

	report_interval(s, now, 0, all);
}

/* The rows of a run add up to its result. */
static void report_rest(struct send_session *s)
{
	const struct send_progress *p = &s->progress;
	struct np_flow_counts part = figures_of(s);
	np_time end = end_of(s);

	np_flow_counts_since(&part, &p->marked);
	if (!p->intervals || !np_flow_counts_empty(&part))
		report_interval(s, end > p->interval.mark ? end : p->interval.mark,
				p->intervals ? 0 : alone(s), session_rest(s->session));
}

/* Unknown for streams: what finds no room waits. */
static struct record_refusals count_refusals(const struct send_session *s)
{
	struct record_refusals now = {.retried = transport_count(&s->transport).retried};
	struct np_datagram_kernel kernel;

	if (!s->transport.face->datagrams || np_datagram_kernel_counts(&kernel))
		return now;
	now.known = true;
	now.errors = kernel.send_buffer_errors;
	return now;
}

void send_progress_begin(struct send_session *s, np_time now)
{
	struct transport_counts counts;

	s->progress = (struct send_progress){
		.look_at = now + SEND_LOOK,
		.refused_before = count_refusals(s),
		.usage = np_usage_now(),
	};
	np_interval_start(&s->progress.interval, now, send_options(s)->report.interval);
	np_block_full_clear(s->session->full);
	/* Of a stream a run has all drops since its connections were made. */
	if (!s->session->drops || !s->transport.face->datagrams)
		return;
	counts = transport_count(&s->transport);
	s->drops.known_before = counts.known_dropped;
	s->drops.known_before_perhaps = counts.known_dropped_perhaps;
	(void)np_drops_update(s->session->drops);
	count_dropped(s, &s->drops.before);
}

/* Since the start of the run. */
static struct record_refusals refusals(const struct send_session *s)
{
	const struct record_refusals *before = &s->progress.refused_before;
	struct record_refusals now = count_refusals(s);

	now.known &= before->known;
	now.errors -= before->errors;
	now.retried -= before->retried;
	return now;
}

static struct record_transmit result_of(const struct send_session *s)
{
	const struct np_flow_counts figures = figures_of(s);
	const struct sender_run *run = send_run_of(s);
	const struct transport_counts counts = transport_count(&s->transport);
	struct record_transmit result = {
		.run = run->number,
		.messages = figures.sent,
		.bytes = figures.bytes,
		.head_bytes = alone(s),
		.span = figures.elapsed,
		.elapsed = end_of(s) - run->first,
		.acks_wanted = s->plan.acks,
		.send_errors = counts.send_errors - s->sum.send_errors,
		.send_error = counts.send_error,
		.rate_bits = run->rate_bits,
		.behind = run->pacer.worst_behind,
		.refusals = refusals(s),
		.receivers = &s->sender->receivers,
		.group = s->plan.group,
		.datagrams = s->transport.face->datagrams,
		.dropped = s->session->drops ? &s->drops.run : NULL,
		.lost_here = s->drops.lost,
	};

	for (unsigned i = 0; i < s->plan.lanes; i++)
		result.unsent += s->sender->lane[i].lost;
	return result;
}

static void add_up(struct send_session *s, const struct record_transmit *result)
{
	struct record_transmit *sum = &s->sum;

	sum->refusals.known = result->refusals.known && (!s->runs || sum->refusals.known);
	sum->refusals.errors += result->refusals.errors;
	sum->refusals.retried += result->refusals.retried;
	s->runs++;
	sum->messages += result->messages;
	sum->bytes += result->bytes;
	sum->head_bytes += result->head_bytes;
	sum->elapsed += result->elapsed;
	sum->unsent += result->unsent;
	sum->send_errors += result->send_errors;
	if (result->behind > sum->behind)
		sum->behind = result->behind;
}

/* What the receiver sees as the sender: an address of this host, or a node's. */
static const char *own_name(const struct send_session *s, char out[NP_ADDRESS_TEXT])
{
	const struct transport *t = &s->transport;
	const struct np_address *local = t->face->local ? t->face->local(t, NULL) : NULL;
	struct np_address toward;

	if (t->face->self)
		return t->face->self(t, out);
	if (local)
		return block_host(local, out);
	if (send_options(s)->place.bind)
		return send_options(s)->place.bind;
	return np_address_toward(&t->to, &toward) ? "this host" : block_host(&toward, out);
}

static void print_block(struct send_session *s, const struct record_transmit *result)
{
	const struct receivers_receiver *only = receivers_only(result->receivers);
	const struct transport_face *face = s->transport.face;
	char from[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	struct record_socket socket;
	struct block_run run = {
		.options = send_options(s),
		.from = own_name(s, from),
		.to = face->self ? (only ? only->name : s->name) : peer_name(&s->transport.to, to),
		.message_bytes = s->raw_bytes ? 0 : s->plan.message_bytes,
		.streams = s->plan.lanes,
		.datagrams = face->datagrams,
		.interrupted = s->session->interrupts,
		.elapsed = result->elapsed,
		.usage = np_usage_since(&s->progress.usage),
		.full = s->session->full,
		.start = s->plan.classic ? NULL : &send_run_of(s)->start,
		.socket = face->socket(&s->transport, 0, NULL, &socket) ? &socket : NULL,
	};

	if (face->tcp)
		(void)face->tcp(&s->transport, &run.tcp);
	block_transmit(&s->session->console, &run, result,
		       !s->plan.classic && !send_run_of(s)->silent);
}

static void warn(const struct send_session *s, const struct record_transmit *result)
{
	const int error = result->send_error;
	char asked[NP_RATE_TEXT];

	session_warn_rate(s->session, result->span, result->messages,
			  (double)result->elapsed / (double)(result->span + 1) - 1);
	if (np_pacer_fell_behind(result->behind, send_run_of(s)->pacer.rate_per_s))
		np_log_warning(s->session->log, s->name,
			       "sending fell behind the rate of %s by up to %.3f s",
			       np_rate_format(result->rate_bits / 8, send_options(s)->unit, asked),
			       np_clock_seconds(result->behind));
	if (result->send_errors || result->unsent)
		np_log_warning(s->session->log, s->name,
			       "%" PRIu64 " message%s could not be sent, %" PRIu64
			       " send or ICMP error%s%s%s",
			       result->unsent, np_plural(result->unsent), result->send_errors,
			       np_plural(result->send_errors), error ? "; the last error: " : "",
			       error ? strerror(-error) : "");
}

/* Whether more than --max-loss is lost at any receiver, or nobody says how much is. */
static bool too_much(const struct send_session *s, const struct record_transmit *result)
{
	const struct receivers *receivers = result->receivers;
	const double most = send_options(s)->max_loss_percent;
	bool found = false;

	if (most < 100 && !receivers_reported(receivers)) {
		np_log_error(s->session->log, s->name,
			     "did not report what arrived, so --max-loss %g may be exceeded", most);
		return true;
	}

	for (size_t i = 0; i < receivers->count; i++) {
		const struct receivers_receiver *receiver = &receivers->receiver[i];

		if (receiver->reported)
			found |= np_loss_exceeds(
				np_loss_percent(receiver->report.lost, result->messages), most,
				receiver->name, s->session->log);
	}
	return found;
}

/*
 * A receiver that was stopped, or received nothing for too long, has not seen all of the run; nor
 * has one that was there before the first message, but reports that it came later. Returns 0, or 1
 * after a message.
 */
static int judge_report(const struct send_session *s, const struct receivers_receiver *receiver)
{
	const struct message_report *report = &receiver->report;

	if (report->status >= MESSAGE_TIMED_OUT)
		np_log_error(s->session->log, receiver->name, "%s before the end of the run",
			     report->status == MESSAGE_TIMED_OUT ? "timed out" : "was stopped");
	else if (report->missed_before && !receiver->joined_late)
		np_log_error(s->session->log, receiver->name,
			     "was started again during the run: how many of the %" PRIu64
			     " message%s before that arrived is unknown",
			     report->missed_before, np_plural(report->missed_before));
	else
		return 0;
	return 1;
}

/* Whether what was sent to a receiver that reports nothing was refused, or must be reported. */
static int judge_silence(const struct send_session *s, const struct record_transmit *result)
{
	const int refusal = s->plan.group ? 0 : transport_count(&s->transport).refusal;

	if (receivers_reported(result->receivers))
		return 0;
	if (refusal == -ECONNREFUSED)
		session_blame_refusal(s->session);
	else if (refusal == -EHOSTUNREACH || refusal == -ENETUNREACH)
		np_log_error(s->session->log, s->name,
			     "%s: nothing that was sent is known to have arrived",
			     strerror(-refusal));
	else if (send_options(s)->require_report)
		np_log_error(s->session->log, NULL,
			     "no report from %s, which --require-report asks for", s->name);
	else
		return 0;
	return 1;
}

/* Returns the exit status after a message, or 0. */
static int judge(const struct send_session *s, const struct record_transmit *result)
{
	const struct receivers *receivers = result->receivers;
	char reason[128];
	int status = 0;

	if (!result->messages && result->unsent) {
		snprintf(reason, sizeof(reason), "none of %" PRIu64 " message%s could be sent%s%s",
			 result->unsent, np_plural(result->unsent), result->send_error ? ": " : "",
			 result->send_error ? strerror(-result->send_error) : "");
		return send_fail(s, reason);
	}
	for (size_t i = 0; i < receivers->count; i++)
		if (receivers->receiver[i].reported)
			status |= judge_report(s, &receivers->receiver[i]);
	if (!status)
		status = judge_silence(s, result);
	return !status && too_much(s, result) ? 1 : status;
}

/*
 * A receiver that was stopped, or missed the END, takes what was announced for sent. Of what did
 * not leave nothing was lost.
 */
static void limit_lost(struct message_report *report, uint64_t sent)
{
	const uint64_t came = report->received + report->late;
	const uint64_t most = sent > came ? sent - came : 0;

	if (!report->exact && report->lost > most)
		report->lost = most;
}

int send_conclude(struct send_session *s, int status)
{
	const struct load_options *load = &send_options(s)->load;
	const uint64_t messages = sender_messages(s->sender);
	const bool last =
		s->session->interrupts || (load->runs && send_run_of(s)->number >= load->runs);
	struct console *console = &s->session->console;
	struct receivers *receivers = &s->sender->receivers;
	const size_t ready = receivers_ready(receivers);
	struct record_transmit result;
	char log[LOG_ROOM];

	receivers->message_bytes = s->plan.message_bytes;
	for (size_t i = 0; i < receivers->count; i++) {
		receivers->receiver[i].clock =
			sender_clock(s->sender, &receivers->receiver[i],
				     session_wall(s->session, send_run_of(s)->last));
		limit_lost(&receivers->receiver[i].report, messages);
	}
	report_rest(s);
	conclude_drops(s);
	console_finished(console, s->plan.acks,
			 s->plan.acks && ready && receivers->acks == messages * ready);
	if (s->transport.face->self && last && !s->plan.no_wait) {
		console_leaving(console, TRANSPORT_SETTLE);
		s->transport.linger = true;
	}
	result = result_of(s);
	console_transmitted(console, &result);
	print_block(s, &result);
	files_log(
		&s->files, "Transmit",
		console_transmit_text(send_options(s)->place.transport, &result, log, sizeof(log)));
	/* The last line is to be the error that ended the run, which is said already. */
	if (!status)
		warn(s, &result);
	add_up(s, &result);
	if (s->session->records && load->runs != 1)
		session_write(s->session, record_transmit("run", &result));
	return status ? status : judge(s, &result);
}

void send_summary(struct send_session *s)
{
	const struct np_usage usage = np_usage_since(&s->session->usage);
	struct record_transmit sum = s->sum;
	struct np_record *summary;

	if (!s->session->records)
		return;
	sum.run = send_run_of(s)->number;
	sum.send_error = transport_count(&s->transport).send_error;
	/* Of several rates there is no single one. */
	if (!send_options(s)->load.rate_kbps[2])
		sum.rate_bits = send_run_of(s)->rate_bits;
	sum.receivers = &s->sender->receivers;
	sum.group = s->plan.group;
	sum.lost_here = s->drops.lost;
	if (s->session->drops)
		sum.dropped = &s->dropped;
	summary = record_transmit("summary", &sum);
	if (s->transport.face->sum_up)
		s->transport.face->sum_up(&s->transport, summary);
	record_ending(summary, &usage, s->session->interrupts);
	session_write(s->session, summary);
}
