/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sysfs: block devices under /sys/dev/block, and what disks and files are stored on, through the
 * loop devices that there are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define SYSFS_PATH_BYTES 320

/* Writes "/sys/dev/block/MAJOR:MINOR/TAIL" to @path. */
void sysfs_block_path(char path[SYSFS_PATH_BYTES], dev_t device, const char *tail);

/*
 * Reads the text @path, as far as there is room in @out. Returns its bytes, or -errno, with "" in
 * @out.
 */
ssize_t sysfs_read_text(const char *path, char *out, size_t room);

/* Reads the first line of @path without leading and trailing blanks. Returns 0 or -errno. */
int sysfs_read_line(const char *path, char *out, size_t room);

/* The same for attribute @name of @device. */
int sysfs_read_block(dev_t device, const char *name, char *out, size_t room);

/* Parses "MAJOR:MINOR" as a device number, and cuts it at the colon. Returns 0 or -EINVAL. */
int sysfs_parse_device(char *text, dev_t *device);

/*
 * Its name in /dev: that of the kernel ("sda1", "etherd/e4.1"), or where /sys does not have it a
 * guess: "loop0", or "block/8:0" as udev has it.
 */
void sysfs_name(dev_t device, char *out, size_t room);

/*
 * Opens a node of the block device @device with @flags, wherever in /dev libblkid finds one.
 * Returns a descriptor or -errno, -ENOENT when there is no node.
 */
int sysfs_open_node(dev_t device, int flags);

/* A block device, or a file by its device and inode; inode 0: a block device. */
struct backing_place {
	dev_t device;
	ino_t inode;
};

struct backing_place backing_place_of(const struct stat *status);
bool backing_place_is(const struct backing_place *a, const struct backing_place *b);

/* A loop device and what it stands on, which is 0 where that cannot be seen from here. */
struct backing_loop {
	dev_t device;
	struct backing_place lower;
	bool seen; /* for who follows them: false at first */
};

struct backing_loops {
	struct backing_loop *loop;
	size_t count;
};

/*
 * Reads all loop devices that are in use, from /sys and from themselves. Free with
 * backing_loops_free. Without /sys there are none, and *@missing says what is wrong with it, else
 * NULL. Returns 0 or -errno; -EMFILE without the free descriptors that the look-ups after this one
 * need, too.
 */
int backing_loops_read(struct backing_loops *loops, const char **missing);
void backing_loops_free(struct backing_loops *loops);

/*
 * Goes down from @device, or from the disk that it is a partition of, if that is a loop device
 * which is not @seen yet; it is then. Returns NULL if there is no such one.
 */
const struct backing_loop *backing_loops_descend(struct backing_loops *loops, dev_t device);
