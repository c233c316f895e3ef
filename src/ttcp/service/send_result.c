// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_result: reports a sender's runs: text, records, the log. */
#include "../conversation/peer_name.h"
#include "../report/block.h"
#include "../report/facts.h"
#include "send_session.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/datagram.h>
#include <netperf/pacer.h>
#include <stdio.h>
#include <string.h>

#define LOG_ROOM 1024
/* A pacer that was this far behind was not just woken late. */

static const struct sender_run *run_of(const struct send_session *s)
{
	return sender_run(s->sender);
}

static uint64_t bytes_of(const struct send_session *s)
{
	return s->raw_bytes ? s->raw_bytes : sender_messages(s->sender) * s->plan.message_bytes;
}

void send_say_start(struct send_session *s)
{
	struct np_record *start;

	if (!s->session->records || run_of(s)->number > 1)
		return;
	start = record_start(send_options(s));
	s->transport.face->describe(&s->transport, start, NULL);
	session_write(s->session, start);
}

/* A sender's own figures have neither loss nor order. */
static struct np_flow_counts figures_of(const struct send_session *s)
{
	return (struct np_flow_counts){
		.sent = sender_messages(s->sender),
		.sent_known = true,
		.bytes = bytes_of(s),
		.first = run_of(s)->first,
		.last = run_of(s)->last,
		.elapsed = run_of(s)->last - run_of(s)->first,
	};
}

/* At a rate n messages take n intervals; the last one follows the last message. */
static np_time end_of(const struct send_session *s)
{
	const struct sender_run *run = run_of(s);
	np_time due = run->pacer.rate_per_s > 0 ? np_pacer_next(&run->pacer) : run->last;

	return sender_messages(s->sender) > 1 && due > run->last ? due : run->last;
}

/* A single message has no rate. */
static uint64_t alone(const struct send_session *s)
{
	return sender_messages(s->sender) == 1 ? s->plan.message_bytes : 0;
}

static void tell_interval(struct send_session *s, np_time now, uint64_t head_bytes,
			  struct session_rows rows)
{
	struct np_flow_counts life = figures_of(s), part = life;

	np_flow_counts_since(&part, &s->progress.marked);
	part.head_bytes = head_bytes;
	part.elapsed = np_interval_next(&s->progress.interval, now);
	s->progress.marked = life;
	s->progress.intervals++;
	if (rows.text) {
		console_interval(&s->session->console, now - run_of(s)->first, &part, false);
		session_row(s->session, now - run_of(s)->first, &part,
			    (struct np_count){.known = NP_UNKNOWN}, NULL);
	}
	if (rows.records)
		session_write(s->session, record_interval("transmit", run_of(s)->number,
							  now - run_of(s)->first, &part, NULL));
}

void send_interval(struct send_session *s, np_time now)
{
	const struct session_rows all = {.text = true, .records = s->session->records};

	tell_interval(s, now, 0, all);
}

/* The rows of a run add up to its result. */
static void tell_rest(struct send_session *s)
{
	struct np_flow_counts part = figures_of(s);
	np_time end = end_of(s);

	np_flow_counts_since(&part, &s->progress.marked);
	if (!s->progress.intervals || !np_flow_counts_empty(&part))
		tell_interval(s, end > s->progress.interval.mark ? end : s->progress.interval.mark,
			      s->progress.intervals ? 0 : alone(s), session_rest(s->session));
}

static struct console_transmit text_of(const struct send_session *s)
{
	return (struct console_transmit){
		.messages = sender_messages(s->sender),
		.bytes = bytes_of(s),
		.elapsed = run_of(s)->last - run_of(s)->first,
		.acks_wanted = s->plan.acks,
		.receivers = sender_receivers(s->sender),
	};
}

static uint64_t unsent(const struct send_session *s)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < s->plan.lanes; i++)
		count += sender_lane(s->sender, i)->lost;
	return count;
}

static struct transport_counts count(const struct send_session *s)
{
	struct transport_counts counts;

	s->transport.face->counts(&s->transport, &counts);
	return counts;
}

/* Unknown for streams: what finds no room waits. */
static struct record_refusals count_refusals(const struct send_session *s)
{
	struct record_refusals now = {.retried = count(s).retried};
	struct np_datagram_kernel kernel;

	if (!s->transport.face->datagrams || np_datagram_kernel_counts(&kernel))
		return now;
	now.known = true;
	now.errors = kernel.send_buffer_errors;
	return now;
}

void send_progress_begin(struct send_session *s, np_time now)
{
	s->progress = (struct send_progress){
		.look_at = now + SEND_LOOK,
		.refused_before = count_refusals(s),
		.usage = np_usage_now(),
	};
	np_interval_start(&s->progress.interval, now, send_options(s)->report.interval);
	np_block_full_clear(s->session->full);
	send_drops_begin(s);
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

static void add_refusals(struct record_refusals *sum, const struct record_refusals *more,
			 bool first)
{
	sum->known = more->known && (first || sum->known);
	sum->errors += more->errors;
	sum->retried += more->retried;
}

static void add_up(struct send_session *s, const struct record_refusals *refused)
{
	struct console_transmit text = text_of(s);
	struct send_sum *sum = &s->sum;

	add_refusals(&sum->refusals, refused, !sum->runs);
	sum->runs++;
	sum->messages += text.messages;
	sum->bytes += text.bytes;
	sum->elapsed += end_of(s) - run_of(s)->first;
	sum->alone += alone(s);
	sum->unsent += unsent(s);
	if (run_of(s)->pacer.worst_behind > sum->behind)
		sum->behind = run_of(s)->pacer.worst_behind;
}

static void warn_of_unsent(const struct send_session *s, const struct record_transmit *result)
{
	const int error = result->send_error;

	if (result->send_errors || result->unsent)
		np_log_warning(s->session->log, s->name,
			       "%" PRIu64 " messages could not be sent, %" PRIu64
			       " send errors or ICMP errors%s%s",
			       result->unsent, result->send_errors,
			       error ? "; the last error: " : "", error ? strerror(-error) : "");
}

static struct record_transmit result_of(const struct send_session *s,
					const struct record_refusals *refused)
{
	const struct transport_counts counts = count(s);
	const struct console_transmit text = text_of(s);

	return (struct record_transmit){
		.run = run_of(s)->number,
		.messages = text.messages,
		.bytes = text.bytes,
		.head_bytes = alone(s),
		.elapsed = end_of(s) - run_of(s)->first,
		.send_errors = counts.send_errors - s->sum.send_errors,
		.send_error = counts.send_error,
		.unsent = unsent(s),
		.rate_bits = run_of(s)->rate_bits,
		.behind = run_of(s)->pacer.worst_behind,
		.refusals = *refused,
		.receivers = sender_receivers(s->sender),
		.group = s->plan.group,
		.datagrams = s->transport.face->datagrams,
		.dropped = s->session->drops ? &s->drops.run : NULL,
		.lost_here = s->drops.lost,
	};
}

static void write_run(struct send_session *s, const struct record_transmit *result)
{
	s->sum.send_errors += result->send_errors;
	if (s->session->records && send_options(s)->load.runs != 1)
		session_write(s->session, record_transmit("run", result));
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

static void say_block(struct send_session *s, const struct record_transmit *result)
{
	const struct receivers_receiver *only = receivers_only(result->receivers);
	const struct transport_face *face = s->transport.face;
	char from[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	struct block_run run = {
		.options = send_options(s),
		.from = own_name(s, from),
		.to = face->self ? (only ? only->name : s->name) : peer_name(&s->transport.to, to),
		.message_bytes = s->raw_bytes ? 0 : s->plan.message_bytes,
		.streams = s->plan.lanes,
		.datagrams = s->transport.face->datagrams,
		.interrupted = s->session->interrupts,
		.elapsed = result->elapsed,
		.usage = np_usage_since(&s->progress.usage),
		.full = s->session->full,
	};

	if (face->tcp)
		(void)face->tcp(&s->transport, &run.tcp);
	if (run.full) {
		facts_run(run.full, run.options, s->plan.classic ? NULL : &run_of(s)->start);
		face->facts(&s->transport, run.full);
		facts_transmit(run.full, result);
	}
	block_transmit(&s->session->console, &run, result, !s->plan.classic && !run_of(s)->silent);
}

static void warn(const struct send_session *s)
{
	char asked[NP_RATE_TEXT];

	session_warn_rate(s->session, run_of(s)->last - run_of(s)->first,
			  sender_messages(s->sender),
			  (double)(end_of(s) - run_of(s)->first) /
					  (double)(run_of(s)->last - run_of(s)->first + 1) -
				  1);
	if (np_pacer_fell_behind(run_of(s)->pacer.worst_behind, run_of(s)->pacer.rate_per_s))
		np_log_warning(
			s->session->log, s->name,
			"sending fell behind the rate of %s by up to %.3f s",
			np_rate_format(run_of(s)->rate_bits / 8, send_options(s)->unit, asked),
			np_clock_seconds(run_of(s)->pacer.worst_behind));
}

/* Whether more than --max-loss is lost at any receiver, or nobody says how much is. */
static bool too_much(const struct send_session *s)
{
	const struct receivers *receivers = sender_receivers(s->sender);
	const double most = send_options(s)->max_loss_percent;
	const uint64_t sent = sender_messages(s->sender);
	bool found = false;

	if (most < 100 && !receivers_reported(receivers)) {
		np_log_error(s->session->log, s->name,
			     "did not report what arrived, so --max-loss %g may be exceeded", most);
		return true;
	}

	for (size_t i = 0; i < receivers->count; i++) {
		const struct receivers_receiver *receiver = &receivers->receiver[i];

		if (receiver->reported)
			found |= np_loss_exceeds(np_loss_percent(receiver->report.lost, sent), most,
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
			     " messages before that arrived is unknown",
			     report->missed_before);
	else
		return 0;
	return 1;
}

static int judge_reports(const struct send_session *s)
{
	const struct receivers *receivers = sender_receivers(s->sender);
	int status = 0;

	for (size_t i = 0; i < receivers->count; i++) {
		if (receivers->receiver[i].reported)
			status |= judge_report(s, &receivers->receiver[i]);
	}
	return status;
}

/* A host said of what was sent that it arrived nowhere. */
static bool is_refusal(int error)
{
	return error == -ECONNREFUSED || error == -EHOSTUNREACH || error == -ENETUNREACH;
}

/* Whether what was sent to a receiver that reports nothing was refused, or must be reported. */
static int judge_silence(const struct send_session *s, const struct record_transmit *result)
{
	const int refusal = s->plan.group ? 0 : count(s).refusal;

	if (receivers_reported(result->receivers))
		return 0;
	if (refusal == -ECONNREFUSED)
		session_blame_refusal(s->session);
	else if (is_refusal(refusal))
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

/* Returns the exit status after a message, or 0: some of the load was sent. */
static int judge_sent(const struct send_session *s, const struct record_transmit *result)
{
	char reason[128];

	if (result->messages || !result->unsent)
		return 0;
	snprintf(reason, sizeof(reason), "none of %" PRIu64 " messages could be sent%s%s",
		 result->unsent, result->send_error ? ": " : "",
		 result->send_error ? strerror(-result->send_error) : "");
	return send_fail(s, reason);
}

static int judge(const struct send_session *s, const struct record_transmit *result)
{
	int status = judge_sent(s, result);

	if (!status)
		status = judge_reports(s);
	if (!status)
		status = judge_silence(s, result);
	return !status && too_much(s) ? 1 : status;
}

static void say_leaving(struct send_session *s)
{
	const uint64_t runs = send_options(s)->load.runs;
	const bool last = s->session->interrupts || (runs && run_of(s)->number >= runs);

	if (!s->transport.face->self || !last || s->plan.no_wait)
		return;
	console_leaving(&s->session->console, TRANSPORT_SETTLE);
	s->transport.linger = true;
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
	struct console *console = &s->session->console;
	struct receivers *receivers = sender_receivers(s->sender);
	struct console_transmit text = text_of(s);
	const struct record_refusals refused = refusals(s);
	struct record_transmit result;
	char log[LOG_ROOM];

	receivers->message_bytes = s->plan.message_bytes;
	for (size_t i = 0; i < receivers->count; i++) {
		receivers->receiver[i].clock =
			sender_clock(s->sender, &receivers->receiver[i],
				     session_wall(s->session, run_of(s)->last));
		limit_lost(&receivers->receiver[i].report, text.messages);
	}
	tell_rest(s);
	send_drops_conclude(s);
	console_finished(console, s->plan.acks,
			 s->plan.acks && receivers_ready(receivers) &&
				 receivers->acks == text.messages * receivers_ready(receivers));
	say_leaving(s);
	console_transmitted(console, &text);
	result = result_of(s, &refused);
	say_block(s, &result);
	files_log(&s->files, "Transmit",
		  console_transmit_text(send_options(s)->place.transport, &text, log, sizeof(log)));
	/* The last line is to be the error that ended the run, which is said already. */
	if (!status)
		warn(s);
	add_up(s, &refused);
	write_run(s, &result);
	if (!status)
		warn_of_unsent(s, &result);
	return status ? status : judge(s, &result);
}

void send_summary(struct send_session *s)
{
	const struct load_options *load = &send_options(s)->load;
	const struct send_sum *sum = &s->sum;
	struct np_usage usage = np_usage_since(&s->session->usage);
	struct np_record *summary;

	if (!s->session->records)
		return;
	summary = record_transmit(
		"summary", &(struct record_transmit){
				   .run = run_of(s)->number,
				   .messages = sum->messages,
				   .bytes = sum->bytes,
				   .head_bytes = sum->alone,
				   .elapsed = sum->elapsed,
				   .send_errors = s->sum.send_errors,
				   .send_error = count(s).send_error,
				   .unsent = sum->unsent,
				   /* Of several rates there is no single one. */
				   .rate_bits = load->rate_kbps[2] ? 0 : run_of(s)->rate_bits,
				   .behind = sum->behind,
				   .refusals = sum->refusals,
				   .receivers = sender_receivers(s->sender),
				   .group = s->plan.group,
				   .dropped = s->session->drops ? &sum->dropped : NULL,
				   .lost_here = s->drops.lost,
			   });
	if (s->transport.face->sum_up)
		s->transport.face->sum_up(&s->transport, summary);
	record_ending(summary, &usage, s->session->interrupts);
	session_write(s->session, summary);
}
