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

#include <netperf/bits/end.h>
#endif
