// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* conclude: says what reduces the worth of the figures, has them printed, and judges the run. */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/units.h>
#include <string.h>

/* Whether more than --max-loss of what was sent is lost. */
static bool too_much(const struct session *s, uint64_t lost, uint64_t sent, const char *object)
{
	return np_loss_exceeds(np_loss_percent(lost, sent), s->options->max_loss_percent, object,
			       s->log);
}

/*
 * Judged by the peer's report, which counts no loss from before it started to listen. Without a
 * report the limit cannot be shown to be kept.
 */
static bool lost_too_much(const struct session *s, const struct peer *peer)
{
	uint64_t sent = peer->last - peer->unsent, came = peer->counts.flow.received;
	char name[NP_ADDRESS_TEXT];

	np_address_format(&peer->address, name);
	if (atomic_load(&peer->end_acked)) {
		sent -= peer->counts.flow.missed_before < sent ? peer->counts.flow.missed_before
							       : sent;
		return too_much(s, sent > came ? sent - came : 0, sent, name);
	}
	if (!sent || s->options->max_loss_percent >= 100)
		return false;
	np_log_error(s->log, name, "did not report what arrived, so --max-loss %g may be exceeded",
		     s->options->max_loss_percent);
	return true;
}

int conclude_publisher(const struct publisher *p)
{
	const struct session *s = p->endpoint->session;
	char name[NP_ADDRESS_TEXT], asked[NP_RATE_TEXT], sent[NP_RATE_TEXT];

	np_address_format(&p->at, name);
	if (p->bytes &&
	    np_pacer_fell_behind(p->pacer.worst_behind,
				 p->rate_bytes_per_s / (double)p->bytes * (double)p->packets))
		np_log_warning(s->log, name, "fell behind the rate of %s by up to %.3f s; sent %s",
			       np_rate_format(p->rate_bytes_per_s, s->options->unit, asked),
			       np_clock_seconds(p->pacer.worst_behind),
			       np_rate_format((double)p->bytes / np_clock_seconds(p->elapsed),
					      s->options->unit, sent));
	if (p->stats.send_errors || p->stats.icmp_errors)
		np_log_warning(
			s->log, name,
			"%" PRIu64 " send error%s and %" PRIu64 " ICMP error%s; the last error: %s",
			p->stats.send_errors, np_plural(p->stats.send_errors), p->stats.icmp_errors,
			np_plural(p->stats.icmp_errors), strerror(-p->stats.last_error));
	if (p->unsent && p->packets)
		np_log_warning(s->log, name, "%" PRIu64 " packet%s could not be sent", p->unsent,
			       np_plural(p->unsent));
	else if (p->unsent)
		np_log_error(s->log, name, "none of %" PRIu64 " packet%s could be sent", p->unsent,
			     np_plural(p->unsent));
	return p->unsent && !p->packets;
}

/* Whether a peer that did not report makes the run a failure: one that never could may stay silent.
 */
static bool failed_to_report(const struct session *s, int last_error, struct peer *peer)
{
	char room[NP_ADDRESS_TEXT];
	const char *name = strchr(np_address_format(&peer->address, room), '/') + 1;

	if (atomic_load(&peer->end_acked) || s->interrupts > 1 || !peer->last)
		return false;
	/* The partners of a polite publisher may have ended, and it has waited for others since. */
	if (atomic_load(&peer->confirmed) && !s->options->publish.polite)
		np_log_error(s->log, NULL,
			     "no answer from %s: nothing that was sent is known to have arrived",
			     name);
	else if (peer->refused && !atomic_load(&peer->heard) && !s->options->publish.polite)
		np_log_error(s->log, NULL,
			     "no listener at %s; start 'datagram-test -local %s' there", name,
			     name);
	else if (last_error == -EHOSTUNREACH || last_error == -ENETUNREACH)
		np_log_error(s->log, name, "%s: nothing that was sent is known to have arrived",
			     strerror(-last_error));
	else if (s->options->publish.require_report)
		np_log_error(s->log, NULL, "no report from %s, which --require-report asks for",
			     name);
	else
		return false;
	return true;
}

int conclude_listener(const struct listener *l)
{
	const struct session *s = l->endpoint->session;
	char name[NP_ADDRESS_TEXT];

	np_address_format(&l->local, name);
	if (l->flows.refused)
		np_log_warning(s->log, name,
			       "not counted: %" PRIu64 " packet%s of more publishers than the %u "
			       "that can be counted at a time",
			       l->flows.refused, np_plural(l->flows.refused), FLOWS_MAX);
	if (l->not_allowed)
		np_log_warning(s->log, "--allow", "ignored %" PRIu64 " datagram%s of other hosts",
			       l->not_allowed, np_plural(l->not_allowed));
	if (l->stray)
		np_log_warning(s->log, name,
			       "%" PRIu64 " packet%s arrived so long after the end of the run "
			       "as to count as lost there",
			       l->stray, np_plural(l->stray));
	if (l->displaced)
		np_log_warning(s->log, name,
			       "not counted: %" PRIu64 " packet%s of %" PRIu64
			       " publisher%s with an "
			       "unproven address, which others displaced",
			       l->displaced_packets, np_plural(l->displaced_packets), l->displaced,
			       np_plural(l->displaced));
	if (l->loss.unattributed && strcmp(l->info.drop_unit, "packet") && !l->dropped.exact)
		np_log_warning(s->log, name,
			       "%" PRIu64 " lost packet%s may have been dropped by this host; "
			       "--batch=mmsg tells",
			       l->loss.unattributed, np_plural(l->loss.unattributed));
	if (l->nobody_came)
		np_log_error(s->log, name, "no packet came within %g s",
			     np_clock_seconds(s->options->listen.wait));
	if (l->error)
		np_log_error(s->log, name, "%s", strerror(-l->error));
	return l->nobody_came ? 2 : l->error ? 1 : 0;
}

static int judge(struct endpoint *e)
{
	int status = conclude_listener(&e->listener);

	if (!e->publisher.socket)
		return status;
	if (conclude_publisher(&e->publisher) && !status)
		status = 1;
	for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
		bool failed = failed_to_report(e->session, e->publisher.stats.last_error, peer);

		failed |= lost_too_much(e->session, peer);
		if (failed && !status)
			status = 1;
	}
	return status;
}

int conclude(struct session *s)
{
	struct record_sum sum;
	int status = 0;

	s->usage = np_usage_since(&s->usage);
	/* The original ends its output with an empty line. */
	if (report_text_begin(&s->reporter)) {
		fputc('\n', s->reporter.text);
		report_text_end(&s->reporter);
	}
	for (size_t i = 0; i < s->endpoint_count; i++) {
		const int found = judge(&s->endpoint[i]);

		status = found > status ? found : status;
		attribute(&s->endpoint[i]);
	}
	sum = record_sum_up(s);
	if (s->reporter.block)
		block_print(s);
	if (s->reporter.records)
		report_record(&s->reporter, record_summary(s, &sum));
	if (too_much(s, sum.counts.lost, sum.counts.sent, NULL) && !status)
		status = 1;
	return status;
}
