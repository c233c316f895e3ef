// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: loop devices that may stand on the target, unseen. */
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
#include <sys/sysmacros.h>
#include <unistd.h>

#include <netperf/guard.h>

#include "src/lib/guard_layers.h"
#include "src/lib/guard_suspects.h"
#include "support/made_host.h"

static struct np_guard_verdict verdict;
static char path[MADE_PATH];
static int other; /* keeps the file open, so that no lease proves it to be unused */

static int begin(void **state)
{
	(void)made_host_setup(state);
	made_at(path, "%s/file", made_root);
	made_file("/file", "");
	assert_int_equal(truncate(path, MADE_BYTES), 0);
	other = open(path, O_RDONLY);
	assert_true(other >= 0);
	return 0;
}

static int end(void **state)
{
	close(other);
	return made_host_teardown(state);
}

static void judged(const char *target, const char *text, bool destroyable)
{
	int fd = open(target, O_RDWR);

	assert_true(fd >= 0);
	assert_int_equal(np_guard_fd(fd, NULL, &verdict), 0);
	close(fd);
	if (strcmp(verdict.text, text) != 0)
		print_message("\"%s\" is said of %s\n", verdict.text, target);
	assert_string_equal(verdict.text, text);
	assert_int_equal(verdict.reason, text[0] ? NP_GUARD_UNSEEN : NP_GUARD_FREE);
	assert_int_equal(verdict.destroyable, destroyable);
}

#define UNKNOWN "cannot see what /dev/loop0 stands on (Operation not permitted)"

/* It can be opened, but does not say what it stands on. */
static struct made_node *silent(const char *name, unsigned number)
{
	struct made_node *loop = made_disk(name, makedev(7, number));

	made_attach(loop, 77, 0, "/nowhere");
	loop->loop_error = EPERM;
	return loop;
}

static void one_in_use_is_spared(void **state)
{
	struct made_node *loop = silent("loop0", 0), *above;

	(void)state;
	judged(path, UNKNOWN, true);
	made_file("/proc/self/mountinfo", "1 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n");
	judged(path, "loop device /dev/loop0 is mounted on /mnt, and may stand on it: " UNKNOWN,
	       false);
	made_file("/proc/self/mountinfo", "");
	made_file("/proc/swaps", "Filename\n/dev/loop0 partition 1 0 -2\n");
	judged(path, "loop device /dev/loop0 is active swap space, and may stand on it: " UNKNOWN,
	       false);
	made_file("/proc/swaps", "Filename\n");
	loop->way = MADE_BUSY;
	judged(path,
	       "loop device /dev/loop0 is held exclusively by another program, and may stand on "
	       "it: " UNKNOWN,
	       false);
	/* And so is one that bears another one in use. */
	loop->way = MADE_FREE;
	above = made_disk("loop1", makedev(7, 1));
	made_attach(above, 0, makedev(7, 0), "/dev/loop0");
	judged(path, UNKNOWN, true);
	made_file("/proc/self/mountinfo", "1 1 7:1 / /mnt rw - ext4 /dev/loop1 rw\n");
	judged(path, "loop device /dev/loop1 is mounted on /mnt, and may stand on it: " UNKNOWN,
	       false);
	/* That nobody else has the file open proves that it stands on another one. */
	close(other);
	judged(path, "", false);
	other = open(path, O_RDONLY);
}

static void any_of_several_counts(void **state)
{
	struct made_node *loop[3];
	char text[80];
	int fd;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		loop[i] = silent(made_at((char[MADE_PATH]){0}, "loop%u", i), i);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	for (unsigned i = 0; i < 3; i++) {
		loop[i]->way = MADE_BUSY;
		assert_int_equal(np_guard_fd(fd, NULL, &verdict), 0);
		loop[i]->way = MADE_FREE;
		snprintf(text, sizeof(text), "loop device /dev/loop%u is held exclusively", i);
		assert_non_null(strstr(verdict.text, text));
		assert_false(verdict.destroyable);
	}
	close(fd);
}

/* As a part of a btrfs it is in use, in whichever namespace that is mounted. */
static void a_part_of_a_btrfs_is_spared(void **state)
{
	(void)state;
	silent("loop0", 0);
	made_link("/sys/fs/btrfs/2f4e/devices/loop0", "../../../../devices/loop0");
	judged(path,
	       "loop device /dev/loop0 is mounted somewhere as a part of the btrfs 2f4e, and may "
	       "stand on it: " UNKNOWN,
	       false);
}

/* Whether it is in use cannot be seen either. */
static void what_hides_its_users_may_be_in_use(void **state)
{
	(void)state;
	silent("loop0", 0);
	made_private = "/sys/dev/block/7:0/holders";
	judged(path, "may be in use: " UNKNOWN, false);
	made_private = NULL;
	made_broken = "/sys/devices/loop0/holders";
	judged(path, "may be in use: " UNKNOWN, false);
}

/* More of them than are noted cannot be looked at. */
static void too_many_may_be_in_use(void **state)
{
	const struct guard_place operand = {.device = MADE_DISK, .inode = 1};
	struct guard_layers layers = {.suspects = GUARD_SUSPECTS, .blind = "why"};
	char text[GUARD_TEXT_BYTES] = "";

	(void)state;
	silent("loop0", 0);
	for (unsigned i = 0; i < GUARD_SUSPECTS; i++)
		layers.suspect[i] = makedev(7, 0);
	assert_int_equal(guard_suspects_used(&layers, &operand, MADE_BYTES, 0, text), 0);
	assert_string_equal(text, "");
	layers.suspects++;
	assert_int_equal(guard_suspects_used(&layers, &operand, MADE_BYTES, 0, text), 1);
	assert_string_equal(text, "may be in use: why");
}

/* One with more bytes than the file does not stand on it. */
static void sizes_tell(void **state)
{
	char text[32];

	(void)state;
	silent("loop0", 0)->way = MADE_BUSY;
	snprintf(text, sizeof(text), "%u\n", MADE_BYTES / 512 + 1);
	made_file("/sys/devices/loop0/size", text);
	judged(path, UNKNOWN, true);
	snprintf(text, sizeof(text), "%u\n", MADE_BYTES / 512);
	made_file("/sys/devices/loop0/size", text);
	judged(path,
	       "loop device /dev/loop0 is held exclusively by another program, and may stand on "
	       "it: " UNKNOWN,
	       false);
	made_file("/sys/devices/loop0/loop/offset", "512\n");
	judged(path, UNKNOWN, true);
	made_file("/sys/devices/loop0/loop/offset", "18446744073709551104\n");
	judged(path, UNKNOWN, true);
	/* An empty one may begin where the file ends. */
	made_file("/sys/devices/loop0/size", "0\n");
	snprintf(text, sizeof(text), "%u\n", MADE_BYTES);
	made_file("/sys/devices/loop0/loop/offset", text);
	judged(path,
	       "loop device /dev/loop0 is held exclusively by another program, and may stand on "
	       "it: " UNKNOWN,
	       false);
	made_file("/sys/devices/loop0/size", "8\n");
	snprintf(text, sizeof(text), "%u\n", MADE_BYTES - 8 * 512);
	made_file("/sys/devices/loop0/loop/offset", text);
	judged(path,
	       "loop device /dev/loop0 is held exclusively by another program, and may stand on "
	       "it: " UNKNOWN,
	       false);
}

/* A loop device on a file, of whatever size, does not stand on a disk. */
static void files_are_no_disks(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	silent("loop0", 0)->way = MADE_BUSY;
	made_file("/sys/devices/loop0/size", "99999999\n");
	judged("/dev/sda",
	       "loop device /dev/loop0 is held exclusively by another program, and may stand on "
	       "it: " UNKNOWN,
	       false);
	made_file("/sys/devices/loop0/loop/backing_file", path);
	judged("/dev/sda", UNKNOWN, true);
	/* One on a device, by whichever of its names, may. */
	made_disk("sdb", makedev(8, 16));
	made_file("/sys/devices/loop0/loop/backing_file", "/dev/sdb");
	judged("/dev/sda",
	       "loop device /dev/loop0 is held exclusively by another program, and may stand on "
	       "it: " UNKNOWN,
	       false);
}

/* Without /sys nothing tells of a loop device without a node, but a lease of an open file. */
static void who_has_it_open_may_be_one(void **state)
{
	char sys[MADE_PATH], away[MADE_PATH];

	(void)state;
	made_path("/sys", sys);
	made_at(away, "%s/away", made_root);
	assert_int_equal(rename(sys, away), 0);
	judged(path,
	       "is open elsewhere: cannot see what stands on it: /sys is not mounted; mount -t "
	       "sysfs sysfs /sys",
	       false);
	close(other);
	judged(path, "cannot see what stands on it: /sys is not mounted; mount -t sysfs sysfs /sys",
	       true);
	other = open(path, O_RDONLY);
	assert_int_equal(rename(away, sys), 0);
}

/* Written in mid-run to another part of its file, or to another file, a loop device is not safe. */
static void a_target_that_moves_is_written_no_more(void **state)
{
	struct made_node *loop = made_disk("loop0", makedev(7, 0)), *above;
	struct np_guard_watch *watch;
	struct stat status;
	int fd;

	(void)state;
	assert_int_equal(fstat(other, &status), 0);
	made_attach(loop, status.st_ino, 0, path);
	above = made_disk("loop1", makedev(7, 1));
	fd = open("/dev/loop0", O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(np_guard_watch_create(&watch, fd, true), 0);
	/* Others may come and go, and it may become larger. */
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_FREE);
		made_attach(above, i ? status.st_ino : 0, i ? 0 : makedev(7, 0), i ? path : "x");
		loop->loop.lo_sizelimit = i ? 0 : 4096;
	}
	loop->loop.lo_offset = 512;
	made_file("/sys/devices/loop0/loop/offset", "512\n");
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_HELD);
		assert_string_equal(verdict.text,
				    "stored on something else than what was examined");
	}
	loop->loop.lo_offset = 0;
	made_file("/sys/devices/loop0/loop/offset", "0\n");
	assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_FREE);
	loop->loop.lo_inode++;
	made_file("/sys/devices/loop0/loop/backing_file", "/else");
	assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_HELD);
	loop->loop.lo_inode--;
	loop->loop.lo_device++;
	made_file("/sys/devices/loop0/loop/backing_file", "/other/else");
	assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_HELD);
	np_guard_watch_free(watch);
	close(fd);
}

static void suspects_are_noted_once(void **state)
{
	struct guard_layers layers = {0};

	(void)state;
	for (unsigned i = 0; i < GUARD_SUSPECTS; i++) {
		guard_layers_suspect(&layers, makedev(7, i));
		guard_layers_suspect(&layers, makedev(7, i));
	}
	guard_layers_suspect(&layers, makedev(7, 0));
	assert_int_equal(layers.suspects, GUARD_SUSPECTS);
	for (unsigned i = 0; i < GUARD_SUSPECTS; i++)
		assert_int_equal(layers.suspect[i], makedev(7, i));
	for (unsigned i = 0; i < 3; i++)
		guard_layers_suspect(&layers, makedev(7, GUARD_SUSPECTS + i));
	assert_int_equal(layers.suspects, GUARD_SUSPECTS + 1);
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(one_in_use_is_spared),
		ON_HOST(any_of_several_counts),
		ON_HOST(a_part_of_a_btrfs_is_spared),
		ON_HOST(what_hides_its_users_may_be_in_use),
		ON_HOST(too_many_may_be_in_use),
		ON_HOST(sizes_tell),
		ON_HOST(files_are_no_disks),
		ON_HOST(who_has_it_open_may_be_one),
		ON_HOST(a_target_that_moves_is_written_no_more),
		cmocka_unit_test(suspects_are_noted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
