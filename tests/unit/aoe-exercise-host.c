// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-host: on a made-up host, whether this one uses the target that is to be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "page.h"
#include "src/aoe-exercise/guard.h"
#include "support/made_host.h"

/* Expects @status and @text of a write to e4.1 with --destroy=@destroy. */
static void expect(char *destroy, int status, const char *text)
{
	const struct options options = {
		.operation = OPERATION_WRITE,
		.target = {.shelf = 4, .slot = 1, .destroy = destroy},
	};
	struct page *page = page_open();
	const struct np_log log = {.program = "prog", .stream = page->out};

	assert_int_equal(guard_local(&options, &log), status);
	page_expect(page, text);
}

static char named[] = "e4.1";

/* What was not listed may be a partition in use. */
static void partitions_are_not_missed(void **state)
{
	static const char *const whys[] = {"Input/output error", "Permission denied"};
	char text[256];

	(void)state;
	expect(NULL, 0, "");
	made_file("/dev/etherd/", NULL);
	expect(NULL, 0, "");
	for (int i = 0; i < 2; i++) {
		made_broken = i ? NULL : "/dev/etherd";
		made_private = i ? "/dev/etherd" : NULL;
		snprintf(text, sizeof(text),
			 "prog: /dev/etherd: cannot see which partitions of e4.1 this host has: "
			 "%s; root can; --destroy=e4.1 overwrites it all the same\n",
			 whys[i]);
		expect(NULL, 2, text);
		snprintf(text, sizeof(text),
			 "prog: warning: /dev/etherd: cannot see which partitions of e4.1 this "
			 "host has: %s; root can; overwriting it, as --destroy says\n",
			 whys[i]);
		expect(named, 0, text);
	}
}

/* A partition is looked at by its own node when its disk has none; other names are not its. */
static void a_partition_without_its_disk_is_looked_at(void **state)
{
	static const char *const others[] = {"e4.1p", "e4.1p3x", "e4.1x3", "e4.10p3", "e4.2p3"};
	char at[MADE_PATH];

	(void)state;
	made_file("/proc/self/mountinfo", "1 1 152:18 / /mnt rw - ext4 none rw\n"
					  "1 1 152:20 / /mnt rw - ext4 none rw\n"
					  "1 1 152:21 / /mnt rw - ext4 none rw\n"
					  "1 1 152:22 / /mnt rw - ext4 none rw\n"
					  "1 1 152:23 / /mnt rw - ext4 none rw\n"
					  "1 1 152:24 / /mnt rw - ext4 none rw\n");
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		made_disk(made_at(at, "etherd!%s", others[i]), makedev(152, 20 + i));
	expect(named, 0, "");
	made_disk("etherd!e4.1p3", makedev(152, 18));
	expect(named, 2, "prog: /dev/etherd/e4.1p3: this host uses it: mounted on /mnt\n");
}

/* One in use that may stand on the disk, for all that can be seen. */
static void a_loop_device_in_use_is_spared(void **state)
{
	static const char unknown[] =
		"cannot see what /dev/loop0 stands on (Operation not permitted)";
	struct made_node *loop;
	char text[512];

	(void)state;
	made_disk("etherd!e4.1", makedev(152, 16));
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 77, 0, "/nowhere");
	loop->loop_error = EPERM;
	snprintf(text, sizeof(text),
		 "prog: /dev/etherd/e4.1: %s; --destroy=e4.1 overwrites it all the same\n",
		 unknown);
	expect(NULL, 2, text);
	snprintf(text, sizeof(text),
		 "prog: warning: /dev/etherd/e4.1: %s; overwriting it, as --destroy says\n",
		 unknown);
	expect(named, 0, text);
	loop->way = MADE_BUSY;
	snprintf(text, sizeof(text),
		 "prog: /dev/etherd/e4.1: loop device /dev/loop0 is held exclusively by another "
		 "program, and may stand on it: %s\n",
		 unknown);
	expect(NULL, 2, text);
	expect(named, 2, text);
}

#define MOUNTED "1 1 152:16 / /mnt rw - ext4 /dev/etherd/e4.1 rw\n"

/* Looked at once in a second; what was seen last holds until then. */
static void who_begins_to_use_the_target_is_seen(void **state)
{
	const struct options options = {.target = {.shelf = 4, .slot = 1}};
	np_time now = 100 * NP_SECOND;
	struct guard_watch watch;

	(void)state;
	guard_watch_start(&watch, &options);
	assert_string_equal(watch.path, "/dev/etherd/e4.1");
	made_disk("etherd!e4.1", makedev(152, 16));
	assert_true(guard_watch_is_free(&watch, now));
	made_file("/proc/self/mountinfo", MOUNTED);
	assert_true(guard_watch_is_free(&watch, now + NP_SECOND - 1));
	now += NP_SECOND;
	assert_false(guard_watch_is_free(&watch, now));
	assert_int_equal(watch.user.reason, NP_GUARD_MOUNTED);
	assert_string_equal(watch.user.text, "mounted on /mnt");
	made_file("/proc/self/mountinfo", "");
	assert_false(guard_watch_is_free(&watch, now + NP_SECOND - 1));
	assert_true(guard_watch_is_free(&watch, now + NP_SECOND));
}

/* Before the run who cannot see refuses; in mid-run only a known user ends it. */
static void what_a_watch_cannot_see_ends_no_run(void **state)
{
	const struct options options = {.target = {.shelf = 4, .slot = 1}};
	struct guard_watch watch;
	struct made_node *loop;

	(void)state;
	guard_watch_start(&watch, &options);
	made_disk("etherd!e4.1", makedev(152, 16));
	loop = made_disk("loop0", makedev(7, 0));
	made_attach(loop, 77, 0, "/nowhere");
	loop->loop_error = EPERM;
	assert_true(guard_watch_is_free(&watch, 0));
	assert_int_equal(watch.user.reason, NP_GUARD_FREE);
	/* The list of loop devices breaks off: an error. */
	made_broken = "/sys/class/block";
	assert_true(guard_watch_is_free(&watch, NP_SECOND));
	assert_int_equal(watch.user.reason, NP_GUARD_FREE);
}

/* With a node only, or only in /sys, the disk is there; with neither, tables are not asked. */
static void a_disk_that_is_not_there_is_not_used(void **state)
{
	const struct options options = {.target = {.shelf = 4, .slot = 1}};
	struct guard_watch watch;
	char at[MADE_PATH];

	(void)state;
	guard_watch_start(&watch, &options);
	made_file("/proc/self/mountinfo", MOUNTED);
	assert_true(guard_watch_is_free(&watch, 0));
	made_disk("etherd!e4.1", makedev(152, 16));
	assert_false(guard_watch_is_free(&watch, NP_SECOND));
	assert_int_equal(unlink(made_path("/dev/etherd/e4.1", at)), 0);
	assert_false(guard_watch_is_free(&watch, 2 * NP_SECOND));
	assert_int_equal(unlink(made_path("/sys/class/block/etherd!e4.1", at)), 0);
	assert_true(guard_watch_is_free(&watch, 3 * NP_SECOND));
	made_file("/dev/etherd/e4.1", "");
	assert_false(guard_watch_is_free(&watch, 4 * NP_SECOND));
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, made_host_setup, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(partitions_are_not_missed),
		ON_HOST(a_partition_without_its_disk_is_looked_at),
		ON_HOST(a_loop_device_in_use_is_spared),
		ON_HOST(who_begins_to_use_the_target_is_seen),
		ON_HOST(what_a_watch_cannot_see_ends_no_run),
		ON_HOST(a_disk_that_is_not_there_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
