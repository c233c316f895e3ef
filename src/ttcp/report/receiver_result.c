// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_result: what a receiver says of its runs: text, records, the log. */
#include "../conversation/receiver_state.h"

#include <inttypes.h>
#include <netperf/loss.h>
#include <string.h>

#define LOG_ROOM 1024

void receiver_say_start(struct receiver *r)
{
	struct np_record *start;

	if (!r->session->records || r->sum.runs)
		return;
	start = record_start(receiver_options(r));
	r->transport->describe(r, start);
	session_write(r->session, start);
}

/* What came of @life since the last interval; @text, @record: where it is told. */
static void tell_interval(struct receiver *r, const struct tally_figures *life, np_time now,
			  struct session_rows rows)
{
	struct tally_figures part = *life;

	tally_figures_since(&part, &r->marked);
	part.elapsed = np_interval_turn(&r->interval, now);
	r->marked = *life;
	r->intervals++;
	if (rows.text)
		console_interval(&r->session->console, now - r->begun, &part);
	if (rows.records)
		session_write(r->session,
			      record_interval("receive", r->run, now - r->begun, &part));
}

void receiver_interval(struct receiver *r, np_time now)
{
	const struct tally_figures life = receiver_figures_so_far(r);
	const struct session_rows all = {.text = true, .records = r->session->records};

	files_flush(&r->files);
	tell_interval(r, &life, now, all);
}

/* The rows of a run sum to its result; the last one ends with the last message. */
static void tell_rest(struct receiver *r, const struct tally_figures *life)
{
	np_time end = life->last - r->session->ahead;
	struct tally_figures part = *life;

	tally_figures_since(&part, &r->marked);
	if (!r->intervals || !tally_figures_empty(&part))
		tell_interval(r, life, end > r->interval.mark ? end : r->interval.mark,
			      session_rest(r->session));
}

/* How many messages one of the kernel's drops may stand for. */
static uint64_t most_in_a_drop(const struct receiver *r, const char *unit)
{
	uint64_t most = r->start.message_bytes ? NP_DATAGRAM_BYTES_MAX / r->start.message_bytes : 1;

	return !strcmp(unit, "packet") || !most ? 1 : most;
}

/*
 * How many of the dropped may be no message that is missed: of wrong checksum; where messages came
 * twice, the copy of one that came; ENDs that were told before those that were heard, or after.
 */
static uint64_t perhaps_not_missed(const struct receiver *r, const struct tally_figures *figures)
{
	const uint64_t at_end = r->dropped_at_end - r->dropped_before;
	uint64_t doubtful = r->damaged;

	if (figures->duplicates)
		return r->dropped;
	doubtful += r->ends_missed;
	if (r->ended_at && r->dropped > at_end)
		doubtful += r->dropped - at_end;
	return doubtful < r->dropped ? doubtful : r->dropped;
}

/* TCP loses nothing on the way: what is missing was never sent, or is still there. */
static struct record_loss attribute(const struct receiver *r, const struct tally_figures *figures)
{
	const char *unit = r->transport->drop_unit(r);
	const uint64_t lost = figures->lost;
	struct record_loss loss = {
		.where = {.unattributed = lost, .exact = !lost && figures->sent_known},
		.drop_unit = unit};
	const struct np_loss_drops drops = {
		.least = r->dropped,
		.upmost = r->dropped,
		.most = unit ? most_in_a_drop(r, unit) : 1,
		.others = perhaps_not_missed(r, figures),
	};

	if (!unit)
		return loss;
	loss.where = np_loss_attribute(lost, &drops);
	loss.where.exact &= figures->sent_known && !figures->missed_before;
	loss.drops = r->report.host_drops;
	loss.drops_most = r->report.host_drops_most;
	return loss;
}

static void add_up(struct receiver *r, const struct record_receive *result)
{
	struct receiver_sum *sum = &r->sum;

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

static void say_full(struct receiver *r, const struct record_receive *result)
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

static bool too_much(const struct receiver *r, const struct tally_figures *figures)
{
	return figures->sent && 100.0 * (double)figures->lost / (double)figures->sent >
					receiver_options(r)->max_loss_percent;
}

void receiver_conclude(struct receiver *r)
{
	struct console *console = &r->session->console;
	struct record_receive result = {
		.run = r->run,
		.figures = receiver_figures(r),
		.delays = r->report.delays,
		.clock = r->clock,
		.raw = r->raw || r->unread,
		.grace = r->grace,
		.path = r->path,
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
	console_count(console, r->messages - r->counted);
	console_received(console, &text);
	say_full(r, &result);
	files_log(&r->files, "Receive", console_receive_text(&text, log, sizeof(log)));
	add_up(r, &result);
	if (r->session->records && (r->start.runs != 1 || r->sum.runs > 1))
		session_write(r->session, record_receive("run", &result));
	session_warn_rate(r->session, result.figures.elapsed, result.figures.received,
			  too_high(&result.figures));
	if (too_much(r, &result.figures))
		r->status = 1;
	if (result.figures.missed_before)
		np_log_warning(r->session->log, "sender",
			       "had begun before: of %" PRIu64 " messages before the first that "
			       "came it is not known whether they were lost",
			       result.figures.missed_before);
	if (r->stray)
		np_log_warning(r->session->log, NULL,
			       "%" PRIu64 " datagrams or messages belonged to no run", r->stray);
	r->stray = 0;
}

void receiver_summary(struct receiver *r)
{
	const struct receiver_sum *sum = &r->sum;
	struct np_usage usage = np_usage_since(&r->session->usage);
	struct np_record *summary;

	if (!r->session->records || !sum->runs)
		return;
	summary = record_receive("summary", &(struct record_receive){
						    .run = r->run,
						    .figures = sum->figures,
						    .loss = sum->loss,
						    .delays = sum->delays,
						    .clock = r->clock,
						    .raw = sum->raw,
						    .grace = sum->grace,
						    .path = sum->path,
					    });
	record_ending(summary, &usage, r->session->interrupts);
	session_write(r->session, summary);
}
