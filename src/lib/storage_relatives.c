// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* storage_relatives: follows the layers from the operand down to the disks, and up again. */
#include "storage_relatives.h"

#include "sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 4096
#define NAME_BYTES  64

struct guard_place guard_place_of(const struct stat *status)
{
	if (S_ISBLK(status->st_mode))
		return (struct guard_place){.device = status->st_rdev};
	return (struct guard_place){status->st_dev, status->st_ino};
}

const struct storage_relative *storage_relatives_find(const struct storage_relatives *relatives,
						      const struct guard_place *place)
{
	for (size_t i = 0; i < relatives->count; i++) {
		if (guard_place_is(&relatives->relative[i].place, place))
			return &relatives->relative[i];
	}
	return NULL;
}

void storage_relatives_free(struct storage_relatives *relatives)
{
	free(relatives->relative);
	relatives->relative = NULL;
}

/*
 * The operand is open already; its disk and its partitions cannot be opened exclusively beside it,
 * nor can what device-mapper or md itself holds; whoever holds one of those is found as a holder.
 */
bool storage_relative_must_be_free(const struct storage_relative *relative)
{
	if (relative->place.inode != 0 || relative->kind == GUARD_MEMBER)
		return false;
	if (relative->side == GUARD_BELOW)
		return relative->kind == GUARD_LOOP;
	return relative->side == GUARD_ABOVE &&
	       !(relative->of_operand && relative->kind == GUARD_PARTITION);
}

static const char *relation(const struct storage_relative *relative)
{
	if (relative->side == GUARD_BELOW)
		return relative->of_operand && relative->kind == GUARD_PARTITION ? "its disk"
										 : "under it";
	switch (relative->kind) {
	case GUARD_PARTITION: return relative->of_operand ? "its partition" : "partition";
	case GUARD_LOOP: return "loop device";
	case GUARD_MEMBER:
	case GUARD_ALIAS: break;
	}
	return "above it";
}

static void name_member(struct storage_relative *relative)
{
	char name[NAME_BYTES], mapped[NAME_BYTES];

	if (relative->side == GUARD_SELF)
		return;
	if (relative->place.inode != 0) {
		snprintf(relative->text, sizeof(relative->text), "the file %s is ",
			 relation(relative));
		return;
	}
	if (sysfs_name(relative->place.device, name, sizeof(name)))
		sysfs_guess_name(relative->place.device, name, sizeof(name));
	if (sysfs_read_block(relative->place.device, "dm/name", mapped, sizeof(mapped)) == 0)
		snprintf(name, sizeof(name), "mapper/%.50s", mapped);
	for (char *at = strchr(name, '!'); at; at = strchr(at, '!'))
		*at = '/';
	snprintf(relative->text, sizeof(relative->text), "%s /dev/%s is ", relation(relative),
		 name);
}

/* Adds @fresh unless all of it is in the list. */
static int add(struct storage_relatives *relatives, const struct storage_relative *fresh)
{
	struct storage_relative *larger;

	for (size_t i = 0; i < relatives->count; i++) {
		if (guard_place_is(&relatives->relative[i].place, &fresh->place) &&
		    relatives->relative[i].begin <= fresh->begin &&
		    relatives->relative[i].end >= fresh->end)
			return 0;
	}
	if (relatives->count == MEMBERS_MAX)
		return -E2BIG;
	if (relatives->count == relatives->room) {
		relatives->room = relatives->room ? relatives->room * 2 : 16;
		larger = reallocarray(relatives->relative, relatives->room, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		relatives->relative = larger;
	}
	relatives->relative[relatives->count] = *fresh;
	name_member(&relatives->relative[relatives->count++]);
	return 0;
}

static uint64_t sum(uint64_t one, uint64_t other)
{
	return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

/*
 * Converts the part of @from that lies in the @bytes from @near on to bytes of the other side,
 * where these start at @far. Returns false when there is none.
 */
static bool translate(const struct storage_relative *from, const struct guard_layer *layer,
		      uint64_t near, uint64_t far, struct storage_relative *to)
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

/* Adds what relative @index is stored on (@side is BELOW), or what is stored on it (ABOVE). */
static int follow(struct storage_relatives *relatives, size_t index,
		  const struct guard_layers *layers, enum guard_side side)
{
	const struct guard_layer *layer;
	struct storage_relative from, to;
	bool down = side == GUARD_BELOW;
	int error = 0;

	for (size_t i = 0; !error && i < layers->count; i++) {
		layer = &layers->layer[i];
		from = relatives->relative[index];
		to = (struct storage_relative){.place = down ? layer->lower : layer->upper,
					       .side = side,
					       .kind = layer->kind,
					       .of_operand = from.side == GUARD_SELF};
		if (guard_place_is(down ? &layer->upper : &layer->lower, &from.place) &&
		    translate(&from, layer, down ? layer->upper_begin : layer->lower_begin,
			      down ? layer->lower_begin : layer->upper_begin, &to))
			error = add(relatives, &to);
	}
	return error;
}

int storage_relatives_collect(struct storage_relatives *relatives,
			      const struct guard_place *operand, const struct guard_layers *layers)
{
	struct storage_relative self = {.place = *operand, .end = UINT64_MAX, .side = GUARD_SELF};
	int error;

	memset(relatives, 0, sizeof(*relatives));
	error = add(relatives, &self);
	for (size_t i = 0; !error && i < relatives->count; i++)
		error = follow(relatives, i, layers, GUARD_BELOW);
	for (size_t i = 0; !error && i < relatives->count; i++)
		error = follow(relatives, i, layers, GUARD_ABOVE);
	return error;
}
