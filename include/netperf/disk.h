/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * disk: a block device or a regular file opened for a test, and its geometry: what size it has,
 * what alignment direct I/O wants, what it calls itself (ioctl BLKGETSIZE64, BLKSSZGET,
 * BLKPBSZGET, statx STATX_DIOALIGN, /sys/dev/block).
 *
 * A disk belongs to one thread; its descriptor may be used by an engine.
 */
#ifndef NETPERF_DISK_H
#define NETPERF_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum np_disk_mode { NP_DISK_DIRECT, NP_DISK_BUFFERED, NP_DISK_BUFFERED_SYNC };

struct np_disk;

struct np_disk_options {
	enum np_disk_mode mode;
	bool write; /* open read-write, block devices with O_EXCL; else read-only */
};

struct np_disk_geometry {
	uint64_t bytes;		/* whole size */
	uint64_t allocated;	/* of a file: bytes that have blocks; less in a sparse one */
	uint32_t logical_block; /* smallest I/O in direct mode; 512 for files on most systems */
	uint32_t physical_block;
	uint32_t memory_align; /* of buffers in direct mode; at least 512 */
	uint32_t offset_align; /* of offset and length; 1 in the buffered modes */
	bool block_device;
	bool read_only;
	char model[64]; /* "" when it has none */
	char serial[64];
	char scheduler[32];
};

/*
 * Opens @path. A missing file is never created (-ENOENT). -ENOTBLK: neither a block device nor a
 * regular file. -EINVAL with direct mode: the file system has no O_DIRECT. -EBUSY: somebody
 * holds the device exclusively. -EAGAIN: another test writes the file: a file open for writing is
 * locked (F_OFD_SETLK) until it is freed; -ENOLCK: it cannot be locked. -ESTALE: @path changed
 * under our hands. -EROFS, -EACCES as usual. On failure *@disk is NULL.
 */
int np_disk_open(struct np_disk **disk, const char *path, const struct np_disk_options *options);

/* NULL is allowed. */
void np_disk_free(struct np_disk *disk);

int np_disk_fd(const struct np_disk *disk);

const struct np_disk_geometry *np_disk_geometry(const struct np_disk *disk);

/* Drops what the page cache holds of it, so that a buffered read reads the disk. 0 or -errno. */
int np_disk_drop_cache(struct np_disk *disk);

/* fsync(2): what was written is on the disk, its own cache flushed. Returns 0 or -errno. */
int np_disk_sync(struct np_disk *disk);

/*
 * Is it a file that has become shorter than it was when it was opened? A write makes it grow: when
 * one has given it the old size again, it is known on ext4 and tmpfs by what it occupied when this
 * was asked before, if 64 KiB or more are missing.
 */
bool np_disk_is_cut(struct np_disk *disk);

/* Bytes that a write may have added to a file that was cut. */
struct np_disk_extent {
	uint64_t offset;
	uint64_t bytes;
};

/*
 * Cuts a file again that np_disk_is_cut told of, when the last of @writes, @count writes that were
 * in flight as it was cut, made it grow, maybe to the size it had: to where data ends that is not
 * theirs. Only done while nobody else has the file open. *@bytes is its size afterwards. Returns 0
 * or -errno.
 */
int np_disk_take_back(struct np_disk *disk, const struct np_disk_extent *writes, size_t count,
		      uint64_t *bytes);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
