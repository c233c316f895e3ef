// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_result: what a sender says of its runs: text, records, the log. */
#include "../conversation/sender_state.h"
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LOG_ROOM 1024
/* A pacer this far behind was not merely woken late. */
#define BEHIND_WORTH_SAYING (10 * NP_MILLISECOND)

static void say_socket(struct np_record *start, struct lane *lane)
{
	if (lane->stream)
		record_start_stream(start, np_stream_info(lane->stream));
	else
		record_start_datagram(start, np_datagram_info(lane->datagram), NULL);
}

void sender_say_start(struct sender *s)
{
	struct np_record *start;

	if (!s->session->records || s->run > 1)
		return;
	start = record_start(sender_options(s));
	for (unsigned i = 0; i < s->lanes; i++)
		say_socket(start, &s->lane[i]);
	session_write(s->session, start);
}

/* A sender's own figures have neither loss nor order. */
static struct tally_figures figures_of(const struct sender *s)
{
	return (struct tally_figures){
		.sent = sender_messages(s),
		.sent_known = true,
		.bytes = s->raw_bytes ? s->raw_bytes : sender_bytes(s),
		.first = s->first,
		.last = s->last,
		.elapsed = s->last - s->first,
	};
}

/* At a rate n messages take n intervals, the last one behind the last message. */
static np_time end_of(const struct sender *s)
{
	np_time due = s->pacer.rate_per_s > 0 ? np_pacer_next(&s->pacer) : s->last;

	return sender_messages(s) > 1 && due > s->last ? due : s->last;
}

/* Of one message no rate can be told. */
static uint64_t alone(const struct sender *s)
{
	return sender_messages(s) == 1 ? s->message_bytes : 0;
}

static void tell_interval(struct sender *s, np_time now, uint64_t head_bytes,
			  struct session_rows rows)
{
	struct tally_figures life = figures_of(s), part = life;

	tally_figures_since(&part, &s->marked);
	part.head_bytes = head_bytes;
	part.elapsed = np_interval_turn(&s->interval, now);
	s->marked = life;
	s->intervals++;
	if (rows.text)
		console_interval(&s->session->console, now - s->first, &part);
	if (rows.records)
		session_write(s->session,
			      record_interval("transmit", s->run, now - s->first, &part));
}

void sender_interval(struct sender *s, np_time now)
{
	const struct session_rows all = {.text = true, .records = s->session->records};

	tell_interval(s, now, 0, all);
}

/* The rows of a run sum to its result. */
static void tell_rest(struct sender *s)
{
	struct tally_figures part = figures_of(s);
	np_time end = end_of(s);

	tally_figures_since(&part, &s->marked);
	if (!s->intervals || !tally_figures_empty(&part))
		tell_interval(s, end > s->interval.mark ? end : s->interval.mark,
			      s->intervals ? 0 : alone(s), session_rest(s->session));
}

static struct console_transmit text_of(const struct sender *s)
{
	return (struct console_transmit){
		.messages = sender_messages(s),
		.bytes = s->raw_bytes ? s->raw_bytes : sender_bytes(s),
		.elapsed = s->last - s->first,
		.acks_wanted = s->acks,
		.receivers = &s->receivers,
	};
}

static uint64_t unsent(const struct sender *s)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < s->lanes; i++)
		count += s->lane[i].lost;
	return count;
}

static uint64_t send_errors(struct sender *s)
{
	struct np_datagram_stats stats;
	uint64_t count = 0;

	for (unsigned i = 0; i < s->lanes; i++)
		if (s->lane[i].datagram && !np_datagram_stats(s->lane[i].datagram, &stats))
			count += stats.send_errors + stats.icmp_errors;
	return count;
}

struct record_refusals sender_refusals(const struct sender *s)
{
	struct record_refusals now = {.known = false};
	struct np_datagram_kernel kernel;
	struct np_datagram_stats stats;

	for (unsigned i = 0; i < s->lanes; i++)
		if (s->lane[i].datagram && !np_datagram_stats(s->lane[i].datagram, &stats))
			now.retried += stats.send_refused;
	if (!s->lane[0].datagram || np_datagram_kernel_counts(&kernel))
		return now;
	now.known = true;
	now.errors = kernel.send_buffer_errors;
	return now;
}

/* Since the run began. */
static struct record_refusals refusals(const struct sender *s)
{
	const struct record_refusals *before = &s->refused_before;
	struct record_refusals now = sender_refusals(s);

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

static void add_up(struct sender *s, const struct record_refusals *refused)
{
	struct console_transmit text = text_of(s);
	struct sender_sum *sum = &s->sum;

	add_refusals(&sum->refusals, refused, !sum->runs);
	sum->runs++;
	sum->messages += text.messages;
	sum->bytes += text.bytes;
	sum->elapsed += end_of(s) - s->first;
	sum->alone += alone(s);
	sum->unsent += unsent(s);
	if (s->pacer.worst_behind > sum->behind)
		sum->behind = s->pacer.worst_behind;
}

static void write_run(struct sender *s, const struct record_refusals *refused)
{
	struct console_transmit text = text_of(s);
	const struct record_transmit result = {
		.run = s->run,
		.messages = text.messages,
		.bytes = text.bytes,
		.head_bytes = alone(s),
		.elapsed = end_of(s) - s->first,
		.send_errors = send_errors(s) - s->errors_before,
		.unsent = unsent(s),
		.rate_kbps = options_rate_kbps(&sender_options(s)->load, s->run),
		.behind = s->pacer.worst_behind,
		.refusals = *refused,
		.receivers = &s->receivers,
	};

	s->errors_before += result.send_errors;
	if (s->session->records && sender_options(s)->load.runs != 1)
		session_write(s->session, record_transmit("run", &result));
	if (result.send_errors || result.unsent)
		np_log_warning(s->session->log, s->name,
			       "%" PRIu64 " messages could not be sent, %" PRIu64
			       " errors of sending or refusals",
			       result.unsent, result.send_errors);
}

static void warn(const struct sender *s)
{
	session_warn_rate(s->session, s->last - s->first, sender_messages(s),
			  (double)(end_of(s) - s->first) / (double)(s->last - s->first + 1) - 1);
	if (s->pacer.rate_per_s > 0 && s->pacer.worst_behind > BEHIND_WORTH_SAYING)
		np_log_warning(s->session->log, s->name,
			       "fell behind the rate of %" PRIu64 " kbps by up to %.3f s",
			       options_rate_kbps(&sender_options(s)->load, s->run),
			       np_clock_seconds(s->pacer.worst_behind));
}

static void say_full(struct sender *s)
{
	struct message_report sum = {0};
	struct console_full full = {
		.rtt = s->acks ? s->receivers.rtt : NULL,
		.paced = s->pacer.rate_per_s > 0,
		.behind = s->pacer.worst_behind,
	};

	if (receivers_sum(&s->receivers, &sum)) {
		full.delays = sum.delays;
		full.clock = sum.clock;
	}
	console_report_full(&s->session->console, &full);
}

/* More lost than the user bears, at any receiver. */
static bool too_much(const struct sender *s)
{
	double worst = sender_options(s)->max_loss_percent;
	uint64_t sent = sender_messages(s);

	for (size_t i = 0; i < s->receivers.count; i++) {
		const struct receivers_receiver *receiver = &s->receivers.receiver[i];

		if (receiver->reported && sent &&
		    100.0 * (double)receiver->report.lost / (double)sent > worst)
			return true;
	}
	return false;
}

/* A receiver that was stopped, or heard nothing for too long, has not seen the run. */
static int judge_reports(const struct sender *s)
{
	int status = 0;

	for (size_t i = 0; i < s->receivers.count; i++) {
		const struct receivers_receiver *receiver = &s->receivers.receiver[i];

		if (!receiver->reported || receiver->report.status < MESSAGE_TIMED_OUT)
			continue;
		np_log_error(s->session->log, receiver->name, "%s before the end of the run",
			     receiver->report.status == MESSAGE_TIMED_OUT ? "waited in vain"
									  : "was stopped");
		status = 1;
	}
	return status;
}

int sender_conclude(struct sender *s, int status)
{
	struct console *console = &s->session->console;
	struct console_transmit text = text_of(s);
	const struct record_refusals refused = refusals(s);
	char log[LOG_ROOM];

	for (size_t i = 0; i < s->receivers.count; i++)
		s->receivers.receiver[i].clock = sender_clock(s, &s->receivers.receiver[i],
							      session_wall(s->session, s->last));
	tell_rest(s);
	console_finished(console, s->acks,
			 s->acks && receivers_ready(&s->receivers) &&
				 s->receivers.acks ==
					 text.messages * receivers_ready(&s->receivers));
	console_transmitted(console, &text);
	/* With one receiver the text is the original's. */
	if (s->group || console->full)
		console_receivers(console, &s->receivers, text.messages);
	say_full(s);
	files_log(
		&s->files, "Transmit",
		console_transmit_text(sender_options(s)->place.transport, &text, log, sizeof(log)));
	warn(s);
	add_up(s, &refused);
	write_run(s, &refused);
	if (!status)
		status = judge_reports(s);
	return !status && too_much(s) ? 1 : status;
}

void sender_summary(struct sender *s)
{
	const struct sender_sum *sum = &s->sum;
	struct np_usage usage = np_usage_since(&s->session->usage);
	struct np_record *summary;

	if (!s->session->records)
		return;
	summary = record_transmit(
		"summary", &(struct record_transmit){
				   .run = s->run,
				   .messages = sum->messages,
				   .bytes = sum->bytes,
				   .head_bytes = sum->alone,
				   .elapsed = sum->elapsed,
				   .send_errors = s->errors_before,
				   .unsent = sum->unsent,
				   .rate_kbps = options_rate_kbps(&sender_options(s)->load, s->run),
				   .behind = sum->behind,
				   .refusals = sum->refusals,
				   .receivers = &s->receivers,
			   });
	record_ending(summary, &usage, s->session->interrupts);
	session_write(s->session, summary);
}
