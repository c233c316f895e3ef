// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * delay_queue: slots in three lists: free, held in order of arrival, delayed in order of their
 * time.
 */
#include "delay_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct delay_slot {
	TAILQ_ENTRY(delay_slot) entry;
	struct item item;
	unsigned left; /* later ones that still have to pass */
	np_time due;
	uint8_t *memory;
};

TAILQ_HEAD(slot_list, delay_slot);

struct delay_queue {
	struct delay_slot *slots;
	uint8_t *memory;
	struct slot_list unused, held, delayed;
	unsigned ripe; /* held ones whose left is 0 */
};

int delay_queue_create(struct delay_queue **queue, unsigned slots, size_t frame_bytes)
{
	struct delay_queue *s = calloc(1, sizeof(*s));

	*queue = NULL;
	if (!s)
		return -ENOMEM;
	s->slots = calloc(slots, sizeof(*s->slots));
	s->memory = calloc(slots, frame_bytes);
	if (!s->slots || !s->memory) {
		delay_queue_free(s);
		return -ENOMEM;
	}
	TAILQ_INIT(&s->unused);
	TAILQ_INIT(&s->held);
	TAILQ_INIT(&s->delayed);
	for (unsigned i = 0; i < slots; i++) {
		s->slots[i].memory = s->memory + i * frame_bytes;
		TAILQ_INSERT_TAIL(&s->unused, &s->slots[i], entry);
	}
	*queue = s;
	return 0;
}

void delay_queue_free(struct delay_queue *queue)
{
	if (!queue)
		return;
	free(queue->slots);
	free(queue->memory);
	free(queue);
}

/* Takes the slot of @item, with its frame in it, out of its list; NULL when all are in use. */
static struct delay_slot *take_slot(struct delay_queue *queue, struct item *item)
{
	struct delay_slot *slot = item->slot;

	if (!slot) {
		slot = TAILQ_FIRST(&queue->unused);
		if (!slot)
			return NULL;
		TAILQ_REMOVE(&queue->unused, slot, entry);
		memcpy(slot->memory, item->frame.data, item->frame.length);
		item->frame.data = slot->memory;
		item->slot = slot;
	}
	slot->item = *item;
	return slot;
}

bool delay_queue_hold(struct delay_queue *queue, struct item *item, unsigned by, np_time limit)
{
	struct delay_slot *slot = take_slot(queue, item);

	if (!slot)
		return false;
	slot->left = by;
	slot->due = limit;
	TAILQ_INSERT_TAIL(&queue->held, slot, entry);
	return true;
}

bool delay_queue_delay(struct delay_queue *queue, struct item *item, np_time due)
{
	struct delay_slot *slot = take_slot(queue, item), *before;

	if (!slot)
		return false;
	slot->due = due;
	/* With a single delay each goes last. */
	before = TAILQ_LAST(&queue->delayed, slot_list);
	while (before && before->due > due)
		before = TAILQ_PREV(before, slot_list, entry);
	if (before)
		TAILQ_INSERT_AFTER(&queue->delayed, before, slot, entry);
	else
		TAILQ_INSERT_HEAD(&queue->delayed, slot, entry);
	return true;
}

void delay_queue_passed(struct delay_queue *queue, const struct flow *flow, uint64_t position)
{
	struct delay_slot *slot;

	TAILQ_FOREACH(slot, &queue->held, entry)
	{
		if (slot->item.flow != flow || slot->item.position >= position || slot->left == 0)
			continue;
		if (--slot->left == 0)
			queue->ripe++;
	}
}

static bool take(struct slot_list *list, struct delay_slot *slot, struct item *item)
{
	if (!slot)
		return false;
	TAILQ_REMOVE(list, slot, entry);
	*item = slot->item;
	return true;
}

bool delay_queue_take_held(struct delay_queue *queue, np_time now, struct item *item)
{
	struct delay_slot *slot = TAILQ_FIRST(&queue->held);

	if (queue->ripe > 0) {
		while (slot->left > 0)
			slot = TAILQ_NEXT(slot, entry);
		queue->ripe--;
	} else if (slot && slot->due > now) { /* the oldest has the earliest limit */
		slot = NULL;
	}
	return take(&queue->held, slot, item);
}

bool delay_queue_take_due(struct delay_queue *queue, np_time now, struct item *item)
{
	struct delay_slot *slot = TAILQ_FIRST(&queue->delayed);

	return take(&queue->delayed, slot && slot->due <= now ? slot : NULL, item);
}

bool delay_queue_take_left(struct delay_queue *queue, struct item *item)
{
	return take(&queue->held, TAILQ_FIRST(&queue->held), item) ||
	       take(&queue->delayed, TAILQ_FIRST(&queue->delayed), item);
}

void delay_queue_give_back(struct delay_queue *queue, struct delay_slot *slot)
{
	if (slot)
		TAILQ_INSERT_HEAD(&queue->unused, slot, entry);
}

np_time delay_queue_next(const struct delay_queue *queue)
{
	const struct delay_slot *held = TAILQ_FIRST(&queue->held);
	const struct delay_slot *delayed = TAILQ_FIRST(&queue->delayed);
	np_time next = held ? held->due : NP_TIME_NEVER;

	return delayed && delayed->due < next ? delayed->due : next;
}
