// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * discover: rounds of broadcast questions, each with a tag of its own; what a target is called and
 * how it is addressed.
 */
#include "discover.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* The sender's entry, or a new one; NULL: no room. Others of its address are ambiguous. */
static struct target *entry(struct answerers *a, const struct np_aoe_header *header)
{
	bool several = false;
	struct target *t;

	for (t = a->list; t < a->list + a->count; t++) {
		if (t->shelf != header->shelf || t->slot != header->slot)
			continue;
		if (!memcmp(t->mac, header->source, 6))
			return t;
		t->ambiguous = several = true;
	}
	if (a->count == a->room)
		return NULL;
	a->count++;
	*t = (struct target){.shelf = header->shelf, .slot = header->slot, .ambiguous = several};
	snprintf(t->name, sizeof(t->name), "e%u.%u", t->shelf, t->slot);
	memcpy(t->mac, header->source, 6);
	return t;
}

bool target_same_identity(const struct np_ata_identity *a, const struct np_ata_identity *b)
{
	return a->sectors == b->sectors && a->extended == b->extended &&
	       !strcmp(a->serial, b->serial) && !strcmp(a->model, b->model) &&
	       !strcmp(a->firmware, b->firmware);
}

void answerers_take(struct answerers *answerers, const struct np_aoe_header *header,
		    const struct np_frame *frame)
{
	const bool any = answerers->shelf == NP_AOE_SHELF_ALL;
	struct np_aoe_config config;
	struct np_ata_identity identity;
	struct np_aoe_ata ata;
	struct target *t;
	bool configures;

	if (tags_distance(header->tag, answerers->tag) >= answerers->asked)
		return;
	if (!any && (header->shelf != answerers->shelf || header->slot != answerers->slot))
		return;
	configures = header->command == NP_AOE_CONFIG && !(header->flags & NP_AOE_FLAG_ERROR) &&
		     !np_aoe_config_decode(frame->data, frame->length, &config);
	/* Whatever is wrong with its answer, somebody is at the address that was asked. */
	t = configures || !any ? entry(answerers, header) : NULL;
	if (!t)
		return;
	if (configures) {
		t->configured = true;
		t->firmware = config.firmware;
		t->buffer_count = config.buffer_count;
		/* AoEr11: a target that reports 0 takes 2 sectors. */
		t->sector_count = config.sector_count ? config.sector_count : 2;
		t->string_mark = target_mark_string(&config);
	} else if (target_decode(header, frame, 1, &ata) == 1) {
		np_ata_identity_decode(ata.data, &identity);
		/* Two hosts with one address. */
		t->ambiguous |= t->identified && !target_same_identity(&identity, &t->identity);
		t->identified = true;
		t->identity = identity;
	}
}

#define ROUNDS		3
#define ROUND_TIME	(500 * NP_MILLISECOND)
#define STRAGGLER_TIME	(100 * NP_MILLISECOND)
#define FULL_ROUND_TIME (250 * NP_MILLISECOND)
#define FULL_TIME	NP_SECOND

struct discovery {
	struct answerers answerers;
	bool to_the_first; /* ends soon after the first usable answer */
	bool found;	   /* that answer has come */
	np_time deadline;
};

/* False for an address that no host sends from: multicast or broadcast. */
static bool has_address(const struct target *target)
{
	return !(target->mac[0] & 1);
}

bool discover_is_usable(const struct target *target)
{
	return target->configured && has_address(target);
}

/* Puts a usable target first. Returns false when there is none. */
static bool put_usable_first(struct answerers *a)
{
	for (unsigned i = 0; i < a->count; i++) {
		if (discover_is_usable(&a->list[i])) {
			struct target first = a->list[i];

			a->list[i] = a->list[0];
			a->list[0] = first;
			return true;
		}
	}
	return false;
}

/* The listener of a discovery. */
static int take(void *owner, const struct np_aoe_header *header, const struct np_frame *frame)
{
	struct discovery *d = owner;
	np_time soon = np_clock_now() + STRAGGLER_TIME;

	answerers_take(&d->answerers, header, frame);
	if (d->to_the_first && soon < d->deadline && put_usable_first(&d->answerers)) {
		d->deadline = soon;
		d->found = true;
	}
	return 0;
}

static const struct np_aoe_ata identify = {.command = NP_ATA_IDENTIFY, .count = 1};

static int compare(const void *one, const void *other)
{
	const struct target *a = one, *b = other;

	if (a->shelf != b->shelf)
		return a->shelf < b->shelf ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return memcmp(a->mac, b->mac, sizeof(a->mac));
}

int discover(struct channel *channel, uint16_t shelf, uint8_t slot, enum discover_mode mode,
	     struct target *targets, unsigned room)
{
	const struct target everybody = {
		.shelf = shelf,
		.slot = slot,
		.mac = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	};
	struct discovery d = {
		.answerers = {.shelf = shelf,
			      .slot = slot,
			      .tag = tags_question(&channel->tags),
			      .list = targets,
			      .room = room},
		.to_the_first = mode == DISCOVER_FIRST,
	};
	/* For the configuration, and for the identity. */
	const struct np_aoe_ata *const questions[] = {NULL, &identify};
	const unsigned asked = mode == DISCOVER_LIST ? 1 : 2;
	const np_time begin = np_clock_now();
	struct np_aoe_header header;

	target_header(channel, &everybody, &header);
	for (int round = 1; round <= ROUNDS && !d.found; round++) {
		int rc = 0;

		for (unsigned i = 0; i < asked && !rc; i++) {
			header.tag = tags_after(d.answerers.tag, d.answerers.asked++);
			rc = ask_send(channel, &header, questions[i]);
		}
		d.deadline = np_clock_now() + ROUND_TIME;
		if (mode == DISCOVER_ALL)
			d.deadline = begin + (round < ROUNDS ? round * FULL_ROUND_TIME : FULL_TIME);
		if (!rc)
			rc = ask_listen(channel, take, &d, &d.deadline);
		if (rc)
			return rc;
	}
	for (unsigned i = 0; i < d.answerers.count; i++)
		targets[i].discovered = begin;
	if (mode == DISCOVER_LIST)
		qsort(targets, d.answerers.count, sizeof(*targets), compare);
	else
		put_usable_first(&d.answerers);
	return (int)d.answerers.count;
}

/* Questions sent before the next look at the answers: no buffer must hold all of them. */
#define BURST 32

/* Targets that are asked for their identity, all at the same time. */
struct listing {
	struct target *targets;
	unsigned count;
	unsigned left; /* neither answered nor refused: their @identity_error is -ETIMEDOUT */
	uint32_t tag;  /* of the first target's question; the others' follow */
};

/* Returns 1 when every target has answered. */
static int take_identity(void *owner, const struct np_aoe_header *header,
			 const struct np_frame *frame)
{
	struct listing *list = owner;
	const uint32_t number = tags_distance(header->tag, list->tag);
	struct target *target = &list->targets[number < list->count ? number : 0];
	struct np_aoe_ata ata;
	int rc;

	if (header->shelf != target->shelf || header->slot != target->slot ||
	    other_host_answers(&target->other, header->source, target->mac))
		return 0;
	if (number >= list->count || target->identity_error != -ETIMEDOUT)
		return 0;
	rc = target_decode(header, frame, 1, &ata);
	if (!rc)
		return 0;
	target->identity_error = rc < 0 ? rc : 0;
	if (rc > 0) {
		np_ata_identity_decode(ata.data, &target->identity);
		target->identified = true;
	}
	return --list->left == 0;
}

int discover_identities(struct channel *channel, struct target *targets, unsigned count)
{
	struct listing list = {
		.targets = targets, .count = count, .tag = tags_question(&channel->tags)};
	struct np_aoe_header header;
	unsigned sent = 0;
	int rc = 0;

	for (unsigned i = 0; i < count; i++) {
		targets[i].identity_error = has_address(&targets[i]) ? -ETIMEDOUT : 0;
		list.left += targets[i].identity_error != 0;
	}
	for (int round = 0; round < ROUNDS && list.left && !rc; round++) {
		np_time deadline = np_clock_now() + ROUND_TIME;

		for (unsigned i = 0; i < count && !rc; i++) {
			np_time now = np_clock_now();

			if (targets[i].identity_error != -ETIMEDOUT)
				continue;
			target_header(channel, &targets[i], &header);
			header.tag = tags_after(list.tag, i);
			rc = ask_send(channel, &header, &identify);
			if (!rc && ++sent % BURST == 0)
				rc = ask_listen(channel, take_identity, &list, &now);
		}
		if (!rc)
			rc = ask_listen(channel, take_identity, &list, &deadline);
		sent = 0;
	}
	return rc < 0 ? rc : 0;
}

char *target_mac(const uint8_t mac[6], char out[TARGET_MAC_BYTES])
{
	snprintf(out, TARGET_MAC_BYTES, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	return out;
}

char *target_describe(const struct target *target, char out[TARGET_DESCRIPTION_BYTES])
{
	char mac[TARGET_MAC_BYTES], firmware[16] = "unknown", disk[100] = "no identity";

	if (target->configured)
		snprintf(firmware, sizeof(firmware), "%04x", target->firmware);
	if (target->identified)
		snprintf(disk, sizeof(disk), "%" PRIu64 " sectors, serial '%s'",
			 target->identity.sectors, target->identity.serial);
	snprintf(out, TARGET_DESCRIPTION_BYTES, "%s (firmware %s, %s)",
		 target_mac(target->mac, mac), firmware, disk);
	return out;
}

/* FNV-1a */
uint64_t target_mark_string(const struct np_aoe_config *config)
{
	uint64_t mark = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < config->string_bytes; i++)
		mark = (mark ^ config->string[i]) * UINT64_C(1099511628211);
	return mark;
}

int target_decode(const struct np_aoe_header *header, const struct np_frame *frame, size_t sectors,
		  struct np_aoe_ata *ata)
{
	*ata = (struct np_aoe_ata){0};
	if (header->command != NP_AOE_ATA)
		return 0;
	if (header->flags & NP_AOE_FLAG_ERROR)
		return -EIO;
	if (np_aoe_ata_decode(frame->data, frame->length, ata))
		return 0;
	if (ata->command & NP_ATA_STATUS_BAD)
		return -EIO;
	return ata->data_bytes >= sectors * NP_AOE_SECTOR_BYTES;
}

void target_header(const struct channel *channel, const struct target *target,
		   struct np_aoe_header *header)
{
	*header = (struct np_aoe_header){
		.version = 1,
		.shelf = target->shelf,
		.slot = target->slot,
	};
	memcpy(header->destination, target->mac, 6);
	memcpy(header->source, np_link_info(channel->link)->mac, 6);
}
