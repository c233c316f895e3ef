// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* inflight: a hash table with open addressing, at most half full, that closes gaps on removal. */
#include <netperf/cursor.h>

#include <errno.h>
#include <stdlib.h>

struct slot {
	uint64_t place;
	bool used;
};

struct np_inflight {
	unsigned room;
	unsigned count;
	unsigned bits;
	struct slot slots[]; /* 2^bits */
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
	(*set)->bits = bits;
	return 0;
}

void np_inflight_free(struct np_inflight *set)
{
	free(set);
}

/*
 * The slot that @place hashes to. Places are multiples of a step: the product's high bits mix well.
 */
static uint64_t home(const struct np_inflight *set, uint64_t place)
{
	return (place * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - set->bits);
}

static uint64_t behind(const struct np_inflight *set, uint64_t at)
{
	return (at + 1) & ((UINT64_C(1) << set->bits) - 1);
}

/* The slot of @place, or the free slot where it would go. */
static uint64_t find(const struct np_inflight *set, uint64_t place)
{
	uint64_t at = home(set, place);

	while (set->slots[at].used && set->slots[at].place != place)
		at = behind(set, at);
	return at;
}

bool np_inflight_has(const struct np_inflight *set, uint64_t place)
{
	return set->count > 0 && set->slots[find(set, place)].used;
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
	uint64_t mask = (UINT64_C(1) << set->bits) - 1, gap = find(set, place), at = gap;

	if (!set->slots[gap].used)
		return;
	set->count--;
	/* Moves entries that could no longer be found across the gap into it. */
	for (;;) {
		at = behind(set, at);
		if (!set->slots[at].used)
			break;
		if (((at - home(set, set->slots[at].place)) & mask) < ((at - gap) & mask))
			continue;
		set->slots[gap] = set->slots[at];
		gap = at;
	}
	set->slots[gap].used = false;
}
