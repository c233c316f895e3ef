// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receive_result: reports a receiver's runs: text, records, the log; what this host dropped during
 * a run, by its kernel's counters, and of the sender's messages, by its kernel's reasons.
 */
#include "service.h"

#include <inttypes.h>
#include <netperf/units.h>
#include <string.h>

#define ROW_WAITS (500 * NP_MILLISECOND)

/* Reads what this host's cards and backlog have dropped. */
static void read_path(const struct receive_session *r, struct np_path_drops *path)
{
	const struct transport_face *face = r->transport.face;

	*path = (struct np_path_drops){.softnet_known = false};
	/* What is dropped of a stream is sent again. */
	if (face->datagrams)
		np_path_read(path, receive_options(r)->socket.asked.device,
			     face->local(&r->transport, NULL));
}

/* Whose messages: all of a host, where there are several streams, each from a port of its own. */
static struct np_address sender_of(const struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct np_address sender = run->sender;

	if (run->streams > 1)
		np_address_set_port(&sender, 0);
	return sender;
}

void receive_result_begin(struct receive_session *r)
{
	const struct np_address sender = sender_of(r);
	struct receive_drops *d = &r->drops;
	struct receive_reasons *reasons = &r->reasons;

	*d = (struct receive_drops){.before = transport_count(&r->transport).dropped};
	read_path(r, &d->path_before);
	d->kernel_known = !np_datagram_kernel_counts(&d->kernel);
	session_begin_run(r->session, receiver_run(r->receiver)->begun);
	if (!r->session->drops || np_address_equal(&sender, &reasons->sender))
		return;
	/*
	 * The first message that came may not be the first one: others may be dropped already. But
	 * all ports of a host may have been those of another run.
	 */
	r->session->dropped.before = (struct np_drops_counts){.known = true, .exact = true};
	if (!np_address_port(&sender) && r->session->runs)
		session_mark_drops(r->session, &sender);
	reasons->sender = sender;
}

/* The intervals start with the first message. */
static void begin_intervals(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct session_progress *p = &r->session->progress;

	if (!p->first && run->messages)
		np_interval_start(&p->interval, run->first, p->interval.period);
	p->first = run->messages;
}

/* Reports what came of @life since the last interval. */
static void report_interval(struct receive_session *r, const struct np_flow_counts *life,
			    np_time now, bool rest)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct np_histogram_figures delays;
	const bool known = conversation_cut_delays(&r->receiver->with, &delays);

	session_report(r->session, life,
		       &(struct session_interval){
			       .run = run->number,
			       .begun = run->begun,
			       .now = now,
			       .over = run->ended,
			       .rest = rest,
			       .delays = known ? &delays : NULL,
		       });
}

/*
 * A row is reported when a message has come after it, or none for a while: until then its last
 * message may be that of the run, with which it ends.
 */
static bool is_row_due(const struct receive_session *r, np_time now)
{
	const struct session_progress *p = &r->session->progress;

	if (!np_interval_due(&p->interval, now) || receiver_run(r->receiver)->ended)
		return false;
	return now - p->interval.due >= ROW_WAITS ||
	       conversation_figures_so_far(&r->receiver->with).last - r->session->ahead >=
		       p->interval.due;
}

void receive_progress_look(struct receive_session *r, np_time now)
{
	struct np_flow_counts life;
	np_time last;

	begin_intervals(r);
	session_count(r->session, receiver_run(r->receiver)->messages);
	if (r->windows)
		files_look(&r->files, now);
	if (!is_row_due(r, now) && !r->session->report_asked)
		return;
	life = conversation_figures_so_far(&r->receiver->with);
	last = life.last - r->session->ahead;
	files_flush(&r->files);
	/* With its last message, which may be that of the run, however late this looks. */
	report_interval(r, &life, last > r->session->progress.interval.mark ? last : now, false);
}

/*
 * The kernel tells what was dropped until now. While END waited to be read, further ones may have
 * been.
 */
void receive_drops_ended(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);

	r->drops.at_end = transport_count(&r->transport).dropped;
	r->drops.ends_behind = receiver_run_ends_behind(run, np_clock_now() - run->ended_at);
}

void receive_drops_account(void *context, struct message_report *report)
{
	struct receive_session *r = context;
	const struct transport_counts now = transport_count(&r->transport);
	struct receive_drops *d = &r->drops;
	struct np_datagram_kernel kernel;
	struct np_usage usage;

	read_path(r, &d->path);
	np_path_since(&d->path, &d->path_before);
	if (r->session->drops && !receiver_run(r->receiver)->raw)
		r->reasons.sender = sender_of(r);
	/* A stream loses nothing by it. */
	if (r->session->drops && !receiver_run(r->receiver)->raw && r->transport.face->datagrams) {
		session_peek_drops(r->session, &r->reasons.sender);
		report->dropped = np_drops_total(&r->session->dropped.run);
		record_put_reasons(&r->session->dropped.run, &report->reasons);
	}
	usage = np_usage_since(&r->session->progress.usage);
	report->cpu = (struct message_cpu){true, usage.user, usage.system};
	report->drop_unit = MESSAGE_DROPS_UNKNOWN;
	d->dropped = 0;
	d->full = (struct np_loss_drops){.least = 0};
	d->unit = now.dropped_known ? now.drop_unit : NULL;
	if (!d->unit)
		return;
	d->dropped = now.dropped - d->before;
	d->of_others = now.drops_of_others;
	/* Those that found no room: perhaps all, but so many at least as cannot have been damaged.
	 */
	d->full.upmost = d->dropped;
	if (d->dropped && !d->of_others && d->kernel_known && !np_datagram_kernel_counts(&kernel))
		np_loss_drops_full(&d->full, d->dropped, d->dropped,
				   kernel.checksum_errors - d->kernel.checksum_errors);
	report->host_drops = d->full.least;
	report->host_drops_most = d->full.upmost;
	report->drop_unit =
		strcmp(d->unit, "packet") ? MESSAGE_DROPS_BUFFERS : MESSAGE_DROPS_PACKETS;
}

static void conclude_drops(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct receive_reasons *d = &r->reasons;

	if (!r->session->drops || run->raw)
		return;
	/* A next run whose START is lost begins here. */
	session_take_drops(r->session, &d->sender, true);
	d->by_sender = run->sender_dropped;
	/* What is sent to a group reaches this host before the copy for others can be dropped. */
	if (r->transport.group && d->by_sender.packets && np_address_is_local(&run->sender))
		d->by_sender.exact = false;
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

/* TCP loses nothing on the path: missing messages were never sent, or are still there. */
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

static void add_total(struct np_drops_total *sum, const struct np_drops_total *more)
{
	sum->known &= more->known;
	sum->exact &= more->exact;
	sum->packets += more->packets;
}

static void add_up(struct receive_session *r, const struct record_receive *result)
{
	struct record_receive *sum = &r->sum;

	session_add_run(r->session);
	if (r->session->runs == 1) {
		*sum = *result;
		return;
	}
	/* What cannot be added is that of the last run. */
	sum->raw = result->raw;
	sum->grace = result->grace;
	sum->delays = result->delays;
	sum->hosts.doubtful |= result->hosts.doubtful;
	add_total(&sum->hosts.sender, &result->hosts.sender);
	add_total(&sum->hosts.receiver, &result->hosts.receiver);
	sum->sender_cpu.known &= result->sender_cpu.known;
	sum->sender_cpu.user += result->sender_cpu.user;
	sum->sender_cpu.system += result->sender_cpu.system;
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

static void print_block(struct receive_session *r, const struct record_receive *result)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct transport_face *face = r->transport.face;
	char from[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	struct record_socket socket;
	struct block_run block = {
		.from = (face->name ? face->name : block_host)(&run->sender, from),
		.to = own_name(r, to),
		.message_bytes = result->raw ? 0 : run->start.message_bytes,
		.streams = result->raw ? 1 : run->start.streams,
		.elapsed = result->figures.elapsed,
		.start = run->started ? &run->start : NULL,
	};

	transport_block(&r->transport, &block, &socket);
	block_receive(&r->session->console, &block, result);
}

static void warn(struct receive_session *r, const struct np_flow_counts *f)
{
	const uint64_t strays = receiver_strays(r->receiver);
	double too_high = 0;

	/* The text's rate counts what came first, too. */
	if (f->bytes > f->head_bytes)
		too_high = (double)f->head_bytes / (double)(f->bytes - f->head_bytes);
	/* The last line is to be the error that ended the run, which is said already. */
	if (!r->cut_off)
		session_warn_rate(r->session, f->elapsed, f->received, too_high);
	r->cut_off = false;
	if (f->missed_before)
		np_log_warning(r->session->log, "sender",
			       "was sending already: whether the %" PRIu64 " message%s before the "
			       "first received %s lost is unknown",
			       f->missed_before, np_plural(f->missed_before),
			       f->missed_before == 1 ? "was" : "were");
	if (strays)
		np_log_warning(r->session->log, NULL,
			       "%" PRIu64 " datagram%s or messages belonged to no run", strays,
			       np_plural(strays));
}

void receive_conclude(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const bool datagrams = r->transport.face->datagrams;
	struct console *console = &r->session->console;
	struct record_receive result = {
		.run = run->number,
		.figures = conversation_figures(&r->receiver->with),
		.delays = run->report.delays,
		.clock = run->clock,
		.raw = run->raw || run->unread,
		.datagrams = datagrams,
		.grace = run->grace,
		.path = r->drops.path,
		.sender_cpu = run->sender_cpu,
		.sender_reasons = &run->sender_reasons,
	};
	const struct np_flow_counts *f = &result.figures;
	char text[CONSOLE_RESULT];

	begin_intervals(r);
	/* The rows of a run sum to its result; the last one ends with the last message. */
	report_interval(r, f, f->last - r->session->ahead, true);
	result.loss = attribute(r, f);
	conclude_drops(r);
	result.dropped = r->session->drops ? &r->session->dropped.run : NULL;
	result.hosts = (struct hosts){
		.doubtful = !f->sent_known || f->missed_before || f->duplicates,
		.sender = r->reasons.by_sender,
	};
	if (datagrams)
		result.hosts.receiver = np_drops_total(&r->session->dropped.run);
	session_count(r->session, run->messages);
	if (r->transport.face->self && !receive_options(r)->wait.no_wait) {
		console_leaving(console, TRANSPORT_SETTLE);
		r->transport.linger = true;
	}
	(void)console_received(console, &result, text);
	print_block(r, &result);
	files_log(&r->files, "Receive", text);
	add_up(r, &result);
	if (r->session->records && (run->start.runs != 1 || r->session->runs > 1))
		session_write(r->session, record_receive("run", &result));
	warn(r, f);
	if (np_loss_exceeds(np_loss_percent(f->lost, f->sent), receive_options(r)->max_loss_percent,
			    "sender", r->session->log))
		r->status = 1;
}

void receive_summary(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct record_receive sum = r->sum;

	if (!r->session->records || !r->session->runs)
		return;
	sum.run = run->number;
	sum.clock = run->clock;
	sum.dropped = r->session->drops ? &r->session->dropped.all : NULL;
	transport_summary(&r->transport, record_receive("summary", &sum),
			  r->allowed ? &r->not_allowed : NULL);
}
