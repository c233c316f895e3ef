// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sequence_counts: computes the figures of the whole flow and of the numbers since the mark. */
#include "sequence.h"

uint64_t np_sequence_unwrap(const struct np_sequence *sequence, uint32_t number32)
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
static void fill(const struct np_sequence *s, uint64_t from, const struct tally *without,
		 const struct period *period, struct np_sequence_counts *counts)
{
	const struct tally *life = &s->life;
	const uint64_t begin = from > s->first ? from : s->first;
	const uint64_t end = sequence_begun(s) ? sequence_span_end(s) : 0;
	const uint64_t spanned = above(end, begin);
	const uint64_t received = life->received - without->received;
	const uint64_t old = life->old - without->old;

	*counts = (struct np_sequence_counts){
		.spanned = spanned,
		.received = received,
		.missing = spanned - received - old,
		.duplicates = life->duplicates - without->duplicates,
		.reordered = life->reordered - without->reordered,
		.old = old,
		.outside = life->outside - without->outside,
		.offset_sum = period->offset_sum,
		.gaps = life->gaps - without->gaps,
		.gap_packets = life->gap_packets - without->gap_packets,
		.gap_time = life->gap_time - without->gap_time,
		.extent_sum = life->extent_sum - without->extent_sum,
		.extent_max = period->extent_max,
		.extent_exact = !period->extent_inexact && !life->old,
	};
}

void np_sequence_life(const struct np_sequence *sequence, struct np_sequence_counts *counts)
{
	const struct tally nothing = {0};

	fill(sequence, 0, &nothing, &sequence->all, counts);
}

void np_sequence_now(const struct np_sequence *sequence, struct np_sequence_counts *counts)
{
	fill(sequence, sequence->mark_next, &sequence->below_mark, &sequence->now, counts);
}

void np_sequence_mark(struct np_sequence *sequence)
{
	if (sequence_begun(sequence))
		sequence->mark_next = sequence_span_end(sequence);
	sequence->below_mark = sequence->life;
	sequence->now = (struct period){.lowest = sequence->mark_next};
}

uint64_t np_sequence_lowest(const struct np_sequence *sequence)
{
	return sequence->first;
}

uint64_t np_sequence_highest(const struct np_sequence *sequence)
{
	const uint64_t end = sequence_begun(sequence) ? sequence_span_end(sequence) : 0;

	return end ? end - 1 : 0;
}

uint64_t np_sequence_now_begin(const struct np_sequence *sequence)
{
	return sequence->mark_next;
}
