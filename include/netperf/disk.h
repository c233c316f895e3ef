/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * disk: a block device or a regular file opened for a test, and its geometry: its size, the
 * alignment that direct I/O needs, its model and serial number (ioctl BLKGETSIZE64, BLKSSZGET,
 * BLKPBSZGET, statx STATX_DIOALIGN, /sys/dev/block).
 *
 * A disk belongs to one thread; its descriptor may be used by an engine.
 */
#pragma once

#include <netperf/options.h>

/* The rows of --offset and --size, the region of a disk. @start, @length: members, a uint64_t. */
#define NP_DISK_REGION(start, length)                                                              \
	NP_VALUE(LOAD, SIZE, "offset", NULL, "BYTES", start,                                       \
		 "start of the region of the disk to use, a multiple of 512", .initial = "0"),     \
		NP_VALUE(LOAD, SIZE, "size", NULL, "BYTES", length,                                \
			 "length of that region, a multiple of 512; 0: to the end",                \
			 .initial = "0")

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

void np_disk_free(struct np_disk *disk);

int np_disk_fd(const struct np_disk *disk);

const struct np_disk_geometry *np_disk_geometry(const struct np_disk *disk);

/*
 * Whether the file has become shorter than it was when opened. If a write has extended it to its
 * old size again, that is detected on ext4 and tmpfs by the blocks it occupied at the last call, if
 * 64 KiB or more are missing.
 */
bool np_disk_is_cut(struct np_disk *disk);

/* Whether @path, of a file, now leads to nothing or to another file than the open one. */
bool np_disk_is_replaced(const struct np_disk *disk, const char *path);

/*
 * guard: may this be overwritten? Looks for users (mounts, partitions in use, swap, holders such as
 * md and dm, loop devices) and for content that somebody may miss: libblkid signatures, and
 * anything but zeros and our own stamps in the places that are examined.
 *
 * The kernel holds a block device for whoever mounts or stacks on it, in all namespaces: O_EXCL
 * shows that. Loop devices on a disk or file, and what a loop device stands on, are followed,
 * whichever part of it they use. Not seen: a file that EROFS or FUSE has mounted
 * without a loop device, the layers of an overlay, and who begins to use it later.
 *
 * Sources: libmount, /sys/class/block, LOOP_GET_STATUS64, O_EXCL, libblkid's low-level probing.
 * These functions only read. Thread-safe.
 */
enum np_guard_reason {
	NP_GUARD_FREE,	  /* no objection */
	NP_GUARD_MOUNTED, /* the operand, or anything above or below it that shares its storage */
	NP_GUARD_SWAP,
	NP_GUARD_HELD,	    /* by md, dm, bcache ..., or opened exclusively, or locked */
	NP_GUARD_UNSEEN,    /* who uses it cannot be determined; the text tells how to make that
			       possible */
	NP_GUARD_SIGNATURE, /* carries a file system, partition table, RAID, LVM, LUKS ... */
	NP_GUARD_LOOP,	    /* a file that backs a loop device */
	NP_GUARD_PARTS,	    /* the kernel knows partitions of the disk, with or without a table */
	NP_GUARD_NOT_OURS,  /* a place that is examined has neither zeros nor our stamps */
	NP_GUARD_UNREAD,    /* a place that is examined cannot be read, so its content is unknown */
};

struct np_guard_verdict {
	enum np_guard_reason reason;
	/* --destroy=TARGET overrides it: SIGNATURE and what follows, and some UNSEEN. */
	bool destroyable;
	char text[256];	      /* "mounted on /home", "carries ext4 file system" */
	char signatures[128]; /* all that libblkid found, comma-separated; may be "" */
};

struct np_guard_place {
	uint64_t offset; /* in bytes; like the length a multiple of 512 */
	uint64_t bytes;
};

/*
 * Examines the block device or regular file that is open for reading as @fd: its users and its
 * content, including the places of @region, which will be written; NULL: all of it will be. Of a
 * file with holes also examines what its file system knows to be data there. Judges what @fd refers
 * to, whatever has become of its path. Open a block device with O_EXCL: only that shows whether
 * somebody holds it, and it is not tried again here. Clears O_DIRECT of @fd meanwhile. Returns 0
 * with @verdict, -ENOTBLK (neither of the two), or another -errno.
 */
int np_guard_fd(int fd, const struct np_guard_place *region, struct np_guard_verdict *verdict);

/*
 * Finds the users of the block device @path, or of one of its partitions. Its node need not exist
 * or be readable: also searches /sys and the tables of mounts and swaps by its name. Examines no
 * content. Returns 0 with @verdict (FREE, MOUNTED, SWAP, HELD or UNSEEN), or -errno.
 */
int np_guard_users(const char *path, struct np_guard_verdict *verdict);

/*
 * Whether two paths lead to one file or block device, by whatever name, or to a disk and a
 * partition of it. A path that leads nowhere is like no other.
 */
bool np_guard_same(const char *a, const char *b);

/*
 * What is examined: both ends, as far as libblkid looks (LUKS2 has its last spare header at 4 MiB,
 * Promise's RAID its metadata up to 3087 sectors before the end), and a hundred samples between
 * them.
 */
#define NP_GUARD_BEGIN_BYTES  ((UINT64_C(4) << 20) + (UINT64_C(64) << 10))
#define NP_GUARD_END_BYTES    (UINT64_C(2) << 20)
#define NP_GUARD_SAMPLES      100
#define NP_GUARD_SAMPLE_BYTES UINT64_C(4096)
#define NP_GUARD_PLACES_MAX   (NP_GUARD_SAMPLES + 2)

/*
 * The places that are examined of a disk or file of @bytes, in ascending order, without overlap,
 * and without the bytes after the last whole sector. Returns how many there are; their lengths add
 * up to less than 7 MiB.
 */
size_t np_guard_places(uint64_t bytes, struct np_guard_place place[NP_GUARD_PLACES_MAX]);

/*
 * Examines only content: @fd is readable and seekable, @bytes long (for example a sparse file with
 * the places of np_guard_places of a remote disk). Looks for signatures, then at the places of
 * np_guard_places, and at those of @region, counted from its start, if that is not NULL. Returns 0
 * with @verdict (FREE, SIGNATURE, NOT_OURS or UNREAD), or -errno.
 */
int np_guard_content(int fd, uint64_t bytes, const struct np_guard_place *region,
		     struct np_guard_verdict *verdict);
