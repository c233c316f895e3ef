// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * roll: sends one question to each target, with a tag of its own, and listens for all the answers.
 */
#include "roll.h"

#include "ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	   3
#define ROUND_TIME (500 * NP_MILLISECOND)
/* Questions sent before the next look at the answers: no buffer must hold all of them. */
#define BURST 32

struct roll {
	struct target *targets;
	bool *done; /* it has answered, or refused */
	unsigned count;
	unsigned left;
	uint32_t tag; /* of the first target's question; the others' follow */
};

static uint32_t tag_of(const struct roll *roll, unsigned number)
{
	return tags_after(roll->tag, number);
}

static void tick_off(struct roll *roll, unsigned number)
{
	roll->done[number] = true;
	roll->left--;
}

/* Returns 1 when every target has answered. */
static int take(void *owner, const struct np_aoe_header *header, const struct np_frame *frame)
{
	struct roll *roll = owner;
	unsigned number = tags_distance(header->tag, roll->tag);
	struct np_aoe_ata ata;
	struct target *target;

	if (number >= roll->count || roll->done[number] || header->command != NP_AOE_ATA)
		return 0;
	target = &roll->targets[number];
	if (header->shelf != target->shelf || header->slot != target->slot ||
	    memcmp(header->source, target->mac, sizeof(target->mac)) != 0)
		return 0;
	if (header->flags & NP_AOE_FLAG_ERROR) {
		tick_off(roll, number);
	} else if (!np_aoe_ata_decode(frame->data, frame->length, &ata)) {
		if (ata.command & NP_ATA_STATUS_BAD) {
			tick_off(roll, number);
		} else if (ata.data_bytes >= NP_AOE_SECTOR_BYTES) {
			np_ata_identity_decode(ata.data, &target->identity);
			target->identified = true;
			tick_off(roll, number);
		}
	}
	return roll->left == 0;
}

/* Asks each target that has not answered. Returns 1 when all have, 0, or -errno. */
static int ask(struct roll *roll, struct channel *channel)
{
	const struct np_aoe_ata ata = {.command = NP_ATA_IDENTIFY, .count = 1};
	const struct listener listener = {.take = take, .owner = roll};
	struct np_aoe_header header;
	uint8_t frame[64];
	unsigned sent = 0;
	int rc = 0;

	for (unsigned i = 0; i < roll->count && !rc; i++) {
		np_time now = np_clock_now();

		if (roll->done[i])
			continue;
		target_header(channel, &roll->targets[i], &header);
		header.tag = tag_of(roll, i);
		rc = ask_send(channel, frame,
			      np_aoe_ata_encode(frame, sizeof(frame), &header, &ata));
		if (!rc && ++sent % BURST == 0)
			rc = ask_listen(channel, &listener, &now);
	}
	return rc;
}

int roll_identify(struct channel *channel, struct target *targets, unsigned count)
{
	struct roll roll = {
		.targets = targets, .count = count, .tag = tags_question(&channel->tags)};
	const struct listener listener = {.take = take, .owner = &roll};
	int rc = 0;

	roll.done = calloc(count + 1, sizeof(*roll.done));
	if (!roll.done)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		roll.done[i] = targets[i].identified || !target_has_address(&targets[i]);
		roll.left += !roll.done[i];
	}
	for (int round = 0; round < ROUNDS && roll.left && !rc; round++) {
		np_time deadline = np_clock_now() + ROUND_TIME;

		rc = ask(&roll, channel);
		if (!rc)
			rc = ask_listen(channel, &listener, &deadline);
	}
	free(roll.done);
	return rc < 0 ? rc : 0;
}

static int compare(const void *one, const void *other)
{
	const struct target *a = one, *b = other;

	if (a->shelf != b->shelf)
		return a->shelf < b->shelf ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return memcmp(a->mac, b->mac, sizeof(a->mac));
}

void roll_sort(struct target *targets, unsigned count)
{
	qsort(targets, count, sizeof(*targets), compare);
}
