// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Unit tests of the guard on a made-up host: who holds a device for a moment or for longer, disks
 * in a circle, and files that FUSE may have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <netperf/guard.h>

#include "src/lib/guard_carries.h"
#include "support/made_host.h"

static struct np_guard_verdict verdict;

static void users(const char *path, enum np_guard_reason wanted, const char *text)
{
	assert_int_equal(np_guard_users(path, &verdict), 0);
	made_expect(&verdict, wanted, text);
}

static int next_descriptor(void)
{
	int next = open("/", O_PATH | O_CLOEXEC);

	assert_true(next >= 0);
	close(next);
	return next;
}

static unsigned pauses, lets_go_after;

static void let_go(const struct timespec *until)
{
	(void)until;
	if (++pauses == lets_go_after)
		made_nodes[0].way = MADE_FREE;
}

/* The kernel lets go of a device a moment after a run has ended: a second is waited for that. */
static void who_lets_go_in_time_does_not_use_it(void **state)
{
	const int next = next_descriptor();

	(void)state;
	made_disk("sda", makedev(8, 0));
	made_pause = let_go;
	pauses = 0;
	lets_go_after = 5;
	made_nodes[0].way = MADE_BUSY;
	users("/dev/sda", NP_GUARD_FREE, "");
	assert_int_equal(pauses, 5);
	/* Nobody holds it: nothing is waited for, and it is closed again. */
	users("/dev/sda", NP_GUARD_FREE, "");
	assert_int_equal(pauses, 5);
	assert_int_equal(next_descriptor(), next);
	/* Every 10 ms for a second. */
	pauses = 0;
	lets_go_after = 0;
	made_nodes[0].way = MADE_BUSY;
	users("/dev/sda", NP_GUARD_HELD, "held exclusively by another program");
	assert_in_range(pauses, 98, 100);
}

/* Descriptor 0 is one like any other: a program may be started without standard input. */
static void free_without_input(const char *path)
{
	const int input = fcntl(0, F_DUPFD_CLOEXEC, 3);

	close(0);
	assert_int_equal(np_guard_users(path, &verdict), 0);
	assert_int_equal(next_descriptor(), 0);
	if (input >= 0) {
		assert_int_equal(dup2(input, 0), 0);
		close(input);
	}
	made_expect(&verdict, NP_GUARD_FREE, "");
}

static void without_standard_input_a_disk_is_free_too(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	free_without_input("/dev/sda");
}

/* Where the kernel's name has no node, the one that was given shows who holds it. */
static void another_node_of_the_same_disk_is_tried(void **state)
{
	char at[MADE_PATH];

	(void)state;
	made_disk("sda", makedev(8, 0));
	assert_int_equal(unlink(made_path("/dev/sda", at)), 0);
	made_file("/dev/alias", "");
	made_nodes[made_count] = (struct made_node){.name = "alias", .device = makedev(8, 0)};
	made_count++;
	users("/dev/alias", NP_GUARD_FREE, "");
	free_without_input("/dev/alias");
	made_nodes[1].way = MADE_BUSY;
	users("/dev/alias", NP_GUARD_HELD, "held exclusively by another program");
}

/* Disks that are made of each other are no error, but nothing that may be overwritten either. */
static void disks_in_a_circle_are_no_error(void **state)
{
	(void)state;
	made_disk("dm-0", makedev(253, 0));
	made_disk("dm-1", makedev(253, 1));
	made_member("dm-0", "dm-1");
	made_member("dm-1", "dm-0");
	assert_int_not_equal(made_judge("/dev/dm-0", &verdict), NP_GUARD_FREE);
	assert_int_equal(np_guard_users("/dev/dm-0", &verdict), 0);
	assert_int_not_equal(verdict.reason, NP_GUARD_FREE);
}

/* FUSE names what it has mounted without a path; only who has the file open can be it. */
static void only_an_open_file_may_be_what_fuse_has_mounted(void **state)
{
	struct made_node *loop;
	char path[MADE_PATH];
	int other;

	(void)state;
	made_at(path, "%s/image", made_root);
	made_file("/image", "");
	assert_int_equal(truncate(path, MADE_BYTES), 0);
	made_file("/proc/self/mountinfo", "1 1 0:50 / /mnt rw - fuse.x image rw\n"
					  "1 1 0:51 / /mnt2 rw - fuse.x loop0 rw\n");
	made_judge(path, &verdict);
	made_expect(&verdict, NP_GUARD_FREE, "");
	other = open(path, O_RDONLY);
	assert_true(other >= 0);
	made_judge(path, &verdict);
	made_expect(&verdict, NP_GUARD_UNSEEN,
		    "is open elsewhere: cannot see whether it is the image that FUSE has mounted "
		    "on /mnt; root can, or umount that");
	close(other);
	/* A device is not asked for, though its file may be open. */
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 77, 0, "/nowhere");
	made_judge("/dev/loop0", &verdict);
	made_expect(&verdict, NP_GUARD_FREE, "");
}

/* Results go to no file that is mounted. */
static void a_mounted_file_is_a_disk(void **state)
{
	char path[MADE_PATH], line[2 * MADE_PATH];
	int fd;

	(void)state;
	made_at(path, "%s/image", made_root);
	made_file("/image", "content");
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(guard_is_disk(fd), 0);
	snprintf(line, sizeof(line), "1 1 0:50 / /mnt rw - fuse.x %s rw\n", path);
	made_file("/proc/self/mountinfo", line);
	assert_int_equal(guard_is_disk(fd), 1);
	close(fd);
}

/* A line that is no mount is one of nobody; the next one counts. */
static void a_line_that_is_no_mount_is_passed_over(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	made_file("/proc/self/mountinfo", "no mount\n\n1 1 8:0\n");
	users("/dev/sda", NP_GUARD_FREE, "");
	made_file("/proc/self/mountinfo", "no mount\n1 1 8:0 / /mnt rw - ext4 none rw\n");
	users("/dev/sda", NP_GUARD_MOUNTED, "mounted on /mnt");
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, made_host_setup, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(who_lets_go_in_time_does_not_use_it),
		ON_HOST(without_standard_input_a_disk_is_free_too),
		ON_HOST(another_node_of_the_same_disk_is_tried),
		ON_HOST(a_line_that_is_no_mount_is_passed_over),
		ON_HOST(disks_in_a_circle_are_no_error),
		ON_HOST(only_an_open_file_may_be_what_fuse_has_mounted),
		ON_HOST(a_mounted_file_is_a_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
