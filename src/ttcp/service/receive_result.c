// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receive_result: reports a receiver's runs: text, records, the log. */
#include "../conversation/peer_name.h"
#include "../report/block.h"
#include "../report/facts.h"
#include "receive_session.h"

#include <inttypes.h>
#include <netperf/loss.h>
#include <string.h>

#define LOG_ROOM 1024

void receive_say_start(struct receive_session *r)
{
	struct np_record *start;

	if (!r->session->records || r->sum.runs)
		return;
	start = record_start(receive_options(r));
	r->transport.face->describe(&r->transport, start, &receiver_run(r->receiver)->sender);
	session_write(r->session, start);
}

#define ROW_WAITS (500 * NP_MILLISECOND)

void receive_progress_begin(struct receive_session *r)
{
	struct receive_progress *p = &r->progress;

	*p = (struct receive_progress){.usage = np_usage_now()};
	np_block_full_clear(r->session->full);
	np_interval_start(&p->interval, receiver_run(r->receiver)->begun,
			  receive_options(r)->report.interval);
}

/* The intervals start with the first message. */
static void begin_intervals(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct receive_progress *p = &r->progress;

	if (!p->first && run->messages)
		np_interval_start(&p->interval, run->first, p->interval.period);
	p->first = run->messages;
}

/* What came of @life since the last interval; @rows: where it is told. */
static void tell_interval(struct receive_session *r, const struct np_flow_counts *life, np_time now,
			  struct session_rows rows)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct receive_progress *p = &r->progress;
	struct np_flow_counts part = *life;
	struct np_histogram_figures delays;
	const struct np_histogram_figures *known =
		conversation_cut_delays(receiver_conversation(r->receiver), &delays) ? &delays
										     : NULL;
	struct np_record *row;
	bool waiting;

	np_flow_counts_since(&part, &p->marked);
	/* The sender may pause, or be dead: that is known only later. */
	waiting = !run->ended && np_flow_counts_empty(&part);
	part.elapsed = np_interval_next(&p->interval, now);
	p->marked = *life;
	p->intervals++;
	if (rows.text) {
		console_interval(&r->session->console, now - run->begun, &part, waiting);
		session_row(r->session, now - run->begun, &part, NP_COUNT_EXACT(part.lost), known);
	}
	if (!rows.records)
		return;
	row = record_interval("receive", run->number, now - run->begun, &part, known);
	np_record_flag(row, "waiting", waiting);
	session_write(r->session, row);
}

static void tell_due(struct receive_session *r, np_time now)
{
	const struct np_flow_counts life =
		conversation_figures_so_far(receiver_conversation(r->receiver));
	const struct session_rows all = {.text = true, .records = r->session->records};
	const np_time last = life.last - r->session->ahead;

	files_flush(&r->files);
	/* With its last message, which may be that of the run, however late this looks. */
	tell_interval(r, &life, last > r->progress.interval.mark ? last : now, all);
}

/*
 * A row is told when a message has come after it, or none for a while: until then its last message
 * may be that of the run, with which it ends.
 */
static bool is_row_due(const struct receive_session *r, np_time now)
{
	const struct receive_progress *p = &r->progress;

	if (!np_interval_due(&p->interval, now) || receiver_run(r->receiver)->ended)
		return false;
	return now - p->interval.due >= ROW_WAITS ||
	       conversation_figures_so_far(receiver_conversation(r->receiver)).last -
			       r->session->ahead >=
		       p->interval.due;
}

void receive_progress_look(struct receive_session *r, np_time now)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct receive_progress *p = &r->progress;

	begin_intervals(r);
	console_count(&r->session->console, run->messages - p->counted);
	p->counted = run->messages;
	if (r->windows)
		files_look(&r->files, now);
	if (is_row_due(r, now) || r->session->report_asked)
		tell_due(r, now);
}

/* The rows of a run sum to its result; the last one ends with the last message. */
static void tell_rest(struct receive_session *r, const struct np_flow_counts *life)
{
	const struct receive_progress *p = &r->progress;
	np_time end = life->last - r->session->ahead;
	struct np_flow_counts part = *life;

	begin_intervals(r);
	np_flow_counts_since(&part, &p->marked);
	if (!p->intervals || !np_flow_counts_empty(&part))
		tell_interval(r, life, end > p->interval.mark ? end : p->interval.mark,
			      session_rest(r->session));
}

/*
 * How many of the dropped may be no message that is missed: where messages came twice, the copy of
 * one that came; of others where they use the same socket; ENDs that were told before those that
 * were heard, or after.
 */
static uint64_t perhaps_not_missed(const struct receive_session *r,
				   const struct np_flow_counts *figures)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct receive_drops *d = &r->drops;
	const uint64_t at_end = d->at_end - d->before;
	uint64_t doubtful = run->ends_missed;

	if (figures->duplicates || d->of_others)
		return d->dropped;
	if (run->ended)
		doubtful += d->ends_behind + (d->dropped > at_end ? d->dropped - at_end : 0);
	return doubtful < d->dropped ? doubtful : d->dropped;
}

/* TCP loses nothing on the way: missing messages were never sent, or are still there. */
static struct record_loss attribute(const struct receive_session *r,
				    const struct np_flow_counts *figures)
{
	const char *unit = r->drops.unit;
	struct np_loss_drops drops = r->drops.full;
	struct record_loss loss = {
		.drop_unit = unit,
		.drops = drops.least,
		.drops_most = drops.upmost,
	};

	if (unit)
		drops.most = np_loss_most(unit, receiver_run(r->receiver)->start.message_bytes);
	drops.others = perhaps_not_missed(r, figures);
	loss.where = np_flow_attribute(figures, unit ? &drops : NULL);
	loss.where.exact &= figures->sent_known && !figures->missed_before;
	return loss;
}

static struct np_drops_total both(const struct np_drops_total *a, const struct np_drops_total *b)
{
	return (struct np_drops_total){
		.known = a->known && b->known,
		.exact = a->exact && b->exact,
		.packets = a->packets + b->packets,
	};
}

static void add_hosts(struct receive_sum *sum, const struct record_receive *result)
{
	struct hosts *hosts = &sum->hosts;

	if (!sum->runs) {
		sum->dropped = (struct np_drops_counts){.known = true, .exact = true};
		*hosts = result->hosts;
	} else {
		hosts->lost += result->hosts.lost;
		hosts->doubtful |= result->hosts.doubtful;
		hosts->sender = both(&hosts->sender, &result->hosts.sender);
		hosts->receiver = both(&hosts->receiver, &result->hosts.receiver);
	}
	if (result->dropped)
		np_drops_add(&sum->dropped, result->dropped);
}

/* What either host dropped of the run, of those that are missing. */
static struct hosts hosts_of(const struct receive_session *r, const struct np_flow_counts *figures)
{
	return (struct hosts){
		.lost = figures->lost,
		.doubtful = !figures->sent_known || figures->missed_before || figures->duplicates,
		.sender = r->reasons.by_sender,
		.receiver = r->transport.face->datagrams ? np_drops_total(&r->reasons.run)
							 : (struct np_drops_total){.known = false},
	};
}

static void add_up(struct receive_session *r, const struct record_receive *result)
{
	struct receive_sum *sum = &r->sum;

	sum->raw = result->raw;
	sum->grace = result->grace;
	sum->delays = result->delays;
	add_hosts(sum, result);
	if (!sum->runs++) {
		sum->figures = result->figures;
		sum->loss = result->loss;
		sum->path = result->path;
		sum->sender_cpu = *result->sender_cpu;
		return;
	}
	sum->sender_cpu.known = sum->sender_cpu.known && result->sender_cpu->known;
	sum->sender_cpu.user += result->sender_cpu->user;
	sum->sender_cpu.system += result->sender_cpu->system;
	np_flow_counts_append(&sum->figures, &result->figures);
	np_path_add(&sum->path, &result->path);
	np_loss_add(&sum->loss.where, &result->loss.where);
	sum->loss.drops += result->loss.drops;
	sum->loss.drops_most += result->loss.drops_most;
}

/* Where the messages arrived: an address of this host, its node's, or the group's. */
static const char *own_name(const struct receive_session *r, char out[NP_ADDRESS_TEXT])
{
	const struct transport *t = &r->transport;
	const struct np_address *local = t->face->local ? t->face->local(t, NULL) : NULL;
	struct np_address toward;

	if (t->face->self)
		return t->face->self(t, out);
	if (t->group || !local)
		return peer_name(&t->to, out);
	if (!np_address_is_wildcard(local) ||
	    np_address_toward(&receiver_run(r->receiver)->sender, &toward))
		return peer_name(local, out);
	np_address_set_port(&toward, np_address_port(local));
	return peer_name(&toward, out);
}

static void say_block(struct receive_session *r, const struct record_receive *result)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct transport_face *face = r->transport.face;
	char from[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	const struct block_run block = {
		.options = receive_options(r),
		.from = (face->name ? face->name : block_host)(&run->sender, from),
		.to = own_name(r, to),
		.message_bytes = result->raw ? 0 : run->start.message_bytes,
		.streams = result->raw ? 1 : run->start.streams,
		.datagrams = face->datagrams,
		.interrupted = r->session->interrupts,
		.elapsed = result->figures.elapsed,
		.usage = np_usage_since(&r->progress.usage),
		.full = r->session->full,
	};

	if (block.full) {
		facts_run(block.full, block.options, run->started ? &run->start : NULL);
		face->facts(&r->transport, block.full);
		facts_receive(block.full, result);
	}
	block_receive(&r->session->console, &block, result);
}

/* By how much of itself the text's rate is too high, which counts what came first, too. */
static double too_high(const struct np_flow_counts *f)
{
	return f->bytes > f->head_bytes ? (double)f->head_bytes / (double)(f->bytes - f->head_bytes)
					: 0;
}

static void warn(struct receive_session *r, const struct np_flow_counts *figures)
{
	const uint64_t strays = receiver_strays(r->receiver);

	/* The last line is to be the error that ended the run, which is said already. */
	if (!r->cut_off)
		session_warn_rate(r->session, figures->elapsed, figures->received,
				  too_high(figures));
	r->cut_off = false;
	if (figures->missed_before)
		np_log_warning(r->session->log, "sender",
			       "was sending already: whether the %" PRIu64 " messages before the "
			       "first received were lost is unknown",
			       figures->missed_before);
	if (strays)
		np_log_warning(r->session->log, NULL,
			       "%" PRIu64 " datagrams or messages belonged to no run", strays);
}

void receive_conclude(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct console *console = &r->session->console;
	struct record_receive result = {
		.run = run->number,
		.figures = conversation_figures(receiver_conversation(r->receiver)),
		.delays = run->report.delays,
		.clock = run->clock,
		.raw = run->raw || run->unread,
		.datagrams = r->transport.face->datagrams,
		.grace = run->grace,
		.path = r->drops.path,
		.sender_cpu = &run->sender_cpu,
		.sender_reasons = &run->sender_reasons,
	};
	struct console_receive text;
	char log[LOG_ROOM];

	tell_rest(r, &result.figures);
	result.loss = attribute(r, &result.figures);
	receive_reasons_conclude(r);
	result.dropped = r->session->drops ? &r->reasons.run : NULL;
	result.hosts = hosts_of(r, &result.figures);
	text = (struct console_receive){
		.figures = result.figures,
		.delays = result.delays,
		.raw = result.raw,
	};
	console_count(console, run->messages - r->progress.counted);
	if (r->transport.face->self && !receive_options(r)->wait.no_wait) {
		console_leaving(console, TRANSPORT_SETTLE);
		r->transport.linger = true;
	}
	console_received(console, &text);
	say_block(r, &result);
	files_log(&r->files, "Receive", console_receive_text(&text, log, sizeof(log)));
	add_up(r, &result);
	if (r->session->records && (run->start.runs != 1 || r->sum.runs > 1))
		session_write(r->session, record_receive("run", &result));
	warn(r, &result.figures);
	if (np_loss_exceeds(np_loss_percent(result.figures.lost, result.figures.sent),
			    receive_options(r)->max_loss_percent, "sender", r->session->log))
		r->status = 1;
}

void receive_summary(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct receive_sum *sum = &r->sum;
	struct np_usage usage = np_usage_since(&r->session->usage);
	struct np_record *summary;

	if (!r->session->records || !sum->runs)
		return;
	summary = record_receive("summary",
				 &(struct record_receive){
					 .run = run->number,
					 .figures = sum->figures,
					 .loss = sum->loss,
					 .delays = sum->delays,
					 .clock = run->clock,
					 .raw = sum->raw,
					 .grace = sum->grace,
					 .path = sum->path,
					 .dropped = r->session->drops ? &sum->dropped : NULL,
					 .hosts = sum->hosts,
					 .sender_cpu = &sum->sender_cpu,
				 });
	if (r->transport.face->sum_up)
		r->transport.face->sum_up(&r->transport, summary);
	if (r->allowed)
		np_record_count(summary, "not_allowed", r->not_allowed);
	record_ending(summary, &usage, r->session->interrupts);
	session_write(r->session, summary);
}
