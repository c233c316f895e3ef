// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard_content: finds signatures by libblkid, and content that is neither zeros nor test stamps:
 * in the places that are examined, and where the file system says that a file has data.
 */
#include "guard.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <netperf/pattern.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)256 << 10)
#define SECTOR	   ((size_t)NP_PATTERN_SECTOR_BYTES)

size_t np_guard_places(uint64_t bytes, struct np_guard_place place[NP_GUARD_PLACES_MAX])
{
	const uint64_t whole = bytes - bytes % NP_PATTERN_SECTOR_BYTES;
	uint64_t stratum;
	size_t count = 0;

	if (whole <=
	    NP_GUARD_BEGIN_BYTES + NP_GUARD_END_BYTES + NP_GUARD_SAMPLES * NP_GUARD_SAMPLE_BYTES) {
		place[0] = (struct np_guard_place){.offset = 0, .bytes = whole};
		return whole ? 1 : 0;
	}
	place[count++] = (struct np_guard_place){.offset = 0, .bytes = NP_GUARD_BEGIN_BYTES};
	/* Each one is in the middle of a hundredth of what is between the ends. */
	stratum = (whole - NP_GUARD_BEGIN_BYTES - NP_GUARD_END_BYTES) / NP_GUARD_SAMPLES;
	for (uint64_t i = 0; i < NP_GUARD_SAMPLES; i++) {
		uint64_t at = stratum * i + (stratum - NP_GUARD_SAMPLE_BYTES) / 2;

		place[count++] = (struct np_guard_place){
			.offset = NP_GUARD_BEGIN_BYTES + at - at % NP_PATTERN_SECTOR_BYTES,
			.bytes = NP_GUARD_SAMPLE_BYTES,
		};
	}
	place[count++] = (struct np_guard_place){
		.offset = whole - NP_GUARD_END_BYTES,
		.bytes = NP_GUARD_END_BYTES,
	};
	return count;
}

static bool listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = strstr(list, name); at; at = strstr(at + 1, name)) {
		if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
			return true;
	}
	return false;
}

static void add_signature(struct np_guard_verdict *verdict, const char *name, const char *what)
{
	const bool first = !verdict->signatures[0];

	if (listed(verdict->signatures, name))
		return;
	if (first)
		snprintf(verdict->text, sizeof(verdict->text), "carries %s%s", name, what);
	np_text_append(verdict->signatures, sizeof(verdict->signatures), "%s%s", first ? "" : ", ",
		       name);
}

static void add_found(blkid_probe probe, struct np_guard_verdict *verdict)
{
	const char *name, *usage;

	if (blkid_probe_lookup_value(probe, "TYPE", &name, NULL) == 0) {
		if (blkid_probe_lookup_value(probe, "USAGE", &usage, NULL))
			usage = "";
		add_signature(verdict, name,
			      strcmp(usage, "filesystem") == 0 ? " file system" : "");
	}
	if (blkid_probe_lookup_value(probe, "PTTYPE", &name, NULL) == 0)
		add_signature(verdict, name, " partition table");
}

/*
 * Like wipefs(8): finds every signature, not just the most likely one, and a GPT also by its backup
 * when the first sectors are gone. A partition table may have been made for another sector size
 * than the present one.
 */
int guard_content_signatures(int fd, uint64_t bytes, struct np_guard_verdict *verdict)
{
	int result = 1;

	for (unsigned sector = 512; bytes && sector <= 4096 && result > 0; sector *= 8) {
		blkid_probe probe = blkid_new_probe();

		if (!probe)
			return -ENOMEM;
		result = blkid_probe_set_device(probe, fd, 0, (blkid_loff_t)bytes);
		blkid_probe_set_sectorsize(probe, sector);
		blkid_probe_enable_superblocks(probe, 1);
		blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
								 BLKID_SUBLKS_MAGIC |
								 BLKID_SUBLKS_BADCSUM);
		blkid_probe_enable_partitions(probe, 1);
		blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
		while (!result) {
			result = blkid_do_probe(probe);
			if (!result)
				add_found(probe, verdict);
		}
		blkid_free_probe(probe);
	}
	return result < 0 ? -EIO : 0;
}

/* Returns 0 or -errno; a file that ends too early is -EIO. */
static int read_all(int fd, uint8_t *data, size_t bytes, uint64_t offset)
{
	for (ssize_t got; bytes; data += got, bytes -= (size_t)got, offset += (uint64_t)got) {
		got = pread(fd, data, bytes, (off_t)offset);
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (got <= 0)
			return got ? -errno : -EIO;
	}
	return 0;
}

/*
 * Looks for anything but zeros and our stamps in @place, up to the first finding, which is in
 * @verdict then. Returns whether there is one.
 */
static bool find_foreign(int fd, const struct np_guard_place *place,
			 struct np_guard_verdict *verdict)
{
	uint64_t at = place->offset, end = at + place->bytes;
	uint8_t data[STEP_BYTES];
	size_t bytes, ours;

	for (; at < end; at += bytes) {
		int error;

		bytes = (size_t)(end - at < STEP_BYTES ? end - at : STEP_BYTES);
		error = read_all(fd, data, bytes, at);
		ours = error ? 0 : np_pattern_ours(data, at / SECTOR, bytes);
		if (!error && ours == bytes)
			continue;
		verdict->reason = error ? NP_GUARD_UNREAD : NP_GUARD_NOT_OURS;
		if (error)
			snprintf(verdict->text, sizeof(verdict->text),
				 "cannot be examined from byte %" PRIu64 " on: %s", at,
				 strerror(-error));
		else
			snprintf(verdict->text, sizeof(verdict->text),
				 "has content at byte %" PRIu64 " that is no test pattern",
				 at + ours);
		return true;
	}
	return false;
}

/* In the places of np_guard_places of the @bytes from @offset on. */
static bool judge_places(int fd, uint64_t offset, uint64_t bytes, struct np_guard_verdict *verdict)
{
	struct np_guard_place place[NP_GUARD_PLACES_MAX + 1];
	size_t count = np_guard_places(bytes, place);
	bool found = false;

	/* The bytes after the last whole sector are never written, but may belong to somebody. */
	place[count++] = (struct np_guard_place){bytes - bytes % SECTOR, bytes % SECTOR};
	for (size_t i = 0; i < count && !found; i++) {
		place[i].offset += offset;
		found = find_foreign(fd, &place[i], verdict);
	}
	return found;
}

int np_guard_content(int fd, uint64_t bytes, const struct np_guard_place *region,
		     struct np_guard_verdict *verdict)
{
	int error;

	memset(verdict, 0, sizeof(*verdict));
	error = guard_content_signatures(fd, bytes, verdict);
	if (verdict->signatures[0] != '\0') {
		verdict->reason = NP_GUARD_SIGNATURE;
	} else if (error == -EIO) {
		verdict->reason = NP_GUARD_UNREAD;
		snprintf(verdict->text, sizeof(verdict->text),
			 "cannot be searched for signatures: %s", strerror(EIO));
	} else if (!error && !judge_places(fd, 0, bytes, verdict) && region) {
		judge_places(fd, region->offset, region->bytes, verdict);
	}
	verdict->destroyable = verdict->reason != NP_GUARD_FREE;
	return verdict->destroyable ? 0 : error;
}

struct extents {
	struct np_guard_place place[GUARD_EXTENTS_MAX];
	size_t count;
	uint64_t bytes;
};

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

/* Extents of whole sectors; two that meet are one. Returns 0, -E2BIG, or -errno. */
static int find_extents(int fd, const struct np_guard_place *region, struct extents *extents,
			int (*next)(int fd, uint64_t *begin, uint64_t *end))
{
	const uint64_t limit = region->offset + region->bytes;
	uint64_t begin = region->offset, end = limit;
	struct np_guard_place *last = NULL;
	int found = 0;

	*extents = (struct extents){0};
	for (; begin < limit && (found = next(fd, &begin, &end)) > 0; begin = end, end = limit) {
		const uint64_t from = begin - begin % SECTOR;
		const uint64_t to = np_least(end + (SECTOR - end % SECTOR) % SECTOR, limit);

		if (last && last->offset + last->bytes >= from) {
			extents->bytes += to - (last->offset + last->bytes);
			last->bytes = to - last->offset;
			continue;
		}
		if (extents->count == GUARD_EXTENTS_MAX)
			return -E2BIG;
		last = &extents->place[extents->count++];
		*last = (struct np_guard_place){from, to - from};
		extents->bytes += to - from;
	}
	return found < 0 ? found : 0;
}

int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict)
{
	struct extents *extents;
	bool found = false;
	int error;

	if (region->bytes <= GUARD_EXTENTS_WHOLE_BYTES) {
		find_foreign(fd, region, verdict);
		return 0;
	}
	extents = malloc(sizeof(*extents));
	if (!extents)
		return -ENOMEM;
	error = find_extents(fd, region, extents, next_mapped);
	if (error && error != -E2BIG)
		error = find_extents(fd, region, extents, next_sought);
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
	}
	if (error || extents->bytes >= region->bytes)
		found = true;
	/* Each extent is read as a whole, or its two ends. */
	for (size_t i = 0; i < extents->count && !found; i++) {
		struct np_guard_place place = extents->place[i];
		const uint64_t end = place.offset + place.bytes;
		const bool ends = extents->bytes > GUARD_EXTENTS_WHOLE_BYTES &&
				  place.bytes > 2 * NP_GUARD_SAMPLE_BYTES;

		if (ends)
			place.bytes = NP_GUARD_SAMPLE_BYTES;
		found = find_foreign(fd, &place, verdict);
		place.offset = end - NP_GUARD_SAMPLE_BYTES;
		if (ends && !found)
			found = find_foreign(fd, &place, verdict);
	}
	free(extents);
	return 0;
}
