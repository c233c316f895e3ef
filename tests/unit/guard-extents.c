// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of guard_extents: what a file has where its file system knows of data. */

#include "src/lib/disk/guard.h"
#include "support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <netperf/pattern.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_BYTES (UINT64_C(1) << 40)
#define MIB	   (UINT64_C(1) << 20)
#define EXPORTED   __attribute__((visibility("default")))

static char path[32];
static int file = -1, failure; /* what lseek(2) answers when asked for data */
static bool unmapped;	       /* the file system has no FIEMAP */
static struct np_guard_verdict verdict;

EXPORTED off_t lseek(int fd, off_t offset, int whence)
{
	if (failure && whence == SEEK_DATA) {
		errno = failure;
		return -1;
	}
	return syscall(SYS_lseek, fd, offset, whence);
}

/* A request for the map has a third argument, as all of this library have. */
EXPORTED int ioctl(int fd, unsigned long request, ...)
{
	va_list rest;
	void *argument;

	va_start(rest, request);
	argument = va_arg(rest, void *);
	va_end(rest);
	if (unmapped && request == FS_IOC_FIEMAP) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

EXPORTED off64_t lseek64(int fd, off64_t offset, int whence)
{
	return lseek(fd, offset, whence);
}

static int begin(void **state)
{
	(void)state;
	failure = 0;
	unmapped = false;
	strcpy(path, "/tmp/netperf-extents.XXXXXX");
	file = mkstemp(path);
	return file < 0 || ftruncate(file, (off_t)FILE_BYTES) ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	close(file);
	return unlink(path);
}

static void put(const void *data, size_t bytes, uint64_t offset)
{
	assert_int_equal(pwrite(file, data, bytes, (off_t)offset), bytes);
}

/* Test data, as a run writes them. */
static void stamp(uint64_t offset, size_t bytes)
{
	const struct np_pattern pattern = {.fill = NP_PATTERN_LBA};
	uint8_t *data = malloc(bytes);

	assert_non_null(data);
	np_pattern_write(&pattern, data, offset / 512, bytes / 512);
	put(data, bytes, offset);
	free(data);
}

static enum np_guard_reason judge(const struct np_guard_place *region)
{
	assert_int_equal(np_guard_fd(file, region, &verdict), 0);
	return verdict.reason;
}

static void assert_foreign_at(uint64_t offset)
{
	char text[80];

	assert_int_equal(judge(NULL), NP_GUARD_NOT_OURS);
	assert_true(verdict.destroyable);
	snprintf(text, sizeof(text), "has content at byte %llu that is no test pattern",
		 (unsigned long long)offset);
	assert_string_equal(verdict.text, text);
}

/* No sample is there, and yet the file system knows of it. */
TEST_WITH(begin, end, data_between_the_samples_is_seen)
{
	const uint64_t at = 777 * MIB;

	(void)state;
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	stamp(at, MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, at + MIB / 2);
	assert_int_equal(np_guard_content(file, FILE_BYTES, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_FREE);
	assert_foreign_at(at + MIB / 2);
	put("x", 1, at - 1); /* just before it, and in another extent further on */
	assert_foreign_at(at - 512);
	stamp(at - 512, 2 * MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, FILE_BYTES / 2 + MIB);
	assert_foreign_at(FILE_BYTES / 2 + MIB);
}

/* What lies outside of the region is not written. */
TEST_WITH(begin, end, only_the_region_counts)
{
	const struct np_guard_place region = {.offset = 700 * MIB, .bytes = 700 * MIB};

	(void)state;
	put("x", 1, region.offset - 1);
	put("x", 1, region.offset + region.bytes);
	assert_int_equal(judge(&region), NP_GUARD_FREE);
	assert_int_equal(judge(NULL), NP_GUARD_NOT_OURS);
	put("x", 1, region.offset + 100 * MIB);
	assert_int_equal(judge(&region), NP_GUARD_NOT_OURS);
}

/* Of much data only the ends of each extent are read. */
TEST_WITH(begin, end, much_data_is_sampled)
{
	const uint64_t at = 777 * MIB, other = 1000 * MIB;

	(void)state;
	stamp(other, MIB);
	stamp(at, GUARD_EXTENTS_WHOLE_BYTES - MIB);
	put("x", 1, other + MIB / 2);
	assert_foreign_at(other + MIB / 2);
	stamp(at + GUARD_EXTENTS_WHOLE_BYTES - MIB, MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, other + NP_GUARD_SAMPLE_BYTES - 1);
	assert_foreign_at(other + NP_GUARD_SAMPLE_BYTES - 512);
	stamp(other, MIB);
	put("x", 1, other + MIB - NP_GUARD_SAMPLE_BYTES);
	assert_foreign_at(other + MIB - NP_GUARD_SAMPLE_BYTES);
	stamp(other, MIB);
	/* Two sectors of it are the file system's block, which is read as a whole. */
	stamp(other + 10 * MIB, 1024);
	put("x", 1, other + 10 * MIB + 512);
	assert_foreign_at(other + 10 * MIB + 512);
}

/* A run in random order leaves some, too many make looking at each take too long. */
TEST_WITH(begin, end, too_many_are_unknown)
{
	const uint64_t apart = MIB / 4, at = 777 * MIB;

	(void)state;
	for (uint64_t i = 0; i < GUARD_EXTENTS_MAX; i++)
		stamp(at + i * apart, 512);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	stamp(at + GUARD_EXTENTS_MAX * apart, 512);
	assert_int_equal(judge(NULL), NP_GUARD_UNREAD);
	assert_true(verdict.destroyable);
	assert_string_equal(verdict.text,
			    "has more than 4096 separate pieces of data between its holes, too "
			    "many to examine them all");
}

TEST_WITH(begin, end, a_map_may_be_missing_or_fail)
{
	(void)state;
	put("x", 1, 777 * MIB);
	failure = EINVAL;
	assert_foreign_at(777 * MIB); /* the extents on the disk tell all the same */
	unmapped = true;
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	failure = EIO;
	assert_int_equal(judge(NULL), NP_GUARD_UNREAD);
	assert_true(verdict.destroyable);
	assert_string_equal(verdict.text,
			    "cannot be examined between its holes: Input/output error");
}

/* A file with holes and FIEMAP, or without, is judged alike. */
TEST_WITH(begin, end, without_a_map_lseek_tells)
{
	(void)state;
	unmapped = true;
	stamp(777 * MIB, MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, 777 * MIB + MIB / 2);
	assert_foreign_at(777 * MIB + MIB / 2);
}

/* Without holes a large file is examined as a device is; up to 64 MiB all of it is read. */
TEST_WITH(begin, end, a_dense_file_is_read_whole_or_sampled)
{
	(void)state;
	assert_int_equal(ftruncate(file, (off_t)(65 * MIB)), 0);
	stamp(0, 65 * MIB);
	put("x", 1, 5 * MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	assert_int_equal(ftruncate(file, (off_t)(64 * MIB)), 0);
	assert_foreign_at(5 * MIB);
}

static void read_all(uint64_t offset, uint64_t bytes)
{
	uint8_t *data = malloc(bytes);

	assert_non_null(data);
	assert_int_equal(pread(file, data, bytes, (off_t)offset), bytes);
	free(data);
}

/* Reading fills the page cache with zeros that are not on the disk, and SEEK_DATA believes them. */
TEST_WITH(begin, end, unwritten_extents_hide_nothing)
{
	const uint64_t size = 256 * MIB, at = 100 * MIB + 4096;

	(void)state;
	assert_int_equal(ftruncate(file, 0), 0);
	if (fallocate(file, 0, 0, (off_t)size))
		skip();
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	read_all(0, size);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, at); /* not synced: it is still unwritten on the disk */
	assert_foreign_at(at);
	assert_int_equal(fsync(file), 0);
	assert_int_equal(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
	assert_foreign_at(at); /* nothing cached */
	read_all(0, size);
	assert_foreign_at(at); /* all of it */
	assert_int_equal(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
	read_all(60 * MIB, 80 * MIB);
	assert_foreign_at(at); /* more than is read whole */
}
