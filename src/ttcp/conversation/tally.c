// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tally: counts what arrives of one stream. */
#include "tally.h"

#include <errno.h>
#include <stdlib.h>

#define BEYOND (UINT64_C(1) << 63) /* no number is so high */

/* Sums since the begin. */
struct sums {
	uint64_t bytes;
	uint64_t damaged;
	uint64_t raw; /* messages without numbers */
};

struct tally {
	struct np_sequence *sequence;
	struct delay delay;
	uint64_t announced; /* by START; 0: not known */
	uint64_t messages;  /* by END */
	uint64_t unsent;    /* of them, by END */
	bool ended;
	bool late; /* what is missing before the first arrival may not have been ours to see */
	np_time first, last;
	uint64_t head_bytes; /* at @first */
	struct sums life;
};

int tally_create(struct tally **tally)
{
	struct tally *t = calloc(1, sizeof(*t));

	*tally = NULL;
	if (!t)
		return -ENOMEM;
	if (np_sequence_create(&t->sequence, NP_SEQUENCE_WINDOW) || delay_create(&t->delay)) {
		tally_free(t);
		return -ENOMEM;
	}
	tally_begin(t, 0, NULL);
	*tally = t;
	return 0;
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	np_sequence_free(tally->sequence);
	delay_free(&tally->delay);
	free(tally);
}

void tally_begin(struct tally *tally, uint64_t messages, const struct message_clock *clock)
{
	struct np_sequence *sequence = tally->sequence;
	struct delay delay = tally->delay;

	np_sequence_clear(sequence);
	np_sequence_expect(sequence, 0);
	delay_clear(&delay);
	delay_expect(&delay, clock);
	*tally = (struct tally){.sequence = sequence, .delay = delay, .announced = messages};
}

void tally_begin_late(struct tally *tally)
{
	tally_begin(tally, 0, NULL);
	tally->late = true;
}

static void came(struct tally *t, np_time at)
{
	if (!t->first)
		t->first = at;
	if (at > t->last)
		t->last = at;
}

static void count_bytes(struct tally *t, uint64_t bytes, np_time at)
{
	t->life.bytes += bytes;
	if (at == t->first)
		t->head_bytes += bytes;
}

void tally_opens(struct tally *t, uint64_t bytes, np_time at)
{
	if (!t->first)
		t->first = at;
	if (at == t->first)
		t->head_bytes += bytes;
}

/* One such number, believed, would be a loss of all those before it. */
static bool possible(const struct tally *t, uint64_t number)
{
	return (!t->announced || number < t->announced) && (!t->ended || number < t->messages);
}

static int64_t raw_delay(np_time sent, np_time at)
{
	int64_t raw;

	if (__builtin_sub_overflow(at, sent, &raw))
		raw = at < sent ? INT64_MIN : INT64_MAX;
	return raw;
}

enum np_sequence_class tally_data(struct tally *t, uint64_t number, uint32_t bytes, np_time sent,
				  np_time at)
{
	enum np_sequence_class class;

	if (!possible(t, number)) {
		t->life.damaged++;
		return NP_SEQUENCE_OUTSIDE;
	}
	class = np_sequence_add(t->sequence, number, at);
	if (class == NP_SEQUENCE_OUTSIDE)
		return class;
	came(t, at);
	if (class == NP_SEQUENCE_DUPLICATE || class == NP_SEQUENCE_OLD)
		return class;
	count_bytes(t, bytes, at);
	delay_add(&t->delay, raw_delay(sent, at), 1);
	return class;
}

void tally_run(struct tally *t, uint64_t number, uint64_t count, uint32_t bytes, np_time sent,
	       np_time at)
{
	if (count > 1 && possible(t, number + count - 1) &&
	    np_sequence_add_next(t->sequence, number, count, at)) {
		came(t, at);
		count_bytes(t, count * bytes, at);
		delay_add(&t->delay, raw_delay(sent, at), count);
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		(void)tally_data(t, number + i, bytes, sent, at);
}

void tally_raw(struct tally *t, uint64_t messages, uint64_t bytes, np_time at)
{
	came(t, at);
	t->life.raw += messages;
	count_bytes(t, bytes, at);
}

void tally_damaged(struct tally *t)
{
	t->life.damaged++;
}

void tally_end(struct tally *t, uint64_t messages, uint64_t unsent)
{
	if (messages >= BEYOND)
		return;
	t->ended = true;
	t->messages = messages;
	t->unsent = unsent;
	if (messages)
		np_sequence_end(t->sequence, messages - 1);
}

static uint64_t received(const struct tally *t)
{
	struct np_sequence_counts counts;

	np_sequence_life(t->sequence, &counts);
	return counts.received;
}

bool tally_complete(const struct tally *t)
{
	const uint64_t all = t->ended ? t->messages : t->announced;

	return (t->ended || all) && received(t) + t->unsent >= all;
}

bool tally_ended(const struct tally *t)
{
	return t->ended || tally_complete(t);
}

/* Of what is missing: that before the first arrival of one who came late. */
static uint64_t missed_before(const struct tally *t, const struct np_sequence_counts *counts)
{
	if (!t->late)
		return 0;
	return received(t) ? counts->missing_head : counts->missing;
}

static void set_counts(const struct tally *t, const struct np_sequence_counts *counts,
		       struct tally_figures *figures)
{
	const uint64_t before = missed_before(t, counts);

	*figures = (struct tally_figures){
		.sent = counts->spanned - before,
		.received = counts->received,
		.lost = counts->missing - before,
		.missed_before = before,
		.duplicates = counts->duplicates,
		.reordered = counts->reordered,
		.late = counts->old,
	};
}

void tally_so_far(const struct tally *t, struct tally_figures *figures)
{
	struct np_sequence_counts counts;
	uint64_t unsent;

	np_sequence_life(t->sequence, &counts);
	set_counts(t, &counts, figures);
	/* What says to be unsent and came has not been lost either. */
	if (t->unsent < figures->lost)
		unsent = t->unsent;
	else
		unsent = figures->lost;
	figures->lost -= unsent;
	figures->sent -= unsent;
	figures->sent_known = tally_ended(t);
	figures->sent += t->life.raw;
	figures->received += t->life.raw;
	figures->damaged = t->life.damaged;
	figures->bytes = t->life.bytes;
	figures->first = t->first;
	figures->last = t->last;
	figures->elapsed = t->last > t->first ? t->last - t->first : 0;
	figures->head_bytes = t->head_bytes < t->life.bytes ? t->head_bytes : t->life.bytes;
}

void tally_life(const struct tally *t, struct tally_figures *figures)
{
	uint64_t to_come;

	tally_so_far(t, figures);
	/* Without END what START announced was to come. */
	if (t->ended || t->announced <= figures->sent - t->life.raw)
		return;
	to_come = t->announced - (figures->sent - t->life.raw);
	figures->lost += to_come;
	figures->sent += to_come;
}

void tally_figures_since(struct tally_figures *now, const struct tally_figures *before)
{
	now->sent -= before->sent;
	now->received -= before->received;
	now->lost -= before->lost;
	now->duplicates -= before->duplicates;
	now->reordered -= before->reordered;
	now->late -= before->late;
	now->damaged -= before->damaged;
	now->bytes -= before->bytes;
	now->head_bytes -= before->head_bytes;
}

bool tally_figures_empty(const struct tally_figures *f)
{
	return !(f->sent | f->received | f->lost | f->duplicates | f->reordered | f->late |
		 f->damaged | f->bytes);
}

const struct delay *tally_delay(const struct tally *tally)
{
	return &tally->delay;
}

static void add_counts(struct tally_figures *sum, const struct tally_figures *more)
{
	sum->sent_known = sum->sent_known && more->sent_known;
	sum->sent += more->sent;
	sum->received += more->received;
	sum->lost += more->lost;
	sum->missed_before += more->missed_before;
	sum->duplicates += more->duplicates;
	sum->reordered += more->reordered;
	sum->late += more->late;
	sum->damaged += more->damaged;
	sum->bytes += more->bytes;
	if (more->first && (!sum->first || more->first < sum->first))
		sum->first = more->first;
	if (more->last > sum->last)
		sum->last = more->last;
}

void tally_figures_add(struct tally_figures *sum, const struct tally_figures *more)
{
	if (more->first && (!sum->first || more->first < sum->first))
		sum->head_bytes = more->head_bytes;
	else if (more->first == sum->first)
		sum->head_bytes += more->head_bytes;
	add_counts(sum, more);
	sum->elapsed = sum->last - sum->first;
}

void tally_figures_append(struct tally_figures *sum, const struct tally_figures *more)
{
	add_counts(sum, more);
	sum->elapsed += more->elapsed;
	sum->head_bytes += more->head_bytes;
}

void tally_report(const struct tally_figures *figures, const struct delay *delay,
		  struct message_report *report)
{
	*report = (struct message_report){
		.exact = figures->sent_known && !figures->missed_before,
		.received = figures->received,
		.lost = figures->lost,
		.duplicates = figures->duplicates,
		.reordered = figures->reordered,
		.late = figures->late,
		.missed_before = figures->missed_before,
		.damaged = figures->damaged,
		.bytes = figures->bytes,
		.head_bytes = figures->head_bytes,
		.first = figures->first,
		.last = figures->last,
	};
	delay_figures(delay, &report->delays);
}
