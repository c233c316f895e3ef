/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sequence: the state that sequence.c updates and sequence_counts.c reads. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <netperf/sequence.h>

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

struct np_sequence {
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
	uint64_t end;	  /* np_sequence_end's last + 1; 0: not ended */
	uint64_t gap_count;
	uint64_t gap_mask;
	struct gap *gaps;
};

static inline bool sequence_begun(const struct np_sequence *s)
{
	return s->expected || s->life.received;
}

/* The number after the highest of the span; requires at least one arrival. */
static inline uint64_t sequence_span_end(const struct np_sequence *s)
{
	return s->end > s->next ? s->end : s->next;
}

#endif
