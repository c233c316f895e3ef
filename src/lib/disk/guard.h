/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_users: who uses a disk or a file: by the kernel's tables of mounts and swaps (libmount), by
 * exclusive opens, and by the loop devices that there are at the moment.
 */
#ifndef GUARD_USERS_H
#define GUARD_USERS_H

#include "../base/backing.h"

#include <netperf/disk.h>

/*
 * Looks for users of @operand, which is open already, a block device exclusively: mounts and swaps
 * of the loop devices on it and of what it stands on, who holds those, and who has locked its file.
 * Returns 1 with a reason and text in @verdict, 0 for nobody (the text of NP_GUARD_UNSEEN is in
 * @verdict->text if something could not be seen), or -errno. *@on: a loop device on it, which
 * nobody seems to use, or 0.
 */
int guard_users_find(const struct backing_loops *loops, const struct backing_place *operand,
		     struct np_guard_verdict *verdict, dev_t *on);

/*
 * The same for the block device @device, which is not open, or, if that is 0, for what is mounted
 * by the name @path or that of a partition of it.
 */
int guard_users_of_device(const struct backing_loops *loops, dev_t device, const char *path,
			  struct np_guard_verdict *verdict);

/* The name of @device, "/dev/sda1" or "/dev/mapper/home". */
#define GUARD_NAME_BYTES 64
char *guard_device_name(dev_t device, char out[GUARD_NAME_BYTES]);

/*
 * Adds all signatures that libblkid finds to @verdict->signatures, and describes the first one in
 * @verdict->text. Returns 0, -EIO when it could not read, or -ENOMEM.
 */
int guard_content_signatures(int fd, uint64_t bytes, struct np_guard_verdict *verdict);

/*
 * Looks for anything but zeros and our stamps in @count places of the file or device, in that
 * order, up to the first finding. Returns 0 or -errno.
 */
int guard_content_places(int fd, const struct np_guard_place *place, size_t count,
			 struct np_guard_verdict *verdict);

#define GUARD_EXTENTS_MAX	  4096
#define GUARD_EXTENTS_WHOLE_BYTES (UINT64_C(64) << 20)

/*
 * Looks for anything but zeros and our stamps in @region of the file @fd: in all of it if it has no
 * more than GUARD_EXTENTS_WHOLE_BYTES; otherwise, if there are holes or unwritten extents, in each
 * extent of data: in all of them if they have no more than that together, else in the first and the
 * last NP_GUARD_SAMPLE_BYTES of each. More extents than GUARD_EXTENTS_MAX are UNREAD. Does nothing
 * more if the file is dense, or if the file system does not know. Returns 0 with @verdict, or
 * -errno.
 */
int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict);

#endif
