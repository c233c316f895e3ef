/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard: the two parts of a verdict. Who uses a disk or a file: by the kernel's tables of mounts
 * and swaps (libmount), by exclusive opens, and by the loop devices that there are at the moment.
 * And what is on it.
 */
#pragma once

#include "../base/sysfs.h"

#include <netperf/disk.h>

/*
 * Looks for users of @operand: mounts and swaps of the loop devices on it and of what it stands on,
 * who holds those, and who has locked its file. @path NULL: it is open already, a block device
 * exclusively. Else it is not: looks also for its own users, and, if its device is 0, only for what
 * is mounted by the name @path or that of a partition of it. Returns 1 with a reason and text in
 * @verdict, 0 for nobody (the text of NP_GUARD_UNSEEN is in @verdict->text if something could not
 * be seen, else ""), or -errno. *@on: a loop device on it, which nobody seems to use, or 0.
 */
int guard_users_find(const struct backing_place *operand, const char *path,
		     struct np_guard_verdict *verdict, dev_t *on);

/* The name of @device, "/dev/sda1" or "/dev/mapper/home". */
#define GUARD_NAME_BYTES 64
char *guard_device_name(dev_t device, char out[GUARD_NAME_BYTES]);

/*
 * Finds the first entry, in the order of names, of the folder @folder of @device in /sys that has
 * the file @file ("" for any entry). Returns false: there is none.
 */
bool guard_find_entry(dev_t device, const char *folder, const char *file,
		      char name[GUARD_NAME_BYTES]);

/*
 * Adds all signatures that libblkid finds to @verdict->signatures, and describes the first one in
 * @verdict->text. Returns 0, -EIO when it could not read, or -ENOMEM.
 */
int guard_content_signatures(int fd, uint64_t bytes, struct np_guard_verdict *verdict);

/*
 * Looks for anything but zeros and our stamps in @place, up to the first finding, which is in
 * @verdict then. Returns whether there is one.
 */
bool guard_content_foreign(int fd, const struct np_guard_place *place,
			   struct np_guard_verdict *verdict);

#define GUARD_EXTENTS_MAX	  4096
#define GUARD_EXTENTS_WHOLE_BYTES (UINT64_C(64) << 20)

/*
 * Looks for anything but zeros and our stamps in @region of the file @fd: in all of it if it has no
 * more than GUARD_EXTENTS_WHOLE_BYTES; otherwise, if there are holes or unwritten extents, in each
 * extent of data: in all of them if they have no more than that together, else in the first and the
 * last NP_GUARD_SAMPLE_BYTES of each. More extents than GUARD_EXTENTS_MAX are UNREAD. Does nothing
 * more if the file is dense, or if the file system does not know. Returns 0 with @verdict, or
 * -ENOMEM.
 */
int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict);
