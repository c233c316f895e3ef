// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tally: one sender's messages, counted; numbered ones by np_sequence, and their delays. */
#include "tally.h"

#include <errno.h>
#include <netperf/histogram.h>
#include <netperf/sequence.h>
#include <stdlib.h>

/* Without a known end a number further ahead than this is none of the flow. */
#define JUMP_MAX (UINT64_C(1) << 28)

struct tally {
	struct tally_plan plan;
	struct np_sequence *sequence; /* NULL: not numbered */
	struct np_histogram *delay;
	struct np_offset clock;
	uint64_t received, bytes, stray;
	uint64_t last_number; /* beyond it is stray */
	np_time first, last;
	uint64_t sent; /* as the sender says */
	bool ended;
	bool contradicted; /* more came than it says */
};

static int create_parts(struct tally *t)
{
	int rc = np_sequence_create(&t->sequence, NP_SEQUENCE_WINDOW);

	return rc ? rc : np_histogram_create(&t->delay);
}

int tally_create(struct tally **tally, const struct tally_plan *plan)
{
	struct tally *t = calloc(1, sizeof(*t));
	int rc;

	*tally = NULL;
	if (!t)
		return -ENOMEM;
	t->plan = *plan;
	rc = plan->numbered ? create_parts(t) : 0;
	if (rc) {
		tally_free(t);
		return rc;
	}
	tally_clear(t);
	*tally = t;
	return 0;
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	np_histogram_free(tally->delay);
	np_sequence_free(tally->sequence);
	free(tally);
}

void tally_clear(struct tally *tally)
{
	const struct tally kept = *tally;

	*tally = (struct tally){
		.plan = kept.plan,
		.sequence = kept.sequence,
		.delay = kept.delay,
		.clock = kept.clock,
		.last_number = kept.plan.expected ? kept.plan.expected : JUMP_MAX,
	};
	if (!tally->plan.numbered)
		return;
	np_sequence_clear(tally->sequence);
	np_sequence_expect(tally->sequence, 1);
	np_histogram_clear(tally->delay);
}

void tally_set_clock(struct tally *tally, const struct np_offset *clock)
{
	tally->clock = *clock;
}

/* False for one that adds nothing but its count. */
static bool count_number(struct tally *t, uint64_t number, np_time sent, np_time at)
{
	if (number - 1 >= t->last_number) {
		t->stray++;
		return false;
	}
	if (np_sequence_add(t->sequence, number, at) > NP_SEQUENCE_REORDERED)
		return false;
	if (!t->plan.expected && !t->ended && number + JUMP_MAX > t->last_number)
		t->last_number = number + JUMP_MAX;
	if (t->clock.known)
		np_histogram_add(t->delay, at - np_offset_correct(&t->clock, sent));
	return true;
}

void tally_count(struct tally *tally, uint64_t number, np_time sent, np_time at, uint64_t payload)
{
	if (tally->plan.numbered && !count_number(tally, number, sent, at))
		return;
	if (!tally->received++)
		tally->first = at;
	tally->last = at;
	tally->bytes += payload;
}

void tally_stray(struct tally *tally)
{
	tally->stray++;
}

void tally_end(struct tally *tally, uint64_t sent)
{
	if (tally->ended || sent > tally->last_number)
		return;
	tally->ended = true;
	tally->sent = sent;
	if (!tally->plan.numbered)
		return;
	tally->contradicted = tally_highest(tally) > sent;
	tally->last_number = sent;
	np_sequence_end(tally->sequence, sent);
}

uint64_t tally_received(const struct tally *tally)
{
	return tally->received;
}

uint64_t tally_highest(const struct tally *tally)
{
	return tally->plan.numbered ? np_sequence_highest(tally->sequence) : tally->received;
}

bool tally_ended(const struct tally *tally)
{
	return tally->ended;
}

bool tally_complete(const struct tally *tally)
{
	if (!tally->plan.numbered)
		return tally->plan.expected && tally->received >= tally->plan.expected;
	return tally->ended && tally->received >= tally->sent;
}

np_time tally_first(const struct tally *tally)
{
	return tally->first;
}

np_time tally_last(const struct tally *tally)
{
	return tally->last;
}

static void fill_delay(const struct tally *t, struct result_row *row)
{
	np_histogram_figures(t->delay, &row->delay);
	row->delay_bound = 0;
	if (row->delay.count && t->clock.bound)
		row->delay_bound = np_offset_bound(&t->clock, t->last);
}

/* Numbers beyond what the sender says it sent were never its own: they, and the gap before them,
 * are no loss. */
static uint64_t lost_at_least(const struct tally *t, uint64_t missing)
{
	if (!t->contradicted)
		return missing;
	return t->sent > t->received ? t->sent - t->received : 0;
}

static void fill_numbered(const struct tally *t, struct result_row *row)
{
	struct np_sequence_counts counts;

	np_sequence_life(t->sequence, &counts);
	row->lost = lost_at_least(t, counts.missing);
	row->duplicates = counts.duplicates;
	row->reordered = counts.reordered;
	row->late = counts.old;
	row->stray += counts.outside;
	row->exact = t->ended && !counts.old && !t->contradicted;
	if (!row->expected)
		row->expected = tally_highest(t);
	fill_delay(t, row);
}

void tally_row(const struct tally *tally, struct result_row *row)
{
	*row = (struct result_row){
		.sender = row->sender,
		.expected = tally->ended ? tally->sent : tally->plan.expected,
		.received = tally->received,
		.stray = tally->stray,
		.bytes = tally->bytes,
		.first = tally->first,
		.last = tally->last,
		.ended = tally->ended,
	};
	if (tally->plan.numbered)
		fill_numbered(tally, row);
	else if (tally->ended && row->expected > row->received)
		row->lost = row->expected - row->received;
}
