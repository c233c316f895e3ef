/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_kin: everything that shares storage with the operand: its partitions, the disk it is a
 * partition of, and loop devices over it, under it or beside it on one file.
 */
#ifndef GUARD_KIN_H
#define GUARD_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct guard_member {
	dev_t device;
	bool loop;	/* a loop device that shares its content with the operand */
	bool exclusive; /* that somebody holds it exclusively is held against the operand */
	char text[96];	/* who it is, as in "its partition /dev/sda1 is "; "" for the operand */
};

struct guard_kin {
	struct guard_member *member;
	size_t count;
	size_t room;

	/* The file that the operand is or, as a loop device, has its content in; inode 0: none. */
	dev_t file_device;
	ino_t file_inode;
};

/* Collects the kin of @status, a block device or regular file. 0 or -errno; free in any case. */
int guard_kin_collect(struct guard_kin *kin, const struct stat *status);
void guard_kin_free(struct guard_kin *kin);

/* The member for @device, or NULL. */
const struct guard_member *guard_kin_find(const struct guard_kin *kin, dev_t device);

/* True when @status is the file behind the operand. */
bool guard_kin_is_file(const struct guard_kin *kin, const struct stat *status);

#endif
