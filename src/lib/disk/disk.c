// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* disk: opens a block device or regular file for a test and reads its geometry. */
#include "../base/sysfs.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <netperf/disk.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SECTOR_BYTES 512

#define LOCK_LIMIT   NP_SECOND
#define LOCK_PAUSE   (10 * NP_MILLISECOND)

struct np_disk {
	int fd;
	struct np_disk_geometry geometry;
	/* The most space that the file was seen to occupy; writes alone never reduce it. */
	uint64_t most_bytes;
	/* But some file systems free blocks when they compress or copy what is written. */
	bool shrinks_at_will;
};

/* @disk: the whole one, of a device or of the file system that a file is on. */
static void read_identity(struct np_disk_geometry *geometry, dev_t disk)
{
	static const char *const names[] = {"serial", "device/serial", "wwid", "device/wwid"};
	char line[256], *begin;

	(void)sysfs_read_block(disk, "device/model", geometry->model, sizeof(geometry->model));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !geometry->serial[0]; i++)
		(void)sysfs_read_block(disk, names[i], geometry->serial, sizeof(geometry->serial));
	/* The active scheduler is in brackets: "none [mq-deadline]". */
	if (sysfs_read_block(disk, "queue/scheduler", line, sizeof(line)) ||
	    !(begin = strchr(line, '[')))
		return;
	begin[strcspn(begin, "]")] = '\0';
	snprintf(geometry->scheduler, sizeof(geometry->scheduler), "%.31s", begin + 1);
}

static int read_device(struct np_disk *disk)
{
	struct np_disk_geometry *geometry = &disk->geometry;
	int logical = SECTOR_BYTES, read_only = 0;

	geometry->block_device = true;
	geometry->physical_block = SECTOR_BYTES;
	if (ioctl(disk->fd, BLKGETSIZE64, &geometry->bytes) < 0 ||
	    ioctl(disk->fd, BLKSSZGET, &logical) < 0)
		return -errno;
	(void)ioctl(disk->fd, BLKPBSZGET, &geometry->physical_block);
	(void)ioctl(disk->fd, BLKROGET, &read_only);
	geometry->logical_block = (uint32_t)logical;
	geometry->memory_align = (uint32_t)logical;
	geometry->offset_align = (uint32_t)logical;
	geometry->read_only = read_only != 0;
	return 0;
}

static uint32_t queue_limit(dev_t disk, const char *attribute, uint32_t otherwise)
{
	char line[32];
	uint64_t value;

	if (sysfs_read_block(disk, attribute, line, sizeof(line)) ||
	    np_units_parse_count(line, SECTOR_BYTES, 1u << 30, &value))
		return otherwise;
	return (uint32_t)value;
}

/*
 * Linux 6.1 reports for each file what direct I/O needs; on older kernels, and file systems that do
 * not report it, the logical block size of the disk below applies.
 */
static void read_file(struct np_disk *disk, const struct stat *status, dev_t below)
{
	struct np_disk_geometry *geometry = &disk->geometry;
	uint32_t logical = queue_limit(below, "queue/logical_block_size", SECTOR_BYTES);
	struct statx more;
	struct statfs where;

	disk->shrinks_at_will = fstatfs(disk->fd, &where) < 0 ||
				(where.f_type != EXT4_SUPER_MAGIC && where.f_type != TMPFS_MAGIC);
	geometry->bytes = (uint64_t)status->st_size;
	geometry->allocated = (uint64_t)status->st_blocks * 512;
	geometry->memory_align = logical;
	geometry->offset_align = logical;
	if (statx(disk->fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &more) == 0 &&
	    (more.stx_mask & STATX_DIOALIGN) && more.stx_dio_offset_align > 0) {
		geometry->memory_align = more.stx_dio_mem_align;
		geometry->offset_align = more.stx_dio_offset_align;
	}
	geometry->logical_block = geometry->offset_align;
	geometry->physical_block =
		queue_limit(below, "queue/physical_block_size", geometry->logical_block);
	if (geometry->memory_align < SECTOR_BYTES)
		geometry->memory_align = SECTOR_BYTES;
}

/*
 * Checks the type before opening: opening a pipe blocks, opening a tape rewinds it. Then opens what
 * was checked rather than @path again, which may name another file by now. Without /proc it uses
 * the path and compares the result.
 */
static int open_same(const char *path, int flags, struct stat *status)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd;
	struct stat before;
	char link[32];

	if (place < 0)
		return -errno;
	if (fstat(place, &before) < 0) {
		fd = -errno;
	} else if (!S_ISBLK(before.st_mode) && !S_ISREG(before.st_mode)) {
		fd = -ENOTBLK;
	} else {
		if (S_ISBLK(before.st_mode) && (flags & O_ACCMODE) != O_RDONLY)
			flags |= O_EXCL;
		flags |= O_CLOEXEC | O_NOCTTY;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
		fd = open(link, flags);
		if (fd < 0 && errno == ENOENT)
			fd = open(path, flags | O_NONBLOCK);
		fd = fd < 0 ? -errno : fd;
	}
	close(place);
	if (fd < 0)
		return fd;
	if (fstat(fd, status) < 0 || status->st_dev != before.st_dev ||
	    status->st_ino != before.st_ino || status->st_mode != before.st_mode ||
	    status->st_rdev != before.st_rdev) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/*
 * Two tests that write one file would report each other's data as damage; for devices O_EXCL
 * prevents that. Who makes partitions or file systems holds a block device by flock(2), not always
 * exclusively, and many a program so holds the image of a disk. Retries for a second: udev holds a
 * device for a moment when it looks at it, and the kernel frees an io_uring, which holds the lock
 * of a file, after the end of its process.
 */
static int lock(int fd, bool file)
{
	struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	const np_time limit = np_clock_now() + LOCK_LIMIT;

	while ((file && fcntl(fd, F_OFD_SETLK, &range)) || flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EAGAIN && errno != EACCES)
			return -ENOLCK;
		if (np_clock_now() >= limit)
			return -EAGAIN;
		(void)np_clock_sleep_until(np_clock_now() + LOCK_PAUSE);
	}
	return 0;
}

int np_disk_open(struct np_disk **result, const char *path, const struct np_disk_options *options)
{
	const int flags = (options->write ? O_RDWR : O_RDONLY) |
			  (options->mode == NP_DISK_DIRECT ? O_DIRECT : 0);
	struct np_disk *disk = calloc(1, sizeof(*disk));
	struct stat status = {0};
	dev_t whole;
	int error;

	*result = NULL;
	if (!disk)
		return -ENOMEM;
	disk->fd = open_same(path, flags, &status);
	if (disk->fd < 0) {
		error = disk->fd;
		goto no_file;
	}
	whole = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
	(void)!blkid_devno_to_wholedisk(whole, NULL, 0, &whole);
	error = options->write ? lock(disk->fd, S_ISREG(status.st_mode)) : 0;
	if (!error && S_ISBLK(status.st_mode))
		error = read_device(disk);
	else if (!error)
		read_file(disk, &status, whole);
	read_identity(&disk->geometry, whole);
	if (options->mode != NP_DISK_DIRECT)
		disk->geometry.offset_align = 1;
	/* The kernel opens a read-only device for writing, and then refuses each write. */
	if (!error && options->write && disk->geometry.read_only)
		error = -EROFS;
	if (error)
		goto no_geometry;
	*result = disk;
	return 0;

no_geometry:
	close(disk->fd);
no_file:
	free(disk);
	return error;
}

void np_disk_free(struct np_disk *disk)
{
	struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	if (!disk)
		return;
	/* Unlocks before the descriptor is closed, since a ring may keep the file open longer. */
	(void)fcntl(disk->fd, F_OFD_SETLK, &lock);
	(void)flock(disk->fd, LOCK_UN);
	close(disk->fd);
	free(disk);
}

int np_disk_fd(const struct np_disk *disk)
{
	return disk->fd;
}

const struct np_disk_geometry *np_disk_geometry(const struct np_disk *disk)
{
	return &disk->geometry;
}

/* Allocation metadata is counted, too, and shrinks when extents are merged. */
#define METADATA_BYTES (UINT64_C(64) << 10)

bool np_disk_is_cut(struct np_disk *disk)
{
	struct stat status;
	uint64_t bytes;

	if (disk->geometry.block_device || fstat(disk->fd, &status))
		return false;
	bytes = (uint64_t)status.st_blocks * 512;
	if (bytes > disk->most_bytes)
		disk->most_bytes = bytes;
	/* A write in flight may have restored the file's old size: then it occupies less. */
	return (uint64_t)status.st_size < disk->geometry.bytes ||
	       (!disk->shrinks_at_will && bytes + METADATA_BYTES < disk->most_bytes);
}

bool np_disk_is_replaced(const struct np_disk *disk, const char *path)
{
	struct stat opened, found;

	if (disk->geometry.block_device || fstat(disk->fd, &opened) < 0)
		return false;
	return stat(path, &found) < 0 || found.st_dev != opened.st_dev ||
	       found.st_ino != opened.st_ino;
}
