// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: what is watched in mid-run, and for how long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <netperf/guard.h>

#include "support/made_host.h"

static struct np_guard_verdict verdict;
static struct np_guard_watch *watch;
static char path[MADE_PATH];
static ino_t inode;
static int fd;

/* A file that is watched, and a loop device beside it. */
static int begin(void **state)
{
	struct stat status;

	(void)made_host_setup(state);
	made_at(path, "%s/file", made_root);
	made_file("/file", "");
	assert_int_equal(truncate(path, MADE_BYTES), 0);
	assert_int_equal(stat(path, &status), 0);
	inode = status.st_ino;
	made_disk("loop0", makedev(7, 0));
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(np_guard_watch_create(&watch, fd, true), 0);
	return 0;
}

static int end(void **state)
{
	np_guard_watch_free(watch);
	close(fd);
	return made_host_teardown(state);
}

static void look(enum np_guard_reason wanted, const char *text)
{
	assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
	made_expect(&verdict, wanted, text);
}

static int next_descriptor(void)
{
	int next = open("/", O_PATH | O_CLOEXEC);

	assert_true(next >= 0);
	close(next);
	return next;
}

/* A look costs next to nothing: loop devices are asked again only when one of them changes. */
static void loop_devices_are_asked_when_one_changes(void **state)
{
	static const char *const parts[] = {"loop/backing_file", "loop/offset", "diskseq"};
	char at[MADE_PATH];
	unsigned before;

	(void)state;
	made_attach(&made_nodes[0], inode + 1000, 0, "/else");
	look(NP_GUARD_FREE, "");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		before = made_opened;
		look(NP_GUARD_FREE, "");
		look(NP_GUARD_FREE, "");
		assert_int_equal(made_opened, before);
		made_file(made_at(at, "/sys/devices/loop0/%s", parts[i]), "12\n");
		look(NP_GUARD_FREE, "");
		assert_true(made_opened > before);
	}
	before = made_opened;
	made_disk("loop1", makedev(7, 1));
	look(NP_GUARD_FREE, "");
	assert_true(made_opened > before);
	/* Other disks do not matter. */
	look(NP_GUARD_FREE, "");
	before = made_opened;
	made_disk("sdz", makedev(65, 144));
	look(NP_GUARD_FREE, "");
	assert_int_equal(made_opened, before);
}

static void many_looks_keep_nothing_open(void **state)
{
	const int next = next_descriptor();

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		look(NP_GUARD_FREE, "");
	assert_int_equal(next_descriptor(), next);
}

/* Without /sys nothing tells of a change: each look asks all of them. */
static void without_sys_each_look_asks(void **state)
{
	char sys[MADE_PATH], away[MADE_PATH];

	(void)state;
	made_path("/sys", sys);
	made_at(away, "%s/away", made_root);
	assert_int_equal(rename(sys, away), 0);
	look(NP_GUARD_FREE, "");
	made_nodes[0].loop.lo_number = 1;
	made_nodes[0].loop.lo_device = MADE_DISK;
	made_nodes[0].loop.lo_inode = inode;
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	look(NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted on /mnt");
	assert_int_equal(rename(away, sys), 0);
}

/* Who holds it for a second or two asks whether it is free; who does for longer uses it. */
static void only_who_holds_it_for_long_uses_it(void **state)
{
	static const char text[] = "loop device /dev/loop0 is held exclusively by another program";
	struct made_node *loop = &made_nodes[0];
	np_time since;

	(void)state;
	made_attach(loop, inode, 0, path);
	look(NP_GUARD_FREE, "");
	for (unsigned twice = 0; twice < 2; twice++) {
		loop->way = MADE_BUSY;
		since = made_clock;
		(void)np_guard_watch_look(watch, &verdict);
		assert_int_equal(verdict.reason, NP_GUARD_FREE);
		made_clock = since + 3 * NP_SECOND - NP_MILLISECOND;
		(void)np_guard_watch_look(watch, &verdict);
		assert_int_equal(verdict.reason, NP_GUARD_FREE);
		/* It lets go, and the time begins anew. */
		if (!twice) {
			loop->way = MADE_FREE;
			look(NP_GUARD_FREE, "");
			made_clock += 10 * NP_SECOND;
		}
	}
	made_clock += NP_SECOND;
	look(NP_GUARD_HELD, text);
}

/* A member of a btrfs is mounted, wherever that is. */
static void a_btrfs_on_it_is_a_mount(void **state)
{
	(void)state;
	made_attach(&made_nodes[0], inode, 0, path);
	made_link("/sys/fs/btrfs/2f4e6c10-1111-2222-3333-444455556666/devices/loop0",
		  "../../../../devices/loop0");
	look(NP_GUARD_MOUNTED, "loop device /dev/loop0 is mounted somewhere as a part of the btrfs "
			       "2f4e6c10-1111-2222-3333-444455556666");
}

/* What was on it before the run is watched for mounts, too, all of it. */
static void each_partition_is_watched(void **state)
{
	static const char *const lines[] = {"1 1 8:1 / /mnt rw - ext4 none rw\n",
					    "1 1 8:2 / /mnt rw - ext4 none rw\n",
					    "1 1 8:3 / /mnt rw - ext4 none rw\n"};
	char name[MADE_PATH], text[MADE_PATH];

	(void)state;
	np_guard_watch_free(watch);
	close(fd);
	made_disk("sda", makedev(8, 0));
	for (unsigned i = 1; i <= 3; i++)
		made_partition("sda", made_at(name, "sda%u", i), makedev(8, i), i * 2048, 2048);
	fd = open("/dev/sda", O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(np_guard_watch_create(&watch, fd, true), 0);
	look(NP_GUARD_FREE, "");
	for (unsigned i = 1; i <= 3; i++) {
		made_file("/proc/self/mountinfo", lines[i - 1]);
		look(NP_GUARD_MOUNTED,
		     made_at(text, "its partition /dev/sda%u is mounted on /mnt", i));
	}
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(loop_devices_are_asked_when_one_changes),
		ON_HOST(many_looks_keep_nothing_open),
		ON_HOST(without_sys_each_look_asks),
		ON_HOST(only_who_holds_it_for_long_uses_it),
		ON_HOST(a_btrfs_on_it_is_a_mount),
		ON_HOST(each_partition_is_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
