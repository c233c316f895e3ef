/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * storage_relatives: everything that shares storage with the operand: from the operand down through
 * partitions, loop devices and device-mapper to the disks and files that it is stored on, and from
 * each of these up again, byte by byte as far as the mapping is known.
 */
#ifndef STORAGE_RELATIVES_H
#define STORAGE_RELATIVES_H

#include "guard_layers.h"

#include <sys/stat.h>

enum guard_side { GUARD_SELF, GUARD_BELOW, GUARD_ABOVE };

/* Bytes @begin to @end of @place belong to the operand or are visible through it. */
struct storage_relative {
	struct guard_place place;
	uint64_t begin, end;
	enum guard_side side;
	enum guard_layer_kind kind; /* of the layer by which it was found */
	bool of_operand;	    /* that layer is the one next to the operand */
	char text[112]; /* describes it, like "its partition /dev/sda1 is "; "" for the operand */
};

struct storage_relatives {
	struct storage_relative *relative; /* [0] is the operand */
	size_t count;
	size_t room;
};

/*
 * Collects the relatives of @operand in @layers. Returns 0, -ENOMEM, or -E2BIG: layers form a
 * circle, or there are too many. Free it in any case.
 */
int storage_relatives_collect(struct storage_relatives *relatives,
			      const struct guard_place *operand, const struct guard_layers *layers);
void storage_relatives_free(struct storage_relatives *relatives);

/* The place of the block device or regular file with @status. */
struct guard_place guard_place_of(const struct stat *status);

/* The first relative at @place, or NULL. */
const struct storage_relative *storage_relatives_find(const struct storage_relatives *relatives,
						      const struct guard_place *place);

/* Whether the operand counts as in use while @relative is held exclusively. */
bool storage_relative_must_be_free(const struct storage_relative *relative);

#endif
