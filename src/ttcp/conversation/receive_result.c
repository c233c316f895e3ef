// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receive_result: reports a receiver's runs: text, records, the log; what this host dropped during
 * a run, by its kernel's counters, and of the sender's messages, by its kernel's reasons.
 */
#include "conversation.h"

#include <inttypes.h>
#include <netperf/units.h>
#include <string.h>

#define ROW_WAITS (500 * NP_MILLISECOND)

/* Reads what this host's cards and backlog have dropped. */
static void read_path(const struct conversation *c, struct np_path_drops *path)
{
	const struct transport_face *face = c->transport->face;

	*path = (struct np_path_drops){.softnet_known = false};
	/* What is dropped of a stream is sent again. */
	if (face->datagrams)
		np_path_read(path, c->session->options->socket.asked.device,
			     face->local(c->transport, NULL));
}

/* Whose messages: all of a host, where there are several streams, each from a port of its own. */
static struct np_address sender_of(const struct conversation *c)
{
	const struct receiver_run *run = &c->run;
	struct np_address sender = run->sender;

	if (run->streams > 1)
		np_address_set_port(&sender, 0);
	return sender;
}

static void begin_counts(struct conversation *c)
{
	const struct np_address sender = sender_of(c);
	struct receive_drops *d = &c->drops;

	*d = (struct receive_drops){.before = transport_count(c->transport).dropped};
	read_path(c, &d->path_before);
	d->kernel_known = !np_datagram_kernel_counts(&d->kernel);
	session_begin_run(c->session, c->run.number, c->run.begun);
	if (!c->session->drops || np_address_equal(&sender, &c->dropped_of))
		return;
	/*
	 * The first message that came may not be the first one: others may be dropped already. But
	 * all ports of a host may have been those of another run.
	 */
	c->session->dropped.before = (struct np_drops_counts){.known = true, .exact = true};
	if (!np_address_port(&sender) && c->session->runs)
		session_mark_drops(c->session, &sender);
	c->dropped_of = sender;
}

void receive_open_files(struct conversation *c)
{
	if (!files_open(&c->files, c->run.number, c->run.streams))
		return;
	c->status = 1;
	c->broken = true;
}

void receive_close_files(struct conversation *c)
{
	if (files_close_run(&c->files))
		c->status = 1;
}

void receive_begin(struct conversation *c, const struct receiver_source *source)
{
	const struct transport_face *face = c->transport->face;
	const struct receiver_run *run = &c->run;
	struct console *console = &c->session->console;

	begin_counts(c);
	console->counted = 0;
	receive_open_files(c);
	/* The first run was announced when listening started. */
	if (run->number > 1)
		console_run(console, c->session->options, run->number);
	if (source->channel)
		console_connected(console, source->address,
				  face->local(c->transport, source->channel));
	console_receiving(console, c->session->options, run->started ? &run->start : NULL);
	if (face->self)
		console_event(console, "TTCP_EVENT");
	transport_start(c->transport, &run->sender);
}

void receive_record(struct conversation *c, const struct message *first, uint64_t count,
		    uint64_t bytes, np_time at)
{
	struct recorder *sequence = first ? c->files.rows[first->stream] : NULL;

	for (uint64_t i = 0; i < count && sequence; i++)
		recorder_sequence(sequence, first->number + i, first->time,
				  session_wall(c->session, at));
	if (c->windows)
		files_count(&c->files, at, count, bytes);
}

/* The intervals start with the first message. */
static void begin_intervals(struct conversation *c)
{
	const struct receiver_run *run = &c->run;
	struct session_progress *p = &c->session->progress;

	if (!p->first && run->messages)
		np_interval_start(&p->interval, run->first, p->interval.period);
	p->first = run->messages;
}

/* Reports what came of @life since the last interval. */
static void report_interval(struct conversation *c, const struct np_flow_counts *life, np_time now,
			    bool rest)
{
	struct np_histogram_figures delays;
	const bool known = conversation_cut_delays(c, &delays);

	session_report(c->session, life, now, c->run.ended_at, rest, known ? &delays : NULL);
}

/*
 * A row is reported when a message has come after it, or none for a while: until then its last
 * message may be that of the run, with which it ends.
 */
static bool is_row_due(const struct conversation *c, np_time now)
{
	const struct session_progress *p = &c->session->progress;

	if (!np_interval_due(&p->interval, now) || c->run.ended_at)
		return false;
	return now - p->interval.due >= ROW_WAITS ||
	       conversation_figures_so_far(c).last - c->session->ahead >= p->interval.due;
}

void receive_look(struct conversation *c, np_time now)
{
	struct np_flow_counts life;
	np_time last;

	begin_intervals(c);
	session_count(c->session, c->run.messages);
	if (c->windows)
		files_look(&c->files, now);
	if (!is_row_due(c, now) && !c->session->report_asked)
		return;
	life = conversation_figures_so_far(c);
	last = life.last - c->session->ahead;
	files_flush(&c->files);
	/* With its last message, which may be that of the run, however late this looks. */
	report_interval(c, &life, last > c->session->progress.interval.mark ? last : now, false);
}

/*
 * The kernel tells what was dropped until now. While END waited to be read, further ones may have
 * been.
 */
void receive_drops_ended(struct conversation *c)
{
	const struct receiver_run *run = &c->run;

	c->drops.at_end = transport_count(c->transport).dropped;
	c->drops.ends_behind = receiver_run_ends_behind(run, np_clock_now() - run->ended_at);
}

void receive_drops_account(struct conversation *c, struct message_report *report)
{
	const struct transport_counts now = transport_count(c->transport);
	struct receive_drops *d = &c->drops;
	struct np_datagram_kernel kernel;
	struct np_usage usage;

	read_path(c, &d->path);
	np_path_since(&d->path, &d->path_before);
	if (c->session->drops && !c->run.raw)
		c->dropped_of = sender_of(c);
	/* A stream loses nothing by it. */
	if (c->session->drops && !c->run.raw && c->transport->face->datagrams) {
		session_peek_drops(c->session, &c->dropped_of);
		report->dropped = np_drops_total(&c->session->dropped.run);
		record_put_reasons(&c->session->dropped.run, &report->reasons);
	}
	usage = np_usage_since(&c->session->progress.usage);
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

static void conclude_drops(struct conversation *c)
{
	const struct receiver_run *run = &c->run;
	struct np_drops_total *by_sender = &c->dropped_by_sender;

	if (!c->session->drops || run->raw)
		return;
	/* A next run whose START is lost begins here. */
	session_take_drops(c->session, &c->dropped_of, true);
	*by_sender = run->sender_dropped;
	/* What is sent to a group reaches this host before the copy for others can be dropped. */
	if (c->transport->group && by_sender->packets && np_address_is_local(&run->sender))
		by_sender->exact = false;
}

/*
 * How many of the dropped may be no message that is missed: where messages came twice, the copy of
 * one that came; of others where they use the same socket; ENDs that were told before those that
 * were heard, or after.
 */
static uint64_t perhaps_not_missed(const struct conversation *c,
				   const struct np_flow_counts *figures)
{
	const struct receiver_run *run = &c->run;
	const struct receive_drops *d = &c->drops;
	const uint64_t at_end = d->at_end - d->before;
	uint64_t doubtful = run->ends_missed;

	if (figures->duplicates || d->of_others)
		return d->dropped;
	if (run->ended_at)
		doubtful += d->ends_behind + (d->dropped > at_end ? d->dropped - at_end : 0);
	return doubtful < d->dropped ? doubtful : d->dropped;
}

/* TCP loses nothing on the path: missing messages were never sent, or are still there. */
static struct record_loss attribute(const struct conversation *c,
				    const struct np_flow_counts *figures)
{
	const char *unit = c->drops.unit;
	struct np_loss_drops drops = c->drops.full;
	struct record_loss loss = {
		.drop_unit = unit,
		.drops = drops.least,
		.drops_most = drops.upmost,
	};

	if (unit)
		drops.most = np_loss_most(unit, c->run.start.message_bytes);
	drops.others = perhaps_not_missed(c, figures);
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

static void add_up(struct conversation *c, const struct record_receive *result)
{
	struct record_receive *sum = &c->sum;

	session_add_run(c->session);
	if (c->session->runs == 1) {
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
static const char *own_name(const struct conversation *c, char out[NP_ADDRESS_TEXT])
{
	const struct transport *t = c->transport;
	const struct np_address *local = t->face->local ? t->face->local(t, NULL) : NULL;
	struct np_address toward;

	if (t->face->self)
		return t->face->self(t, out);
	if (t->group || !local)
		return peer_name(&t->to, out);
	if (!np_address_is_wildcard(local) || np_address_toward(&c->run.sender, NULL, &toward))
		return peer_name(local, out);
	np_address_set_port(&toward, np_address_port(local));
	return peer_name(&toward, out);
}

static void print_block(struct conversation *c, const struct record_receive *result)
{
	const struct receiver_run *run = &c->run;
	const struct transport_face *face = c->transport->face;
	char from[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	struct record_socket socket;
	struct block_run block = {
		.from = (face->name ? face->name : block_host)(&run->sender, from),
		.to = own_name(c, to),
		.message_bytes = result->raw ? 0 : run->start.message_bytes,
		.streams = result->raw ? 1 : run->start.streams,
		.elapsed = result->figures.elapsed,
		.start = run->started ? &run->start : NULL,
	};

	transport_block(c->transport, &block, &socket);
	block_receive(&c->session->console, &block, result);
}

static void warn(struct conversation *c, const struct np_flow_counts *f)
{
	const uint64_t strays = c->strays;
	double too_high = 0;

	/* The text's rate counts what came first, too. */
	if (f->bytes > f->head_bytes)
		too_high = (double)f->head_bytes / (double)(f->bytes - f->head_bytes);
	/* The last line is to be the error that ended the run, which is said already. */
	if (!c->cut_off)
		session_warn_rate(c->session, f->elapsed, f->received, too_high);
	c->cut_off = false;
	c->strays = 0;
	if (f->missed_before)
		np_log_warning(c->session->log, "sender",
			       "was sending already: whether the %" PRIu64 " message%s before the "
			       "first received %s lost is unknown",
			       f->missed_before, np_plural(f->missed_before),
			       f->missed_before == 1 ? "was" : "were");
	if (strays)
		np_log_warning(c->session->log, NULL,
			       "%" PRIu64 " datagram%s or messages belonged to no run", strays,
			       np_plural(strays));
}

static void report_run(struct conversation *c)
{
	const struct receiver_run *run = &c->run;
	const bool datagrams = c->transport->face->datagrams;
	struct console *console = &c->session->console;
	struct record_receive result = {
		.run = run->number,
		.figures = conversation_figures(c),
		.delays = run->report.delays,
		.clock = run->clock,
		.raw = run->raw || run->unread,
		.datagrams = datagrams,
		.grace = run->grace,
		.path = c->drops.path,
		.sender_cpu = run->sender_cpu,
		.sender_reasons = &run->sender_reasons,
	};
	const struct np_flow_counts *f = &result.figures;
	char text[CONSOLE_RESULT];

	begin_intervals(c);
	/* The rows of a run sum to its result; the last one ends with the last message. */
	report_interval(c, f, f->last - c->session->ahead, true);
	result.loss = attribute(c, f);
	conclude_drops(c);
	result.dropped = c->session->drops ? &c->session->dropped.run : NULL;
	result.hosts = (struct hosts){
		.doubtful = !f->sent_known || f->missed_before || f->duplicates,
		.sender = c->dropped_by_sender,
	};
	if (datagrams)
		result.hosts.receiver = np_drops_total(&c->session->dropped.run);
	session_count(c->session, run->messages);
	if (c->transport->face->self && !c->session->options->wait.no_wait) {
		console_leaving(console, TRANSPORT_SETTLE);
		c->transport->linger = true;
	}
	(void)console_received(console, &result, text);
	print_block(c, &result);
	files_log(&c->files, "Receive", text);
	add_up(c, &result);
	if (c->session->records && (run->start.runs != 1 || c->session->runs > 1))
		session_write(c->session, record_receive("run", &result));
	warn(c, f);
	if (np_loss_exceeds(np_loss_percent(f->lost, f->sent),
			    c->session->options->max_loss_percent, "sender", c->session->log))
		c->status = 1;
}

void receive_finish(struct conversation *c, enum message_status status, np_time silence)
{
	const struct receiver_run *run = &c->run;
	const struct np_log *log = c->session->log;
	/* More came than its END says that it sent: one of the two is not its own. */
	const bool contradicted = status == MESSAGE_COMPLETE && !run->raw && !run->unread &&
				  !conversation_figures(c).sent_known;
	const bool cut_short = status == MESSAGE_INTERRUPTED && !run->messages;

	report_run(c);
	if (contradicted)
		np_log_error(log, "sender",
			     "its END reports fewer messages than arrived; how many it sent and "
			     "how many were lost is unknown");
	if (status == MESSAGE_TIMED_OUT)
		np_log_error(log, "sender", "nothing came for %.0f s, and no END",
			     np_clock_seconds(silence));
	else if (cut_short)
		np_log_error(log, "sender", "the run was interrupted before any message came");
	if (contradicted || status == MESSAGE_TIMED_OUT || cut_short)
		c->status = 1;
	receive_close_files(c);
}

void receive_summary(struct receiver *r)
{
	struct conversation *c = &r->with;
	const struct receiver_run *run = &c->run;
	struct record_receive sum = c->sum;

	if (!c->session->records || !c->session->runs)
		return;
	sum.run = run->number;
	sum.clock = run->clock;
	sum.dropped = c->session->drops ? &c->session->dropped.all : NULL;
	transport_summary(c->transport, record_receive("summary", &sum),
			  r->allowed ? &r->not_allowed : NULL);
}
