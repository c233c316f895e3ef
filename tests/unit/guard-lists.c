// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Unit tests of the guard on a made-up host: lists and tables that cannot be opened, or break off.
 * What they did not show may be a user.
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
#include <sys/stat.h>
#include <unistd.h>

#include <netperf/guard.h>

#include "support/made_host.h"

#define ELSEWHERE "cannot see what is mounted in other mount namespaces: /proc: "
#define BTRFS	  "cannot see which disks each btrfs has: /sys/fs/btrfs: "

static struct np_guard_verdict verdict;

static void judged(const char *path, enum np_guard_reason wanted, const char *text)
{
	made_judge(path, &verdict);
	made_expect(&verdict, wanted, text);
}

/* Unknown, which --destroy overrides: what can be known shows nobody. */
static void unseen(const char *path, const char *text)
{
	judged(path, NP_GUARD_UNSEEN, text);
	assert_true(verdict.destroyable);
	made_broken = made_private = NULL;
	judged(path, NP_GUARD_FREE, "");
}

static void holders_are_not_missed(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	made_broken = "/sys/devices/sda/holders";
	unseen("/dev/sda", "cannot see what stands on it: /sys/dev/block/8:0/holders: Input/output "
			   "error; root can");
	made_private = "/sys/dev/block/8:0/holders";
	unseen("/dev/sda", "cannot see what stands on it: /sys/dev/block/8:0/holders: Permission "
			   "denied; root can");
}

static void disks_of_a_btrfs_are_not_missed(void **state)
{
	static const char *const folders[] = {"/sys/fs/btrfs", "/sys/fs/btrfs/one/devices"};

	(void)state;
	made_disk("sda", makedev(8, 0));
	/* What is no btrfs has no disks, and one may have gone. */
	made_file("/sys/fs/btrfs/features/extref", "0\n");
	made_file("/sys/fs/btrfs/file", "");
	made_file("/sys/fs/btrfs/one/devices/sdb/size", "8\n");
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		made_broken = folders[i];
		unseen("/dev/sda", BTRFS "Input/output error; root can");
		made_private = folders[i];
		unseen("/dev/sda", BTRFS "Permission denied; root can");
	}
	made_private = "/sys/fs/btrfs/one/devices/sdb/dev";
	made_file(made_private, "8:16\n");
	unseen("/dev/sda", BTRFS "Permission denied; root can");
	/* By the table of mounts as well, of which only a name is known. */
	made_file("/proc/self/mountinfo", "1 1 0:40 / /mnt rw - btrfs /dev/sdb rw\n");
	made_disk("sdb", makedev(8, 16));
	made_broken = "/sys/fs/btrfs/one/devices";
	unseen("/dev/sda", BTRFS "Input/output error; root can");
	judged("/dev/sdb", NP_GUARD_MOUNTED, "mounted on /mnt");
}

static void mounts_elsewhere_are_not_missed(void **state)
{
	(void)state;
	made_disk("sda", makedev(8, 0));
	made_broken = "/proc";
	unseen("/dev/sda", ELSEWHERE "Input/output error; root can");
	made_private = "/proc";
	unseen("/dev/sda", ELSEWHERE "Permission denied; root can");
	/* That an address has no disk here is known by the same tables. */
	made_broken = "/proc";
	assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
	made_expect(&verdict, NP_GUARD_UNSEEN, ELSEWHERE "Input/output error; root can");
	assert_true(verdict.destroyable);
}

/* A file of the host, which processes 41 and 42, of one mount namespace, see by the name /at. */
static void make_processes(char path[MADE_PATH])
{
	char one[MADE_PATH], other[MADE_PATH];

	made_at(path, "%s/file", made_root);
	made_file("/file", "");
	assert_int_equal(truncate(path, MADE_BYTES), 0);
	made_file("/proc/41/ns/mnt", "");
	made_file("/proc/42/ns/", NULL);
	assert_int_equal(
		link(made_path("/proc/41/ns/mnt", one), made_path("/proc/42/ns/mnt", other)), 0);
	for (int i = 41; i <= 42; i++) {
		made_file(made_at(one, "/proc/%d/root/", i), NULL);
		assert_int_equal(link(path, made_path(made_at(one, "/proc/%d/root/at", i), other)),
				 0);
	}
}

/* Whichever of the two is listed first. */
static void one_process_of_a_namespace_is_enough(void **state)
{
	static const char mount[] = "1 1 0:41 / /there rw - fuse.x /at rw\n";
	char path[MADE_PATH], at[MADE_PATH], table[MADE_PATH], text[MADE_PATH];

	(void)state;
	make_processes(path);
	for (int has = 41; has <= 42; has++) {
		made_file(made_at(table, "/proc/%d/mountinfo", has), mount);
		made_at(text, "mounted on /there in the mount namespace of process %d", has);
		judged(path, NP_GUARD_MOUNTED, text);
		assert_int_equal(unlink(made_path(table, at)), 0);
	}
	judged(path, NP_GUARD_FREE, "");
	/* By a name, too, that needs no file. */
	made_file("/proc/42/mountinfo", "1 1 152:16 / /there rw - ext4 /dev/etherd/e4.1 rw\n");
	assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
	made_expect(&verdict, NP_GUARD_MOUNTED,
		    "mounted on /there in another mount namespace (process 42)");
}

/* A directory can be opened, but not be read as a table can. */
static void a_table_elsewhere_that_breaks_off_is_unknown(void **state)
{
	char path[MADE_PATH];

	(void)state;
	make_processes(path);
	made_file("/proc/41/mountinfo/", NULL);
	made_file("/proc/42/mountinfo/", NULL);
	judged(path, NP_GUARD_UNSEEN, ELSEWHERE "Input/output error; root can");
	assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), 0);
	made_expect(&verdict, NP_GUARD_UNSEEN, ELSEWHERE "Input/output error; root can");
}

/* A loop device whose file is out of sight: only the table tells whether a run writes it. */
static void a_lock_is_not_missed(void **state)
{
	static const char text[] = "cannot see whether the file under it is locked: /proc/locks: ";
	char at[MADE_PATH], whole[MADE_PATH];

	(void)state;
	made_attach(made_disk("loop0", makedev(7, 0)), 77, 0, "/nowhere");
	judged("/dev/loop0", NP_GUARD_FREE, "");
	assert_int_equal(unlink(made_path("/proc/locks", at)), 0);
	judged("/dev/loop0", NP_GUARD_UNSEEN,
	       made_at(whole, "%sNo such file or directory; root, where the file is, can", text));
	assert_true(verdict.destroyable);
	made_file("/proc/locks/", NULL);
	judged("/dev/loop0", NP_GUARD_UNSEEN,
	       made_at(whole, "%sInput/output error; root, where the file is, can", text));
	assert_int_equal(np_guard_locker("/proc/swaps", whole), -ENOENT);
	made_broken = "/proc";
	assert_int_equal(np_guard_locker("/proc/swaps", whole), -EIO);
	made_broken = NULL;
	made_private = "/proc";
	assert_int_equal(np_guard_locker("/proc/swaps", whole), -EACCES);
}

static void make_unreadable(const char *table)
{
	char at[MADE_PATH], path[MADE_PATH];

	assert_int_equal(unlink(made_path(table, at)), 0);
	made_file(made_at(path, "%s/", table), NULL);
}

/* In mid-run, too, what cannot be seen any more is not nothing; unless it was to be overwritten. */
static void a_run_that_sees_no_more_ends(void **state)
{
	static const char *const tables[] = {"/proc/self/mountinfo", "/proc/swaps"};
	struct np_guard_watch *watch[2];
	char at[MADE_PATH];
	int fd;

	(void)state;
	made_disk("sda", makedev(8, 0));
	fd = open("/dev/sda", O_RDWR);
	assert_true(fd >= 0);
	for (int told = 0; told < 2; told++)
		assert_int_equal(np_guard_watch_create(&watch[told], fd, told), 0);
	for (size_t i = 0; i <= sizeof(tables) / sizeof(*tables); i++) {
		made_broken = i ? NULL : "/sys/fs/btrfs";
		made_file("/sys/fs/btrfs/", NULL);
		if (i)
			make_unreadable(tables[i - 1]);
		for (int told = 0; told < 2; told++) {
			assert_int_equal(np_guard_watch_look(watch[told], &verdict),
					 told ? 0 : -EIO);
			assert_int_equal(verdict.reason, NP_GUARD_FREE);
		}
		if (i)
			assert_int_equal(rmdir(made_path(tables[i - 1], at)), 0);
		if (i)
			made_file(tables[i - 1], "");
		made_broken = NULL;
		assert_int_equal(np_guard_watch_look(watch[0], &verdict), 0);
		assert_int_equal(verdict.reason, NP_GUARD_FREE);
	}
	made_broken = "/sys/devices/sda/holders";
	assert_int_equal(np_guard_watch_look(watch[0], &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_UNSEEN);
	np_guard_watch_free(watch[0]);
	np_guard_watch_free(watch[1]);
	close(fd);
}

/* As long as not all of them are listed, none counts as one that has not changed. */
static void loop_devices_are_read_again_if_not_all_are_listed(void **state)
{
	struct np_guard_watch *watch;
	int fd;

	(void)state;
	made_disk("sda", makedev(8, 0));
	fd = open("/dev/sda", O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(np_guard_watch_create(&watch, fd, false), 0);
	assert_int_equal(np_guard_watch_look(watch, &verdict), 0);
	made_broken = "/sys/class/block";
	assert_int_equal(np_guard_watch_look(watch, &verdict), -EIO);
	np_guard_watch_free(watch);
	close(fd);
}

#define ON_HOST(test) cmocka_unit_test_setup_teardown(test, made_host_setup, made_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_HOST(holders_are_not_missed),
		ON_HOST(disks_of_a_btrfs_are_not_missed),
		ON_HOST(mounts_elsewhere_are_not_missed),
		ON_HOST(one_process_of_a_namespace_is_enough),
		ON_HOST(a_table_elsewhere_that_breaks_off_is_unknown),
		ON_HOST(a_lock_is_not_missed),
		ON_HOST(a_run_that_sees_no_more_ends),
		ON_HOST(loop_devices_are_read_again_if_not_all_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
