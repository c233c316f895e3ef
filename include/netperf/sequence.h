/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sequence: what became of a flow of numbered packets, right to the packet: a bitmap over the
 * last numbers tells a duplicate from a first arrival, so that neither duplicates nor reordering
 * are ever taken for loss or hide it.
 *
 * Sources: RFC 4737 (reordered: numbered below the next expected one; extent), RFC 5560
 * (duplication), RFC 3357 (loss periods). Pure; one thread at a time for each sequence. Numbers
 * are 0..2^63 - 1; np_sequence_unwrap makes them of a 32-bit field.
 *
 * At all times, in both life and now: spanned = received + missing + old.
 */
#ifndef NETPERF_SEQUENCE_H
#define NETPERF_SEQUENCE_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_sequence;

/* What one arrival is. */
enum np_sequence_class {
	NP_SEQUENCE_NEXT,      /* the one expected, or the first of all */
	NP_SEQUENCE_GAP,       /* beyond the one expected: those between are missing so far */
	NP_SEQUENCE_REORDERED, /* first arrival of one below the next expected */
	NP_SEQUENCE_DUPLICATE, /* arrived before */
	NP_SEQUENCE_OLD,       /* below the window, of which some are missing: first or again
				  cannot be told */
	NP_SEQUENCE_OUTSIDE,   /* no number of this flow: below np_sequence_expect's, or 2^63 and up
				*/
};

struct np_sequence_counts {
	uint64_t spanned;  /* numbers from the lowest to the highest (or the end) */
	uint64_t received; /* distinct packets */
	/*
	 * Never negative. Each old packet is taken for one that was missing, hence this is exact
	 * when old is 0, else between missing and missing + old packets never came.
	 */
	uint64_t missing;
	uint64_t missing_head; /* of missing: below the lowest that arrived */
	uint64_t missing_tail; /* of missing: above the highest that arrived */
	uint64_t duplicates;
	uint64_t reordered;
	uint64_t old;
	uint64_t outside;
	/*
	 * Over reordered: |received - (number - lowest that arrived + 1)| at arrival, both of the
	 * period that is counted.
	 */
	uint64_t offset_sum;
	uint64_t gaps;	      /* jumps beyond the next expected; the first arrival makes none */
	uint64_t gap_packets; /* passed over by them, whether they came later or not */
	np_time gap_time;     /* between the arrivals around each gap, summed */
	uint64_t extent_sum;  /* RFC 4737 4.2.2, over reordered: distinct arrivals since the first
				 higher one */
	uint64_t extent_max;
	/*
	 * False: the extents are at least so, since a packet was old or was passed over before the
	 * last 4095 gaps.
	 */
	bool extent_exact;
};

/* Numbers kept in the bitmap. */
#define NP_SEQUENCE_WINDOW (1u << 20)

/*
 * @window, the numbers that are told apart, is rounded up to a power of two, at least 64; it takes
 * window / 8 bytes and 16 for each of up to 4096 gaps (192 KiB for NP_SEQUENCE_WINDOW), not
 * resident before they are used. Returns 0, -ENOMEM, or -EINVAL for more than 2^32. Flows whose
 * first number is known begin with np_sequence_expect.
 */
int np_sequence_create(struct np_sequence **sequence, uint64_t window);

/* NULL is allowed. */
void np_sequence_free(struct np_sequence *sequence);

/* Forgets all. */
void np_sequence_clear(struct np_sequence *sequence);

/*
 * The flow begins with @first even if it is not the first to arrive; a lower one is outside.
 * Without it the lowest number seen is the begin. After the first arrival it changes nothing, nor
 * does a @first that is no number.
 */
void np_sequence_expect(struct np_sequence *sequence, uint64_t first);

/*
 * The flow ended with @last: what of it never came is missing, though nothing behind it came
 * either. A lower @last than the highest seen, or than the one told before, changes nothing, nor
 * does one that is no number.
 */
void np_sequence_end(struct np_sequence *sequence, uint64_t last);

/* Counts the arrival of @number at @now. A jump of any size costs at most one clearing. */
enum np_sequence_class np_sequence_add(struct np_sequence *sequence, uint64_t number, np_time now);

/*
 * Counts the arrivals of @first..@first+@count-1, one behind the other at @now, if each is the one
 * expected and they fit in the window; false: they are not, and nothing was counted. Of many in
 * order it costs what one does.
 */
bool np_sequence_add_next(struct np_sequence *sequence, uint64_t first, uint64_t count,
			  np_time now);

/*
 * The 64-bit number nearest to the highest that arrived which ends in @number32 (serial number
 * arithmetic, RFC 1982); one below 0 is outside. Before the first arrival the lowest from
 * np_sequence_expect's on, and without that 2^32 + @number32: room for the lower ones to come.
 */
uint64_t np_sequence_unwrap(const struct np_sequence *sequence, uint32_t number32);

/* The counts of the whole flow. */
void np_sequence_life(const struct np_sequence *sequence, struct np_sequence_counts *counts);

/*
 * The counts since the last np_sequence_mark (or the begin): only of numbers above the highest
 * one then; arrivals below it correct the life alone.
 */
void np_sequence_now(const struct np_sequence *sequence, struct np_sequence_counts *counts);
void np_sequence_mark(struct np_sequence *sequence);

/*
 * The lowest number, or np_sequence_expect's first; the highest one, or np_sequence_end's last
 * when that is higher. 0 and 0 before there are any.
 */
uint64_t np_sequence_lowest(const struct np_sequence *sequence);
uint64_t np_sequence_highest(const struct np_sequence *sequence);

/* The highest number at the last mark, or 0: now spans the numbers above it. */
uint64_t np_sequence_marked(const struct np_sequence *sequence);

/* How many numbers the bitmap holds. */
uint64_t np_sequence_window(const struct np_sequence *sequence);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
