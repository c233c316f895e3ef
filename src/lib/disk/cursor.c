// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* cursor: linear and random walks over a region that visit each piece once per pass. */
#include <netperf/engine.h>

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

struct np_extent np_cursor_peek(const struct np_cursor *cursor)
{
	uint64_t number = cursor->next, at;
	struct np_extent extent;
	unsigned bits = 1;

	while (cursor->random && bits < 64 && cursor->pieces > UINT64_C(1) << bits)
		bits++;
	/* Beyond the last piece it is scrambled again until it falls inside: each is hit once. */
	if (cursor->random)
		do
			number = scramble(number, bits, cursor->seed + cursor->passes);
		while (number >= cursor->pieces);
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
