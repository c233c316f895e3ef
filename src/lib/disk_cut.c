// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * disk_cut: detects and undoes the growth of a file that another process shortens while it is
 * written.
 */
#include "disk_most.h"
#include "stacked.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <netperf/disk.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES 4096
/* Allocation metadata is counted, too, and shrinks when extents are merged. */
#define METADATA_BYTES (UINT64_C(64) << 10)
#define TRIES	       100
#define PAUSE_NS       2000000

static bool shrinks_at_will(int fd)
{
	struct statfs status;

	if (fstatfs(fd, &status) < 0)
		return true;
	return status.f_type != EXT4_SUPER_MAGIC && status.f_type != TMPFS_MAGIC;
}

/* A write in flight may have restored the file's old size: then it occupies less than before. */
static bool occupies_less(struct np_disk *disk, const struct stat *status)
{
	const uint64_t bytes = (uint64_t)status->st_blocks * 512;
	struct np_disk_most *most = disk_most(disk);

	if (most->shrinks == DISK_UNKNOWN)
		most->shrinks =
			shrinks_at_will(np_disk_fd(disk)) ? DISK_AT_WILL : DISK_ONLY_WHEN_CUT;
	if (bytes > most->bytes)
		most->bytes = bytes;
	return most->shrinks == DISK_ONLY_WHEN_CUT && bytes + METADATA_BYTES < most->bytes;
}

bool np_disk_is_cut(struct np_disk *disk)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(disk);
	struct stat status;

	return !geometry->block_device && fstat(np_disk_fd(disk), &status) == 0 &&
	       ((uint64_t)status.st_size < geometry->bytes || occupies_less(disk, &status));
}

/* The end of the last data below @limit; 0: there is none. */
static uint64_t data_end(int fd, uint64_t limit)
{
	uint64_t end = 0;
	off_t data = 0, hole;

	while ((data = lseek(fd, data, SEEK_DATA)) >= 0 && (uint64_t)data < limit) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data)
			return limit;
		end = (uint64_t)hole < limit ? (uint64_t)hole : limit;
		data = hole;
	}
	return end;
}

/*
 * A write into the middle of a block is preceded by zeros, which count as data: returns where they
 * start.
 */
static uint64_t zeros_begin(int fd, uint64_t limit)
{
	uint64_t begin = limit - limit % BLOCK_BYTES;
	uint8_t data[BLOCK_BYTES];
	ssize_t got = pread(fd, data, (size_t)(limit - begin), (off_t)begin);

	if (got < (ssize_t)(limit - begin))
		return limit;
	while (limit > begin && data[limit - begin - 1] == 0)
		limit--;
	return limit;
}

/* The size without what @writes added after the end. */
static uint64_t size_without(int fd, uint64_t size, const struct np_disk_extent *writes,
			     size_t count)
{
	uint64_t keep = size, before;

	do {
		before = keep;
		for (size_t i = 0; i < count; i++) {
			if (writes[i].offset < keep && writes[i].offset + writes[i].bytes >= keep)
				keep = writes[i].offset;
		}
		if (keep < before)
			keep = data_end(fd, zeros_begin(fd, keep));
	} while (keep < before);
	return keep;
}

/*
 * Retries for a moment, since the process that cut the file still has it open. On an overlay, opens
 * by another name are not visible. Returns 0 or -errno.
 */
static int lease(int fd)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};

	if (stacked_kind(fd) != STACKED_NOT)
		return -EOPNOTSUPP;
	if (fcntl(fd, F_SETSIG, SIGWINCH) < 0)
		return -errno;
	for (unsigned tries = TRIES; fcntl(fd, F_SETLEASE, F_WRLCK) < 0; tries--) {
		if (errno != EAGAIN || tries == 0)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

/* While the lease is held nobody can open the file, and nobody has it open. */
static int cut_alone(int fd, const struct np_disk_extent *writes, size_t count)
{
	struct stat status;
	uint64_t keep;
	int error = lease(fd), flags = fcntl(fd, F_GETFL);

	if (error)
		return error;
	/* Reads part of a block, which O_DIRECT does not allow. */
	(void)fcntl(fd, F_SETFL, flags & ~O_DIRECT);
	if (fstat(fd, &status) < 0) {
		error = -errno;
	} else {
		keep = size_without(fd, (uint64_t)status.st_size, writes, count);
		if (keep < (uint64_t)status.st_size && ftruncate(fd, (off_t)keep) < 0)
			error = -errno;
	}
	(void)fcntl(fd, F_SETFL, flags);
	(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	return error;
}

int np_disk_take_back(struct np_disk *disk, const struct np_disk_extent *writes, size_t count,
		      uint64_t *bytes)
{
	int fd = np_disk_fd(disk), error = cut_alone(fd, writes, count);
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	*bytes = (uint64_t)status.st_size;
	return error;
}
