// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* cursor: linear and random walks over a region that visit each piece once per pass. */
#include <netperf/cursor.h>

void np_cursor_start(struct np_cursor *cursor, uint64_t begin, uint64_t length, uint64_t step)
{
	*cursor = (struct np_cursor){
		.begin = begin,
		.length = length,
		.step = step < length ? step : length,
	};
	if (cursor->step)
		cursor->pieces = length / cursor->step + (length % cursor->step != 0);
}

void np_cursor_randomize(struct np_cursor *cursor, uint64_t seed)
{
	cursor->random = true;
	cursor->seed = seed;
}

uint64_t np_cursor_pieces(const struct np_cursor *cursor)
{
	return cursor->pieces;
}

/*
 * A permutation of 0..2^bits-1: each of its rounds (add, multiply by an odd number, fold) is one.
 */
static uint64_t scramble(uint64_t x, unsigned bits, uint64_t seed)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

	for (unsigned round = 0; round < 4; round++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		x = (x + (seed >> 7)) & mask;
		x = (x * (((seed >> 11) << 1) | 1)) & mask;
		x ^= x >> (bits / 2 + 1);
	}
	return x;
}

/*
 * A number beyond the last piece is scrambled again until it falls inside, so that each piece is
 * hit once.
 */
static uint64_t shuffled(const struct np_cursor *cursor, uint64_t number, uint64_t count)
{
	unsigned bits = 1;

	while (bits < 64 && count > UINT64_C(1) << bits)
		bits++;
	do
		number = scramble(number, bits, cursor->seed + cursor->passes);
	while (number >= count);
	return number;
}

struct np_extent np_cursor_peek(const struct np_cursor *cursor)
{
	uint64_t number = cursor->next, at;
	struct np_extent extent;

	if (cursor->random)
		number = shuffled(cursor, number, cursor->pieces);
	at = number * cursor->step;
	extent.offset = cursor->begin + at;
	extent.length = cursor->length - at < cursor->step ? cursor->length - at : cursor->step;
	return extent;
}

struct np_extent np_cursor_next(struct np_cursor *cursor)
{
	struct np_extent extent = np_cursor_peek(cursor);

	if (++cursor->next == cursor->pieces) {
		cursor->next = 0;
		cursor->passes++;
	}
	return extent;
}
