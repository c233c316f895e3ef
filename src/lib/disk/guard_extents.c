// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_extents: asks the file system where a file has data, and examines that. */
#include "guard.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <netperf/pattern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAPPED_AT_ONCE 64

struct extents {
	struct np_guard_place place[GUARD_EXTENTS_MAX];
	size_t count;
	uint64_t bytes;
};

/* Adds [@begin, @end) in whole sectors; to the extent before it where the two meet. */
static int add_extent(struct extents *extents, uint64_t begin, uint64_t end)
{
	const uint64_t sector = NP_PATTERN_SECTOR_BYTES;
	struct np_guard_place *last = extents->count ? &extents->place[extents->count - 1] : NULL;

	begin -= begin % sector;
	if (last && last->offset + last->bytes >= begin) {
		extents->bytes += end - (last->offset + last->bytes);
		last->bytes = end - last->offset;
		return 0;
	}
	if (extents->count == GUARD_EXTENTS_MAX)
		return -E2BIG;
	extents->place[extents->count++] =
		(struct np_guard_place){.offset = begin, .bytes = end - begin};
	extents->bytes += end - begin;
	return 0;
}

/* The end of the sector that @at is in, or of the region. */
static uint64_t sector_end(uint64_t at, uint64_t end)
{
	const uint64_t sector = NP_PATTERN_SECTOR_BYTES;
	const uint64_t whole = at + (sector - at % sector) % sector;

	return whole < end ? whole : end;
}

/*
 * From the extents on the disk (Documentation/filesystems/fiemap.rst). An unwritten one holds
 * zeros, whatever the page cache keeps of it: SEEK_DATA takes cached pages of it for data. SYNC
 * first writes what is dirty, which would count as unwritten, too. Returns 0, -E2BIG, or -errno.
 */
static int find_mapped(int fd, const struct np_guard_place *region, struct extents *extents)
{
	const uint64_t end = region->offset + region->bytes;
	union {
		struct fiemap head;
		unsigned char
			room[sizeof(struct fiemap) + MAPPED_AT_ONCE * sizeof(struct fiemap_extent)];
	} map = {0};
	uint64_t at = region->offset;
	int error = 0;

	while (!error && at < end) {
		map.head = (struct fiemap){.fm_start = at,
					   .fm_length = end - at,
					   .fm_flags = FIEMAP_FLAG_SYNC,
					   .fm_extent_count = MAPPED_AT_ONCE};
		if (ioctl(fd, FS_IOC_FIEMAP, &map) < 0)
			return -errno;
		if (map.head.fm_mapped_extents == 0)
			break;
		for (unsigned i = 0; !error && i < map.head.fm_mapped_extents; i++) {
			const struct fiemap_extent *one = &map.head.fm_extents[i];
			const uint64_t begin = one->fe_logical > at ? one->fe_logical : at;

			if (one->fe_logical + one->fe_length <= at)
				return -EIO;
			at = one->fe_logical + one->fe_length;
			if (!(one->fe_flags & FIEMAP_EXTENT_UNWRITTEN) && begin < end)
				error = add_extent(extents, begin, sector_end(at, end));
			if (one->fe_flags & FIEMAP_EXTENT_LAST)
				return error;
		}
	}
	return error;
}

/* From what lseek(2) takes for data, which may include unwritten extents. */
static int find_sought(int fd, const struct np_guard_place *region, struct extents *extents)
{
	const uint64_t end = region->offset + region->bytes;
	uint64_t at = region->offset;
	off_t begin, hole;
	int error = 0;

	while (!error && at < end) {
		begin = lseek(fd, (off_t)at, SEEK_DATA);
		if (begin < 0)
			return errno == ENXIO ? 0 : -errno;
		if ((uint64_t)begin >= end)
			return 0;
		hole = lseek(fd, begin, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		if (hole <= begin)
			return -EIO;
		at = (uint64_t)hole;
		error = add_extent(extents, (uint64_t)begin, sector_end(at, end));
	}
	return error;
}

/* Each one is read as a whole, or its two ends. */
static int judge(int fd, const struct extents *extents, struct np_guard_verdict *verdict)
{
	struct np_guard_place *place = calloc(2 * extents->count + 1, sizeof(*place));
	const bool whole = extents->bytes <= GUARD_EXTENTS_WHOLE_BYTES;
	size_t count = 0;
	int error;

	if (!place)
		return -ENOMEM;
	for (size_t i = 0; i < extents->count; i++) {
		const struct np_guard_place *extent = &extents->place[i];

		place[count++] = *extent;
		if (whole || extent->bytes <= 2 * NP_GUARD_SAMPLE_BYTES)
			continue;
		place[count - 1].bytes = NP_GUARD_SAMPLE_BYTES;
		place[count++] = (struct np_guard_place){
			.offset = extent->offset + extent->bytes - NP_GUARD_SAMPLE_BYTES,
			.bytes = NP_GUARD_SAMPLE_BYTES,
		};
	}
	error = guard_content_places(fd, place, count, verdict);
	free(place);
	return error;
}

int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict)
{
	struct extents *extents;
	int error;

	if (region->bytes <= GUARD_EXTENTS_WHOLE_BYTES)
		return guard_content_places(fd, region, 1, verdict);
	extents = calloc(1, sizeof(*extents));
	if (!extents)
		return -ENOMEM;
	error = find_mapped(fd, region, extents);
	if (error && error != -E2BIG) {
		*extents = (struct extents){0};
		error = find_sought(fd, region, extents);
	}
	/* A file system without a map of holes: there is no more to know than of a device. */
	if (error == -EINVAL || error == -EOPNOTSUPP || error == -ENOSYS) {
		error = 0;
	} else if (error) {
		verdict->reason = NP_GUARD_UNREAD;
		if (error == -E2BIG)
			snprintf(verdict->text, sizeof(verdict->text),
				 "has more than %d separate pieces of data between its holes, too "
				 "many to examine them all",
				 GUARD_EXTENTS_MAX);
		else
			snprintf(verdict->text, sizeof(verdict->text),
				 "cannot be examined between its holes: %s", strerror(-error));
	} else if (extents->bytes < region->bytes) {
		error = judge(fd, extents, verdict);
	}
	free(extents);
	return verdict->reason == NP_GUARD_UNREAD ? 0 : error;
}
