/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_layers: which block device of this host is stored on which: partitions on disks, loop
 * devices on files and devices, device-mapper, md and the like on their members.
 */
#ifndef GUARD_LAYERS_H
#define GUARD_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GUARD_TEXT_BYTES 256
#define GUARD_WHOLE	 UINT64_MAX /* in bytes: all of it */
#define GUARD_SUSPECTS	 256

/* A block device or, with an inode, a file: then @device is that of its file system. */
struct guard_place {
	dev_t device;
	ino_t inode; /* 0: a block device */
};

enum guard_layer_kind {
	GUARD_PARTITION,
	GUARD_LOOP,
	GUARD_MEMBER,
	GUARD_ALIAS, /* a file, and the same file by its name on another file system */
};

/*
 * Bytes @upper_begin.. of @upper are bytes @lower_begin.. of @lower, @bytes of them. A layer that
 * is scattered puts any byte of @upper anywhere into @lower.
 */
struct guard_layer {
	enum guard_layer_kind kind;
	bool scattered;
	struct guard_place upper, lower;
	uint64_t upper_begin;
	uint64_t lower_begin;
	uint64_t bytes;
};

struct guard_layers {
	struct guard_layer *layer;
	size_t count;
	size_t room;

	/* What could not be examined, and how to make that possible; "": nothing. */
	char blind[GUARD_TEXT_BYTES];
	bool locked;	     /* a file below the operand is locked by a program that writes it */
	char locker[64];     /* that program, if it is known: see np_guard_locker */
	bool blind_to_loops; /* only loop devices: a caller that knows the file to be unused may go
				on */

	/* Loop devices that may be above the operand, or that may be held, for all that is known.
	 */
	dev_t suspect[GUARD_SUSPECTS];
	size_t suspects; /* one more than there is room for: there are others */
};

/* Appends a copy of @layer. Returns 0, -ENOMEM, or -E2BIG: more than any host has. */
int guard_layers_add(struct guard_layers *layers, const struct guard_layer *layer);

/* Reads those of this host into the empty @layers. 0 or -errno; free in any case. */
int guard_layers_read(struct guard_layers *layers);

/* The same, of loop devices alone. */
int guard_layers_read_loops(struct guard_layers *layers);

/*
 * Replaces what is known of the device-mapper device @device, that it stands on some devices, by
 * which bytes of which one, if it may be asked and is a linear mapping. Returns true when done.
 */
bool guard_layers_read_mapping(struct guard_layers *layers, dev_t device);

void guard_layers_free(struct guard_layers *layers);

/* Notes that something could not be examined, unless something else was noted before. */
void guard_layers_blind(struct guard_layers *layers, bool loop, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Notes a loop device of which something could not be examined. */
void guard_layers_suspect(struct guard_layers *layers, dev_t loop);

bool guard_place_is(const struct guard_place *one, const struct guard_place *other);

#endif
