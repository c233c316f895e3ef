/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sequence: what became of a flow of numbered packets, exact to the packet: a bitmap over the
 * latest numbers distinguishes a duplicate from a first arrival, so that neither duplicates nor
 * reordering are ever counted as loss or hide it.
 *
 * Sources: RFC 4737 (reordered: numbered below the next expected one; extent), RFC 5560
 * (duplication), RFC 3357 (loss periods). Pure; one thread at a time for each sequence. Numbers are
 * 0..2^63 - 1; sequence_unwrap extends a 32-bit number to them.
 *
 * At all times, in both life and now: spanned = received + missing + old.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <netperf/flow.h>

struct sequence;

/* The class of an arrival. */
enum sequence_class {
	SEQUENCE_NEXT,	    /* the one expected, or the first of all */
	SEQUENCE_GAP,	    /* beyond the one expected: those between are missing so far */
	SEQUENCE_REORDERED, /* first arrival of one below the next expected */
	SEQUENCE_DUPLICATE, /* arrived before */
	SEQUENCE_OLD,	    /* below the window, with some missing there: unknown whether it is the
				  first or another arrival */
	SEQUENCE_OUTSIDE,   /* not a number of this flow: below sequence_expect's first, or 2^63
				  and above */
};

struct sequence_counts {
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
	struct np_flow_order order;
};

/* As np_flow_create. For flows whose first number is known call sequence_expect next. */
int sequence_create(struct sequence **sequence, uint64_t window);

/* NULL is allowed. */
void sequence_free(struct sequence *sequence);

void sequence_clear(struct sequence *sequence);

/*
 * The flow starts with @first even if it is not the first to arrive; a lower number is outside.
 * Without this call the flow starts with the lowest number seen. Has no effect after the first
 * arrival, or if @first is out of range.
 */
void sequence_expect(struct sequence *sequence, uint64_t first);

/*
 * The flow ended with @last: numbers up to it that never arrived are missing, even if nothing after
 * them arrived either. Has no effect if @last is below the highest number seen or an earlier end,
 * or out of range.
 */
void sequence_end(struct sequence *sequence, uint64_t last);

/* Counts the arrival of @number at @now. A jump of any size costs at most one clearing. */
enum sequence_class sequence_add(struct sequence *sequence, uint64_t number, np_time now);

/*
 * Counts the arrivals of @first..@first+@count-1 in order at @now, if the first is the one expected
 * and they fit in the window. False: they do not, and nothing was counted. Costs as much for many
 * as for one.
 */
bool sequence_add_next(struct sequence *sequence, uint64_t first, uint64_t count, np_time now);

/* As np_flow_unwrap; one below 0 is outside. */
uint64_t sequence_unwrap(const struct sequence *sequence, uint32_t number32);

/* The counts of the whole flow. */
void sequence_life(const struct sequence *sequence, struct sequence_counts *counts);

/*
 * The counts since the last sequence_mark (or the start): only of numbers above the highest one
 * at that time; arrivals below it correct the life alone.
 */
void sequence_now(const struct sequence *sequence, struct sequence_counts *counts);
void sequence_mark(struct sequence *sequence);

/* As np_flow_lowest and np_flow_highest. */
uint64_t sequence_lowest(const struct sequence *sequence);
uint64_t sequence_highest(const struct sequence *sequence);

/* The lowest number that now spans: the one above the highest at the last mark. 0: all numbers. */
uint64_t sequence_now_begin(const struct sequence *sequence);

#endif
