// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * verdict: what the user is warned of after a run, and the exit status that it deserves; and which
 * runs a receiver refuses.
 */
#include "conversation.h"
#include "sender.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define WORTH_SAYING 0.05 /* of a rate that is too high */

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
		np_log_warning(s->log, NULL,
			       "a single message has no rate; send more messages (-n), or for a "
			       "longer time (--duration)");
	else if (messages && elapsed < FIGURES_MEANT)
		np_log_warning(s->log, NULL,
			       "the run took %.3f ms, too short for its rate to mean much; raise "
			       "-n or give a --duration",
			       (double)elapsed / (double)NP_MILLISECOND);
	else if (too_high > WORTH_SAYING && s->options->layout != NP_REPORT_RESULT)
		np_log_warning(s->log, NULL,
			       "too few messages: the original's rate is %.0f %% too high; that of "
			       "--json is correct",
			       100 * too_high);
}

void send_warn(const struct sender *s, const struct record_transmit *result)
{
	struct np_usage usage = np_usage_since(&s->session->progress.usage);
	const int error = result->send_error;
	const bool behind = np_pacer_fell_behind(result->behind, s->run.pacer.rate_per_s);

	/* Each thread has a processor. */
	usage.user /= s->threads;
	usage.system /= s->threads;
	/* A mesh shares its process. */
	if (!s->options->mesh.mesh &&
	    account_processor_limits(s->load, &usage, result->figures.elapsed, &result->tcp))
		np_log_info(s->session->log,
			    "the sender's processor was the limit, busy %.0f %% of the time with "
			    "messages of %" PRIu64 " bytes; try larger ones, as -l 128K",
			    100 * np_usage_share(&usage, result->figures.elapsed),
			    s->load->message_bytes);
	warn_rate(s->session, result->span, result->figures.sent,
		  (double)result->figures.elapsed / (double)(result->span + 1) - 1);
	if (behind && s->load->trips)
		np_log_warning(s->session->log, "--latency-under-load",
			       "round trips began up to %.3f s late",
			       np_clock_seconds(result->behind));
	else if (behind)
		np_log_warning(s->session->log, s->name,
			       "sending fell behind the rate of %s by up to %.3f s",
			       np_rate_format(result->rate_bits / 8, s->options->unit).text,
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

/* Whether what was sent to those of whom none reports was refused, or must be reported. */
static int judge_silence(const struct sender *s)
{
	const int refusal = s->transport.group ? 0 : transport_count(&s->transport).refusal;
	const double most = s->options->max_loss_percent;

	if (refusal == -ECONNREFUSED)
		session_blame_refusal(s->session);
	else if (refusal == -EHOSTUNREACH || refusal == -ENETUNREACH)
		np_log_error(s->session->log, s->name,
			     "%s: nothing that was sent is known to have arrived",
			     strerror(-refusal));
	else if (s->options->require_report)
		np_log_error(s->session->log, NULL,
			     "no report from %s, which --require-report asks for", s->name);
	else if (most < 100)
		np_log_error(s->session->log, s->name,
			     "did not report what arrived, so --max-loss %g may be exceeded", most);
	else
		return 0;
	return 1;
}

int send_judge(const struct sender *s, const struct record_transmit *result)
{
	const struct receivers *receivers = result->receivers;
	const int error = result->send_error;
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
	if (!receivers_reported(receivers))
		return judge_silence(s);
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
			lossy |= np_loss_exceeds(np_loss_percent(lost, result->figures.sent),
						 s->options->max_loss_percent, receiver->name,
						 s->session->log);
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
		np_log_warning(log, "sender",
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

/* Rounded up. */
static uint64_t whole_kbps(double bits)
{
	const uint64_t kbps = (uint64_t)(bits / 1000);

	return kbps + ((double)kbps * 1000 < bits);
}

enum message_limit receive_limit(const struct options *o, const struct message_start *start)
{
	const double most = o->wait.max_rate_bits, rate = (double)start->rate_bits;
	const double bits = 8.0 * start->message_bytes * start->streams * (double)start->messages;
	double time = (double)start->duration;

	/* Version 1 rounds it up to whole kbit/s. */
	if (most > 0 && (rate <= 0 || (rate > most && whole_kbps(rate) > whole_kbps(most))))
		return MESSAGE_LIMIT_RATE;
	/* With both, the first to be reached ends the run. */
	if (rate > 0 && bits > 0 && (time <= 0 || bits / rate * NP_SECOND < time))
		time = bits / rate * NP_SECOND;
	return o->wait.max_duration && time >= (double)o->wait.max_duration + 1
		       ? MESSAGE_LIMIT_DURATION
		       : MESSAGE_LIMIT_NONE;
}
