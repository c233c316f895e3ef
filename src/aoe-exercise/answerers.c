// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* answerers: keeps one entry for each answerer that differs from the others. */
#include "answerers.h"

#include "tags.h"

#include <string.h>

uint32_t answerers_tag(const struct answerers *answerers, unsigned number)
{
	return tags_after(answerers->tag, number);
}

static bool is_from(const struct target *t, const struct np_aoe_header *header)
{
	return t->shelf == header->shelf && t->slot == header->slot &&
	       !memcmp(t->mac, header->source, 6);
}

static struct target *add(struct answerers *a, const struct np_aoe_header *header)
{
	struct target *t;

	if (a->count == a->room)
		return NULL;
	t = &a->list[a->count++];
	*t = (struct target){.shelf = header->shelf, .slot = header->slot};
	memcpy(t->mac, header->source, 6);
	return t;
}

/* The sender's entry for which @fits accepts this answer, or a new one. */
static struct target *entry(struct answerers *a, const struct np_aoe_header *header,
			    bool (*fits)(const struct target *, const void *), const void *said)
{
	for (unsigned i = 0; i < a->count; i++) {
		if (is_from(&a->list[i], header) && fits(&a->list[i], said))
			return &a->list[i];
	}
	return add(a, header);
}

static bool fits_anything(const struct target *t, const void *said)
{
	(void)t;
	(void)said;
	return true;
}

/* AoEr11: a target that reports 0 takes 2 sectors. */
static uint8_t sectors_of(const struct np_aoe_config *config)
{
	return config->sector_count ? config->sector_count : 2;
}

static bool fits_config(const struct target *t, const void *said)
{
	const struct np_aoe_config *config = said;

	return !t->configured ||
	       (t->firmware == config->firmware && t->buffer_count == config->buffer_count &&
		t->sector_count == sectors_of(config) &&
		t->string_mark == target_mark_string(config));
}

static struct target *take_config(struct answerers *a, const struct np_aoe_header *header,
				  const struct np_aoe_config *config)
{
	struct target *t = entry(a, header, fits_config, config);

	if (!t)
		return NULL;
	t->configured = true;
	t->firmware = config->firmware;
	t->buffer_count = config->buffer_count;
	t->sector_count = sectors_of(config);
	t->string_mark = target_mark_string(config);
	return t;
}

static bool fits_identity(const struct target *t, const void *said)
{
	return !t->identified || target_same_identity(&t->identity, said);
}

static struct target *take_identity(struct answerers *a, const struct np_aoe_header *header,
				    const struct np_aoe_ata *ata)
{
	struct np_ata_identity identity;
	struct target *t;

	np_ata_identity_decode(ata->data, &identity);
	t = entry(a, header, fits_identity, &identity);
	if (!t)
		return NULL;
	t->identified = true;
	t->identity = identity;
	return t;
}

static struct target *take_any(struct answerers *a, const struct np_aoe_header *header,
			       const struct np_frame *frame)
{
	bool failed = header->flags & NP_AOE_FLAG_ERROR;
	struct np_aoe_config config;
	struct np_aoe_ata ata;

	if (header->command == NP_AOE_CONFIG && !failed &&
	    !np_aoe_config_decode(frame->data, frame->length, &config))
		return take_config(a, header, &config);
	if (a->shelf == NP_AOE_SHELF_ALL)
		return NULL;
	if (header->command == NP_AOE_ATA && !failed &&
	    !np_aoe_ata_decode(frame->data, frame->length, &ata) &&
	    !(ata.command & NP_ATA_STATUS_BAD) && ata.data_bytes >= NP_AOE_SECTOR_BYTES)
		return take_identity(a, header, &ata);
	return entry(a, header, fits_anything, NULL);
}

void answerers_take(struct answerers *answerers, const struct np_aoe_header *header,
		    const struct np_frame *frame)
{
	uint32_t question = tags_distance(header->tag, answerers->tag);
	struct target *t;

	if (question >= ANSWERERS_QUESTIONS)
		return;
	if (answerers->shelf != NP_AOE_SHELF_ALL &&
	    (header->shelf != answerers->shelf || header->slot != answerers->slot))
		return;
	t = take_any(answerers, header, frame);
	if (!t)
		return;
	t->doubled |= t->answered & 1u << question;
	t->answered |= 1u << question;
}

/*
 * Answers to one question that come long after the first: a path that duplicates frames does it at
 * once.
 */
#define LATE_TWICE 2

bool answerers_late(struct target *target, const struct np_aoe_header *header)
{
	uint32_t question = tags_distance(header->tag, target->tag);

	if (question >= ANSWERERS_QUESTIONS)
		return false;
	target->again += (target->answered & 1u << question) != 0;
	target->answered |= 1u << question;
	return true;
}

bool answerers_twice(const struct target *target)
{
	return target->again >= LATE_TWICE;
}

bool answerers_doubled(const struct target *target)
{
	int doubled = __builtin_popcount(target->doubled);

	return doubled > 1 && 2 * doubled > __builtin_popcount(target->answered);
}

void answerers_conclude(struct answerers *answerers)
{
	struct target *list = answerers->list;

	for (unsigned i = 0; i < answerers->count; i++) {
		list[i].tag = answerers->tag;
		list[i].ambiguous |= answerers_doubled(&list[i]);
		for (unsigned k = 0; k < i; k++) {
			if (list[i].shelf == list[k].shelf && list[i].slot == list[k].slot)
				list[i].ambiguous = list[k].ambiguous = true;
		}
	}
}
