/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sequence: what became of a flow of numbered packets, exact to the packet: a bitmap over the
 * latest numbers distinguishes a duplicate from a first arrival, so that neither duplicates nor
 * reordering are ever counted as loss or hide it.
 *
 * Sources: RFC 4737 (reordered: numbered below the next expected one; extent), RFC 5560
 * (duplication), RFC 3357 (loss periods). Pure; one thread at a time for each sequence. Numbers are
 * 0..2^63 - 1; np_sequence_unwrap extends a 32-bit number to them.
 *
 * At all times, in both life and now: spanned = received + missing + old.
 */
#ifndef NETPERF_SEQUENCE_H
#define NETPERF_SEQUENCE_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

struct np_sequence;

/* The class of an arrival. */
enum np_sequence_class {
	NP_SEQUENCE_NEXT,      /* the one expected, or the first of all */
	NP_SEQUENCE_GAP,       /* beyond the one expected: those between are missing so far */
	NP_SEQUENCE_REORDERED, /* first arrival of one below the next expected */
	NP_SEQUENCE_DUPLICATE, /* arrived before */
	NP_SEQUENCE_OLD,     /* below the window, with some missing there: unknown whether it is the
				first or another arrival */
	NP_SEQUENCE_OUTSIDE, /* not a number of this flow: below np_sequence_expect's first, or 2^63
				and above */
};

/* In what order the packets of a flow came. */
struct np_sequence_order {
	/*
	 * Over reordered packets:
	 * received - (number - lowest that arrived + 1)
	 *  at arrival, both of the period that is counted.
	 */
	uint64_t offset_sum;
	uint64_t gaps;	      /* jumps beyond the next expected; the first arrival makes none */
	uint64_t gap_packets; /* passed over by them, whether or not they arrived later */
	np_time gap_time;     /* between the arrivals around each gap, summed */
	uint64_t extent_sum;  /* RFC 4737 4.2.2, over reordered: distinct arrivals since the first
				 higher one */
	uint64_t extent_max;
	/*
	 * False: the extents are lower bounds, since a packet was old, or was passed over before
	 * the last 4095 gaps.
	 */
	bool extent_exact;
};

struct np_sequence_counts {
	uint64_t spanned;  /* numbers from the lowest to the highest (or the end) */
	uint64_t received; /* distinct packets */
	/*
	 * Never negative. Each old packet is assumed to be one that was missing, so this is exact
	 * when old is 0; otherwise between missing and missing + old packets never arrived.
	 */
	uint64_t missing;
	uint64_t duplicates;
	uint64_t reordered;
	uint64_t old;
	uint64_t outside;
	struct np_sequence_order order;
};

/* Default size of the bitmap, in numbers. */
#define NP_SEQUENCE_WINDOW (1u << 20)

/*
 * @window, the size of the bitmap in numbers, is rounded up to a power of two, at least 64. It
 * takes window / 8 bytes, and 16 for each of up to 4096 gaps (192 KiB for NP_SEQUENCE_WINDOW), none
 * resident before use. Returns 0, -ENOMEM, or -EINVAL for more than 2^32. For flows whose first
 * number is known call np_sequence_expect next.
 */
int np_sequence_create(struct np_sequence **sequence, uint64_t window);

/* NULL is allowed. */
void np_sequence_free(struct np_sequence *sequence);

/* Resets the sequence. */
void np_sequence_clear(struct np_sequence *sequence);

/*
 * The flow starts with @first even if it is not the first to arrive; a lower number is outside.
 * Without this call the flow starts with the lowest number seen. Has no effect after the first
 * arrival, or if @first is out of range.
 */
void np_sequence_expect(struct np_sequence *sequence, uint64_t first);

/*
 * The flow ended with @last: numbers up to it that never arrived are missing, even if nothing after
 * them arrived either. Has no effect if @last is below the highest number seen or an earlier end,
 * or out of range.
 */
void np_sequence_end(struct np_sequence *sequence, uint64_t last);

/* Counts the arrival of @number at @now. A jump of any size costs at most one clearing. */
enum np_sequence_class np_sequence_add(struct np_sequence *sequence, uint64_t number, np_time now);

/*
 * Counts the arrivals of @first..@first+@count-1 in order at @now, if the first is the one expected
 * and they fit in the window. False: they do not, and nothing was counted. Costs as much for many
 * as for one.
 */
bool np_sequence_add_next(struct np_sequence *sequence, uint64_t first, uint64_t count,
			  np_time now);

/*
 * The 64-bit number that ends in @number32 and is nearest to the highest that arrived (serial
 * number arithmetic, RFC 1982); one below 0 is outside. Before the first arrival, the lowest such
 * number from np_sequence_expect's on; without that 2^32 + @number32, which leaves room for lower
 * ones.
 */
uint64_t np_sequence_unwrap(const struct np_sequence *sequence, uint32_t number32);

/* The counts of the whole flow. */
void np_sequence_life(const struct np_sequence *sequence, struct np_sequence_counts *counts);

/*
 * The counts since the last np_sequence_mark (or the start): only of numbers above the highest one
 * at that time; arrivals below it correct the life alone.
 */
void np_sequence_now(const struct np_sequence *sequence, struct np_sequence_counts *counts);
void np_sequence_mark(struct np_sequence *sequence);

/*
 * The lowest number, or np_sequence_expect's first; the highest number, or np_sequence_end's last
 * if that is higher. Both 0 before the first.
 */
uint64_t np_sequence_lowest(const struct np_sequence *sequence);
uint64_t np_sequence_highest(const struct np_sequence *sequence);

/* The lowest number that now spans: the one above the highest at the last mark. 0: all numbers. */
uint64_t np_sequence_now_begin(const struct np_sequence *sequence);

#include <netperf/bits/end.h>
#endif
