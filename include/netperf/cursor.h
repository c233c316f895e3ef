/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * cursor: the order in which a region is visited: piece by piece from its start, or in random
 * order, every piece once per pass; after the last piece the next pass begins. Pure. Offsets are in
 * the caller's unit (bytes or sectors).
 */
#ifndef NETPERF_CURSOR_H
#define NETPERF_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

struct np_cursor {
	uint64_t begin;	 /* start of the region */
	uint64_t length; /* of the region; not 0 */
	uint64_t step;	 /* length of a piece; the last one of a region may be shorter */
	uint64_t pieces; /* of the region */
	bool random;
	uint64_t seed;
	uint64_t next;	 /* number of the next piece within the pass */
	uint64_t passes; /* completed */
};

struct np_extent {
	uint64_t offset;
	uint64_t length;
};

/*
 * Starts a walk of the region. A @step larger than @length becomes @length. If either is 0 there
 * are no pieces, and none may be asked for. The random order is a function of @seed and the pass.
 */
void np_cursor_start(struct np_cursor *cursor, uint64_t begin, uint64_t length, uint64_t step);
void np_cursor_randomize(struct np_cursor *cursor, uint64_t seed);

/* How many pieces the region has. */
uint64_t np_cursor_pieces(const struct np_cursor *cursor);

/* The next piece; np_cursor_next also advances. */
struct np_extent np_cursor_peek(const struct np_cursor *cursor);
struct np_extent np_cursor_next(struct np_cursor *cursor);

/*
 * The places of a disk that have an I/O in flight, so that no second I/O is started on
 * the same place: what a read returned would depend on which of the two came first. Pure.
 *
 * A set belongs to one thread.
 */

struct np_inflight;

/*
 * Creates a set with room for @count places, at least 1. Returns 0 or -ENOMEM; then *@set is NULL.
 */
int np_inflight_create(struct np_inflight **set, unsigned count);

/* NULL is allowed. */
void np_inflight_free(struct np_inflight *set);

/* True when @place is in the set. */
bool np_inflight_has(const struct np_inflight *set, uint64_t place);

/* Adds @place. Returns false when it is in the set already, or the set is full. */
bool np_inflight_add(struct np_inflight *set, uint64_t place);

/* Removes @place, if it is in the set. */
void np_inflight_remove(struct np_inflight *set, uint64_t place);

#include <netperf/bits/end.h>
#endif
