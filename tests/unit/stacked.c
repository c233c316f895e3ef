// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stacked: the layers that mount options name, and files that are told apart by their times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/lib/mountinfo.h"
#include "src/lib/stacked.h"

static void a_line_is_taken_apart(void **state)
{
	char line[] = "36 35 0:44 /a\\040b /mnt/c\\134d rw,noatime master:1 shared:2 - overlay o "
		      "rw,upperdir=/u\\054v\n";
	char swap[] = "/dev/sda1 partition 1 0 -2\n", cut[] = "36 35 0:44 / /mnt rw - ext4";
	struct mountinfo mount;

	(void)state;
	assert_true(mountinfo_parse(line, &mount));
	assert_string_equal(mount.id, "36");
	assert_string_equal(mount.device, "0:44");
	assert_string_equal(mount.root, "/a b");
	assert_string_equal(mount.point, "/mnt/c\\d");
	assert_string_equal(mount.type, "overlay");
	assert_string_equal(mount.source, "o");
	assert_string_equal(mount.options, "rw,upperdir=/u\\054v");
	assert_false(mountinfo_parse(swap, &mount));
	assert_false(mountinfo_parse(cut, &mount));
}

static void assert_folders(const char *options, size_t room, const char *wanted)
{
	char copy[256], found[256] = "", *folder[8];
	size_t count;

	strcpy(copy, options);
	count = stacked_folders(copy, folder, room);
	assert_true(count <= room);
	for (size_t i = 0; i < count; i++) {
		strcat(found, folder[i]);
		strcat(found, "|");
	}
	assert_string_equal(found, wanted);
}

/* The upper layer comes first, since what it has hides the others. */
static void layers_are_found_in_the_options(void **state)
{
	(void)state;
	assert_folders("rw,lowerdir=/a:/b,upperdir=/u,workdir=/w", 8, "/u|/a|/b|");
	assert_folders("rw,lowerdir=/a\\134:b:/c\\134\\134:/d\\054e,index=off", 8,
		       "/a:b|/c\\|/d,e|");
	assert_folders("ro,lowerdir=/a::/data", 8, "/a|/data|");
	assert_folders("ro,lowerdir+=/a:b,lowerdir+=/c,datadir+=/d", 8, "/a:b|/c|/d|");
	assert_folders("rw,upperdir=/u,lowerdir=/a:/b:/c", 3, "/u|/a|/b|");
	assert_folders("rw", 8, "");
	assert_folders("upperdir=/u,lowerdir=/a", 1, "/u|");
	assert_folders("upperdir=/u", 0, "");
}

static void one_file_is_the_same_another_is_not(void **state)
{
	char path[] = "/tmp/netperf-stacked.XXXXXX", other[] = "/tmp/netperf-stacked.XXXXXX";
	int fd = mkstemp(path), again, fd2 = mkstemp(other);

	(void)state;
	assert_true(fd >= 0 && fd2 >= 0);
	again = open(path, O_PATH | O_CLOEXEC);
	assert_true(again >= 0);
	if (stacked_kind(fd) != STACKED_OTHER) {
		assert_int_equal(ftruncate(fd2, 512), 0);
		assert_int_equal(stacked_compare(fd, again), STACKED_SAME);
		assert_int_equal(stacked_compare(again, fd2), STACKED_DIFFERENT);
		assert_int_equal(ftruncate(fd, 512), 0);
		assert_int_equal(futimens(fd2, (const struct timespec[2]){{1, 1}, {1, 1}}), 0);
		assert_int_equal(stacked_compare(fd, fd2), STACKED_DIFFERENT);
	}
	if (stacked_kind(fd) == STACKED_NOT)
		assert_true(stacked_below(fd) < 0);
	unlink(path);
	unlink(other);
	close(fd);
	close(fd2);
	close(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_taken_apart),
		cmocka_unit_test(layers_are_found_in_the_options),
		cmocka_unit_test(one_file_is_the_same_another_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
