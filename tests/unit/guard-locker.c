// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: who has locked a file, as far as it can be seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <netperf/guard.h>

#include "support/made_host.h"

static char path[MADE_PATH], other[MADE_PATH];

/* All files have the same size and times here, as one has by its name on an overlay and in a layer.
 */
int statx(int folder, const char *name, int flags, unsigned mask, struct statx *status)
{
	(void)folder, (void)name, (void)flags;
	memset(status, 0, sizeof(*status));
	status->stx_mask = mask;
	return 0;
}

static int begin(void **state)
{
	(void)made_host_setup(state);
	made_file("/other", "");
	made_file("/file", "");
	made_at(path, "%s/file", made_root);
	made_at(other, "%s/other", made_root);
	return 0;
}

/* Process @process has @target open as @fd, of which @info tells. */
static void open_by(const char *process, const char *fd, const char *target, const char *info)
{
	char at[MADE_PATH];

	made_link(made_at(at, "/proc/%s/fd/%s", process, fd), target);
	made_file(made_at(at, "/proc/%s/fdinfo/%s", process, fd), info);
}

#define LOCK  "pos:\t0\nflags:\t02\nlock:\t1: OFDLCK ADVISORY  WRITE -1 fa:01:9 0 EOF\n"
#define LEASE "pos:\t0\nlock:\t1: LEASE  ACTIVE    READ 41 fa:01:9 0 EOF\n"

/* Expects that @who has locked the file; NULL: nobody that is known. */
static void expect(const char *who)
{
	char text[NP_GUARD_LOCKER_BYTES] = "";

	assert_int_equal(np_guard_locker(path, text), who ? 0 : -ENOENT);
	assert_string_equal(text, who ? who : "");
}

static void who_has_it_open_with_a_lock_is_named(void **state)
{
	(void)state;
	open_by("41", "3", path, LOCK);
	expect("process 41");
	made_file("/proc/41/comm", "writer\n");
	expect("process 41, writer");
	/* Of one that may not be read, too. */
	made_private = "/file";
	expect("process 41, writer");
}

/* Many have it open, or have locked something. */
static void others_are_not_named(void **state)
{
	char self[16];

	(void)state;
	open_by("40", "3", path, "pos:\t0\n");
	open_by("40", "4", other, LOCK);
	open_by("41", "5", path, LEASE);
	open_by("41", "6", path, "pos:\t0\nnote: OFDLCK \n");
	open_by("self", "3", path, LOCK);
	open_by("44x", "3", path, LOCK);
	open_by("0", "3", path, LOCK);
	snprintf(self, sizeof(self), "%d", (int)getpid());
	open_by(self, "3", path, LOCK);
	made_file("/proc/45/fd/", NULL);
	made_link("/proc/46/fd/3", path); /* its table of descriptors is out of sight */
	expect(NULL);
	open_by("47", "12", path, "pos:\t0\n");
	made_link("/proc/47/fd/15", "/nowhere");
	open_by("47", "13", other, "pos:\t0\n");
	open_by("47", "14", path, LOCK);
	expect("process 47");
}

/* Out of sight, a process is named by the table of locks, unless the lock has no owner. */
static void the_table_names_who_is_out_of_sight(void **state)
{
	struct stat status;
	char text[MADE_PATH];
	const char *who[] = {"-1", "0", "51"};

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	for (unsigned i = 0; i < sizeof(who) / sizeof(*who); i++) {
		made_at(text,
			"1: POSIX  ADVISORY  WRITE 50 fa:01:%lu 0 EOF\n"
			"2: LEASE  ACTIVE    READ 50 fa:01:%lu 0 EOF\n"
			"3: OFDLCK ADVISORY  WRITE %s fa:01:%lu 0 EOF\n"
			"4: POSIX  ADVISORY  WRITE 52 fa:02:%lu 0 EOF\n",
			(unsigned long)status.st_ino + 1000, (unsigned long)status.st_ino, who[i],
			(unsigned long)status.st_ino, (unsigned long)status.st_ino);
		made_file("/proc/locks", text);
		expect(i == 2 ? "process 51" : NULL);
	}
	/* Also when not all processes could be listed. */
	made_broken = "/proc";
	expect("process 51");
}

/* A run that waits, and one that was named first. */
static void the_first_owner_of_the_table_is_named(void **state)
{
	struct stat status;
	char text[MADE_PATH];

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	made_at(text,
		"1: OFDLCK ADVISORY  WRITE -1 fa:01:%lu 0 EOF\n"
		"2: FLOCK  ADVISORY  WRITE 61 fa:01:%lu 0 EOF\n"
		"2: -> FLOCK  ADVISORY  WRITE 62 fa:01:%lu 0 EOF\n",
		(unsigned long)status.st_ino, (unsigned long)status.st_ino,
		(unsigned long)status.st_ino);
	made_file("/proc/locks", text);
	made_file("/proc/62/comm", "second\n");
	made_file("/proc/61/comm", "first\n");
	expect("process 61, first");
	/* One that has it open and locked is known for certain. */
	open_by("62", "3", path, LOCK);
	expect("process 62, second");
}

/* Nor by who has locked the file that was asked for before. */
static void a_file_that_is_not_there_is_locked_by_nobody(void **state)
{
	char missing[MADE_PATH], first[NP_GUARD_LOCKER_BYTES], then[NP_GUARD_LOCKER_BYTES] = "";
	char text[MADE_PATH];
	struct stat status;
	int error, later;

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	made_file("/proc/locks", made_at(text, "3: FLOCK  ADVISORY  WRITE 51 fa:01:%lu 0 EOF\n",
					 (unsigned long)status.st_ino));
	open_by("41", "3", path, LOCK);
	made_at(missing, "%s/missing", made_root);
	error = np_guard_locker(path, first);
	later = np_guard_locker(missing, then);
	assert_int_equal(error, 0);
	assert_string_equal(first, "process 41");
	assert_int_equal(later, -ENOENT);
	assert_string_equal(then, "");
	assert_int_equal(unlink(path), 0);
	expect(NULL);
}

/* On an overlay, a run that has it open by its name in the layer below is named, too. */
static void on_an_overlay_the_file_has_two_names(void **state)
{
	char at[MADE_PATH], text[MADE_PATH], line[4 * MADE_PATH];
	struct stat status;
	int fd = open(path, O_PATH | O_CLOEXEC); /* the next one to be opened has its number */

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	made_file(made_at(at, "/proc/self/fdinfo/%d", fd), "pos:\t0\nmnt_id:\t36\n");
	made_file("/upper/file", "");
	snprintf(line, sizeof(line),
		 "36 1 0:40 / %s rw - overlay o rw,lowerdir=%s/no,upperdir=%s/upper\n", made_root,
		 made_root, made_root);
	made_file("/proc/self/mountinfo", line);
	made_at(at, "%s/upper/file", made_root);
	open_by("41", "3", at, LOCK);
	expect(NULL);
	made_type = OVERLAYFS_SUPER_MAGIC;
	expect("process 41");
	/* In the table of locks, too. */
	assert_int_equal(unlink(made_path("/proc/41/fd/3", line)), 0);
	assert_int_equal(stat(at, &status), 0);
	made_file("/proc/locks", made_at(text, "3: FLOCK  ADVISORY  WRITE 51 fa:01:%lu 0 EOF\n",
					 (unsigned long)status.st_ino));
	expect("process 51");
}

/* A program may be started without standard input: then descriptor 0 is one like any other. */
static void without_standard_input_it_is_named_too(void **state)
{
	const int input = fcntl(0, F_DUPFD_CLOEXEC, 3);
	char text[NP_GUARD_LOCKER_BYTES] = "";
	int error;

	(void)state;
	open_by("41", "3", path, LOCK);
	close(0);
	error = np_guard_locker(path, text);
	if (input >= 0) {
		assert_int_equal(dup2(input, 0), 0);
		close(input);
	}
	assert_int_equal(error, 0);
	assert_string_equal(text, "process 41");
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, begin, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(who_has_it_open_with_a_lock_is_named),
		ON_HOST(others_are_not_named),
		ON_HOST(the_table_names_who_is_out_of_sight),
		ON_HOST(the_first_owner_of_the_table_is_named),
		ON_HOST(a_file_that_is_not_there_is_locked_by_nobody),
		ON_HOST(on_an_overlay_the_file_has_two_names),
		ON_HOST(without_standard_input_it_is_named_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
