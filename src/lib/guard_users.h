/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_users: who uses the operand or its relatives at this moment. Each function returns 1 and
 * names the user in @text, 0 for nobody, or -errno.
 */
#ifndef GUARD_USERS_H
#define GUARD_USERS_H

#include "storage_relatives.h"

#include <netperf/clock.h>

/* @name: a path under /dev that counts as the operand, or as a partition of it; or NULL. */
int guard_users_mounted(const struct storage_relatives *relatives, const char *name,
			char text[GUARD_TEXT_BYTES]);

/* The same by the kernel's list of the disks of each btrfs, in whichever namespace it is mounted.
 */
int guard_users_btrfs(const struct storage_relatives *relatives, char text[GUARD_TEXT_BYTES]);

/*
 * The same by name only, in other mount namespaces: users of a device with a node are found anyway.
 */
int guard_users_elsewhere(const char *name, char text[GUARD_TEXT_BYTES]);

/*
 * Finds the operand or a relative, if it is a file, as the source of a mount in another mount
 * namespace, where FUSE, for example, has mounted it without a device.
 */
int guard_users_file_elsewhere(const struct storage_relatives *relatives,
			       char text[GUARD_TEXT_BYTES]);

int guard_users_swap(const struct storage_relatives *relatives, const char *name,
		     char text[GUARD_TEXT_BYTES]);

/* Is what @fd may write to active swap space, for the kernel alone? Needs no table. */
bool guard_users_swapped(int fd);

/*
 * @node: where the operand, a block device, can be opened to find out whether somebody holds it;
 * NULL: it is open already, exclusively. Waits until @limit for whoever holds a device to let go of
 * it. What could not be tried is noted in @layers->blind.
 */
int guard_users_held(const struct storage_relatives *relatives, const char *node, np_time limit,
		     struct guard_layers *layers, char text[GUARD_TEXT_BYTES]);

/* Finds a loop device that shares content with the operand, in use or not. */
int guard_users_loop(const struct storage_relatives *relatives, char text[GUARD_TEXT_BYTES]);

/* Finds a partition of the operand that the kernel knows, whatever the table on disk says now. */
int guard_users_partition(const struct storage_relatives *relatives, char text[GUARD_TEXT_BYTES]);

/* Is the file that @fd is open on known to be open nowhere else, for example by a loop device? */
bool guard_users_alone(int fd);

/* Is it known to be open elsewhere? */
bool guard_users_shared(int fd);

#endif
