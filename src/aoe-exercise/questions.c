// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* questions: lists the reads of the guard's places. */
#include "questions.h"

#include <errno.h>
#include <netperf/aoe.h>
#include <stdlib.h>

#define PLACES_MAX (2 * (size_t)NP_GUARD_PLACES_MAX)

static int by_offset(const void *a, const void *b)
{
	const struct np_guard_place *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* The places of the disk and of the region in it; overlapping ones are merged. */
static size_t all_places(uint64_t bytes, const struct np_guard_place *region,
			 struct np_guard_place place[PLACES_MAX])
{
	size_t whole = np_guard_places(bytes, place), kept = 0;
	size_t count = whole + np_guard_places(region->bytes, place + whole);

	for (size_t i = whole; i < count; i++)
		place[i].offset += region->offset;
	qsort(place, count, sizeof(*place), by_offset);
	for (size_t i = 0; i < count; i++) {
		uint64_t end = place[i].offset + place[i].bytes;
		struct np_guard_place *last = kept ? &place[kept - 1] : NULL;

		if (!last || place[i].offset >= last->offset + last->bytes)
			place[kept++] = place[i];
		else if (end > last->offset + last->bytes)
			last->bytes = end - last->offset;
	}
	return kept;
}

int questions_list(struct question **questions, size_t *count, uint64_t bytes,
		   const struct np_guard_place *region, uint8_t most)
{
	struct np_guard_place place[PLACES_MAX] = {0};
	size_t places = all_places(bytes, region, place), room = QUESTIONS_OF_IDENTITY, n = 0;
	struct question *q;

	*questions = NULL;
	*count = 0;
	if (!most)
		return -EMSGSIZE;
	for (size_t i = 0; i < places; i++)
		room += place[i].bytes / NP_AOE_SECTOR_BYTES / most + 1;
	q = calloc(room, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q[n++].kind = QUESTION_CONFIG;
	q[n++].kind = QUESTION_IDENTITY;
	for (size_t i = 0; i < places; i++) {
		uint64_t lba = place[i].offset / NP_AOE_SECTOR_BYTES;
		uint64_t end = lba + place[i].bytes / NP_AOE_SECTOR_BYTES;

		for (; lba < end; lba += q[n++].sectors) {
			q[n].kind = QUESTION_READ;
			q[n].lba = lba;
			q[n].sectors = (uint8_t)(end - lba < most ? end - lba : most);
		}
	}
	*questions = q;
	*count = n;
	return 0;
}
