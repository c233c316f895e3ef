// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* disk: opening files, what is refused, and their geometry. Block devices: tests/net/disk-guards.
 */
#include "support/unit.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <netperf/disk.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define FOLDER "/tmp/netperf-disk.XXXXXX"

static struct {
	char folder[sizeof(FOLDER)];
	char file[64];
	char pipe[64];
} place;

static int make_place(void **state)
{
	int fd;

	(void)state;
	strncpy(place.folder, FOLDER, sizeof(place.folder));
	if (!mkdtemp(place.folder))
		return -1;
	snprintf(place.file, sizeof(place.file), "%s/file", place.folder);
	snprintf(place.pipe, sizeof(place.pipe), "%s/pipe", place.folder);
	fd = open(place.file, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, 100000) < 0 || mkfifo(place.pipe, 0600) < 0)
		return -1;
	close(fd);
	return 0;
}

static int remove_place(void **state)
{
	(void)state;
	unlink(place.file);
	unlink(place.pipe);
	rmdir(place.folder);
	return 0;
}

ALL_TESTS_WITH(make_place, remove_place)

static int try_open(const char *path, enum np_disk_mode mode, bool write)
{
	struct np_disk_options options = {mode, write};
	struct np_disk *disk;
	int error = np_disk_open(&disk, path, &options);

	assert_true((error == 0) == (disk != NULL));
	np_disk_free(disk);
	return error;
}

TEST(tells_the_geometry_of_a_file)
{
	struct np_disk_options options = {NP_DISK_BUFFERED, false};
	const struct np_disk_geometry *geometry;
	struct np_disk *disk;

	assert_int_equal(np_disk_open(&disk, place.file, &options), 0);
	geometry = np_disk_geometry(disk);
	assert_int_equal(geometry->bytes, 100000);
	assert_int_equal(geometry->allocated, 0);
	assert_false(geometry->block_device);
	assert_int_equal(geometry->offset_align, 1);
	assert_true(geometry->memory_align >= 512);
	assert_true(geometry->logical_block >= 512);
	np_disk_free(disk);
}

TEST(direct_mode_asks_for_aligned_offsets)
{
	struct np_disk_options options = {NP_DISK_DIRECT, true};
	const struct np_disk_geometry *geometry;
	struct np_disk *disk;
	int error = np_disk_open(&disk, place.file, &options);

	if (error == -EINVAL) {
		print_message("SKIP: kernel: no O_DIRECT in /tmp\n");
		return;
	}
	assert_int_equal(error, 0);
	geometry = np_disk_geometry(disk);
	assert_true(geometry->offset_align >= 512);
	assert_int_equal(geometry->offset_align & (geometry->offset_align - 1), 0);
	assert_int_not_equal(fcntl(np_disk_fd(disk), F_GETFL) & O_DIRECT, 0);
	np_disk_free(disk);
}

TEST(refuses_what_is_no_disk)
{
	assert_int_equal(try_open("/dev/null", NP_DISK_BUFFERED, false), -ENOTBLK);
	assert_int_equal(try_open(place.folder, NP_DISK_BUFFERED, false), -ENOTBLK);
	/* Must not wait for somebody at the other end. */
	assert_int_equal(try_open(place.pipe, NP_DISK_BUFFERED, false), -ENOTBLK);
}

TEST(never_creates_a_file)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/none", place.folder);
	assert_int_equal(try_open(path, NP_DISK_BUFFERED, true), -ENOENT);
	assert_int_equal(access(path, F_OK), -1);
}

TEST(kernel_files_have_no_direct_mode)
{
	assert_int_equal(try_open("/proc/self/status", NP_DISK_DIRECT, false), -EINVAL);
}

/* The last write in flight was to the very end, so that the size tells nothing. Nothing is removed.
 */
TEST(a_file_that_grew_to_its_old_size_is_cut)
{
	const struct np_disk_options options = {.write = true, .mode = NP_DISK_BUFFERED};
	static const uint8_t data[4096] = {1};
	struct np_disk *disk;
	struct statfs where;
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s-cut", place.file);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	for (off_t at = 0; at < 1 << 20; at += 4096)
		assert_int_equal(pwrite(fd, data, sizeof(data), at), sizeof(data));
	close(fd);
	assert_int_equal(np_disk_open(&disk, path, &options), 0);
	assert_false(np_disk_is_cut(disk));
	assert_false(np_disk_is_replaced(disk, path));
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(
		pwrite(np_disk_fd(disk), data, sizeof(data), (1 << 20) - (off_t)sizeof(data)),
		sizeof(data));
	/* Whoever looks only now still sees that most of it is gone. */
	if (fstatfs(np_disk_fd(disk), &where) == 0 &&
	    (where.f_type == EXT4_SUPER_MAGIC || where.f_type == TMPFS_MAGIC))
		assert_true(np_disk_is_cut(disk));
	assert_true(np_disk_is_replaced(disk, place.folder));
	unlink(path);
	assert_true(np_disk_is_replaced(disk, path));
	np_disk_free(disk);
}
