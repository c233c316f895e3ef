/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_kin: everything that shares storage with the operand. From the operand down through
 * partitions, loop devices and device-mapper to the disks and files that all stands on, and from
 * each of these up again, byte for byte as far as the mapping is known.
 */
#ifndef GUARD_KIN_H
#define GUARD_KIN_H

#include "guard_layers.h"

#include <sys/stat.h>

enum guard_side { GUARD_SELF, GUARD_BELOW, GUARD_ABOVE };

/* Bytes @begin to @end of @place belong to the operand or are seen through it. */
struct guard_member {
	struct guard_place place;
	uint64_t begin, end;
	enum guard_side side;
	enum guard_layer_kind kind; /* of the layer that led to it */
	bool of_operand;	    /* and that is the one next to the operand */
	char text[112]; /* who it is, as in "its partition /dev/sda1 is "; "" for the operand */
};

struct guard_kin {
	struct guard_member *member; /* [0] is the operand */
	size_t count;
	size_t room;
};

/*
 * Collects the kin of @operand in @layers. Returns 0, -ENOMEM, or -E2BIG: layers that go round in
 * a circle, or too many. Free in any case.
 */
int guard_kin_collect(struct guard_kin *kin, const struct guard_place *operand,
		      const struct guard_layers *layers);
void guard_kin_free(struct guard_kin *kin);

/* The place of the block device or regular file with @status. */
struct guard_place guard_kin_place(const struct stat *status);

/* The first member at @place, or NULL. */
const struct guard_member *guard_kin_find(const struct guard_kin *kin,
					  const struct guard_place *place);

/* That somebody holds @member exclusively is held against the operand. */
bool guard_kin_is_tried(const struct guard_member *member);

#endif
