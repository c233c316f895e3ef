// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: names in tables, btrfs, holders and lost nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
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
	/* Whatever another file system has for a name. */
	made_file("/proc/self/mountinfo", "1 1 0:40 / /mnt rw - tmpfs /dev/sda rw\n");
	judged("/dev/sdb", NP_GUARD_MOUNTED, "mounted somewhere as a part of the btrfs one");
}

static void put_mapping(const char *name, unsigned number, const char *lower)
{
	char path[MADE_PATH], text[MADE_PATH];

	made_disk(name, makedev(253, number));
	made_member(name, lower);
	made_file(made_at(path, "/sys/devices/%s/dm/name", name), made_at(text, "map%u\n", number));
}

static void what_is_made_of_the_same_blocks_is_in_use(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	put_mapping("dm-0", 0, "sda");
	put_mapping("dm-1", 1, "sda");
	judged("/dev/dm-1", NP_GUARD_HELD,
	       "above it /dev/mapper/map0 is in use, made of the same blocks");
	judged("/dev/sda", NP_GUARD_HELD, "part of /dev/dm-0");
	made_disk("sdb", makedev(8, 16));
	put_mapping("dm-2", 2, "sdb");
	judged("/dev/dm-2", NP_GUARD_FREE, "");
}

static void a_loop_device_without_a_node_is_unknown(void **state)
{
	char path[MADE_PATH], node[MADE_PATH];
	struct made_node *loop;

	(void)state;
	made_disk("sda", makedev(8, 0));
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 0, makedev(8, 0), "/dev/sda");
	judged("/dev/sda", NP_GUARD_LOOP, "in use by loop device /dev/loop0");
	assert_true(verdict.destroyable);
	/* What /sys names is a block device, too. */
	assert_int_equal(unlink(made_path("/dev/loop0", node)), 0);
	judged("/dev/sda", NP_GUARD_UNSEEN,
	       "may be in use: cannot see whether loop device /dev/loop0 is held by another "
	       "program (No such file or directory); root with its node in /dev can");
	assert_false(verdict.destroyable);
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	judged("/dev/sda", NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt");
	/* Under the name that udev gives it by its number. */
	made_file("/proc/self/mountinfo", "");
	made_attach(loop, 0, makedev(8, 0), "/nowhere");
	judged("/dev/sda", NP_GUARD_UNSEEN,
	       "may be in use: cannot see what /dev/loop0 stands on (No such file or directory); "
	       "root with its node in /dev can");
	(void)path;
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

/* Sectors 100 and 101 of a mapping are 5000 and 5001 of its disk; a loop device is on the second.
 */
static void a_part_of_a_mapping_is_a_part_of_its_disk(void **state)
{
	static const struct {
		struct dm_target_spec spec;
		char text[16];
	} table[] = {
		{{.length = 100, .next = sizeof(table[0]), .target_type = "linear"}, "8:0 0"},
		{{.sector_start = 100, .length = 2, .target_type = "linear"}, "8:0 5000"},
	};
	struct made_node *mapping, *loop, *other;

	(void)state;
	made_disk("sda", makedev(8, 0));
	put_mapping("dm-0", 0, "sda");
	made_file("/dev/mapper/control", "");
	mapping = &made_nodes[made_count - 1];
	mapping->table = table;
	mapping->table_bytes = sizeof(table);
	mapping->targets = 2;
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 0, makedev(253, 0), "/dev/dm-0");
	loop->loop.lo_offset = 101 * 512;
	loop->loop.lo_sizelimit = 512;
	other = made_disk("loop1", makedev(7, 1));
	made_attach(other, 0, makedev(8, 0), "/dev/sda");
	other->loop.lo_sizelimit = 512;
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	other->loop.lo_offset = 5000 * 512;
	judged("/dev/loop1", NP_GUARD_HELD,
	       "above it /dev/mapper/map0 is in use, made of the same blocks");
	other->loop.lo_offset = 5001 * 512;
	judged("/dev/loop1", NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt");
	other->loop.lo_offset = 5002 * 512;
	judged("/dev/loop1", NP_GUARD_FREE, "");
}

/* Of two mappings one has no table that could be read: that of the other says nothing of it. */
static void each_mapping_has_its_own_table(void **state)
{
	static const struct {
		struct dm_target_spec spec;
		char text[16];
	} table = {{.length = 100, .target_type = "linear"}, "8:0 0"};
	struct made_node *loop;

	(void)state;
	made_disk("sda", makedev(8, 0));
	put_mapping("dm-0", 0, "sda");
	put_mapping("dm-1", 1, "sda");
	made_file("/dev/mapper/control", "");
	loop = made_disk("loop0", makedev(7, 0));
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	for (size_t i = 1; i < 3; i++) {
		made_nodes[i] = (struct made_node){.device = made_nodes[i].device,
						   .table = &table,
						   .table_bytes = sizeof(table),
						   .targets = 1};
		made_nodes[3 - i].table = NULL;
		made_attach(loop, 0, made_nodes[3 - i].device, "/dev/dm");
		judged("/dev/sda", NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt");
		made_attach(loop, 0, made_nodes[i].device, "/dev/dm");
		judged("/dev/sda", NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt");
	}
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

/* A directory can be opened, but not be read as a table can. */
static void make_unreadable(const char *table)
{
	char at[MADE_PATH], path[MADE_PATH];

	assert_int_equal(unlink(made_path(table, at)), 0);
	made_file(made_at(path, "%s/", table), NULL);
}

static void a_table_that_breaks_off_is_unknown(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	make_unreadable("/proc/swaps");
	judged("/dev/sda", NP_GUARD_UNSEEN,
	       "cannot see what is swap space: /proc/swaps: Input/output error");
	assert_true(verdict.destroyable);
	make_unreadable("/proc/self/mountinfo");
	judged("/dev/sda", NP_GUARD_UNSEEN,
	       "cannot see what is mounted: /proc/self/mountinfo: Input/output error; mount -t "
	       "proc proc /proc");
	assert_true(verdict.destroyable);
}

static void a_list_of_devices_that_breaks_off_is_an_error(void **state)
{
	int fd;

	(void)state;
	made_disk("sda", makedev(8, 0));
	fd = open("/dev/sda", O_RDWR);
	assert_true(fd >= 0);
	made_file("/sys/devices/sda/slaves/sdb/dev", "8:16\n");
	made_broken = "/sys/devices/sda/slaves";
	assert_int_equal(np_guard_fd(fd, NULL, &verdict), -EIO);
	made_broken = "/sys/class/block";
	assert_int_equal(np_guard_fd(fd, NULL, &verdict), -EIO);
	made_broken = NULL;
	/* An entry without a number, as a path of NVMe multipath is, ends nothing. */
	made_file("/sys/class/block/nvme0c0n1/size", "1\n");
	judged("/dev/sda", NP_GUARD_FREE, "");
	made_file("/proc/self/mountinfo", "1 1 8:0 / /mnt rw - ext4 none rw\n");
	judged("/dev/sda", NP_GUARD_MOUNTED, "mounted on /mnt");
	close(fd);
}

/* Without /sys, the first one and the last one that are asked; and what is none. */
static void loop_devices_are_asked_by_their_nodes(void **state)
{
	static const unsigned numbers[] = {0, 255};
	struct made_node *loop;
	char path[MADE_PATH], text[MADE_PATH];

	(void)state;
	made_disk("sda", makedev(8, 0));
	made_cover = "/sys";
	made_file("/dev/loop3", "");
	made_disk("loop4", makedev(8, 64))->loop_error = EPERM;
	judged("/dev/sda", NP_GUARD_UNSEEN,
	       "cannot see what stands on it: /sys is not mounted; mount -t sysfs sysfs /sys");
	assert_true(verdict.destroyable);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		loop = made_disk(made_at(path, "loop%u", numbers[i]), makedev(7, numbers[i]));
		made_attach(loop, 0, makedev(8, 0), "/dev/sda");
		made_at(text, "1 1 7:%u / /mnt rw - ext4 none rw\n", numbers[i]);
		made_file("/proc/self/mountinfo", text);
		made_at(text, "loop device /dev/loop%u is mounted on /mnt", numbers[i]);
		judged("/dev/sda", NP_GUARD_MOUNTED, text);
	}
}

static unsigned pauses, comes_after;
static np_time begun;

static void let_it_come(const struct timespec *until)
{
	const np_time end = until->tv_sec * NP_SECOND + until->tv_nsec;

	assert_true(end - begun >= 20 * NP_MILLISECOND);
	if (++pauses == comes_after)
		made_disk("sdb", makedev(8, 16));
}

/* The kernel lists a device for a moment before /sys has it. */
static void a_device_may_just_have_come(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	made_file("/proc/partitions",
		  "major minor  #blocks  name\n\n   8        0   16384 sda\n   8 16 1 sdb\n");
	made_pause = let_it_come;
	pauses = comes_after = 0;
	begun = np_clock_now();
	judged("/dev/sda", NP_GUARD_UNSEEN,
	       "cannot see what stands on it: /sys lacks what /proc/partitions has: sdb");
	assert_int_equal(pauses, 5);
	pauses = 0;
	comes_after = 4;
	judged("/dev/sda", NP_GUARD_FREE, "");
	assert_int_equal(pauses, 4);
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

/* The driver has the disk, but nobody made a node for it. */
static void a_disk_without_a_node_is_known_by_its_number(void **state)
{
	char node[MADE_PATH];

	(void)state;
	made_disk("etherd!e4.1", makedev(152, 17));
	assert_int_equal(unlink(made_path("/dev/etherd/e4.1", node)), 0);
	made_file("/proc/self/mountinfo", "1 1 152:17 / /mnt rw - ext4 none rw\n");
	assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
	made_expect(&verdict, NP_GUARD_MOUNTED, "mounted on /mnt");
	/* By another node of its number. */
	snprintf(made_nodes[0].name, sizeof(made_nodes[0].name), "alias");
	made_file("/dev/alias", "");
	assert_int_equal(np_guard_users("/dev/alias", &verdict), 0);
	made_expect(&verdict, NP_GUARD_MOUNTED, "mounted on /mnt");
	made_file("/sys/devices/etherd!e4.1/dev", "152\n");
	assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
	made_expect(&verdict, NP_GUARD_FREE, "");
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

#define TABLE_ROOM                                                                                 \
	(65536 - sizeof(struct dm_ioctl)) /* what the kernel is given for the targets              \
					   */

static void put_target(char *data, size_t at, struct dm_target_spec spec, const char *text)
{
	memcpy(data + at, &spec, sizeof(spec));
	strcpy(data + at + sizeof(spec), text);
}

/* A table of which only the beginning can be understood says nothing. */
static void a_faulty_table_adds_nothing(void **state)
{
	static char data[TABLE_ROOM], text[256];
	static const struct dm_target_spec linear = {.length = 8, .target_type = "linear"};
	struct dm_target_spec zero = {.length = 8, .target_type = "zero"};
	struct guard_layers layers = {0};

	(void)state;
	made_disk("sda", makedev(8, 0));
	put_mapping("dm-0", 0, "sda");
	made_file("/dev/mapper/control", "");
	made_nodes[1].table = data;
	made_nodes[1].table_bytes = sizeof(data);
	made_nodes[1].targets = 2;
	/* The second one ends with the table, without its text; another one is not aligned. */
	for (int i = 0; i < 3; i++) {
		const size_t at[] = {64, TABLE_ROOM - sizeof(zero), 65};

		memset(data, 0, sizeof(data));
		zero.next = (uint32_t)at[i];
		put_target(data, 0, zero, "");
		memcpy(data + at[i], &zero, sizeof(zero));
		assert_int_equal(guard_layers_read_mapping(&layers, makedev(253, 0)), i == 0);
	}
	/* The second one is of a kind that is not known. */
	memset(data, 0, sizeof(data));
	put_target(data, 0, linear, "8:0 0");
	((struct dm_target_spec *)(void *)data)->next = 64;
	put_target(data, 64, (struct dm_target_spec){.target_type = "crypt"}, "");
	assert_false(guard_layers_read_mapping(&layers, makedev(253, 0)));
	assert_int_equal(layers.count, 0);
	/* A number that is longer than any. */
	made_nodes[1].targets = 1;
	assert_true(guard_layers_read_mapping(&layers, makedev(253, 0)));
	assert_int_equal(layers.count, 1);
	snprintf(text, sizeof(text), "8:%0200d 0", 0);
	put_target(data, 0, linear, text);
	assert_false(guard_layers_read_mapping(&layers, makedev(253, 0)));
	assert_int_equal(layers.count, 1);
	guard_layers_free(&layers);
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, made_host_setup, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(other_names_are_other_disks),
		ON_HOST(every_disk_of_a_btrfs_is_mounted),
		ON_HOST(what_is_made_of_the_same_blocks_is_in_use),
		ON_HOST(a_loop_device_without_a_node_is_unknown),
		ON_HOST(no_lease_excuses_a_device),
		ON_HOST(what_can_be_known_is_known),
		ON_HOST(what_must_be_free_is_tried),
		ON_HOST(a_part_of_a_mapping_is_a_part_of_its_disk),
		ON_HOST(each_mapping_has_its_own_table),
		ON_HOST(partitions_end_where_they_end),
		ON_HOST(a_faulty_table_adds_nothing),
		ON_HOST(an_erofs_may_be_mounted_from_a_file_in_use),
		ON_HOST(a_disk_without_a_node_is_known_by_its_number),
		ON_HOST(a_file_is_mounted_by_its_path_elsewhere),
		ON_HOST(every_number_is_one_of_a_partition),
		ON_HOST(a_table_that_breaks_off_is_unknown),
		ON_HOST(a_list_of_devices_that_breaks_off_is_an_error),
		ON_HOST(loop_devices_are_asked_by_their_nodes),
		ON_HOST(a_device_may_just_have_come),
		ON_HOST(what_is_neither_file_nor_disk_is_carried_by_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
