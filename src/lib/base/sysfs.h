/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sysfs: one-line attributes of block devices under /sys/dev/block. */
#ifndef SYSFS_H
#define SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SYSFS_PATH_BYTES 320

/* Writes "/sys/dev/block/MAJOR:MINOR/TAIL" to @path. */
void sysfs_block_path(char path[SYSFS_PATH_BYTES], dev_t device, const char *tail);

/* Reads the first line of @path without leading and trailing blanks. Returns 0 or -errno. */
int sysfs_read_line(const char *path, char *out, size_t room);

/* The same for attribute @name of @device. */
int sysfs_read_block(dev_t device, const char *name, char *out, size_t room);

/* Parses "MAJOR:MINOR" as a device number. Returns 0 or -EINVAL. */
int sysfs_parse_device(const char *text, dev_t *device);

/*
 * Finds the whole disk that @device is a partition of. Returns 0, or -ENOENT: it is no partition.
 */
int sysfs_whole_disk(dev_t device, dev_t *disk);

/* Reads the kernel's name of @device ("sda1"). Returns 0 or -errno. */
int sysfs_name(dev_t device, char *out, size_t room);

/* Guesses its name in /dev when /sys is not available: "loop0", or "block/8:0" as udev has it. */
void sysfs_guess_name(dev_t device, char *out, size_t room);

#define SYSFS_ROOT_INODE 1 /* kernfs */

/* Checks that /sys shows the kernel's sysfs. Returns NULL, or what is wrong and how to mend it. */
const char *sysfs_missing(void);

/*
 * Opens a node of the block device @device with @flags, wherever in /dev the kernel or udev put it.
 * Returns a descriptor or -errno, -ENOENT when there is no node.
 */
int sysfs_open_node(dev_t device, int flags);

#endif
