// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sequence: a ring of bits over the latest numbers, and counts of the whole flow. */
#include "sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Counts that add up over arrivals: those of "now" are life's less those below the mark. */
struct tally {
	uint64_t received;
	uint64_t duplicates;
	uint64_t reordered;
	uint64_t old;
	uint64_t outside;
	uint64_t gaps;
	uint64_t gap_packets;
	uint64_t extent_sum;
	np_time gap_time;
};

/* Values that do not add up. */
struct period {
	uint64_t lowest; /* lowest number that arrived; before any did, the number expected next */
	uint64_t offset_sum;
	uint64_t extent_max;
	bool extent_inexact;
};

/* The arrival that passed over missing numbers. */
struct gap {
	uint64_t number;
	uint64_t index; /* among the distinct arrivals, from 1 */
};

struct sequence {
	/* The fields that an arrival in order touches. */
	uint64_t next; /* highest number that arrived + 1; before that the expected one, or 0 */
	uint64_t mark_next; /* lowest number of "now" */
	uint64_t mask;
	uint64_t in_window; /* bits set in the bitmap */
	np_time last;	    /* time of the latest arrival */
	uint64_t *bits;
	struct tally life;

	struct tally below_mark; /* the part of life below mark_next */
	struct period all;
	struct period now;
	bool expected;
	uint64_t first;	  /* expected, or the lowest that arrived */
	uint64_t arrived; /* the first number to arrive; 0 if it was the expected one */
	uint64_t end;	  /* sequence_end's last + 1; 0: not ended */
	uint64_t gap_count;
	uint64_t gap_mask;
	struct gap *gaps;
};

static inline bool sequence_begun(const struct sequence *s)
{
	return s->expected || s->life.received;
}

/* The number after the highest of the span; requires at least one arrival. */
static inline uint64_t sequence_span_end(const struct sequence *s)
{
	return s->end > s->next ? s->end : s->next;
}

#define WINDOW_MIN  UINT64_C(64)
#define WINDOW_MAX  (UINT64_C(1) << 32)
#define GAPS_MAX    UINT64_C(4096)
#define NUMBERS_END (UINT64_C(1) << 63)

/* @value is 2 or more. */
static uint64_t round_up_to_power(uint64_t value)
{
	return UINT64_C(1) << (64 - __builtin_clzll(value - 1));
}

/*
 * Writes only to words that are not zero: unused pages stay unallocated, so that many flows take
 * little memory.
 */
static void clear_bits(struct sequence *s)
{
	for (uint64_t i = 0; i <= s->mask / 64; i++) {
		if (s->bits[i])
			s->bits[i] = 0;
	}
	s->in_window = 0;
}

/* Resets everything but the bits. */
static void reset(struct sequence *s)
{
	const struct sequence kept = *s;

	memset(s, 0, sizeof(*s));
	s->mask = kept.mask;
	s->bits = kept.bits;
	s->gap_mask = kept.gap_mask;
	s->gaps = kept.gaps;
}

int sequence_create(struct sequence **sequence, uint64_t window)
{
	*sequence = NULL;
	if (window > WINDOW_MAX)
		return -EINVAL;

	const uint64_t numbers = window < WINDOW_MIN ? WINDOW_MIN : round_up_to_power(window);
	const uint64_t gaps = numbers < GAPS_MAX ? numbers : GAPS_MAX;
	struct sequence *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->mask = numbers - 1;
	s->gap_mask = gaps - 1;
	s->bits = calloc(numbers / 64, sizeof(*s->bits));
	s->gaps = calloc(gaps, sizeof(*s->gaps));
	reset(s);
	if (!s->bits || !s->gaps) {
		sequence_free(s);
		return -ENOMEM;
	}
	*sequence = s;
	return 0;
}

void sequence_free(struct sequence *sequence)
{
	if (!sequence)
		return;
	free(sequence->bits);
	free(sequence->gaps);
	free(sequence);
}

void sequence_clear(struct sequence *sequence)
{
	if (sequence->in_window)
		clear_bits(sequence);
	reset(sequence);
}

void sequence_expect(struct sequence *sequence, uint64_t first)
{
	if (sequence->life.received || first >= NUMBERS_END)
		return;
	sequence->expected = true;
	sequence->first = first;
	sequence->next = first;
	sequence->all.lowest = first;
	sequence->now.lowest = first;
}

void sequence_end(struct sequence *sequence, uint64_t last)
{
	if (last < NUMBERS_END && last >= sequence->end)
		sequence->end = last + 1;
}

static uint64_t window_begin(const struct sequence *s)
{
	return s->next > s->mask ? s->next - s->mask - 1 : 0;
}

static uint64_t *word_of(const struct sequence *s, uint64_t number)
{
	return &s->bits[(number & s->mask) / 64];
}

static uint64_t bit_of(uint64_t number)
{
	return UINT64_C(1) << (number % 64);
}

static void set_bit(struct sequence *s, uint64_t number)
{
	*word_of(s, number) |= bit_of(number);
	s->in_window++;
}

/* Moves the window up to @number; the numbers it gains are missing. */
static void slide(struct sequence *s, uint64_t number)
{
	uint64_t at = s->next;

	s->next = number + 1;
	if (number - at > s->mask) {
		clear_bits(s);
		return;
	}
	while (at <= number) {
		const uint64_t left = number - at + 1, in_word = 64 - at % 64;
		const uint64_t width = left < in_word ? left : in_word;
		const uint64_t clear = (UINT64_MAX >> (64 - width)) << (at % 64);
		uint64_t *word = word_of(s, at);
		const uint64_t leaving = *word & clear;

		/* Counting bits is the most expensive part, and wide jumps meet few set bits. */
		if (leaving) {
			s->in_window -= (uint64_t)__builtin_popcountll(leaving);
			*word &= ~clear;
		}
		at += width;
	}
}

static void tally_add(struct tally *to, const struct tally *arrival)
{
	to->received += arrival->received;
	to->duplicates += arrival->duplicates;
	to->reordered += arrival->reordered;
	to->old += arrival->old;
	to->outside += arrival->outside;
	to->gaps += arrival->gaps;
	to->gap_packets += arrival->gap_packets;
	to->extent_sum += arrival->extent_sum;
	to->gap_time += arrival->gap_time;
}

static void count(struct sequence *s, uint64_t number, const struct tally *arrival)
{
	tally_add(&s->life, arrival);
	if (number < s->mark_next)
		tally_add(&s->below_mark, arrival);
}

static enum sequence_class add_first(struct sequence *s, uint64_t number)
{
	const struct tally arrival = {.received = 1};

	if (!s->expected)
		s->first = number;
	s->arrived = number;
	s->all.lowest = number;
	if (number >= s->mark_next)
		s->now.lowest = number;
	s->next = number + 1;
	set_bit(s, number);
	count(s, number, &arrival);
	return SEQUENCE_NEXT;
}

static enum sequence_class add_ahead(struct sequence *s, uint64_t number, np_time elapsed)
{
	const uint64_t passed = number - s->next;
	struct tally arrival = {.received = 1};

	if (passed) {
		arrival.gaps = 1;
		arrival.gap_packets = passed;
		arrival.gap_time = elapsed;
		s->gaps[s->gap_count++ & s->gap_mask] =
			(struct gap){.number = number, .index = s->life.received + 1};
	}
	if (number >= s->mark_next && s->life.received == s->below_mark.received)
		s->now.lowest = number;
	slide(s, number);
	set_bit(s, number);
	count(s, number, &arrival);
	return passed ? SEQUENCE_GAP : SEQUENCE_NEXT;
}

/*
 * The index of the first arrival above the missing @number: always one that passed over some. If
 * old gaps were forgotten it is the oldest known, and *@inexact is set.
 */
static uint64_t first_above(const struct sequence *s, uint64_t number, bool *inexact)
{
	if (number < s->arrived)
		return 1;

	const uint64_t kept = s->gap_mask + 1;
	uint64_t above = s->gap_count - 1; /* known to be above */
	uint64_t from = s->gap_count > kept ? s->gap_count - kept : 0;

	if (from && s->gaps[from & s->gap_mask].number > number) {
		*inexact = true;
		return s->gaps[from & s->gap_mask].index;
	}
	/* Mostly it is the latest gap. */
	if (above > from && s->gaps[(above - 1) & s->gap_mask].number < number)
		from = above;
	while (from < above) {
		const uint64_t middle = from + (above - from) / 2;

		if (s->gaps[middle & s->gap_mask].number > number)
			above = middle;
		else
			from = middle + 1;
	}
	return s->gaps[above & s->gap_mask].index;
}

/* Adds one reordered packet to @period, in which it is the @received'th. */
static void add_to_period(struct period *period, uint64_t number, uint64_t received,
			  uint64_t extent, bool inexact)
{
	if (number < period->lowest)
		period->lowest = number;

	const uint64_t place = number - period->lowest + 1;

	period->offset_sum += received > place ? received - place : place - received;
	if (extent > period->extent_max)
		period->extent_max = extent;
	period->extent_inexact |= inexact;
}

static enum sequence_class add_reordered(struct sequence *s, uint64_t number)
{
	bool inexact = false;
	const uint64_t extent = s->life.received + 1 - first_above(s, number, &inexact);
	const struct tally arrival = {.received = 1, .reordered = 1, .extent_sum = extent};

	if (number >= window_begin(s))
		set_bit(s, number);
	if (number < s->first)
		s->first = number;
	count(s, number, &arrival);
	add_to_period(&s->all, number, s->life.received, extent, inexact);
	if (number >= s->mark_next)
		add_to_period(&s->now, number, s->life.received - s->below_mark.received, extent,
			      inexact);
	return SEQUENCE_REORDERED;
}

/*
 * How many numbers are missing below the window, on the same side of the mark as @number and above
 * the lowest that arrived there: which ones they are is no longer known.
 */
static uint64_t missing_below_window(const struct sequence *s, uint64_t number)
{
	const uint64_t begin = window_begin(s);
	const uint64_t received = s->life.received - s->in_window;
	const struct tally *below = &s->below_mark;

	if (number >= s->mark_next)
		return begin - s->now.lowest - (received - below->received) -
		       (s->life.old - below->old);
	if (begin >= s->mark_next)
		return s->mark_next - s->all.lowest - below->received - below->old;
	return begin - s->all.lowest - received - s->life.old;
}

static enum sequence_class add_behind(struct sequence *s, uint64_t number)
{
	const uint64_t lowest = number >= s->mark_next ? s->now.lowest : s->all.lowest;
	const struct tally duplicate = {.duplicates = 1};
	const struct tally old = {.old = 1};
	bool again;

	/* A number lower than all that arrived is new, however far below the window. */
	if (number < lowest)
		return add_reordered(s, number);
	if (number >= window_begin(s)) {
		again = *word_of(s, number) & bit_of(number);
		if (!again)
			return add_reordered(s, number);
	} else {
		again = number == lowest || !missing_below_window(s, number);
	}
	count(s, number, again ? &duplicate : &old);
	return again ? SEQUENCE_DUPLICATE : SEQUENCE_OLD;
}

static enum sequence_class add_any(struct sequence *s, uint64_t number, np_time now)
{
	const struct tally outside = {.outside = 1};

	if (number >= NUMBERS_END || (s->expected && number < s->first)) {
		count(s, number, &outside);
		return SEQUENCE_OUTSIDE;
	}

	const np_time elapsed = now - s->last;

	s->last = now;
	if (!s->life.received)
		return add_first(s, number);
	if (number >= s->next)
		return add_ahead(s, number, elapsed);
	return add_behind(s, number);
}

enum sequence_class sequence_add(struct sequence *sequence, uint64_t number, np_time now)
{
	if (number != sequence->next || number < sequence->mark_next || number >= NUMBERS_END)
		return add_any(sequence, number, now);

	/* In order: this bit was last used for the number that leaves the window. */
	uint64_t *word = word_of(sequence, number);
	const uint64_t bit = bit_of(number);

	sequence->in_window += !(*word & bit);
	*word |= bit;
	sequence->next++;
	sequence->life.received++;
	sequence->last = now;
	return SEQUENCE_NEXT;
}

/*
 * Sets the bits of @count numbers from @first on, the next ones of the window; they were those of
 * the numbers that leave it.
 */
static void set_bits(struct sequence *s, uint64_t first, uint64_t count)
{
	while (count) {
		const uint64_t in_word = 64 - first % 64;
		const uint64_t width = count < in_word ? count : in_word;
		const uint64_t bits = (UINT64_MAX >> (64 - width)) << (first % 64);
		uint64_t *word = word_of(s, first);
		const uint64_t coming = bits & ~*word;

		if (coming) {
			s->in_window += (uint64_t)__builtin_popcountll(coming);
			*word |= coming;
		}
		first += width;
		count -= width;
	}
}

bool sequence_add_next(struct sequence *sequence, uint64_t first, uint64_t count, np_time now)
{
	if (first != sequence->next || first < sequence->mark_next || count > NUMBERS_END - first ||
	    count > sequence->mask + 1)
		return false;
	if (!count)
		return true;
	set_bits(sequence, first, count);
	sequence->next += count;
	sequence->life.received += count;
	sequence->last = now;
	return true;
}

uint64_t sequence_unwrap(const struct sequence *sequence, uint32_t number32)
{
	if (sequence->life.received) {
		const uint64_t highest = sequence->next - 1;

		return highest + (uint64_t)(int32_t)(number32 - (uint32_t)highest);
	}
	if (sequence->expected)
		return sequence->first + (number32 - (uint32_t)sequence->first);
	return (UINT64_C(1) << 32) + number32;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Fills in the counts of the numbers from @from on: life less @without. */
static void fill(const struct sequence *s, uint64_t from, const struct tally *without,
		 const struct period *period, struct sequence_counts *counts)
{
	const struct tally *life = &s->life;
	const uint64_t begin = from > s->first ? from : s->first;
	const uint64_t end = sequence_begun(s) ? sequence_span_end(s) : 0;
	const uint64_t spanned = above(end, begin);
	const uint64_t received = life->received - without->received;
	const uint64_t old = life->old - without->old;

	*counts = (struct sequence_counts){
		.spanned = spanned,
		.received = received,
		.missing = spanned - received - old,
		.duplicates = life->duplicates - without->duplicates,
		.reordered = life->reordered - without->reordered,
		.old = old,
		.outside = life->outside - without->outside,
		.order =
			{
				.offset_sum = period->offset_sum,
				.gaps = life->gaps - without->gaps,
				.gap_packets = life->gap_packets - without->gap_packets,
				.gap_time = life->gap_time - without->gap_time,
				.extent_sum = life->extent_sum - without->extent_sum,
				.extent_max = period->extent_max,
				.extent_exact = !period->extent_inexact && !life->old,
			},
	};
}

void sequence_life(const struct sequence *sequence, struct sequence_counts *counts)
{
	const struct tally nothing = {0};

	fill(sequence, 0, &nothing, &sequence->all, counts);
}

void sequence_now(const struct sequence *sequence, struct sequence_counts *counts)
{
	fill(sequence, sequence->mark_next, &sequence->below_mark, &sequence->now, counts);
}

void sequence_mark(struct sequence *sequence)
{
	if (sequence_begun(sequence))
		sequence->mark_next = sequence_span_end(sequence);
	sequence->below_mark = sequence->life;
	sequence->now = (struct period){.lowest = sequence->mark_next};
}

uint64_t sequence_lowest(const struct sequence *sequence)
{
	return sequence->first;
}

uint64_t sequence_highest(const struct sequence *sequence)
{
	const uint64_t end = sequence_begun(sequence) ? sequence_span_end(sequence) : 0;

	return end ? end - 1 : 0;
}

uint64_t sequence_now_begin(const struct sequence *sequence)
{
	return sequence->mark_next;
}
