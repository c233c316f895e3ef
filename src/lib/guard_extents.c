// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_extents: asks the file system where a file with holes has data, and examines that. */
#include "guard_extents.h"

#include "guard_content.h"

#include <errno.h>
#include <netperf/pattern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct extents {
	struct np_guard_place place[GUARD_EXTENTS_MAX];
	size_t count;
	uint64_t bytes;
};

/*
 * Finds the first extent of data from @at on, in whole sectors, before @end. Returns 1, 0: only a
 * hole follows, or -errno.
 */
static int find_extent(int fd, uint64_t at, uint64_t end, struct np_guard_place *extent)
{
	const uint64_t sector = NP_PATTERN_SECTOR_BYTES;
	off_t begin = lseek(fd, (off_t)at, SEEK_DATA), hole;
	uint64_t last;

	if (begin < 0)
		return errno == ENXIO ? 0 : -errno;
	if ((uint64_t)begin >= end)
		return 0;
	hole = lseek(fd, begin, SEEK_HOLE);
	if (hole < 0)
		return -errno;
	if (hole <= begin)
		return -EIO;
	last = (uint64_t)hole + (sector - (uint64_t)hole % sector) % sector;
	extent->offset = (uint64_t)begin - (uint64_t)begin % sector;
	extent->bytes = (last < end ? last : end) - extent->offset;
	return 1;
}

/* Returns 0, -E2BIG: there are more, or -errno. */
static int find_extents(int fd, const struct np_guard_place *region, struct extents *extents)
{
	const uint64_t end = region->offset + region->bytes;
	struct np_guard_place extent = {.offset = region->offset};
	int found;

	while ((found = find_extent(fd, extent.offset + extent.bytes, end, &extent)) > 0) {
		if (extents->count == GUARD_EXTENTS_MAX)
			return -E2BIG;
		extents->place[extents->count++] = extent;
		extents->bytes += extent.bytes;
	}
	return found;
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

static void say_unread(struct np_guard_verdict *verdict, int error)
{
	verdict->reason = NP_GUARD_UNREAD;
	if (error == -E2BIG)
		snprintf(verdict->text, sizeof(verdict->text),
			 "has more than %d separate pieces of data between its holes, too many to "
			 "examine them all",
			 GUARD_EXTENTS_MAX);
	else
		snprintf(verdict->text, sizeof(verdict->text),
			 "cannot be examined between its holes: %s", strerror(-error));
}

int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict)
{
	struct extents *extents = calloc(1, sizeof(*extents));
	int error;

	if (!extents)
		return -ENOMEM;
	error = find_extents(fd, region, extents);
	/* A file system without a map of holes: there is no more to know than of a device. */
	if (error == -EINVAL || error == -EOPNOTSUPP || error == -ENOSYS)
		error = 0;
	else if (error)
		say_unread(verdict, error);
	else if (extents->bytes < region->bytes)
		error = judge(fd, extents, verdict);
	free(extents);
	return verdict->reason == NP_GUARD_UNREAD ? 0 : error;
}
