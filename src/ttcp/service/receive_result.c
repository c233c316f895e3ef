// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receive_result: what a receiver says of its runs: text, records, the log. */
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

void receive_progress_begin(struct receive_session *r)
{
	struct receive_progress *p = &r->progress;

	*p = (struct receive_progress){.counted = 0};
	np_interval_start(&p->interval, receiver_run(r->receiver)->begun,
			  receive_options(r)->report.interval);
}

/* The rows of the intervals begin with the first message. */
static void begin_intervals(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct receive_progress *p = &r->progress;

	if (!p->first && run->messages)
		np_interval_start(&p->interval, run->first, p->interval.period);
	p->first = run->messages;
}

/* What came of @life since the last interval; @rows: where it is told. */
static void tell_interval(struct receive_session *r, const struct tally_figures *life, np_time now,
			  struct session_rows rows)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct receive_progress *p = &r->progress;
	struct tally_figures part = *life;
	struct np_record *row;
	bool waiting;

	tally_figures_since(&part, &p->marked);
	/* The sender may pause, or be dead: that is known only later. */
	waiting = !run->ended && tally_figures_empty(&part);
	part.elapsed = np_interval_next(&p->interval, now);
	p->marked = *life;
	p->intervals++;
	if (rows.text)
		console_interval(&r->session->console, now - run->begun, &part, waiting);
	if (!rows.records)
		return;
	row = record_interval("receive", run->number, now - run->begun, &part);
	np_record_flag(row, "waiting", waiting);
	session_write(r->session, row);
}

static void tell_due(struct receive_session *r, np_time now)
{
	const struct tally_figures life =
		conversation_figures_so_far(receiver_conversation(r->receiver));
	const struct session_rows all = {.text = true, .records = r->session->records};

	files_flush(&r->files);
	tell_interval(r, &life, now, all);
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
	if (np_interval_due(&p->interval, now) || r->session->report_asked)
		tell_due(r, now);
}

/* The rows of a run sum to its result; the last one ends with the last message. */
static void tell_rest(struct receive_session *r, const struct tally_figures *life)
{
	const struct receive_progress *p = &r->progress;
	np_time end = life->last - r->session->ahead;
	struct tally_figures part = *life;

	begin_intervals(r);
	tally_figures_since(&part, &p->marked);
	if (!p->intervals || !tally_figures_empty(&part))
		tell_interval(r, life, end > p->interval.mark ? end : p->interval.mark,
			      session_rest(r->session));
}

/* How many messages one of the kernel's drops may stand for. */
static uint64_t most_in_a_drop(const struct receive_session *r, const char *unit)
{
	const uint32_t bytes = receiver_run(r->receiver)->start.message_bytes;
	uint64_t most = bytes ? NP_DATAGRAM_BYTES_MAX / bytes : 1;

	return !strcmp(unit, "packet") || !most ? 1 : most;
}

/*
 * How many of the dropped may be no message that is missed: of wrong checksum; where messages came
 * twice, the copy of one that came; of others where they use the same socket; ENDs that were told
 * before those that were heard, or after.
 */
static uint64_t perhaps_not_missed(const struct receive_session *r,
				   const struct tally_figures *figures)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct receive_drops *d = &r->drops;
	const uint64_t at_end = d->at_end - d->before;
	uint64_t doubtful = d->damaged;

	if (figures->duplicates || d->of_others)
		return d->dropped;
	doubtful += run->ends_missed;
	if (run->ended && d->dropped > at_end)
		doubtful += d->dropped - at_end;
	return doubtful < d->dropped ? doubtful : d->dropped;
}

/* TCP loses nothing on the way: what is missing was never sent, or is still there. */
static struct record_loss attribute(const struct receive_session *r,
				    const struct tally_figures *figures)
{
	const char *unit = r->drops.unit;
	const uint64_t lost = figures->lost;
	struct record_loss loss = {
		.where = {.unattributed = lost, .exact = !lost && figures->sent_known},
		.drop_unit = unit};
	const struct np_loss_drops drops = {
		.least = r->drops.dropped,
		.upmost = r->drops.dropped,
		.most = unit ? most_in_a_drop(r, unit) : 1,
		.others = perhaps_not_missed(r, figures),
	};

	if (!unit)
		return loss;
	loss.where = np_loss_attribute(lost, &drops);
	loss.where.exact &= figures->sent_known && !figures->missed_before;
	loss.drops = receiver_run(r->receiver)->report.host_drops;
	loss.drops_most = receiver_run(r->receiver)->report.host_drops_most;
	return loss;
}

static void add_up(struct receive_session *r, const struct record_receive *result)
{
	struct receive_sum *sum = &r->sum;

	sum->raw = result->raw;
	sum->grace = result->grace;
	sum->delays = result->delays;
	if (!sum->runs++) {
		sum->figures = result->figures;
		sum->loss = result->loss;
		sum->path = result->path;
		return;
	}
	tally_figures_append(&sum->figures, &result->figures);
	np_path_add(&sum->path, &result->path);
	sum->loss.where.path += result->loss.where.path;
	sum->loss.where.host += result->loss.where.host;
	sum->loss.where.unattributed += result->loss.where.unattributed;
	sum->loss.drops += result->loss.drops;
	sum->loss.drops_most += result->loss.drops_most;
	sum->loss.where.exact &= result->loss.where.exact;
}

static void say_full(struct receive_session *r, const struct record_receive *result)
{
	const struct console_full full = {
		.figures = &result->figures,
		.drop_unit = result->loss.drop_unit,
		.host_drops = result->loss.drops,
		.host_drops_most = result->loss.drops_most,
		.path = &result->path,
		.delays = result->delays,
		.clock = result->clock,
	};

	console_report_full(&r->session->console, &full);
}

/* By how much of itself the text's rate is too high, which counts what came first, too. */
static double too_high(const struct tally_figures *f)
{
	return f->bytes > f->head_bytes ? (double)f->head_bytes / (double)(f->bytes - f->head_bytes)
					: 0;
}

static bool too_much(const struct receive_session *r, const struct tally_figures *figures)
{
	return figures->sent && 100.0 * (double)figures->lost / (double)figures->sent >
					receive_options(r)->max_loss_percent;
}

static void warn(struct receive_session *r, const struct tally_figures *figures)
{
	const uint64_t strays = receiver_strays(r->receiver);

	session_warn_rate(r->session, figures->elapsed, figures->received, too_high(figures));
	if (figures->missed_before)
		np_log_warning(r->session->log, "sender",
			       "had begun before: of %" PRIu64 " messages before the first that "
			       "came it is not known whether they were lost",
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
		.grace = run->grace,
		.path = r->drops.path,
	};
	struct console_receive text;
	char log[LOG_ROOM];

	tell_rest(r, &result.figures);
	result.loss = attribute(r, &result.figures);
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
	say_full(r, &result);
	files_log(&r->files, "Receive", console_receive_text(&text, log, sizeof(log)));
	add_up(r, &result);
	if (r->session->records && (run->start.runs != 1 || r->sum.runs > 1))
		session_write(r->session, record_receive("run", &result));
	if (too_much(r, &result.figures))
		r->status = 1;
	warn(r, &result.figures);
}

void receive_summary(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct receive_sum *sum = &r->sum;
	struct np_usage usage = np_usage_since(&r->session->usage);
	struct np_record *summary;

	if (!r->session->records || !sum->runs)
		return;
	summary = record_receive("summary", &(struct record_receive){
						    .run = run->number,
						    .figures = sum->figures,
						    .loss = sum->loss,
						    .delays = sum->delays,
						    .clock = run->clock,
						    .raw = sum->raw,
						    .grace = sum->grace,
						    .path = sum->path,
					    });
	if (r->transport.face->sum_up)
		r->transport.face->sum_up(&r->transport, summary);
	record_ending(summary, &usage, r->session->interrupts);
	session_write(r->session, summary);
}
