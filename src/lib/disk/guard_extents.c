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

#define SECTOR UINT64_C(512)

struct extents {
	struct np_guard_place place[GUARD_EXTENTS_MAX];
	size_t count;
	uint64_t bytes;
};

/* Adds [@begin, @end) from the start of its sector on; to the extent before it where they meet. */
static int add_extent(struct extents *extents, uint64_t begin, uint64_t end)
{
	struct np_guard_place *last = extents->count ? &extents->place[extents->count - 1] : NULL;

	begin -= begin % SECTOR;
	if (last && last->offset + last->bytes >= begin) {
		extents->bytes += end - (last->offset + last->bytes);
		last->bytes = end - last->offset;
		return 0;
	}
	if (extents->count == GUARD_EXTENTS_MAX)
		return -E2BIG;
	extents->place[extents->count++] = (struct np_guard_place){begin, end - begin};
	extents->bytes += end - begin;
	return 0;
}

/*
 * The next data in [@*begin, @*end), into them. Returns 1, 0: there is none, or -errno.
 *
 * By the extents on the disk (Documentation/filesystems/fiemap.rst). An unwritten one holds
 * zeros, whatever the page cache keeps of it: SEEK_DATA takes cached pages of it for data. SYNC
 * first writes what is dirty, which would count as unwritten, too.
 */
static int next_mapped(int fd, uint64_t *begin, uint64_t *end)
{
	union {
		struct fiemap head;
		unsigned char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
	} map;
	const struct fiemap_extent *one = map.head.fm_extents;
	uint64_t at = *begin;

	while (at < *end) {
		map.head = (struct fiemap){.fm_start = at,
					   .fm_length = *end - at,
					   .fm_flags = FIEMAP_FLAG_SYNC,
					   .fm_extent_count = 1};
		if (ioctl(fd, FS_IOC_FIEMAP, &map) < 0)
			return -errno;
		if (!map.head.fm_mapped_extents)
			return 0;
		if (one->fe_logical + one->fe_length <= at)
			return -EIO;
		*begin = one->fe_logical > at ? one->fe_logical : at;
		at = one->fe_logical + one->fe_length;
		if (!(one->fe_flags & FIEMAP_EXTENT_UNWRITTEN)) {
			*end = at < *end ? at : *end;
			return *begin < *end;
		}
	}
	return 0;
}

/* By what lseek(2) takes for data, which may include unwritten extents. */
static int next_sought(int fd, uint64_t *begin, uint64_t *end)
{
	const off_t data = lseek(fd, (off_t)*begin, SEEK_DATA);
	off_t hole;

	if (data < 0)
		return errno == ENXIO ? 0 : -errno;
	if ((uint64_t)data >= *end)
		return 0;
	hole = lseek(fd, data, SEEK_HOLE);
	if (hole < 0)
		return -errno;
	*begin = (uint64_t)data;
	*end = (uint64_t)hole;
	return hole > data ? 1 : -EIO;
}

/* Returns 0, -E2BIG, or -errno. */
static int find(int fd, const struct np_guard_place *region, struct extents *extents,
		int (*next)(int fd, uint64_t *begin, uint64_t *end))
{
	const uint64_t limit = region->offset + region->bytes;
	uint64_t begin = region->offset, end = limit;
	int found = 0;

	*extents = (struct extents){0};
	for (; begin < limit && (found = next(fd, &begin, &end)) > 0; begin = end, end = limit) {
		uint64_t whole = end + (SECTOR - end % SECTOR) % SECTOR;

		found = add_extent(extents, begin, whole < limit ? whole : limit);
		if (found)
			break;
	}
	return found;
}

/* Each one is read as a whole, or its two ends. */
static void judge(int fd, const struct extents *extents, struct np_guard_verdict *verdict)
{
	const bool whole = extents->bytes <= GUARD_EXTENTS_WHOLE_BYTES;
	bool found = false;

	for (size_t i = 0; i < extents->count && !found; i++) {
		struct np_guard_place place = extents->place[i];
		const uint64_t end = place.offset + place.bytes;
		const bool ends = !whole && place.bytes > 2 * NP_GUARD_SAMPLE_BYTES;

		if (ends)
			place.bytes = NP_GUARD_SAMPLE_BYTES;
		found = guard_content_foreign(fd, &place, verdict);
		place.offset = end - NP_GUARD_SAMPLE_BYTES;
		if (ends && !found)
			found = guard_content_foreign(fd, &place, verdict);
	}
}

int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict)
{
	struct extents *extents;
	int error;

	if (region->bytes <= GUARD_EXTENTS_WHOLE_BYTES) {
		guard_content_foreign(fd, region, verdict);
		return 0;
	}
	extents = malloc(sizeof(*extents));
	if (!extents)
		return -ENOMEM;
	error = find(fd, region, extents, next_mapped);
	if (error && error != -E2BIG)
		error = find(fd, region, extents, next_sought);
	/* A file system without a map of holes: there is no more to know than of a device. */
	if (error && error != -EINVAL && error != -EOPNOTSUPP && error != -ENOSYS) {
		verdict->reason = NP_GUARD_UNREAD;
		if (error == -E2BIG)
			snprintf(verdict->text, sizeof(verdict->text),
				 "has more than %d separate pieces of data between its holes, too "
				 "many to examine them all",
				 GUARD_EXTENTS_MAX);
		else
			snprintf(verdict->text, sizeof(verdict->text),
				 "cannot be examined between its holes: %s", strerror(-error));
	} else if (!error && extents->bytes < region->bytes) {
		judge(fd, extents, verdict);
	}
	free(extents);
	return 0;
}
