// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* disk_cut: detects that another process shortens or replaces a file while it is written. */
#include "disk_most.h"

#include <linux/magic.h>
#include <netperf/disk.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Allocation metadata is counted, too, and shrinks when extents are merged. */
#define METADATA_BYTES (UINT64_C(64) << 10)

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

bool np_disk_is_replaced(const struct np_disk *disk, const char *path)
{
	struct stat opened, found;

	if (np_disk_geometry(disk)->block_device || fstat(np_disk_fd(disk), &opened) < 0)
		return false;
	return stat(path, &found) < 0 || found.st_dev != opened.st_dev ||
	       found.st_ino != opened.st_ino;
}
