// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * send_result: reports a sender's runs: text, records, the log; and what this host dropped of its
 * messages, by its kernel's reasons.
 */
#include "sender.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/pacer.h>
#include <netperf/units.h>
#include <stdio.h>
#include <string.h>

/* A sender's own figures have neither loss nor order. */
static struct np_flow_counts figures_of(const struct sender *s)
{
	const uint64_t messages = sender_messages(s);

	return (struct np_flow_counts){
		.sent = messages,
		.sent_known = true,
		.bytes = s->raw_bytes ? s->raw_bytes : messages * s->load->message_bytes,
		.first = s->run.first,
		.last = s->run.last,
		.elapsed = s->run.last - s->run.first,
	};
}

/* At a rate n messages take n intervals; the last one follows the last message. */
static np_time end_of(const struct sender *s)
{
	const struct sender_run *run = &s->run;
	np_time due = run->pacer.rate_per_s > 0 ? np_pacer_next(&run->pacer) : run->last;

	return sender_messages(s) > 1 && due > run->last ? due : run->last;
}

/* A single message has no rate. */
static uint64_t alone(const struct sender *s)
{
	return sender_messages(s) == 1 ? s->load->message_bytes : 0;
}

/* Others may use the same watch: their receivers are others. */
static const struct np_address *peer_of(const struct sender *s)
{
	return s->session->drops_watch == NP_DROPS_ALL ? NULL : &s->transport.to;
}

/* What is lost of what was dropped during the run: without what the sender was told of. */
static struct np_drops_total count_lost(const struct sender *s)
{
	const struct transport_counts now = transport_count(&s->transport);
	const struct np_drops_total total = np_drops_total(&s->session->dropped.run);

	return np_drops_unreported(&total, now.known_dropped - s->drops.known_before,
				   now.known_dropped_perhaps - s->drops.known_before_perhaps);
}

void send_account(struct sender *s, struct message_end *end)
{
	const struct np_usage usage = np_usage_since(&s->session->progress.usage);

	end->cpu = (struct message_cpu){true, usage.user, usage.system};
	if (!s->session->drops || !sender_repeats(s))
		return;
	session_peek_drops(s->session, peer_of(s));
	end->dropped = count_lost(s);
	record_put_reasons(&s->session->dropped.run, &end->reasons);
}

void send_interval(struct sender *s, np_time now, bool rest)
{
	struct np_flow_counts life = figures_of(s);

	if (rest && !s->session->progress.intervals)
		life.head_bytes = alone(s);
	session_report(s->session, &life, now, true, rest, NULL);
}

/*
 * Since @before; NULL: so far. Unknown for streams: what finds no room waits.
 */
static struct record_refusals count_refusals(const struct sender *s,
					     const struct record_refusals *before)
{
	struct record_refusals now = {.retried = transport_count(&s->transport).retried};
	struct np_datagram_kernel kernel;

	now.known = sender_repeats(s) && !np_datagram_kernel_counts(&kernel);
	if (now.known)
		now.errors = kernel.send_buffer_errors;
	if (before) {
		now.known &= before->known;
		now.errors -= before->errors;
		now.retried -= before->retried;
	}
	return now;
}

void send_progress_begin(struct sender *s, np_time now)
{
	struct transport_counts counts;

	session_begin_run(s->session, s->run.number, now);
	s->look_at = now + TRANSPORT_LOOK;
	s->windowed = 0;
	s->drops.refused_before = count_refusals(s, NULL);
	/* Of a stream a run has all drops since its connections were made. */
	if (!s->session->drops || !sender_repeats(s))
		return;
	counts = transport_count(&s->transport);
	s->drops.known_before = counts.known_dropped;
	s->drops.known_before_perhaps = counts.known_dropped_perhaps;
	session_mark_drops(s->session, peer_of(s));
}

static struct record_transmit result_of(const struct sender *s)
{
	const struct np_flow_counts figures = figures_of(s);
	const struct sender_run *run = &s->run;
	const struct transport_counts counts = transport_count(&s->transport);
	struct record_transmit result = {
		.run = run->number,
		.messages = figures.sent,
		.bytes = figures.bytes,
		.head_bytes = alone(s),
		.span = figures.elapsed,
		.elapsed = end_of(s) - run->first,
		.acks_wanted = s->acks,
		.send_errors = counts.send_errors - s->sum.send_errors,
		.send_error = counts.send_error,
		.rate_bits = run->rate_bits,
		.behind = run->pacer.worst_behind,
		.refusals = count_refusals(s, &s->drops.refused_before),
		.receivers = &s->receivers,
		.group = s->transport.group,
		.datagrams = sender_repeats(s),
		.dropped = s->session->drops ? &s->session->dropped.run : NULL,
		.lost_here = s->drops.lost,
	};

	for (unsigned i = 0; i < s->transport.lanes; i++)
		result.unsent += s->lane[i].lost;
	return result;
}

static void add_up(struct sender *s, const struct record_transmit *result)
{
	struct record_transmit *sum = &s->sum;

	sum->refusals.known = result->refusals.known && (!s->session->runs || sum->refusals.known);
	sum->refusals.errors += result->refusals.errors;
	sum->refusals.retried += result->refusals.retried;
	session_add_run(s->session);
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
static const char *own_name(const struct sender *s, char out[NP_ADDRESS_TEXT])
{
	const struct transport *t = &s->transport;
	const struct np_address *local = t->face->local ? t->face->local(t, NULL) : NULL;
	struct np_address toward;

	if (t->face->self)
		return t->face->self(t, out);
	if (local)
		return block_host(local, out);
	if (s->options->place.bind)
		return s->options->place.bind;
	return np_address_toward(&t->to, NULL, &toward) ? "this host" : block_host(&toward, out);
}

static void print_block(struct sender *s, const struct record_transmit *result)
{
	const struct receivers_receiver *only = receivers_only(result->receivers);
	const struct transport_face *face = s->transport.face;
	char from[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	struct record_socket socket;
	struct block_run run = {
		.from = own_name(s, from),
		.to = face->self ? (only ? only->name : s->name) : peer_name(&s->transport.to, to),
		.message_bytes = s->raw_bytes ? 0 : s->load->message_bytes,
		.streams = s->transport.lanes,
		.elapsed = result->elapsed,
		.start = s->classic ? NULL : &s->run.start,
	};

	transport_block(&s->transport, &run, &socket);
	if (face->tcp)
		(void)face->tcp(&s->transport, &run.tcp);
	block_transmit(&s->session->console, &run, result, !s->classic && !s->run.silent);
}

static void warn(const struct sender *s, const struct record_transmit *result)
{
	const int error = result->send_error;
	char asked[NP_RATE_TEXT];

	session_warn_rate(s->session, result->span, result->messages,
			  (double)result->elapsed / (double)(result->span + 1) - 1);
	if (np_pacer_fell_behind(result->behind, s->run.pacer.rate_per_s))
		np_log_warning(s->session->log, s->name,
			       "sending fell behind the rate of %s by up to %.3f s",
			       np_rate_format(result->rate_bits / 8, s->options->unit, asked),
			       np_clock_seconds(result->behind));
	if (s->strays)
		np_log_warning(s->session->log, s->name,
			       "ignored %" PRIu64 " answer%s to this run from other addresses",
			       s->strays, np_plural(s->strays));
	if (result->send_errors || result->unsent)
		np_log_warning(s->session->log, s->name,
			       "%" PRIu64 " message%s could not be sent, %" PRIu64
			       " send or ICMP error%s%s%s",
			       result->unsent, np_plural(result->unsent), result->send_errors,
			       np_plural(result->send_errors), error ? "; the last error: " : "",
			       error ? strerror(-error) : "");
}

/* Whether more than --max-loss is lost at any receiver, or nobody says how much is. */
static bool too_much(const struct sender *s, const struct record_transmit *result)
{
	const struct receivers *receivers = result->receivers;
	const double most = s->options->max_loss_percent;
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
				np_loss_percent(receiver->report.counts.lost, result->messages),
				most, receiver->name, s->session->log);
	}
	return found;
}

/*
 * A receiver that was stopped, or received nothing for too long, has not seen all of the run; nor
 * has one that was there before the first message, but reports that it came later. Returns 0, or 1
 * after a message.
 */
static int judge_report(const struct sender *s, const struct receivers_receiver *receiver)
{
	const struct message_report *report = &receiver->report;

	if (report->status >= MESSAGE_TIMED_OUT)
		np_log_error(s->session->log, receiver->name, "%s before the end of the run",
			     report->status == MESSAGE_TIMED_OUT ? "timed out" : "was stopped");
	else if (report->counts.missed_before && !receiver->joined_late)
		np_log_error(s->session->log, receiver->name,
			     "was started again during the run: how many of the %" PRIu64
			     " message%s before that arrived is unknown",
			     report->counts.missed_before, np_plural(report->counts.missed_before));
	else
		return 0;
	return 1;
}

/* Whether what was sent to a receiver that reports nothing was refused, or must be reported. */
static int judge_silence(const struct sender *s, const struct record_transmit *result)
{
	const int refusal = s->transport.group ? 0 : transport_count(&s->transport).refusal;

	if (receivers_reported(result->receivers))
		return 0;
	if (refusal == -ECONNREFUSED)
		session_blame_refusal(s->session);
	else if (refusal == -EHOSTUNREACH || refusal == -ENETUNREACH)
		np_log_error(s->session->log, s->name,
			     "%s: nothing that was sent is known to have arrived",
			     strerror(-refusal));
	else if (s->options->require_report)
		np_log_error(s->session->log, NULL,
			     "no report from %s, which --require-report asks for", s->name);
	else
		return 0;
	return 1;
}

/* Returns the exit status after a message, or 0. */
static int judge(const struct sender *s, const struct record_transmit *result)
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
	const uint64_t came = report->counts.received + report->counts.late;
	const uint64_t most = sent > came ? sent - came : 0;

	if (!report->exact && report->counts.lost > most)
		report->counts.lost = most;
}

int send_conclude(struct sender *s, int status)
{
	const struct load_options *load = s->load;
	const uint64_t messages = sender_messages(s);
	const bool last = s->session->interrupts || (load->runs && s->run.number >= load->runs);
	struct console *console = &s->session->console;
	struct receivers *receivers = &s->receivers;
	const size_t ready = receivers_ready(receivers);
	struct record_transmit result;
	char text[CONSOLE_RESULT];

	receivers->message_bytes = s->load->message_bytes;
	for (size_t i = 0; i < receivers->count; i++) {
		receivers->receiver[i].clock = sender_clock(s, &receivers->receiver[i],
							    session_wall(s->session, s->run.last));
		limit_lost(&receivers->receiver[i].report, messages);
	}
	send_interval(s, end_of(s), true);
	if (s->session->drops)
		session_take_drops(s->session, peer_of(s), !sender_repeats(s));
	if (s->session->drops && sender_repeats(s))
		s->drops.lost = count_lost(s);
	console_finished(console, s->acks, s->acks && ready && receivers->acks == messages * ready);
	if (s->transport.face->self && last && !s->options->wait.no_wait) {
		console_leaving(console, TRANSPORT_SETTLE);
		s->transport.linger = true;
	}
	result = result_of(s);
	(void)console_transmitted(console, &result, text);
	print_block(s, &result);
	files_log(&s->files, "Transmit", text);
	/* The last line is to be the error that ended the run, which is said already. */
	if (!status)
		warn(s, &result);
	add_up(s, &result);
	if (s->session->records && load->runs != 1)
		session_write(s->session, record_transmit("run", &result));
	return status ? status : judge(s, &result);
}

void send_summary(struct sender *s)
{
	struct record_transmit sum = s->sum;

	if (!s->session->records)
		return;
	sum.run = s->run.number;
	sum.send_error = transport_count(&s->transport).send_error;
	/* Of several rates there is no single one. */
	if (!s->load->rate_kbps[2])
		sum.rate_bits = s->run.rate_bits;
	sum.receivers = &s->receivers;
	sum.group = s->transport.group;
	sum.lost_here = s->drops.lost;
	if (s->session->drops)
		sum.dropped = &s->session->dropped.all;
	transport_summary(&s->transport, record_transmit("summary", &sum), NULL);
}
