// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * conclude: prints the result block, warns of what reduces the worth of the figures, and judges the
 * run.
 */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Not "name/10.0.0.1:9999", which is the original's way. */
static const char *plain(const char *name)
{
	return strchr(name, '/') + 1;
}

/* Of the bytes after the first packet: no time passed before that. */
static double rate(uint64_t bytes, np_time elapsed)
{
	return elapsed > 0 && bytes ? np_units_rate(bytes, elapsed) : -1;
}

/* @counts NULL: the other end did not report. */
static void add_row(struct np_block *block, const char *name, const struct np_result *result,
		    const struct wire_counts *counts)
{
	struct np_block_row *row = &block->row[block->rows++];

	*row = (struct np_block_row){
		.name = plain(name),
		.confirmed = counts,
		.result = *result,
		.received_bytes_per_s = -1,
	};
	if (!counts)
		return;
	row->received_bytes_per_s =
		rate(counts->flow.bytes - counts->flow.head_bytes, counts->flow.elapsed);
	row->delay = counts->delay;
}

/* Those flows that are in the sums, or the others. */
static void add_rows(struct np_block *block, const struct listener *l, bool counted)
{
	for (const struct flow *flow = l->flow; flow < l->flow + l->flow_count; flow++) {
		if (listener_counts(l, flow) != counted)
			continue;
		add_row(block, flow->name, &flow->result, &flow->counts);
		np_headers_format(&flow->headers, block->row[block->rows - 1].headers);
	}
}

/* The flows, and of a single one its times. */
static void add_flows(struct np_block *block, const struct listener *l)
{
	bool all_ended = true;

	block->noun = "publisher";
	block->result = l->result;
	add_rows(block, l, true);
	add_rows(block, l, false);
	/* Of the whole time: runs may have followed one another. */
	block->received_bytes_per_s = rate(l->total.bytes - l->total.head_bytes, l->total.elapsed);
	for (const struct flow *flow = l->flow; flow < l->flow + l->flow_count; flow++)
		all_ended &= flow->counts.flow.sent_known;
	/* A listener that has seen the end of every run can be stopped only by a signal. */
	block->interrupted &= !all_ended;
	if (l->total_dropped.known)
		block->dropped[NP_BLOCK_RECEIVER] = &l->total_dropped;
	if (l->total.bytes)
		block->head_share = (double)l->total.head_bytes / (double)l->total.bytes;
	if (l->flow_count == 1) {
		block->delay = l->flow->counts.delay;
		block->delay_bound = l->flow->counts.delay_bound;
		block->rtt = l->flow->rtt_figures;
	}
}

/* The peers, with the sum of those that reported, if any did; and of a single one its times. */
static void add_peers(struct np_block *block, const struct endpoint *e)
{
	const struct publisher *p = &e->publisher;
	const struct wire_counts *first = &e->peer->counts;
	bool met = false;

	block->noun = "listener";
	for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
		const bool confirmed = atomic_load(&peer->end_acked);

		met |= atomic_load(&peer->confirmed);
		add_row(block, peer->name, &peer->result, confirmed ? &peer->counts : NULL);
		if (confirmed)
			np_result_add(&block->result, &peer->result);
	}
	if (block->result.received.known == NP_UNKNOWN) {
		block->result.sent = NP_COUNT_EXACT(p->packets);
		block->unconfirmed = met ? "no listener reported at the end"
					 : "no report came from the other end";
	} else if (p->dropped.known) {
		block->dropped[NP_BLOCK_SENDER] = &p->dropped;
	}
	/* Of what is in the sum: to all that reported, or to all. */
	if (p->packets > 1)
		block->sent_bytes_per_s =
			rate((uint64_t)((double)p->bytes * (double)block->result.sent.n /
					(double)p->packets),
			     p->elapsed);
	block->received_bytes_per_s = np_block_rate_sum(block);
	if (e->peer_count > 1)
		return;
	/* At least; the listener does not report how much came together. */
	if (first->flow.received)
		block->head_share = 1.0 / (double)first->flow.received;
	if (block->row->delay.count) {
		block->delay = first->delay;
		block->delay_bound = first->delay_bound;
	}
}

/*
 * What a listener received, or what the peers of a publisher confirmed. @several: ends or sockets
 * used the process.
 */
static void print_end(const struct endpoint *e, bool listens, bool several)
{
	const struct session *s = e->session;
	const struct listener *l = &e->listener;
	const struct publisher *p = &e->publisher;
	const size_t rows = listens ? l->flow_count : e->peer_count,
		     all = listens ? rows + l->unlisted : rows;
	const np_time elapsed = listens ? l->total.elapsed : p->elapsed;
	const uint64_t packets = listens ? l->total.received : p->packets,
		       bytes = listens ? l->total.bytes : p->bytes;
	char title[2 * NP_ADDRESS_TEXT + 128] = "", others[NP_ADDRESS_TEXT];
	struct np_block block = np_block_init(title, "packets", e->options->report.unit);

	block.row = calloc(rows + 1, sizeof(*block.row));
	if (!block.row)
		return;
	block.interrupted = s->interrupts;
	if (listens)
		add_flows(&block, l);
	else
		add_peers(&block, e);
	if (rows == 1)
		snprintf(others, sizeof(others), "%s", block.row->name);
	else
		snprintf(others, sizeof(others), "%zu %ss", all, block.noun);
	block.cpu[several   ? NP_BLOCK_PROCESS
		  : listens ? NP_BLOCK_RECEIVER
			    : NP_BLOCK_SENDER] = (struct np_block_cpu){&s->usage, elapsed};
	snprintf(title, sizeof(title), "datagram-test: UDP %s -> %s, %" PRIu64 "-byte packets, %s",
		 listens ? others : plain(e->name), listens ? plain(e->name) : others,
		 packets ? bytes / packets : 0, np_block_time(elapsed).text);
	block.full = s->run->full;
	fputc('\n', s->block);
	np_block_print(s->block, &block);
	fflush(s->block);
	free(block.row);
}

/* Whether more than --max-loss of what was sent is lost. */
static bool too_much(const struct session *s, uint64_t lost, uint64_t sent, const char *object)
{
	return np_loss_exceeds(np_loss_percent(lost, sent), s->options->max_loss_percent, object,
			       s->log);
}

int conclude_publisher(const struct publisher *p)
{
	const struct session *s = p->endpoint->session;
	const char *name = p->endpoint->name, *last = strerror(-p->stats.last_error);

	if (p->bytes &&
	    np_pacer_fell_behind(p->pacer.worst_behind,
				 p->rate_bytes_per_s / (double)p->bytes * (double)p->packets))
		np_log_warning(s->log, name, "fell behind the rate of %s by up to %.3f s; sent %s",
			       np_rate_format(p->rate_bytes_per_s, s->options->report.unit).text,
			       np_clock_seconds(p->pacer.worst_behind),
			       np_rate_format((double)p->bytes / np_clock_seconds(p->elapsed),
					      s->options->report.unit)
				       .text);
	if (p->stats.send_errors)
		np_log_warning(s->log, name, "%" PRIu64 " send error%s; the last error: %s",
			       p->stats.send_errors, np_plural(p->stats.send_errors), last);
	if (p->stats.icmp_errors)
		np_log_warning(s->log, name, "%" PRIu64 " ICMP error%s; the last error: %s",
			       p->stats.icmp_errors, np_plural(p->stats.icmp_errors), last);
	if (p->unsent && p->packets)
		np_log_warning(s->log, name, "%" PRIu64 " packet%s could not be sent", p->unsent,
			       np_plural(p->unsent));
	else if (p->unsent)
		np_log_error(s->log, name, "none of %" PRIu64 " packet%s could be sent", p->unsent,
			     np_plural(p->unsent));
	return p->unsent && !p->packets;
}

/*
 * Whether a peer makes the run a failure, by its report, which counts no loss from before it
 * started to listen; or because it did not report: one that never could may stay silent, unless
 * there is a limit, which cannot be shown to be kept then.
 */
static bool has_failed(const struct session *s, int last_error, struct peer *peer)
{
	const bool polite = s->options->publish.polite;
	const uint64_t sent = peer->last - peer->unsent, came = peer->counts.flow.received,
		       missed = peer->counts.flow.missed_before,
		       heard = missed < sent ? sent - missed : 0;
	const char *full = peer->name, *name = plain(full);
	const bool judged = s->interrupts < 2 && peer->last;
	bool failed = true;

	if (atomic_load(&peer->end_acked))
		return too_much(s, heard > came ? heard - came : 0, heard, full);
	/* The partners of a polite publisher may have ended, and it has waited for others since. */
	if (judged && atomic_load(&peer->confirmed) && !polite)
		np_log_error(s->log, NULL,
			     "no answer from %s: nothing that was sent is known to have arrived",
			     name);
	else if (judged && peer->refused && !atomic_load(&peer->heard) && !polite)
		np_log_error(s->log, NULL,
			     "no listener at %s; start 'datagram-test -local %s' there", name,
			     name);
	else if (judged && (last_error == -EHOSTUNREACH || last_error == -ENETUNREACH))
		np_log_error(s->log, name, "%s: nothing that was sent is known to have arrived",
			     strerror(-last_error));
	else if (judged && s->options->publish.require_report)
		np_log_error(s->log, NULL, "no report from %s, which --require-report asks for",
			     name);
	else
		failed = false;
	if (!sent || s->options->max_loss_percent >= 100)
		return failed;
	np_log_error(s->log, full, "did not report what arrived, so --max-loss %g may be exceeded",
		     s->options->max_loss_percent);
	return true;
}

int conclude_listener(const struct listener *l)
{
	const struct session *s = l->endpoint->session;
	const char *name = l->endpoint->name;

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
	if (l->unproven)
		np_log_warning(s->log, name,
			       "not in the sums: %" PRIu64 " publisher%s with an unproven address",
			       l->unproven, np_plural(l->unproven));
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

/* Puts what @more received with what another thread did by @l, on the same address. */
static bool fold(struct listener *l, struct listener *more)
{
	struct flow *flow =
		realloc(l->flow, (l->flow_count + more->flow_count + 1) * sizeof(*flow));

	if (!flow)
		return false;
	memcpy(flow + l->flow_count, more->flow, more->flow_count * sizeof(*flow));
	l->flow = flow;
	/* Of one without flows nothing is known. */
	if (!l->total.flows) {
		l->result = (struct np_result){.sent.n = 0};
		l->total_dropped = more->total_dropped;
	} else {
		np_drops_add(&l->total_dropped, &more->total_dropped);
	}
	l->flow_count += more->flow_count;
	more->flow_count = 0;
	l->unlisted += more->unlisted;
	if (more->total.flows) {
		np_flow_counts_add(&l->total, &more->total);
		np_result_add(&l->result, &more->result);
	}
	return true;
}

int conclude(struct session *s)
{
	const size_t locals = s->addresses.locals.count;
	bool several = s->endpoint_count > 1, proven = false;
	struct np_flow_counts sum;
	struct np_record *summary;
	int status = 0;

	s->usage = np_usage_since(&s->usage);
	/* The original ends its output with an empty line. */
	report_print(s, "\n");
	for (const struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		proven |= e->listener.proven;
		for (size_t i = 0; i < e->peer_count; i++)
			proven |= atomic_load(&e->peer[i].end_acked);
	}
	for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		const struct publisher *p = &e->publisher;
		int found;

		/* Where an end has proved its address, those that have not are in no sum. */
		if (proven)
			listener_prove(&e->listener);
		found = conclude_listener(&e->listener);
		if (p->socket && conclude_publisher(p) && !found)
			found = 1;
		for (size_t i = 0; p->socket && i < e->peer_count; i++)
			if (has_failed(s, p->stats.last_error, &e->peer[i]) && !found)
				found = 1;
		status = found > status ? found : status;
		attribute(e);
	}
	summary = record_summary(s, &sum);
	if (s->options->publish.find &&
	    np_find_conclude(&s->find, s->block, summary, s->log, s->options->report.unit,
			     s->interrupts) &&
	    !status)
		status = 1;
	/* Those of one address, which are its multiples, are printed as one. */
	for (size_t i = locals; locals && i < s->endpoint_count; i++)
		if (!fold(&s->endpoint[i % locals].listener, &s->endpoint[i].listener))
			break;
	for (size_t i = 0; s->block && i < s->endpoint_count; i++) {
		const struct endpoint *e = &s->endpoint[i];

		several |= e->publisher.socket && e->listener.flow_count;
		/* Nothing if nobody came. */
		if (e->listener.flow_count)
			print_end(e, true, several);
		if (e->publisher.socket)
			print_end(e, false, several);
	}
	if (s->records)
		(void)np_report_write(s->run->report, summary);
	if (too_much(s, sum.lost, sum.sent, NULL) && !status)
		status = 1;
	return status;
}
