// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* shelf: slots in three lists: free, held in order of arrival, delayed in order of their moment. */
#include "shelf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct shelf_slot {
	TAILQ_ENTRY(shelf_slot) entry;
	struct item item;
	unsigned left; /* later ones that have to pass yet */
	np_time due;
	uint8_t *memory;
};

TAILQ_HEAD(slot_list, shelf_slot);

struct shelf {
	struct shelf_slot *slots;
	uint8_t *memory;
	struct slot_list unused, held, delayed;
	unsigned ripe; /* held ones with left 0 */
};

int shelf_create(struct shelf **shelf, unsigned slots, size_t frame_bytes)
{
	struct shelf *s = calloc(1, sizeof(*s));

	*shelf = NULL;
	if (!s)
		return -ENOMEM;
	s->slots = calloc(slots, sizeof(*s->slots));
	s->memory = calloc(slots, frame_bytes);
	if (!s->slots || !s->memory) {
		shelf_free(s);
		return -ENOMEM;
	}
	TAILQ_INIT(&s->unused);
	TAILQ_INIT(&s->held);
	TAILQ_INIT(&s->delayed);
	for (unsigned i = 0; i < slots; i++) {
		s->slots[i].memory = s->memory + i * frame_bytes;
		TAILQ_INSERT_TAIL(&s->unused, &s->slots[i], entry);
	}
	*shelf = s;
	return 0;
}

void shelf_free(struct shelf *shelf)
{
	if (!shelf)
		return;
	free(shelf->slots);
	free(shelf->memory);
	free(shelf);
}

/* The slot for @item, with its frame in it, in no list; NULL when all are taken. */
static struct shelf_slot *take_slot(struct shelf *shelf, struct item *item)
{
	struct shelf_slot *slot = item->slot;

	if (!slot) {
		slot = TAILQ_FIRST(&shelf->unused);
		if (!slot)
			return NULL;
		TAILQ_REMOVE(&shelf->unused, slot, entry);
		memcpy(slot->memory, item->frame.data, item->frame.length);
		item->frame.data = slot->memory;
		item->slot = slot;
	}
	slot->item = *item;
	return slot;
}

bool shelf_hold(struct shelf *shelf, struct item *item, unsigned by, np_time limit)
{
	struct shelf_slot *slot = take_slot(shelf, item);

	if (!slot)
		return false;
	slot->left = by;
	slot->due = limit;
	TAILQ_INSERT_TAIL(&shelf->held, slot, entry);
	return true;
}

bool shelf_delay(struct shelf *shelf, struct item *item, np_time due)
{
	struct shelf_slot *slot = take_slot(shelf, item), *before;

	if (!slot)
		return false;
	slot->due = due;
	/* With one delay each comes last. */
	before = TAILQ_LAST(&shelf->delayed, slot_list);
	while (before && before->due > due)
		before = TAILQ_PREV(before, slot_list, entry);
	if (before)
		TAILQ_INSERT_AFTER(&shelf->delayed, before, slot, entry);
	else
		TAILQ_INSERT_HEAD(&shelf->delayed, slot, entry);
	return true;
}

void shelf_passed(struct shelf *shelf, const struct flow *flow, uint64_t position)
{
	struct shelf_slot *slot;

	TAILQ_FOREACH(slot, &shelf->held, entry)
	{
		if (slot->item.flow != flow || slot->item.position >= position || slot->left == 0)
			continue;
		if (--slot->left == 0)
			shelf->ripe++;
	}
}

static bool take(struct slot_list *list, struct shelf_slot *slot, struct item *item)
{
	if (!slot)
		return false;
	TAILQ_REMOVE(list, slot, entry);
	*item = slot->item;
	return true;
}

bool shelf_take_held(struct shelf *shelf, np_time now, struct item *item)
{
	struct shelf_slot *slot = TAILQ_FIRST(&shelf->held);

	if (shelf->ripe > 0) {
		while (slot->left > 0)
			slot = TAILQ_NEXT(slot, entry);
		shelf->ripe--;
	} else if (slot && slot->due > now) { /* the oldest has the earliest limit */
		slot = NULL;
	}
	return take(&shelf->held, slot, item);
}

bool shelf_take_due(struct shelf *shelf, np_time now, struct item *item)
{
	struct shelf_slot *slot = TAILQ_FIRST(&shelf->delayed);

	return take(&shelf->delayed, slot && slot->due <= now ? slot : NULL, item);
}

bool shelf_take_left(struct shelf *shelf, struct item *item)
{
	return take(&shelf->held, TAILQ_FIRST(&shelf->held), item) ||
	       take(&shelf->delayed, TAILQ_FIRST(&shelf->delayed), item);
}

void shelf_give_back(struct shelf *shelf, struct shelf_slot *slot)
{
	if (slot)
		TAILQ_INSERT_HEAD(&shelf->unused, slot, entry);
}

np_time shelf_next(const struct shelf *shelf)
{
	const struct shelf_slot *held = TAILQ_FIRST(&shelf->held);
	const struct shelf_slot *delayed = TAILQ_FIRST(&shelf->delayed);
	np_time next = held ? held->due : NP_TIME_NEVER;

	return delayed && delayed->due < next ? delayed->due : next;
}
