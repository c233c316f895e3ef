// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * cursor: linear and random walks over a region that visit each piece once per pass; and the places
 * in flight, a hash table with open addressing, at most half full, that closes gaps on removal.
 */
#include <netperf/engine.h>

#include <errno.h>
#include <stdlib.h>

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

struct slot {
	uint64_t place;
	bool used;
};

struct np_inflight {
	unsigned room, count;
	unsigned shift; /* the product's high bits mix well: places are multiples of a step */
	uint64_t mask;
	struct slot slots[]; /* mask + 1 */
};

int np_inflight_create(struct np_inflight **set, unsigned count)
{
	unsigned bits = 1;

	while (bits < 31 && UINT32_C(1) << bits < 2 * (uint64_t)count)
		bits++;
	*set = calloc(1, sizeof(**set) + (sizeof((*set)->slots[0]) << bits));
	if (!*set)
		return -ENOMEM;
	(*set)->room = count;
	(*set)->shift = 64 - bits;
	(*set)->mask = (UINT64_C(1) << bits) - 1;
	return 0;
}

void np_inflight_free(struct np_inflight *set)
{
	free(set);
}

/* The slot that @place hashes to. */
static uint64_t home(const struct np_inflight *set, uint64_t place)
{
	return (place * UINT64_C(0x9e3779b97f4a7c15)) >> set->shift;
}

/* The slot of @place, or the free slot where it would go. */
static uint64_t find(const struct np_inflight *set, uint64_t place)
{
	uint64_t at = home(set, place);

	while (set->slots[at].used && set->slots[at].place != place)
		at = (at + 1) & set->mask;
	return at;
}

bool np_inflight_add(struct np_inflight *set, uint64_t place)
{
	uint64_t at = find(set, place);

	if (set->slots[at].used || set->count == set->room)
		return false;
	set->slots[at] = (struct slot){.place = place, .used = true};
	set->count++;
	return true;
}

void np_inflight_remove(struct np_inflight *set, uint64_t place)
{
	const uint64_t mask = set->mask;
	uint64_t gap = find(set, place);

	if (!set->slots[gap].used)
		return;
	set->count--;
	/* Moves entries that could no longer be found across the gap into it. */
	for (uint64_t at = (gap + 1) & mask; set->slots[at].used; at = (at + 1) & mask) {
		if (((at - home(set, set->slots[at].place)) & mask) < ((at - gap) & mask))
			continue;
		set->slots[gap] = set->slots[at];
		gap = at;
	}
	set->slots[gap].used = false;
}
