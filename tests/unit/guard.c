// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard: contents of files that may and may not be overwritten, which descriptors are judged, and
 * what a large file has where its file system knows of data. Devices: tests/net/disk-guards.
 */

/* With it read() and pread(), for which others stand in below, are defined in the headers already.
 */
#undef _FORTIFY_SOURCE

#include "src/lib/disk/guard.h"
#include "../raid_super.h"
#include "support/unit.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <netperf/pattern.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define FILE_BYTES (UINT64_C(16) << 20)

static char path[32];
static int file = -1; /* there: zeros, open to read and write */
static struct np_guard_verdict verdict;

static int begin_with(uint64_t bytes)
{
	strcpy(path, "/tmp/netperf-guard.XXXXXX");
	file = mkstemp(path);
	return file < 0 || ftruncate(file, (off_t)bytes) ? -1 : 0;
}

static int begin(void **state)
{
	(void)state;
	return begin_with(FILE_BYTES);
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

/* What the latest verdict, of a function that returned @rc, says; --destroy overrules it. */
static enum np_guard_reason reason(int rc)
{
	assert_int_equal(rc, 0);
	assert_int_equal(verdict.destroyable, verdict.reason != NP_GUARD_FREE);
	return verdict.reason;
}

static enum np_guard_reason judge(const struct np_guard_place *region)
{
	return reason(np_guard_fd(file, region, &verdict));
}

static enum np_guard_reason judge_region(const struct np_guard_place *region)
{
	return reason(np_guard_content(file, region->offset + region->bytes, region, &verdict));
}

static enum np_guard_reason judge_content(uint64_t bytes)
{
	return reason(np_guard_content(file, bytes, NULL, &verdict));
}

static void assert_foreign_at(uint64_t offset)
{
	char text[80];

	assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
	snprintf(text, sizeof(text), "has content at byte %llu that is no test pattern",
		 (unsigned long long)offset);
	assert_string_equal(verdict.text, text);
}

/* What libblkid takes for ext2. */
static void put_ext_superblock(void)
{
	uint8_t super[1024] = {0};

	super[0] = 64; /* inodes, blocks: not 0 */
	super[4] = 64;
	super[24] = 2;	  /* block size 4096 */
	super[56] = 0x53; /* magic */
	super[57] = 0xef;
	super[76] = 1; /* revision */
	put(super, sizeof(super), 1024);
}

/* None of our own fills may look like a file system or partition table to libblkid. */
TEST_WITH(begin, end, what_we_wrote_is_free)
{
	static const struct np_pattern patterns[] = {
		{.fill = NP_PATTERN_ZERO},
		{.fill = NP_PATTERN_LBA},
		{.fill = NP_PATTERN_CODE, .seed = 1},
		{.fill = NP_PATTERN_CODE, .seed = UINT64_C(0xfedcba9876543210)},
	};
	uint8_t *data = malloc(FILE_BYTES);

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		np_pattern_write(&patterns[i], data, 0, FILE_BYTES / 512);
		put(data, FILE_BYTES, 0);
		assert_int_equal(judge(NULL), NP_GUARD_FREE);
	}
	free(data);
}

TEST(places_are_in_order_and_within)
{
	const uint64_t enough = NP_GUARD_BEGIN_BYTES + NP_GUARD_END_BYTES +
				NP_GUARD_SAMPLES * NP_GUARD_SAMPLE_BYTES;
	const uint64_t sizes[] = {512,
				  513,
				  4096,
				  enough - 1,
				  enough,
				  enough + 1,
				  enough + 512,
				  FILE_BYTES + 511,
				  UINT64_C(3) << 40,
				  UINT64_C(1) << 57,
				  UINT64_MAX};
	struct np_guard_place place[NP_GUARD_PLACES_MAX];

	assert_int_equal(np_guard_places(0, place), 0);
	assert_int_equal(np_guard_places(511, place), 0);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		const uint64_t whole = sizes[s] - sizes[s] % 512;
		size_t count = np_guard_places(sizes[s], place);
		uint64_t at = 0, sum = 0;

		assert_int_equal(count, whole > enough ? NP_GUARD_PLACES_MAX : 1);
		assert_int_equal(place[0].offset, 0);
		for (size_t i = 0; i < count; i++) {
			assert_true(place[i].offset >= at && place[i].bytes > 0);
			assert_int_equal((place[i].offset | place[i].bytes) % 512, 0);
			at = place[i].offset + place[i].bytes;
			sum += place[i].bytes;
		}
		assert_int_equal(at, whole);
		assert_true(sum < UINT64_C(7) << 20);
	}
}

/* How deep libblkid looked at @watched, seen by standing in for the C library's functions. */
#define EXPORTED __attribute__((visibility("default")))
static int watched = -1;
static uint64_t deepest_begin, deepest_end;

static void watch(int fd, uint64_t offset, ssize_t bytes)
{
	if (fd != watched || bytes <= 0)
		return;
	if (offset < FILE_BYTES / 2 && offset + (uint64_t)bytes > deepest_begin)
		deepest_begin = offset + (uint64_t)bytes;
	if (offset >= FILE_BYTES / 2 && FILE_BYTES - offset > deepest_end)
		deepest_end = FILE_BYTES - offset;
}

EXPORTED ssize_t read(int fd, void *data, size_t bytes)
{
	long offset = syscall(SYS_lseek, fd, 0, SEEK_CUR);
	ssize_t got = syscall(SYS_read, fd, data, bytes);

	watch(fd, (uint64_t)offset, got);
	return got;
}

/* What one pread() gives at most, every second one being interrupted; 0: all, and none is. */
static size_t short_bytes;
static bool interrupt;

EXPORTED ssize_t pread(int fd, void *data, size_t bytes, off_t offset)
{
	ssize_t got;

	if (short_bytes && (interrupt = !interrupt)) {
		errno = EINTR;
		return -1;
	}
	if (short_bytes && bytes > short_bytes)
		bytes = short_bytes;
	got = syscall(SYS_pread64, fd, data, bytes, offset);

	watch(fd, (uint64_t)offset, got);
	return got;
}

EXPORTED ssize_t pread64(int fd, void *data, size_t bytes, off64_t offset)
{
	return pread(fd, data, bytes, offset);
}

TEST_WITH(begin, end, the_places_are_as_deep_as_libblkid_looks)
{
	watched = file;
	assert_int_equal(guard_content_signatures(file, FILE_BYTES, &verdict), 0);
	watched = -1;
	print_message("libblkid looks at %llu bytes of the begin, %llu of the end\n",
		      (unsigned long long)deepest_begin, (unsigned long long)deepest_end);
	if (!deepest_begin || !deepest_end)
		skip();
	assert_true(deepest_begin <= NP_GUARD_BEGIN_BYTES);
	assert_true(deepest_end <= NP_GUARD_END_BYTES);
}

/* At the ends of the region that will be written, far from the places of the whole. */
TEST_WITH(begin, end, the_region_is_looked_at)
{
	const struct np_guard_place region = {.offset = UINT64_C(300) << 20, .bytes = 60 << 20};
	const uint64_t seen[] = {region.offset, region.offset + NP_GUARD_BEGIN_BYTES - 1,
				 region.offset + region.bytes - NP_GUARD_END_BYTES,
				 region.offset + region.bytes - 1};
	const uint64_t unseen[] = {region.offset - 1, region.offset + region.bytes};

	assert_int_equal(ftruncate(file, (off_t)1 << 40), 0);
	for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen); i++)
		put("x", 1, unseen[i]);
	assert_int_equal(judge(&region), NP_GUARD_FREE);
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		put("x", 1, seen[i]);
		assert_int_equal(judge_content(UINT64_C(1) << 40), NP_GUARD_FREE);
		assert_int_equal(judge_region(&region), NP_GUARD_NOT_OURS);
		assert_int_equal(judge(&region), NP_GUARD_NOT_OURS);
		put("", 1, seen[i]);
	}
}

TEST_WITH(begin, end, what_cannot_be_read_is_not_blank)
{
	assert_int_equal(judge_content(FILE_BYTES), NP_GUARD_FREE);
	assert_int_equal(judge_content(2 * FILE_BYTES), NP_GUARD_UNREAD);
}

TEST_WITH(begin, end, short_and_interrupted_reads_are_continued)
{
	struct np_guard_place region = {.offset = 1 << 20, .bytes = 12 << 20};
	const uint64_t foreign = region.offset + NP_GUARD_BEGIN_BYTES - 1;

	short_bytes = 100001;
	assert_int_equal(judge_region(&region), NP_GUARD_FREE);
	put("x", 1, foreign);
	judge_region(&region);
	assert_foreign_at(foreign & ~511ULL);
	/* The file ends within it. */
	region.offset = foreign + 1;
	judge_region(&region);
	short_bytes = 0;
	assert_int_equal(verdict.reason, NP_GUARD_UNREAD);
}

/* libblkid's superblocks/vmfs.c. Both, each once, though one name is in the other. */
TEST_WITH(begin, end, vmfs_is_a_signature)
{
	static const uint8_t volume[4] = {0x0d, 0xd0, 0x01, 0xc0};
	static const uint8_t system[4] = {0x5e, 0xf1, 0xab, 0x2f};

	put(volume, sizeof(volume), 1 << 20);
	judge(NULL);
	assert_string_equal(verdict.signatures, "VMFS_volume_member");
	put(system, sizeof(system), 2 << 20);
	judge(NULL);
	assert_int_equal(strlen(verdict.signatures), strlen("VMFS_volume_member, VMFS"));
	assert_non_null(strstr(verdict.signatures, "VMFS_volume_member"));
}

/* That of a file system with a checksum that is wrong, and that where stamps are, too. */
TEST_WITH(begin, end, any_signature_refuses)
{
	static const uint8_t checksummed = 4; /* metadata_csum, of the read-only features */
	static const uint8_t boot[2] = {0x55, 0xaa};
	struct np_pattern pattern = {.fill = NP_PATTERN_ZERO};
	uint8_t sectors[4096];

	put_ext_superblock();
	put(&checksummed, 1, 1024 + 101);
	assert_int_equal(judge(NULL), NP_GUARD_SIGNATURE);
	assert_non_null(strstr(verdict.signatures, "ext"));
	np_pattern_write(&pattern, sectors, 0, 8);
	put(sectors, sizeof(sectors), 0);
	put(boot, 2, 510);
	put_ext_superblock();
	assert_int_equal(judge(NULL), NP_GUARD_SIGNATURE);
}

/* Who cannot look for want of descriptors does not know of anybody, and --destroy is no answer. */
TEST_WITH(begin, end, needs_descriptors)
{
	struct rlimit before, limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	for (rlim_t more = 1; more <= 4; more++) {
		limit.rlim_cur = (rlim_t)file + more;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(np_guard_fd(file, NULL, &verdict), -EMFILE);
		assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), -EMFILE);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
}

TEST(refuses_what_is_no_disk)
{
	int folder = open("/tmp", O_RDONLY | O_CLOEXEC),
	    null = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_int_equal(np_guard_fd(null, NULL, &verdict), -ENOTBLK);
	assert_int_equal(np_guard_fd(folder, NULL, &verdict), -ENOTBLK);
	assert_int_equal(np_guard_fd(-1, NULL, &verdict), -EBADF);
	close(null);
	close(folder);
}

/* Judged through a descriptor for direct I/O, which it still is when the judgement is over. */
TEST_WITH(begin, end, direct_descriptors_are_judged)
{
	int fd;

	put("text", 4, 1000);
	fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0) {
		print_message("SKIP: kernel: no O_DIRECT in /tmp\n");
		return;
	}
	assert_int_equal(np_guard_fd(fd, NULL, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
	assert_int_not_equal(fcntl(fd, F_GETFL) & O_DIRECT, 0);
	close(fd);
}

/* The path leads to another file by now; what is open is what would be written. */
TEST_WITH(begin, end, the_descriptor_is_judged_not_the_path)
{
	char blank[] = "/tmp/netperf-guard.XXXXXX";

	close(mkstemp(blank));
	put_ext_superblock();
	assert_int_equal(rename(blank, path), 0);
	assert_int_equal(judge(NULL), NP_GUARD_SIGNATURE);
}

/*
 * On disks that end on a boundary of 64 KiB, and on such that do not; on a small one, too. Where
 * libblkid does not know it any more, for its magic is gone, it is no test data all the same.
 */
TEST_WITH(begin, end, each_version_of_md_is_a_signature)
{
	static const unsigned versions[] = {90, 10, 11, 12};
	static const uint64_t sizes[] = {UINT64_C(64) << 20, 33600000 / 512 * 512, 33600000,
					 3 << 20};
	uint8_t super[RAID_SUPER_BYTES];

	for (size_t i = 0; i < 4 * sizeof(versions) / sizeof(*versions); i++) {
		const uint64_t bytes = sizes[i / 4], at = raid_super(super, versions[i % 4], bytes);

		assert_int_equal(ftruncate(file, 0), 0);
		assert_int_equal(ftruncate(file, (off_t)bytes), 0);
		put(super, sizeof(super), at);
		assert_int_equal(judge_content(bytes), NP_GUARD_SIGNATURE);
		assert_string_equal(verdict.signatures, "linux_raid_member");
		put("\0\0\0", 4, at);
		assert_int_equal(judge_content(bytes), NP_GUARD_NOT_OURS);
	}
}

#define LARGE_BYTES (UINT64_C(1) << 40)
#define MIB	    (UINT64_C(1) << 20)

static int failure;   /* what lseek(2) answers when asked for data */
static bool unmapped; /* the file system has no FIEMAP */

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

static int begin_large(void **state)
{
	(void)state;
	failure = 0;
	unmapped = false;
	return begin_with(LARGE_BYTES);
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

static void expect_foreign_at(uint64_t offset)
{
	judge(NULL);
	assert_foreign_at(offset);
}

/* No sample is there, and yet the file system knows of it. */
TEST_WITH(begin_large, end, data_between_the_samples_is_seen)
{
	const uint64_t at = 777 * MIB;

	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	stamp(at, MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, at + MIB / 2);
	assert_int_equal(judge_content(LARGE_BYTES), NP_GUARD_FREE);
	expect_foreign_at(at + MIB / 2);
	put("x", 1, at - 1); /* just before it, and in another extent further on */
	expect_foreign_at(at - 512);
	stamp(at - 512, 2 * MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, LARGE_BYTES / 2 + MIB);
	expect_foreign_at(LARGE_BYTES / 2 + MIB);
}

/* What lies outside of the region is not written. */
TEST_WITH(begin_large, end, only_the_region_counts)
{
	const struct np_guard_place region = {.offset = 700 * MIB, .bytes = 700 * MIB};

	put("x", 1, region.offset - 1);
	put("x", 1, region.offset + region.bytes);
	assert_int_equal(judge(&region), NP_GUARD_FREE);
	assert_int_equal(judge(NULL), NP_GUARD_NOT_OURS);
	put("x", 1, region.offset + 100 * MIB);
	assert_int_equal(judge(&region), NP_GUARD_NOT_OURS);
}

/* Of much data only the ends of each extent are read. */
TEST_WITH(begin_large, end, much_data_is_sampled)
{
	const uint64_t at = 777 * MIB, other = 1000 * MIB;

	stamp(other, MIB);
	stamp(at, GUARD_EXTENTS_WHOLE_BYTES - MIB);
	put("x", 1, other + MIB / 2);
	expect_foreign_at(other + MIB / 2);
	stamp(at + GUARD_EXTENTS_WHOLE_BYTES - MIB, MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, other + NP_GUARD_SAMPLE_BYTES - 1);
	expect_foreign_at(other + NP_GUARD_SAMPLE_BYTES - 512);
	stamp(other, MIB);
	put("x", 1, other + MIB - NP_GUARD_SAMPLE_BYTES);
	expect_foreign_at(other + MIB - NP_GUARD_SAMPLE_BYTES);
	stamp(other, MIB);
	/* Two sectors of it are the file system's block, which is read as a whole. */
	stamp(other + 10 * MIB, 1024);
	put("x", 1, other + 10 * MIB + 512);
	expect_foreign_at(other + 10 * MIB + 512);
}

/* A run in random order leaves some, too many make looking at each take too long. */
TEST_WITH(begin_large, end, too_many_are_unknown)
{
	const uint64_t apart = MIB / 4, at = 777 * MIB;

	for (uint64_t i = 0; i < GUARD_EXTENTS_MAX; i++)
		stamp(at + i * apart, 512);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	stamp(at + GUARD_EXTENTS_MAX * apart, 512);
	assert_int_equal(judge(NULL), NP_GUARD_UNREAD);
	assert_string_equal(verdict.text,
			    "has more than 4096 separate pieces of data between its holes, too "
			    "many to examine them all");
}

TEST_WITH(begin_large, end, a_map_may_be_missing_or_fail)
{
	put("x", 1, 777 * MIB);
	failure = EINVAL;
	expect_foreign_at(777 * MIB); /* the extents on the disk tell all the same */
	unmapped = true;
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	failure = EIO;
	assert_int_equal(judge(NULL), NP_GUARD_UNREAD);
	assert_string_equal(verdict.text,
			    "cannot be examined between its holes: Input/output error");
}

/* A file with holes and FIEMAP, or without, is judged alike. */
TEST_WITH(begin_large, end, without_a_map_lseek_tells)
{
	unmapped = true;
	stamp(777 * MIB, MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, 777 * MIB + MIB / 2);
	expect_foreign_at(777 * MIB + MIB / 2);
}

/* Without holes a large file is examined as a device is; up to 64 MiB all of it is read. */
TEST_WITH(begin_large, end, a_dense_file_is_read_whole_or_sampled)
{
	assert_int_equal(ftruncate(file, (off_t)(65 * MIB)), 0);
	stamp(0, 65 * MIB);
	put("x", 1, 5 * MIB);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	assert_int_equal(ftruncate(file, (off_t)(64 * MIB)), 0);
	expect_foreign_at(5 * MIB);
}

static void read_all(uint64_t offset, uint64_t bytes)
{
	uint8_t *data = malloc(bytes);

	assert_non_null(data);
	assert_int_equal(pread(file, data, bytes, (off_t)offset), bytes);
	free(data);
}

/* Reading fills the page cache with zeros that are not on the disk, and SEEK_DATA believes them. */
TEST_WITH(begin_large, end, unwritten_extents_hide_nothing)
{
	const uint64_t size = 256 * MIB, at = 100 * MIB + 4096;

	assert_int_equal(ftruncate(file, 0), 0);
	if (fallocate(file, 0, 0, (off_t)size))
		skip();
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	read_all(0, size);
	assert_int_equal(judge(NULL), NP_GUARD_FREE);
	put("x", 1, at); /* not synced: it is still unwritten on the disk */
	expect_foreign_at(at);
	assert_int_equal(fsync(file), 0);
	assert_int_equal(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
	expect_foreign_at(at); /* nothing cached */
	read_all(0, size);
	expect_foreign_at(at); /* all of it */
	assert_int_equal(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
	read_all(60 * MIB, 80 * MIB);
	expect_foreign_at(at); /* more than is read whole */
}
