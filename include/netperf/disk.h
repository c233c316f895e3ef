/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * disk: a block device or a regular file opened for a test, and its geometry: its size, the
 * alignment that direct I/O needs, its model and serial number (ioctl BLKGETSIZE64, BLKSSZGET,
 * BLKPBSZGET, statx STATX_DIOALIGN, /sys/dev/block).
 *
 * A disk belongs to one thread; its descriptor may be used by an engine.
 */
#ifndef NETPERF_DISK_H
#define NETPERF_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

enum np_disk_mode { NP_DISK_DIRECT, NP_DISK_BUFFERED, NP_DISK_BUFFERED_SYNC };

struct np_disk;

struct np_disk_options {
	enum np_disk_mode mode;
	bool write; /* open read-write, block devices with O_EXCL; else read-only */
};

struct np_disk_geometry {
	uint64_t bytes;		/* total size */
	uint64_t allocated;	/* of a file: bytes that have blocks; fewer in a sparse file */
	uint32_t logical_block; /* smallest I/O in direct mode; 512 for files on most systems */
	uint32_t physical_block;
	uint32_t memory_align; /* of buffers in direct mode; at least 512 */
	uint32_t offset_align; /* of offset and length; 1 in the buffered modes */
	bool block_device;
	bool read_only;
	char model[64]; /* "" when unknown */
	char serial[64];
	char scheduler[32];
};

/*
 * Opens @path. A missing file is never created (-ENOENT). -ENOTBLK: neither a block device nor a
 * regular file. -EINVAL with direct mode: the file system has no O_DIRECT. -EBUSY: the device is
 * held exclusively. -EAGAIN: another test writes the file: a file open for writing is locked
 * (F_OFD_SETLK and flock(2)) until it is freed, a block device by flock(2); -ENOLCK: it cannot be
 * locked. -ESTALE: @path was replaced meanwhile. -EROFS, -EACCES as usual. On failure *@disk is
 * NULL.
 */
int np_disk_open(struct np_disk **disk, const char *path, const struct np_disk_options *options);

/* NULL is allowed. */
void np_disk_free(struct np_disk *disk);

int np_disk_fd(const struct np_disk *disk);

const struct np_disk_geometry *np_disk_geometry(const struct np_disk *disk);

/* Empties the page cache of it, so that a buffered read reads the disk. Returns 0 or -errno. */
int np_disk_drop_cache(struct np_disk *disk);

/*
 * fsync(2): everything written is on the disk, and the disk's cache is flushed. Returns 0 or
 * -errno.
 */
int np_disk_sync(struct np_disk *disk);

/*
 * Whether the file has become shorter than it was when opened. If a write has extended it to its
 * old size again, that is detected on ext4 and tmpfs by the blocks it occupied at the last call, if
 * 64 KiB or more are missing.
 */
bool np_disk_is_cut(struct np_disk *disk);

/* Whether @path, of a file, now leads to nothing or to another file than the open one. */
bool np_disk_is_replaced(const struct np_disk *disk, const char *path);

#include <netperf/bits/end.h>
#endif
