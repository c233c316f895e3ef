// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: devices without a node, and lists that break off. */
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

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, made_host_setup, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(a_loop_device_without_a_node_is_unknown),
		ON_HOST(a_table_that_breaks_off_is_unknown),
		ON_HOST(a_list_of_devices_that_breaks_off_is_an_error),
		ON_HOST(loop_devices_are_asked_by_their_nodes),
		ON_HOST(a_device_may_just_have_come),
		ON_HOST(a_disk_without_a_node_is_known_by_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
