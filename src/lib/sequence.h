/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sequence: what sequence.c counts and sequence_counts.c reads. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <netperf/sequence.h>

/* What adds up over arrivals, so that now is life less what belongs below the mark. */
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

/* What does not. */
struct period {
	uint64_t lowest; /* that arrived; before it does, where the next in order will be */
	uint64_t offset_sum;
	uint64_t extent_max;
	bool extent_inexact;
};

/* The arrival that passed over missing numbers. */
struct gap {
	uint64_t number;
	uint64_t index; /* among the distinct arrivals, from 1 */
};

struct np_sequence {
	/* What an arrival in order touches. */
	uint64_t next;	    /* highest that arrived + 1; before that the expected one, or 0 */
	uint64_t mark_next; /* the lowest number of now */
	uint64_t mask;
	uint64_t in_window; /* bits set */
	np_time last;	    /* the latest arrival */
	uint64_t *bits;
	struct tally life;

	struct tally below_mark; /* the part of life with numbers below mark_next */
	struct period all;
	struct period now;
	bool expected;
	uint64_t first;	  /* expected, or the lowest that arrived */
	uint64_t arrived; /* the number that arrived first; 0 when it was the expected one */
	uint64_t end;	  /* behind the last of np_sequence_end; 0: not ended */
	uint64_t gap_count;
	uint64_t gap_mask;
	struct gap *gaps;
};

static inline bool sequence_begun(const struct np_sequence *s)
{
	return s->expected || s->life.received;
}

/* Behind the highest number of the span; only when begun. */
static inline uint64_t sequence_span_end(const struct np_sequence *s)
{
	return s->end > s->next ? s->end : s->next;
}

#endif
