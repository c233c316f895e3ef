// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* discover: rounds of broadcast questions, each with a tag of its own. */
#include "discover.h"

#include "answerers.h"
#include "ask.h"

#include <string.h>

#define ROUNDS		3
#define ROUND_TIME	(500 * NP_MILLISECOND)
#define STRAGGLER_TIME	(100 * NP_MILLISECOND)
#define FULL_ROUND_TIME (250 * NP_MILLISECOND)
#define FULL_TIME	NP_SECOND

struct discovery {
	struct channel *channel;
	struct answerers answerers;
	struct np_aoe_header header;
	unsigned asked;
	bool to_the_first; /* ends soon after the first usable answer */
	bool found;	   /* that answer has come */
	np_time deadline;
};

bool discover_is_usable(const struct target *target)
{
	return target->configured && target_has_address(target);
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

static void start(struct discovery *d, struct channel *channel, struct target *targets,
		  unsigned room)
{
	const struct target everybody = {
		.shelf = d->answerers.shelf,
		.slot = d->answerers.slot,
		.mac = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	};

	d->channel = channel;
	d->answerers.list = targets;
	d->answerers.room = room;
	d->answerers.tag = tags_question(&channel->tags);
	target_header(channel, &everybody, &d->header);
}

static int ask_config(struct discovery *d)
{
	const struct np_aoe_config config = {.version = 1};
	uint8_t frame[64];

	d->header.tag = answerers_tag(&d->answerers, d->asked++);
	return ask_send(d->channel, frame,
			np_aoe_config_encode(frame, sizeof(frame), &d->header, &config));
}

static int ask_identity(struct discovery *d)
{
	const struct np_aoe_ata ata = {.command = NP_ATA_IDENTIFY, .count = 1};
	uint8_t frame[64];

	d->header.tag = answerers_tag(&d->answerers, d->asked++);
	return ask_send(d->channel, frame,
			np_aoe_ata_encode(frame, sizeof(frame), &d->header, &ata));
}

static int listen_until(struct discovery *d, np_time deadline)
{
	const struct listener listener = {.take = take, .owner = d};

	d->deadline = deadline;
	return ask_listen(d->channel, &listener, &d->deadline);
}

int discover_one(struct channel *channel, uint16_t shelf, uint8_t slot, enum discover_mode mode,
		 struct target *targets)
{
	struct discovery d = {
		.answerers = {.shelf = shelf, .slot = slot},
		.to_the_first = mode == DISCOVER_FIRST,
	};
	np_time begin = np_clock_now(), end;
	int rc = 0;

	start(&d, channel, targets, DISCOVER_ONE_ROOM);
	for (int round = 0; round < ROUNDS && !rc; round++) {
		rc = ask_config(&d);
		if (!rc)
			rc = ask_identity(&d);
		end = np_clock_now() + ROUND_TIME;
		if (mode == DISCOVER_ALL)
			end = begin +
			      (round < ROUNDS - 1 ? (round + 1) * FULL_ROUND_TIME : FULL_TIME);
		if (!rc)
			rc = listen_until(&d, end);
		if (d.found)
			break;
	}
	if (rc)
		return rc;
	answerers_conclude(&d.answerers);
	for (unsigned i = 0; i < d.answerers.count; i++)
		targets[i].discovered = begin;
	put_usable_first(&d.answerers);
	return (int)d.answerers.count;
}

int discover_all(struct channel *channel, struct target *targets, unsigned room)
{
	struct discovery d = {
		.answerers = {.shelf = NP_AOE_SHELF_ALL, .slot = NP_AOE_SLOT_ALL},
	};
	int rc = 0;

	start(&d, channel, targets, room);
	for (int round = 0; round < ROUNDS && !rc; round++) {
		rc = ask_config(&d);
		if (!rc)
			rc = listen_until(&d, np_clock_now() + ROUND_TIME);
	}
	if (rc)
		return rc;
	answerers_conclude(&d.answerers);
	return (int)d.answerers.count;
}
