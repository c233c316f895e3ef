// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard: contents of files that may and may not be overwritten, and which descriptors are judged.
 * Devices: tests/net/disk-guards.
 */

/* With it read() and pread(), for which others stand in below, are defined in the headers already.
 */
#undef _FORTIFY_SOURCE

#include <stdint.h>

#include "../raid_super.h"
#include "src/lib/disk/guard.h"
#include "support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <netperf/disk.h>
#include <netperf/pattern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_BYTES (UINT64_C(16) << 20)

struct file {
	char path[32];
	int fd; /* open to read and write */
};

/* A new file of zeros, for drop_file(). */
static void make_file(struct file *file)
{
	strncpy(file->path, "/tmp/netperf-guard.XXXXXX", sizeof(file->path));
	file->fd = mkstemp(file->path);
	assert_true(file->fd >= 0);
	assert_int_equal(ftruncate(file->fd, (off_t)FILE_BYTES), 0);
}

static void put(const struct file *file, const void *data, size_t bytes, uint64_t offset)
{
	assert_int_equal(pwrite(file->fd, data, bytes, (off_t)offset), bytes);
}

/* The guard's verdict of the descriptor. */
static struct np_guard_verdict judge(const struct file *file)
{
	struct np_guard_verdict verdict;

	assert_int_equal(np_guard_fd(file->fd, NULL, &verdict), 0);
	return verdict;
}

static void drop_file(struct file *file)
{
	close(file->fd);
	unlink(file->path);
}

/* What libblkid takes for ext2. */
static void put_ext_superblock(const struct file *file)
{
	uint8_t super[1024] = {0};

	super[0] = 64; /* inodes, blocks: not 0 */
	super[4] = 64;
	super[24] = 2;	  /* block size 4096 */
	super[56] = 0x53; /* magic */
	super[57] = 0xef;
	super[76] = 1; /* revision */
	put(file, super, sizeof(super), 1024);
}

/* None of our own fills may look like a file system or partition table to libblkid. */
TEST(what_we_wrote_is_free)
{
	static const struct np_pattern patterns[] = {
		{.fill = NP_PATTERN_ZERO},
		{.fill = NP_PATTERN_LBA},
		{.fill = NP_PATTERN_CODE, .seed = 1},
		{.fill = NP_PATTERN_CODE, .seed = UINT64_C(0xfedcba9876543210)},
	};
	uint8_t *data = malloc(FILE_BYTES);
	struct file file;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		make_file(&file);
		np_pattern_write(&patterns[i], data, 0, FILE_BYTES / 512);
		put(&file, data, FILE_BYTES, 0);
		assert_int_equal(judge(&file).reason, NP_GUARD_FREE);
		drop_file(&file);
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

TEST(the_places_are_as_deep_as_libblkid_looks)
{
	struct np_guard_verdict verdict = {0};
	struct file file;

	make_file(&file);
	watched = file.fd;
	assert_int_equal(guard_content_signatures(file.fd, FILE_BYTES, &verdict), 0);
	watched = -1;
	drop_file(&file);
	print_message("libblkid looks at %llu bytes of the begin, %llu of the end\n",
		      (unsigned long long)deepest_begin, (unsigned long long)deepest_end);
	if (!deepest_begin || !deepest_end)
		skip();
	assert_true(deepest_begin <= NP_GUARD_BEGIN_BYTES);
	assert_true(deepest_end <= NP_GUARD_END_BYTES);
}

/* At the ends of the region that will be written, far from the places of the whole. */
TEST(the_region_is_looked_at)
{
	const struct np_guard_place region = {.offset = UINT64_C(300) << 20, .bytes = 60 << 20};
	const uint64_t seen[] = {region.offset, region.offset + NP_GUARD_BEGIN_BYTES - 1,
				 region.offset + region.bytes - NP_GUARD_END_BYTES,
				 region.offset + region.bytes - 1};
	const uint64_t unseen[] = {region.offset - 1, region.offset + region.bytes};
	struct np_guard_verdict verdict;
	struct file file;

	make_file(&file);
	assert_int_equal(ftruncate(file.fd, (off_t)1 << 40), 0);
	for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen); i++)
		put(&file, "x", 1, unseen[i]);
	assert_int_equal(np_guard_fd(file.fd, &region, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_FREE);
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		put(&file, "x", 1, seen[i]);
		assert_int_equal(np_guard_content(file.fd, UINT64_C(1) << 40, &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_FREE);
		assert_int_equal(np_guard_region(file.fd, &region, &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
		assert_int_equal(np_guard_fd(file.fd, &region, &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
		assert_true(verdict.destroyable);
		put(&file, "", 1, seen[i]);
	}
	drop_file(&file);
}

TEST(what_cannot_be_read_is_not_blank)
{
	struct np_guard_verdict verdict;
	struct file file;

	make_file(&file);
	assert_int_equal(np_guard_content(file.fd, FILE_BYTES, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_FREE);
	assert_int_equal(np_guard_content(file.fd, 2 * FILE_BYTES, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_UNREAD);
	assert_true(verdict.destroyable);
	drop_file(&file);
}

TEST(short_and_interrupted_reads_are_continued)
{
	struct np_guard_place region = {.offset = 1 << 20, .bytes = 12 << 20};
	const uint64_t foreign = region.offset + NP_GUARD_BEGIN_BYTES - 1;
	struct np_guard_verdict verdict;
	struct file file;
	char text[80];

	make_file(&file);
	short_bytes = 100001;
	assert_int_equal(np_guard_region(file.fd, &region, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_FREE);
	assert_false(verdict.destroyable);
	put(&file, "x", 1, foreign);
	assert_int_equal(np_guard_region(file.fd, &region, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
	assert_true(verdict.destroyable);
	snprintf(text, sizeof(text), "has content at byte %llu that is no test pattern",
		 (unsigned long long)(foreign & ~511ULL));
	assert_string_equal(verdict.text, text);
	/* The file ends within it. */
	region.offset = foreign + 1;
	assert_int_equal(np_guard_region(file.fd, &region, &verdict), 0);
	short_bytes = 0;
	assert_int_equal(verdict.reason, NP_GUARD_UNREAD);
	drop_file(&file);
}

/* libblkid's superblocks/vmfs.c. */
TEST(vmfs_is_a_signature)
{
	static const uint8_t volume[4] = {0x0d, 0xd0, 0x01, 0xc0};
	static const uint8_t system[4] = {0x5e, 0xf1, 0xab, 0x2f};
	struct np_guard_verdict verdict;
	struct file file;

	make_file(&file);
	put(&file, volume, sizeof(volume), 1 << 20);
	assert_string_equal(judge(&file).signatures, "VMFS_volume_member");
	put(&file, system, sizeof(system), 2 << 20);
	verdict = judge(&file);
	/* Both, each once, though one name is in the other. */
	assert_int_equal(strlen(verdict.signatures), strlen("VMFS_volume_member, VMFS"));
	assert_non_null(strstr(verdict.signatures, "VMFS_volume_member"));
	put(&file, (const uint8_t[4]){0}, 4, 1 << 20);
	put(&file, system, sizeof(system), 2 << 20);
	assert_string_equal(judge(&file).signatures, "VMFS");
	drop_file(&file);
}

/* It is a file system's all the same, one that has been damaged. */
TEST(a_bad_checksum_is_a_signature)
{
	static const uint8_t checksummed = 4; /* metadata_csum, of the read-only features */
	struct file file;

	make_file(&file);
	put_ext_superblock(&file);
	put(&file, &checksummed, 1, 1024 + 101);
	assert_int_equal(judge(&file).reason, NP_GUARD_SIGNATURE);
	assert_non_null(strstr(judge(&file).signatures, "ext"));
	drop_file(&file);
}

TEST(a_stamped_file_with_a_signature_is_refused)
{
	struct np_pattern pattern = {.fill = NP_PATTERN_ZERO};
	static const uint8_t boot[2] = {0x55, 0xaa};
	uint8_t sectors[4096];
	struct file file;

	make_file(&file);
	np_pattern_write(&pattern, sectors, 0, 8);
	put(&file, sectors, sizeof(sectors), 0);
	put(&file, boot, 2, 510);
	put_ext_superblock(&file);
	assert_int_equal(judge(&file).reason, NP_GUARD_SIGNATURE);
	drop_file(&file);
}

/* Who cannot look for want of descriptors does not know of anybody, and --destroy is no answer. */
TEST(needs_descriptors)
{
	struct np_guard_verdict verdict;
	struct rlimit before, limit;
	struct file file;

	make_file(&file);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	for (rlim_t more = 1; more <= 4; more++) {
		limit.rlim_cur = (rlim_t)file.fd + more;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(np_guard_fd(file.fd, NULL, &verdict), -EMFILE);
		assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), -EMFILE);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_FREE);
	drop_file(&file);
}

TEST(refuses_what_is_no_disk)
{
	int folder = open("/tmp", O_RDONLY | O_CLOEXEC),
	    null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct np_guard_verdict verdict;

	assert_int_equal(np_guard_fd(null, NULL, &verdict), -ENOTBLK);
	assert_int_equal(np_guard_fd(folder, NULL, &verdict), -ENOTBLK);
	assert_int_equal(np_guard_fd(-1, NULL, &verdict), -EBADF);
	close(null);
	close(folder);
}

/* Judged through a descriptor for direct I/O, which it still is when the judgement is over. */
TEST(direct_descriptors_are_judged)
{
	struct np_guard_verdict verdict;
	struct file file;
	int fd;

	make_file(&file);
	put(&file, "text", 4, 1000);
	fd = open(file.path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0) {
		print_message("SKIP: kernel: no O_DIRECT in /tmp\n");
		drop_file(&file);
		return;
	}
	assert_int_equal(np_guard_fd(fd, NULL, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
	assert_int_not_equal(fcntl(fd, F_GETFL) & O_DIRECT, 0);
	close(fd);
	drop_file(&file);
}

/* The path leads to another file by now; what is open is what would be written. */
TEST(the_descriptor_is_judged_not_the_path)
{
	struct file file, blank;

	make_file(&file);
	make_file(&blank);
	put_ext_superblock(&file);
	assert_int_equal(rename(blank.path, file.path), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_SIGNATURE);
	assert_int_equal(judge(&blank).reason, NP_GUARD_FREE);
	close(blank.fd);
	drop_file(&file);
}

static const unsigned versions[] = {90, 10, 11, 12};
#define VERSIONS (sizeof(versions) / sizeof(*versions))

/* Of @bytes, with a superblock of md(4) where its @version has it. Returns its place. */
static uint64_t make_member(struct file *file, unsigned version, uint64_t bytes)
{
	uint8_t super[RAID_SUPER_BYTES];
	const uint64_t place = raid_super(super, version, bytes);

	make_file(file);
	assert_int_equal(ftruncate(file->fd, (off_t)bytes), 0);
	put(file, super, sizeof(super), place);
	return place;
}

/* On disks that end on a boundary of 64 KiB, and on such that do not; on a small one, too. */
TEST(each_version_of_md_is_a_signature)
{
	static const uint64_t sizes[] = {UINT64_C(64) << 20, 33600000 / 512 * 512, 33600000,
					 3 << 20};
	struct np_guard_verdict verdict;
	struct file file;

	for (size_t i = 0; i < VERSIONS; i++) {
		for (size_t j = 0; j < sizeof(sizes) / sizeof(*sizes); j++) {
			make_member(&file, versions[i], sizes[j]);
			assert_int_equal(np_guard_content(file.fd, sizes[j], &verdict), 0);
			assert_int_equal(verdict.reason, NP_GUARD_SIGNATURE);
			assert_true(verdict.destroyable);
			assert_string_equal(verdict.signatures, "linux_raid_member");
			drop_file(&file);
		}
	}
}

/* Even where libblkid does not know it any more, for its magic is gone, it is no test data. */
TEST(a_damaged_md_member_is_foreign)
{
	const uint64_t bytes = UINT64_C(64) << 20;
	struct np_guard_verdict verdict;
	struct file file;

	for (size_t i = 0; i < VERSIONS; i++) {
		const uint64_t at = make_member(&file, versions[i], bytes);

		put(&file, "\0\0\0", 4, at);
		assert_int_equal(np_guard_content(file.fd, bytes, &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
		assert_true(verdict.destroyable);
		drop_file(&file);
	}
}
