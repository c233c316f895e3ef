// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: names in tables, btrfs, partitions and leases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <netperf/clock.h>

#include "src/lib/guard_carries.h"
#include "src/lib/guard_layers.h"
#include "support/made_host.h"

static struct np_guard_verdict verdict;

static void judged(const char *path, enum np_guard_reason wanted, const char *text)
{
	made_judge(path, &verdict);
	made_expect(&verdict, wanted, text);
}

static void other_names_are_other_disks(void **state)
{
	static const char *const others[] = {
		"/x/ab/dev/etherd/e4.1",  "/x/.y/dev/etherd/e4.1",  "/x/y./dev/etherd/e4.1",
		"/x/..y/dev/etherd/e4.1", "/x/.../dev/etherd/e4.1", "dev/etherd/e4.1",
		"/dev/etherd/e4.1p1x",	  "/dev/etherd/e4.11",
	};
	char line[128], text[4200];

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(line, sizeof(line), "1 1 152:17 / /mnt rw - ext4 %s rw\n", others[i]);
		made_file("/proc/self/mountinfo", line);
		assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_FREE);
	}
	/* Of tables elsewhere that do not have it, nothing is said; a name may be too long. */
	made_file("/proc/41/ns/mnt", "");
	made_file("/proc/41/mountinfo", line);
	snprintf(text, sizeof(text), "1 1 0:9 / /mnt rw - ext4 /%04096d rw\n", 0);
	made_file("/proc/self/mountinfo", text);
	assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
	made_expect(&verdict, NP_GUARD_FREE, "");
	/* The disk of another address does not become it by its number. */
	made_file("/proc/self/mountinfo", "1 1 152:33 / /mnt rw - ext4 none rw\n");
	made_disk("etherd!e4.2", makedev(152, 33));
	assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_FREE);
}

/* The kernel takes no longer one, with its end, than PATH_MAX. */
static void a_name_is_no_longer_than_a_path(void **state)
{
	char name[PATH_MAX + 1] = "", text[PATH_MAX + 64];

	(void)state;
	memset(name, 'x', PATH_MAX - 1);
	name[0] = '/';
	for (unsigned i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "1 1 0:9 / /mnt rw - ext4 %s rw\n", name);
		made_file("/proc/self/mountinfo", text);
		assert_int_equal(np_guard_users(name, &verdict), 0);
		assert_int_equal(verdict.reason, i ? NP_GUARD_UNSEEN : NP_GUARD_MOUNTED);
		name[PATH_MAX - 1] = 'x';
	}
}

static void put_btrfs(const char *system, const char *disk, const char *number)
{
	char path[MADE_PATH], text[MADE_PATH];

	made_file(made_at(path, "/sys/fs/btrfs/%s/devices/%s/dev", system, disk),
		  made_at(text, "%s\n", number));
}

static void every_disk_of_a_btrfs_is_mounted(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	made_disk("sdb", makedev(8, 16));
	made_disk("sdc", makedev(8, 32));
	made_disk("sdd", makedev(8, 48));
	put_btrfs("one", "sda", "8:0");
	put_btrfs("one", "sdb", "8:16");
	put_btrfs("two", "sdc", "8:32");
	made_file("/proc/self/mountinfo", "1 1 0:40 / /mnt rw - btrfs /dev/sda rw\n");
	judged("/dev/sda", NP_GUARD_MOUNTED, "mounted on /mnt");
	judged("/dev/sdb", NP_GUARD_MOUNTED, "mounted on /mnt as a part of the btrfs on /dev/sda");
	judged("/dev/sdc", NP_GUARD_MOUNTED, "mounted somewhere as a part of the btrfs two");
	judged("/dev/sdd", NP_GUARD_FREE, "");
	/* Of one whose source is no disk, or is gone, its source tells nothing. */
	made_file("/dev/plain", "");
	made_file("/proc/self/mountinfo", "1 1 0:40 / /mnt rw - btrfs /dev/plain rw\n"
					  "1 1 0:41 / /gone rw - btrfs /dev/gone rw\n");
	judged("/dev/sdc", NP_GUARD_MOUNTED, "mounted somewhere as a part of the btrfs two");
	/* Whatever another file system has for a name. */
	made_file("/proc/self/mountinfo", "1 1 0:40 / /mnt rw - tmpfs /dev/sda rw\n");
	judged("/dev/sdb", NP_GUARD_MOUNTED, "mounted somewhere as a part of the btrfs one");
}

/* A lease tells of files only. */
static void no_lease_excuses_a_device(void **state)
{
	struct made_node *loop;

	(void)state;
	made_disk("sda", makedev(8, 0));
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 5, 0, "/nowhere");
	loop->way = MADE_FORBIDDEN;
	judged("/dev/sda", NP_GUARD_UNSEEN,
	       "may be in use: cannot see what /dev/loop0 stands on (Permission denied); root "
	       "with its node in /dev can");
	assert_false(verdict.destroyable);
	/* One that is not in use is not asked; one in use without a name in /sys is. */
	loop->way = MADE_FREE;
	loop->loop.lo_number = 0;
	judged("/dev/sda", NP_GUARD_FREE, "");
	assert_int_equal(
		unlink(made_path("/sys/devices/loop0/loop/backing_file", (char[MADE_PATH]){0})), 0);
	made_attach(loop, 0, makedev(8, 0), "");
	assert_int_equal(
		unlink(made_path("/sys/devices/loop0/loop/backing_file", (char[MADE_PATH]){0})), 0);
	made_file("/sys/devices/loop0/size", "0\n");
	judged("/dev/sda", NP_GUARD_FREE, "");
	made_file("/sys/devices/loop0/size", "8\n");
	judged("/dev/sda", NP_GUARD_LOOP, "in use by loop device /dev/loop0");
}

static void partitions_end_where_they_end(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	made_partition("sda", "sda1", makedev(8, 1), 2048, 2048);
	made_partition("sda", "sda2", makedev(8, 2), 4096, 2048);
	made_partition("sda", "sda3", makedev(8, 3), 6143, 2048);
	made_file("/proc/self/mountinfo", "1 1 8:2 / /mnt rw - ext4 /dev/sda2 rw\n");
	judged("/dev/sda1", NP_GUARD_FREE, "");
	judged("/dev/sda3", NP_GUARD_MOUNTED, "partition /dev/sda2 is mounted on /mnt");
	/* Of one whose place is unknown nothing is excluded. */
	made_file("/sys/devices/sda/sda1/size", "x\n");
	judged("/dev/sda1", NP_GUARD_MOUNTED, "partition /dev/sda2 is mounted on /mnt");
	made_file("/sys/devices/sda/sda1/size", "2048\n");
	made_file("/proc/self/mountinfo", "");
	judged("/dev/sda3", NP_GUARD_PARTS, "the kernel has a partition of it, /dev/sda2");
}

/* What /sys names of a loop device that cannot be asked, and what it does not even list. */
static void what_can_be_known_is_known(void **state)
{
	char path[MADE_PATH];
	struct made_node *loop;

	(void)state;
	made_disk("sda", makedev(8, 0));
	loop = made_disk("loop5", makedev(7, 5));
	made_attach(loop, 0, makedev(8, 0), "/dev/sda");
	loop->loop_error = EPERM;
	made_file("/proc/self/mountinfo", "1 1 7:5 / /mnt rw - ext4 /dev/loop5 rw\n");
	judged("/dev/sda", NP_GUARD_MOUNTED, "loop device /dev/loop5 is mounted on /mnt");
	loop->loop_error = 0;
	assert_int_equal(unlink(made_path("/sys/class/block/loop5", path)), 0);
	judged("/dev/sda", NP_GUARD_FREE, "");
	made_cover = "/sys/class/block/sda";
	judged("/dev/sda", NP_GUARD_MOUNTED, "loop device /dev/loop5 is mounted on /mnt");
	made_cover = "/sys/dev/block";
	judged("/dev/sda", NP_GUARD_MOUNTED, "loop device /dev/loop5 is mounted on /mnt");
}

/* Whom the operand's own descriptor does not keep out is asked for. */
static void what_must_be_free_is_tried(void **state)
{
	struct made_node *disk, *part, *loop, *other;

	(void)state;
	disk = made_disk("sda", makedev(8, 0));
	part = made_partition("sda", "sda1", makedev(8, 1), 2048, 2048);
	loop = made_disk("loop0", makedev(7, 0));
	other = made_disk("loop1", makedev(7, 1));
	/* The kernel lets nobody open these exclusively beside each other. */
	disk->way = part->way = MADE_BUSY;
	judged("/dev/sda", NP_GUARD_PARTS, "the kernel has a partition of it, /dev/sda1");
	judged("/dev/sda1", NP_GUARD_FREE, "");
	made_attach(loop, 0, makedev(8, 1), "/dev/sda1");
	judged("/dev/loop0", NP_GUARD_HELD,
	       "under it /dev/sda1 is held exclusively by another program");
	loop->way = MADE_BUSY;
	judged("/dev/sda1", NP_GUARD_HELD,
	       "loop device /dev/loop0 is held exclusively by another program");
	made_attach(other, 0, makedev(7, 0), "/dev/loop0");
	judged("/dev/loop1", NP_GUARD_HELD,
	       "under it /dev/loop0 is held exclusively by another program");
	/* The partition of a disk that a loop device is on. */
	disk->way = loop->way = MADE_FREE;
	made_attach(other, 0, makedev(8, 0), "/dev/sda");
	judged("/dev/loop1", NP_GUARD_HELD,
	       "partition /dev/sda1 is held exclusively by another program");
}

/* The first digit and the last one, too. */
static void every_number_is_one_of_a_partition(void **state)
{
	static const char *const names[] = {"p0", "p9", "p10"};
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(line, sizeof(line), "1 1 152:17 / /mnt rw - ext4 /dev/etherd/e4.1%s rw\n",
			 names[i]);
		made_file("/proc/self/mountinfo", line);
		assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
		made_expect(&verdict, NP_GUARD_MOUNTED, "mounted on /mnt");
	}
}

static void what_is_neither_file_nor_disk_is_carried_by_nothing(void **state)
{
	char path[MADE_PATH];
	int fd;

	(void)state;
	made_file("/file", "");
	fd = open(made_at(path, "%s/file", made_root), O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(guard_carries(fd, path), 1);
	assert_int_equal(guard_carries(fd, made_root), 0);
	close(fd);
}

/* A path in the table of another namespace is a path from the root of its processes. */
static void a_file_is_mounted_by_its_path_elsewhere(void **state)
{
	static const char *const others[] = {"file", "/other", "/folder", "/missing", "none"};
	char path[MADE_PATH], there[MADE_PATH], line[128];

	(void)state;
	made_at(path, "%s/file", made_root);
	made_file("/file", "");
	assert_int_equal(truncate(path, MADE_BYTES), 0);
	made_file("/proc/41/ns/mnt", "");
	made_file("/proc/41/root/other", "");
	made_file("/proc/41/root/folder/", NULL);
	assert_int_equal(link(path, made_path("/proc/41/root/at", there)), 0);
	assert_int_equal(link(path, made_path("/proc/41/rootfile", there)), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(line, sizeof(line), "1 1 0:41 / /there rw - ext4 %s rw\n", others[i]);
		made_file("/proc/41/mountinfo", line);
		judged(path, NP_GUARD_FREE, "");
	}
	made_file("/proc/41/mountinfo", "1 1 0:40 / / rw - ext4 none rw\n"
					"1 1 0:41 / /there rw - erofs /at rw\n"
					"1 1 0:42 / /last rw - ext4 none rw\n");
	judged(path, NP_GUARD_MOUNTED, "mounted on /there in the mount namespace of process 41");
}

/* Only a file can be what is mounted from a file, or what a disk is stored on. */
static void an_erofs_may_be_mounted_from_a_file_in_use(void **state)
{
	static const char text[] = "cannot see whether it is the file that EROFS on /there is "
				   "mounted from, whose name "
				   "there does not tell; umount that, or close the file elsewhere";
	char path[MADE_PATH];
	struct stat status;
	int fd;

	(void)state;
	made_at(path, "%s/file", made_root);
	made_file("/file", "");
	assert_int_equal(truncate(path, MADE_BYTES), 0);
	assert_int_equal(stat(path, &status), 0);
	made_disk("sda", makedev(8, 0));
	made_partition("sda", "sda1", makedev(8, 1), 2048, 2048);
	made_file("/proc/self/mountinfo", "1 1 0:41 / /there rw - erofs /nowhere rw\n");
	judged("/dev/sda1", NP_GUARD_FREE, "");
	judged(path, NP_GUARD_FREE, "");
	fd = open(path, O_RDONLY);
	judged(path, NP_GUARD_UNSEEN,
	       "is open elsewhere: cannot see whether it is the file that "
	       "EROFS on /there is mounted from, whose name there does not "
	       "tell; umount that, or close the file elsewhere");
	close(fd);
	made_attach(made_disk("loop0", makedev(7, 0)), status.st_ino, 0, path);
	judged("/dev/loop0", NP_GUARD_UNSEEN, text);
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, made_host_setup, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(other_names_are_other_disks),
		ON_HOST(a_name_is_no_longer_than_a_path),
		ON_HOST(every_disk_of_a_btrfs_is_mounted),
		ON_HOST(no_lease_excuses_a_device),
		ON_HOST(partitions_end_where_they_end),
		ON_HOST(what_can_be_known_is_known),
		ON_HOST(what_must_be_free_is_tried),
		ON_HOST(every_number_is_one_of_a_partition),
		ON_HOST(what_is_neither_file_nor_disk_is_carried_by_nothing),
		ON_HOST(a_file_is_mounted_by_its_path_elsewhere),
		ON_HOST(an_erofs_may_be_mounted_from_a_file_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
