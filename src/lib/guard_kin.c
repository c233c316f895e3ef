// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_kin: walks the layers down from the operand to the ground, and up again. */
#include "guard_kin.h"

#include "sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 4096
#define NAME_BYTES  64

struct guard_place guard_kin_place(const struct stat *status)
{
	if (S_ISBLK(status->st_mode))
		return (struct guard_place){.device = status->st_rdev};
	return (struct guard_place){status->st_dev, status->st_ino};
}

const struct guard_member *guard_kin_find(const struct guard_kin *kin,
					  const struct guard_place *place)
{
	for (size_t i = 0; i < kin->count; i++) {
		if (guard_place_is(&kin->member[i].place, place))
			return &kin->member[i];
	}
	return NULL;
}

void guard_kin_free(struct guard_kin *kin)
{
	free(kin->member);
	kin->member = NULL;
}

/*
 * The operand is open already, its disk and its partitions cannot be opened exclusively beside it,
 * nor can what device-mapper or md itself holds; who holds one of those is found as a holder.
 */
bool guard_kin_is_tried(const struct guard_member *member)
{
	if (member->place.inode != 0 || member->kind == GUARD_MEMBER)
		return false;
	if (member->side == GUARD_BELOW)
		return member->kind == GUARD_LOOP;
	return member->side == GUARD_ABOVE &&
	       !(member->of_operand && member->kind == GUARD_PARTITION);
}

static const char *relation(const struct guard_member *member)
{
	if (member->side == GUARD_BELOW)
		return member->of_operand && member->kind == GUARD_PARTITION ? "its disk"
									     : "under it";
	switch (member->kind) {
	case GUARD_PARTITION: return member->of_operand ? "its partition" : "partition";
	case GUARD_LOOP: return "loop device";
	case GUARD_MEMBER:
	case GUARD_ALIAS: break;
	}
	return "above it";
}

static void name_member(struct guard_member *member)
{
	char name[NAME_BYTES], mapped[NAME_BYTES];

	if (member->side == GUARD_SELF)
		return;
	if (member->place.inode != 0) {
		snprintf(member->text, sizeof(member->text), "the file %s is ", relation(member));
		return;
	}
	if (sysfs_name(member->place.device, name, sizeof(name)))
		sysfs_guess_name(member->place.device, name, sizeof(name));
	if (sysfs_read_block(member->place.device, "dm/name", mapped, sizeof(mapped)) == 0)
		snprintf(name, sizeof(name), "mapper/%.50s", mapped);
	for (char *at = strchr(name, '!'); at; at = strchr(at, '!'))
		*at = '/';
	snprintf(member->text, sizeof(member->text), "%s /dev/%s is ", relation(member), name);
}

/* Adds @fresh unless all of it is known. */
static int add(struct guard_kin *kin, const struct guard_member *fresh)
{
	struct guard_member *larger;

	for (size_t i = 0; i < kin->count; i++) {
		if (guard_place_is(&kin->member[i].place, &fresh->place) &&
		    kin->member[i].begin <= fresh->begin && kin->member[i].end >= fresh->end)
			return 0;
	}
	if (kin->count == MEMBERS_MAX)
		return -E2BIG;
	if (kin->count == kin->room) {
		kin->room = kin->room ? kin->room * 2 : 16;
		larger = reallocarray(kin->member, kin->room, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		kin->member = larger;
	}
	kin->member[kin->count] = *fresh;
	name_member(&kin->member[kin->count++]);
	return 0;
}

static uint64_t sum(uint64_t one, uint64_t other)
{
	return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

/*
 * The part of @from that lies in @bytes from @near on, as bytes of the other side, where these
 * begin at @far. Returns false when there is none.
 */
static bool translate(const struct guard_member *from, const struct guard_layer *layer,
		      uint64_t near, uint64_t far, struct guard_member *to)
{
	uint64_t begin = from->begin > near ? from->begin : near;
	uint64_t end = sum(near, layer->bytes) < from->end ? sum(near, layer->bytes) : from->end;

	if (layer->scattered) {
		to->begin = 0;
		to->end = UINT64_MAX;
		return true;
	}
	if (begin >= end)
		return false;
	to->begin = sum(far, begin - near);
	to->end = end == UINT64_MAX ? UINT64_MAX : sum(far, end - near);
	return true;
}

/* Adds what member @index stands on (@side is BELOW), or what stands on it (ABOVE). */
static int follow(struct guard_kin *kin, size_t index, const struct guard_layers *layers,
		  enum guard_side side)
{
	const struct guard_layer *layer;
	struct guard_member from, to;
	bool down = side == GUARD_BELOW;
	int error = 0;

	for (size_t i = 0; !error && i < layers->count; i++) {
		layer = &layers->layer[i];
		from = kin->member[index];
		to = (struct guard_member){.place = down ? layer->lower : layer->upper,
					   .side = side,
					   .kind = layer->kind,
					   .of_operand = from.side == GUARD_SELF};
		if (guard_place_is(down ? &layer->upper : &layer->lower, &from.place) &&
		    translate(&from, layer, down ? layer->upper_begin : layer->lower_begin,
			      down ? layer->lower_begin : layer->upper_begin, &to))
			error = add(kin, &to);
	}
	return error;
}

int guard_kin_collect(struct guard_kin *kin, const struct guard_place *operand,
		      const struct guard_layers *layers)
{
	struct guard_member self = {.place = *operand, .end = UINT64_MAX, .side = GUARD_SELF};
	int error;

	memset(kin, 0, sizeof(*kin));
	error = add(kin, &self);
	for (size_t i = 0; !error && i < kin->count; i++)
		error = follow(kin, i, layers, GUARD_BELOW);
	for (size_t i = 0; !error && i < kin->count; i++)
		error = follow(kin, i, layers, GUARD_ABOVE);
	return error;
}
