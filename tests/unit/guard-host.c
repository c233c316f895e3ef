// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: who uses a disk, through what, and what hides it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/lib/guard_carries.h"
#include "support/made_host.h"

static struct np_guard_verdict verdict;

static enum np_guard_reason judge(const char *path)
{
	return made_judge(path, &verdict);
}

static void assert_said(enum np_guard_reason reason, enum np_guard_reason wanted, const char *text,
			bool destroyable)
{
	assert_int_equal(reason, verdict.reason);
	made_expect(&verdict, wanted, text);
	assert_int_equal(verdict.destroyable, destroyable);
}

static enum np_guard_reason users(const char *path)
{
	assert_int_equal(np_guard_users(path, &verdict), 0);
	return verdict.reason;
}

/* A blank file of the host, and its inode. */
static ino_t make_file(char path[MADE_PATH])
{
	struct stat status;

	made_at(path, "%s/file", made_root);
	made_file("/file", "");
	assert_int_equal(truncate(path, MADE_BYTES), 0);
	assert_int_equal(stat(path, &status), 0);
	return status.st_ino;
}

static void a_blank_disk_is_free(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	made_disk("sdb", makedev(8, 16));
	made_partition("sdb", "sdb1", makedev(8, 17), 2048, 4096);
	made_file("/proc/self/mountinfo", "1 1 8:17 / /mnt rw - ext4 /dev/sdb1 rw\n");
	made_file("/proc/swaps", "Filename\n/dev/sdb1 partition 1 0 -2\n");
	assert_said(judge("/dev/sda"), NP_GUARD_FREE, "", false);
	assert_said(users("/dev/sda"), NP_GUARD_FREE, "", false);
}

static void mounts_are_known_by_number_and_by_name(void **state)
{
	static const struct {
		const char *line, *text;
	} is[] = {
		{"1 1 8:0 / /mnt rw - ext4 none rw\n", "mounted on /mnt"},
		{"1 1 0:40 / /m\\040t rw - btrfs /dev/sda rw\n", "mounted on /m t"},
		{"1 1 8:1 / /mnt rw - ext4 none rw\n",
		 "its partition /dev/sda1 is mounted on /mnt"},
		{"1 1 0:40 / /mnt rw - btrfs /dev/sda1 rw\n",
		 "its partition /dev/sda1 is mounted on /mnt"},
	};

	(void)state;
	made_disk("sda", makedev(8, 0));
	made_partition("sda", "sda1", makedev(8, 1), 2048, 4096);
	for (size_t i = 0; i < sizeof(is) / sizeof(*is); i++) {
		made_file("/proc/self/mountinfo", is[i].line);
		assert_said(judge("/dev/sda"), NP_GUARD_MOUNTED, is[i].text, false);
		assert_said(users("/dev/sda"), NP_GUARD_MOUNTED, is[i].text, false);
	}
	made_file("/proc/self/mountinfo", "1 1 8:0 / /mnt rw - ext4 none rw\n");
	assert_said(judge("/dev/sda1"), NP_GUARD_MOUNTED, "its disk /dev/sda is mounted on /mnt",
		    false);
	made_file("/proc/self/mountinfo", "");
	assert_said(judge("/dev/sda"), NP_GUARD_PARTS,
		    "the kernel has a partition of it, /dev/sda1", true);
	made_file("/proc/swaps", "Filename\n/dev/sda1\tpartition\t1\t0\t-2\n");
	assert_said(judge("/dev/sda"), NP_GUARD_SWAP,
		    "its partition /dev/sda1 is active swap space", false);
}

static void the_whole_stack_is_followed(void **state)
{
	struct made_node *loop, *other;
	char path[MADE_PATH];
	ino_t inode;

	(void)state;
	inode = make_file(path);
	loop = made_disk("loop0", makedev(7, 0));
	other = made_disk("loop1", makedev(7, 1));
	made_disk("loop2", makedev(7, 2));
	assert_int_equal(judge(path), NP_GUARD_FREE);
	made_attach(loop, inode, 0, path);
	assert_said(judge(path), NP_GUARD_LOOP, "in use by loop device /dev/loop0", true);
	made_attach(other, 0, makedev(7, 0), "/dev/loop0");
	made_file("/proc/self/mountinfo", "1 1 7:1 / /mnt rw - ext4 /dev/loop1 rw\n");
	assert_said(judge(path), NP_GUARD_MOUNTED, "loop device /dev/loop1 is mounted on /mnt",
		    false);
	assert_said(judge("/dev/loop0"), NP_GUARD_MOUNTED,
		    "loop device /dev/loop1 is mounted on /mnt", false);
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	assert_said(judge("/dev/loop1"), NP_GUARD_MOUNTED, "under it /dev/loop0 is mounted on /mnt",
		    false);
	made_file("/proc/self/mountinfo", "");
	other->way = MADE_BUSY;
	assert_said(judge(path), NP_GUARD_HELD,
		    "loop device /dev/loop1 is held exclusively by another program", false);
	other->way = MADE_FREE;
	/* Another part of the file. */
	loop->loop.lo_offset = 1 << 20;
	loop->loop.lo_sizelimit = 1 << 20;
	made_attach(other, inode, 0, path);
	other->loop.lo_offset = 2 << 20;
	made_file("/proc/self/mountinfo", "1 1 7:1 / /mnt rw - ext4 /dev/loop1 rw\n");
	assert_int_equal(judge("/dev/loop0"), NP_GUARD_FREE);
	other->loop.lo_offset = (2 << 20) - 512;
	assert_said(judge("/dev/loop0"), NP_GUARD_MOUNTED,
		    "loop device /dev/loop1 is mounted on /mnt", false);
	/* Another file system's file of that number. */
	other->loop.lo_device++;
	assert_int_equal(judge("/dev/loop0"), NP_GUARD_FREE);
}

static void loop_devices_that_cannot_be_asked_are_unknown(void **state)
{
	struct made_node *loop;
	char path[MADE_PATH], text[128];
	int fd;

	(void)state;
	make_file(path);
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 77, 0, "/nowhere");
	loop->way = MADE_FORBIDDEN;
	/* That nobody else has the file open is proof enough, unless another one has. */
	assert_int_equal(judge(path), NP_GUARD_FREE);
	fd = open(path, O_RDONLY);
	assert_said(judge(path), NP_GUARD_UNSEEN,
		    "may be in use: cannot see what /dev/loop0 stands on (Permission denied); root "
		    "with its node in /dev can",
		    false);
	loop->way = MADE_FREE;
	loop->loop_error = EPERM;
	assert_said(judge(path), NP_GUARD_UNSEEN,
		    "cannot see what /dev/loop0 stands on (Operation not permitted)", true);
	close(fd);
	/* What /sys names proves that it is one. */
	made_file("/sys/devices/loop0/loop/backing_file", path);
	assert_said(judge(path), NP_GUARD_LOOP, "in use by loop device /dev/loop0", true);
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	snprintf(text, sizeof(text), "loop device /dev/loop0 is mounted on /mnt");
	assert_said(judge(path), NP_GUARD_MOUNTED, text, false);
	/* It was detached in between. */
	made_file("/proc/self/mountinfo", "");
	loop->loop_error = 0;
	loop->loop.lo_number = 0;
	assert_int_equal(judge(path), NP_GUARD_FREE);
}

static void members_are_held(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	made_partition("sda", "sda1", makedev(8, 1), 2048, 4096);
	made_disk("sdb", makedev(8, 16));
	made_disk("md0", makedev(9, 0));
	made_member("md0", "sda/sda1");
	made_member("md0", "sdb");
	assert_said(judge("/dev/sdb"), NP_GUARD_HELD, "part of /dev/md0", false);
	assert_said(judge("/dev/sda1"), NP_GUARD_HELD, "part of /dev/md0", false);
	assert_said(judge("/dev/sda"), NP_GUARD_HELD, "its partition /dev/sda1 is part of /dev/md0",
		    false);
	assert_said(users("/dev/sdb"), NP_GUARD_HELD, "part of /dev/md0", false);
	assert_int_equal(judge("/dev/md0"), NP_GUARD_FREE);
	made_file("/proc/self/mountinfo", "1 1 9:0 / /mnt rw - ext4 /dev/md0 rw\n");
	assert_said(judge("/dev/sdb"), NP_GUARD_MOUNTED, "above it /dev/md0 is mounted on /mnt",
		    false);
	assert_said(judge("/dev/sda"), NP_GUARD_MOUNTED, "above it /dev/md0 is mounted on /mnt",
		    false);
	made_file("/proc/self/mountinfo", "1 1 8:0 / /mnt rw - ext4 /dev/sda rw\n");
	assert_said(judge("/dev/md0"), NP_GUARD_MOUNTED, "under it /dev/sda is mounted on /mnt",
		    false);
	/* A member that /sys does not tell the number of. */
	made_file("/proc/self/mountinfo", "");
	made_file("/sys/devices/md0/slaves/sdz/size", "1\n");
	assert_int_equal(judge("/dev/md0"), NP_GUARD_UNSEEN);
	assert_non_null(strstr(verdict.text, "cannot see what sdz is in "));
}

/* Two targets as the kernel gives them. */
struct table {
	struct dm_target_spec first;
	char first_text[24];
	struct dm_target_spec second;
	char second_text[24];
};

static void fill_table(struct made_node *node, struct table *table)
{
	*table = (struct table){
		.first = {.length = 2048,
			  .next = offsetof(struct table, second),
			  .target_type = "linear"},
		.first_text = "8:0 2048",
		.second = {.sector_start = 2048,
			   .length = 2048,
			   .next = sizeof(*table),
			   .target_type = "linear"},
		.second_text = "8:0 8192",
	};
	node->table = table;
	node->table_bytes = sizeof(*table);
	node->targets = 2;
}

/* dm-0 is two pieces of sda; loop0 is another part of it, mounted. */
static void mappings_are_known_to_the_sector(void **state)
{
	struct made_node *mapping, *loop;
	struct table table;

	(void)state;
	made_disk("sda", makedev(8, 0));
	mapping = made_disk("dm-0", makedev(253, 0));
	made_member("dm-0", "sda");
	made_file("/sys/devices/dm-0/dm/name", "blank\n");
	made_file("/dev/mapper/control", "");
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 0, makedev(8, 0), "/dev/sda");
	loop->loop.lo_sizelimit = 512;
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	/* No table: it may be anywhere. */
	assert_int_equal(judge("/dev/dm-0"), NP_GUARD_MOUNTED);
	fill_table(mapping, &table);
	static const struct {
		unsigned sector;
		bool shared;
	} at[] = {{2047, false}, {2048, true}, {4095, true},  {4096, false},
		  {8191, false}, {8192, true}, {10239, true}, {10240, false}};
	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		loop->loop.lo_offset = at[i].sector * UINT64_C(512);
		assert_int_equal(judge("/dev/dm-0"),
				 at[i].shared ? NP_GUARD_MOUNTED : NP_GUARD_FREE);
	}
	/* A name, and not a number, is above the disk. */
	made_file("/proc/self/mountinfo", "1 1 253:0 / /mnt rw - ext4 /dev/mapper/blank rw\n");
	assert_said(judge("/dev/sda"), NP_GUARD_MOUNTED,
		    "above it /dev/mapper/blank is mounted on /mnt", false);
	/* One that is not linear, and tables that are not to be trusted: it may be anywhere again.
	 */
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	for (unsigned fault = 0; fault < 9; fault++) {
		fill_table(mapping, &table);
		mapping->table_flags = 0;
		switch (fault) {
		case 0: strcpy(table.second.target_type, "crypt"); break;
		case 1: mapping->table_flags = DM_BUFFER_FULL_FLAG; break;
		case 2: mapping->targets = 0; break;
		case 3: table.first.next = 60000; break;
		case 4: table.first.next = sizeof(table.first) + 1; break;
		case 5: strcpy(table.first_text, "8:0"); break;
		case 6: strcpy(table.first_text, "sda 2048"); break;
		case 7: strcpy(table.second_text, "8:0 x"); break;
		case 8: table.first.next = 65536 - sizeof(struct dm_ioctl) - 4; break;
		}
		assert_int_equal(judge("/dev/dm-0"), NP_GUARD_MOUNTED);
	}
	/* Blocks that are nobody else's. */
	static const char *const own[] = {"thin", "zero", "error"};
	for (size_t i = 0; i < 3; i++) {
		fill_table(mapping, &table);
		strcpy(table.first.target_type, own[i]);
		strcpy(table.second.target_type, own[i]);
		loop->loop.lo_offset = 2048 * 512;
		assert_int_equal(judge("/dev/dm-0"), NP_GUARD_FREE);
	}
}

static void what_is_covered_is_unknown(void **state)
{
	static const char *const parts[] = {"/sys/class/block",
					    "/sys/dev/block",
					    "/sys/fs/btrfs",
					    "/sys/class/block/sda",
					    "/sys/class/block/sda/slaves",
					    "/sys/class/block/sda/holders",
					    "/sys/class/block/sda/dev",
					    "/sys/class/block/sda/loop/backing_file",
					    "/sys/class/block/sda/partition",
					    "/sys/class/block/sda/dm/name"};

	(void)state;
	made_disk("sda", makedev(8, 0));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		made_cover = parts[i];
		assert_int_equal(judge("/dev/sda"), NP_GUARD_UNSEEN);
		assert_true(verdict.destroyable);
		assert_non_null(strstr(verdict.text, "something is mounted over /sys"));
	}
	made_cover = "/sys";
	assert_said(judge("/dev/sda"), NP_GUARD_UNSEEN,
		    "cannot see what stands on it: /sys is not mounted; mount -t sysfs sysfs /sys",
		    true);
	made_cover = "/proc/self/mountinfo";
	assert_said(judge("/dev/sda"), NP_GUARD_UNSEEN,
		    "cannot see what is mounted: /proc/self/mountinfo: something is mounted over "
		    "it; mount -t proc "
		    "proc /proc",
		    true);
	made_cover = "/proc/swaps";
	assert_said(judge("/dev/sda"), NP_GUARD_UNSEEN,
		    "cannot see what is swap space: /proc/swaps: something is mounted over it",
		    true);
	made_cover = NULL;
	assert_int_equal(judge("/dev/sda"), NP_GUARD_FREE);
	/* A kernel without swap. */
	assert_int_equal(0, unlink(made_path("/proc/swaps", (char[MADE_PATH]){0})));
	assert_int_equal(judge("/dev/sda"), NP_GUARD_FREE);
	made_file("/proc/partitions", "major minor  #blocks  name\n\n   8        0   16384 sda\n");
	assert_int_equal(judge("/dev/sda"), NP_GUARD_FREE);
	made_file("/proc/partitions",
		  "major minor  #blocks  name\n\n   8        0   16384 sda\n   8 16 1 sdb\n");
	assert_said(judge("/dev/sda"), NP_GUARD_UNSEEN,
		    "cannot see what stands on it: /sys lacks what /proc/partitions has: sdb",
		    true);
}

/* Without /sys loop devices can still be asked, which proves more than it excludes. */
static void loop_devices_tell_without_sys(void **state)
{
	struct made_node *loop;
	char path[MADE_PATH];
	ino_t inode;

	(void)state;
	inode = make_file(path);
	loop = made_disk("loop255", makedev(7, 255));
	made_attach(loop, inode, 0, path);
	made_cover = "/sys";
	made_file("/proc/self/mountinfo", "1 1 7:255 / /mnt rw - ext4 /dev/loop255 rw\n");
	assert_said(judge(path), NP_GUARD_MOUNTED, "loop device /dev/loop255 is mounted on /mnt",
		    false);
}

static void an_aoe_disk_is_known_by_its_name(void **state)
{
	struct made_node *node;

	(void)state;
	assert_said(users("/dev/etherd/e4.1"), NP_GUARD_FREE, "", false);
	/* The node is gone, or was never there; the table has its name, however spelled. */
	static const char *const lines[] = {
		"/dev/etherd/e4.1",   "/dev//etherd/./e4.1", "/dev/x/../etherd/e4.1",
		"/dev/etherd/e4.1p1", "/dev/etherd/e4.1p12", "/dev/etherd/e4.1\\040(deleted)",
		"/../dev/etherd/e4.1"};
	static const char *const others[] = {"/dev/etherd/e4.10", "/dev/etherd/e4.1px",
					     "/dev/etherd/e4",	  "e4.1",
					     "/dev/etherd/e4.1p", "/etherd/e4.1"};
	char line[128];
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(line, sizeof(line), "1 1 152:17 / /mnt rw - ext4 %s rw\n", lines[i]);
		made_file("/proc/self/mountinfo", line);
		assert_said(users("/dev/etherd/e4.1"), NP_GUARD_MOUNTED, "mounted on /mnt", false);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(line, sizeof(line), "1 1 152:17 / /mnt rw - ext4 %s rw\n", others[i]);
		made_file("/proc/self/mountinfo", line);
		assert_said(users("/dev/etherd/e4.1"), NP_GUARD_FREE, "", false);
	}
	made_file("/proc/self/mountinfo", "");
	made_file("/proc/swaps", "Filename\n/dev/etherd/e4.1 partition 1 0 -2\n");
	assert_said(users("/dev/etherd/e4.1"), NP_GUARD_SWAP, "active swap space", false);
	made_file("/proc/swaps", "Filename\n");
	/* In the table of another namespace. */
	made_file("/proc/41/ns/mnt", "");
	made_file("/proc/41/mountinfo", "1 1 152:17 / /there rw - ext4 /dev/etherd/e4.1 rw\n");
	assert_said(users("/dev/etherd/e4.1"), NP_GUARD_MOUNTED,
		    "mounted on /there in another mount namespace (process 41)", false);
	made_file("/proc/41/mountinfo", "1 1 152:17 / /there rw - ext4 /dev/etherd/e4.2 rw\n");
	assert_int_equal(users("/dev/etherd/e4.1"), NP_GUARD_FREE);
	made_cover = "/sys";
	assert_said(users("/dev/etherd/e4.1"), NP_GUARD_UNSEEN,
		    "cannot see whether this host uses it: /sys is not mounted; mount -t sysfs "
		    "sysfs /sys",
		    true);
	made_cover = "/sys/class/block/etherd!e4.1";
	assert_int_equal(users("/dev/etherd/e4.1"), NP_GUARD_UNSEEN);
	assert_non_null(
		strstr(verdict.text, "something is mounted over /sys/class/block/etherd!e4.1/dev"));
	made_cover = NULL;
	/* The driver has it. */
	node = made_disk("etherd!e4.1", makedev(152, 17));
	assert_int_equal(users("/dev/etherd/e4.1"), NP_GUARD_FREE);
	made_file("/proc/self/mountinfo", "1 1 152:17 / /mnt rw - ext4 none rw\n");
	assert_said(users("/dev/etherd/e4.1"), NP_GUARD_MOUNTED, "mounted on /mnt", false);
	made_file("/proc/self/mountinfo", "");
	node->way = MADE_BUSY;
	assert_said(users("/dev/etherd/e4.1"), NP_GUARD_HELD, "held exclusively by another program",
		    false);
	node->way = MADE_FORBIDDEN;
	assert_said(users("/dev/etherd/e4.1"), NP_GUARD_UNSEEN,
		    "cannot see whether it is held by another program (Permission denied); root "
		    "with its node in /dev can",
		    true);
	node->way = MADE_EMPTY;
	assert_int_equal(users("/dev/etherd/e4.1"), NP_GUARD_FREE);
	node->way = MADE_GONE;
	assert_int_equal(users("/dev/etherd/e4.1"), NP_GUARD_FREE);
}

/* A number of another kind of device says nothing of disks. */
static void a_character_device_is_no_disk(void **state)
{
	char path[32];
	int fd;

	(void)state;
	fd = open("/dev/../dev/null", O_RDONLY);
	assert_true(fd < 0); /* this host has none */
	fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	made_file("/proc/self/mountinfo", "1 1 1:3 / /mnt rw - ext4 none rw\n");
	assert_int_equal(users(path), NP_GUARD_FREE);
	close(fd);
}

static void a_result_file_may_carry_what_is_read(void **state)
{
	struct made_node *loop;
	char path[MADE_PATH], other[MADE_PATH];
	int fd, fd2;
	ino_t inode;

	(void)state;
	inode = make_file(path);
	made_at(other, "%s/other", made_root);
	made_file("/other", "");
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, inode, 0, path);
	fd = open(path, O_RDWR);
	fd2 = open(other, O_RDWR);
	assert_int_equal(guard_carries(fd, "/dev/loop0"), 1);
	assert_int_equal(guard_carries(fd2, "/dev/loop0"), 0);
	assert_int_equal(guard_carries(fd, path), 1);
	assert_int_equal(guard_carries(fd, other), 0);
	assert_int_equal(guard_carries(fd, "/nowhere"), 0);
	assert_int_equal(guard_is_disk(fd), 1);
	assert_int_equal(guard_is_disk(fd2), 0);
	/* The file system that the input is on is stored there. */
	made_disk("vol", MADE_DISK);
	made_member("vol", "loop0");
	assert_int_equal(guard_carries(fd, other), 1);
	loop->loop.lo_inode += 1000000;
	assert_int_equal(guard_carries(fd, other), 0);
	loop->way = MADE_FORBIDDEN;
	made_file("/sys/devices/loop0/loop/backing_file", "/nowhere");
	assert_int_equal(guard_carries(fd2, "/dev/loop0"), 0); /* nobody else has it open */
	close(fd);
	fd = open(other, O_RDONLY);
	assert_int_equal(guard_carries(fd2, "/dev/loop0"), -EXDEV);
	close(fd);
	close(fd2);
}

static struct np_guard_watch *watch_of(const char *path, bool told, int *fd)
{
	struct np_guard_watch *watch;

	*fd = open(path, O_RDWR);
	assert_true(*fd >= 0);
	assert_int_equal(np_guard_watch_create(&watch, *fd, told), 0);
	assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_FREE);
	return watch;
}

static enum np_guard_reason look(struct np_guard_watch *watch)
{
	assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
	return verdict.reason;
}

static void a_watch_sees_what_comes_later(void **state)
{
	struct np_guard_watch *watch, *told;
	struct made_node *loop, *other;
	char path[MADE_PATH];
	int fd, fd2;
	ino_t inode;

	(void)state;
	inode = make_file(path);
	loop = made_disk("loop0", makedev(7, 0));
	other = made_disk("loop1", makedev(7, 1));
	watch = watch_of(path, false, &fd);
	told = watch_of(path, true, &fd2);
	made_attach(other, inode + 1000000, 0, "/else");
	assert_int_equal(look(watch), NP_GUARD_FREE);
	made_attach(loop, inode, 0, path);
	assert_said(look(watch), NP_GUARD_LOOP, "in use by loop device /dev/loop0", false);
	assert_int_equal(look(told), NP_GUARD_FREE);
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	assert_said(look(told), NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt",
		    false);
	assert_int_equal(look(watch), NP_GUARD_MOUNTED);
	made_file("/proc/self/mountinfo", "");
	made_file("/proc/swaps", "Filename\n/dev/loop0 file 1 0 -2\n");
	assert_said(look(told), NP_GUARD_SWAP, "loop device /dev/loop0 is active swap space",
		    false);
	made_file("/proc/swaps", "Filename\n");
	/* Held for a moment is no use yet. */
	loop->way = MADE_BUSY;
	assert_int_equal(look(told), NP_GUARD_FREE);
	loop->way = MADE_FREE;
	/* The same device on another file. */
	made_attach(loop, inode + 1, 0, "/else");
	assert_int_equal(look(watch), NP_GUARD_FREE);
	/* One that cannot be asked. */
	loop->way = MADE_FORBIDDEN;
	made_attach(loop, inode + 2, 0, "/other");
	assert_int_equal(look(told), NP_GUARD_FREE);
	assert_int_equal(look(watch), NP_GUARD_UNSEEN);
	close(fd2);
	assert_int_equal(look(watch), NP_GUARD_FREE);
	np_guard_watch_free(watch);
	np_guard_watch_free(told);
	np_guard_watch_free(NULL);
	close(fd);
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, made_host_setup, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(a_blank_disk_is_free),
		ON_HOST(mounts_are_known_by_number_and_by_name),
		ON_HOST(the_whole_stack_is_followed),
		ON_HOST(loop_devices_that_cannot_be_asked_are_unknown),
		ON_HOST(members_are_held),
		ON_HOST(mappings_are_known_to_the_sector),
		ON_HOST(what_is_covered_is_unknown),
		ON_HOST(loop_devices_tell_without_sys),
		ON_HOST(an_aoe_disk_is_known_by_its_name),
		ON_HOST(a_character_device_is_no_disk),
		ON_HOST(a_result_file_may_carry_what_is_read),
		ON_HOST(a_watch_sees_what_comes_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
