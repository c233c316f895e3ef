// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the guard on a made-up host: what a program that serves FUSE has open. */
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
static char path[MADE_PATH], other[MADE_PATH];

static void judged(const char *target, enum np_guard_reason wanted, const char *text)
{
	made_judge(target, &verdict);
	made_expect(&verdict, wanted, text);
}

static void make_file(const char *name, char at[MADE_PATH])
{
	made_file(name, "");
	assert_int_equal(truncate(made_at(at, "%s%s", made_root, name), MADE_BYTES), 0);
}

/* Process 41 has @target open as descriptor @fd, with @flags in octal. */
static void put_open(unsigned fd, const char *target, const char *flags)
{
	char at[MADE_PATH], text[MADE_PATH];

	made_link(made_at(at, "/proc/41/fd/%u", fd), target);
	made_at(text, "pos:\t0\nflags:\t%s\nmnt_id:\t9\n", flags);
	made_file(made_at(at, "/proc/41/fdinfo/%u", fd), text);
}

static void drop_open(unsigned fd)
{
	char at[MADE_PATH], made[MADE_PATH];

	assert_int_equal(unlink(made_path(made_at(at, "/proc/41/fd/%u", fd), made)), 0);
}

static int begin(void **state)
{
	char at[MADE_PATH];

	(void)made_host_setup(state);
	make_file("/image", path);
	make_file("/other", other);
	make_file("/fuse", at);
	made_disk("fuse", makedev(10, 229));
	made_file("/proc/41/comm", "server\n");
	return 0;
}

static void what_a_server_has_open_is_held(void **state)
{
	static const char served[] = "open in process 41, server, which serves FUSE";
	char fuse[MADE_PATH], named[MADE_PATH], text[MADE_PATH];
	struct stat status;

	(void)state;
	put_open(3, path, "0100002");
	judged(path, NP_GUARD_FREE, "");
	/* A file of that name is no such device. */
	put_open(7, made_at(named, "%s/fuse", made_root), "02");
	judged(path, NP_GUARD_FREE, "");
	put_open(9, made_path("/dev/fuse", fuse), "02");
	judged(path, NP_GUARD_HELD, served);
	assert_false(verdict.destroyable);
	judged(other, NP_GUARD_FREE, "");
	assert_int_equal(stat(path, &status), 0);
	made_attach(made_disk("loop0", makedev(7, 0)), status.st_ino, 0, path);
	judged("/dev/loop0", NP_GUARD_HELD, made_at(text, "the file under it is %s", served));
	/* One that only remembers the file does not use it. */
	put_open(4, "/nowhere", "0");
	made_file("/proc/41/fdinfo/3", "pos:\t0\nflags:\t012100000\n");
	judged("/dev/loop0", NP_GUARD_FREE, "");
	drop_open(3);
	made_disk("sda", makedev(8, 0));
	put_open(3, made_path("/dev/sda", named), "0100002");
	judged("/dev/sda", NP_GUARD_HELD, served);
	drop_open(9);
	judged("/dev/sda", NP_GUARD_FREE, "");
}

/* Where the descriptors of the server cannot be seen. */
static void a_relative_name_may_be_that_of_the_file(void **state)
{
	static const char *const others[] = {
		"fuse.x nimage",
		"fuse.x image/x",
		"ext4 image",
		"fuse.x none",
	};
	static const char *const names[] = {"fuse image", "fuse.x image", "fuseblk ../a/image"};
	char line[128], text[MADE_PATH];
	int fd;

	(void)state;
	fd = open(path, O_RDONLY);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(line, sizeof(line), "1 1 0:41 / /there rw - %s rw\n", others[i]);
		made_file("/proc/self/mountinfo", line);
		judged(path, NP_GUARD_FREE, "");
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(line, sizeof(line), "1 1 0:41 / /there rw - %s rw\n", names[i]);
		made_file("/proc/self/mountinfo", line);
		made_at(text,
			"is open elsewhere: cannot see whether it is the %s that FUSE has mounted "
			"on /there; root can, or umount that",
			strchr(names[i], ' ') + 1);
		judged(path, NP_GUARD_UNSEEN, text);
		assert_false(verdict.destroyable);
	}
	/* A server has its file open. */
	close(fd);
	judged(path, NP_GUARD_FREE, "");
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, begin, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(what_a_server_has_open_is_held),
		ON_HOST(a_relative_name_may_be_that_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
