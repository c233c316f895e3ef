// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard_users: O_EXCL shows every mount, swap space, RAID and volume on a block device, in all
 * namespaces, since the kernel holds the device for them; the tables only say who it is. Loop
 * devices hold nothing and are looked up one by one.
 */
#include "guard.h"

#include "../base/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <netperf/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * How long to wait for whoever holds a device: the kernel frees an io_uring after the end of its
 * process, so that a run that has just ended may hold it a moment longer.
 */
#define BUSY_LIMIT NP_SECOND
#define BUSY_PAUSE (20 * NP_MILLISECOND)

char *guard_device_name(dev_t device, char out[GUARD_NAME_BYTES])
{
	char name[GUARD_NAME_BYTES - 12];

	if (!sysfs_read_block(device, "dm/name", name, sizeof(name))) {
		snprintf(out, GUARD_NAME_BYTES, "/dev/mapper/%s", name);
		return out;
	}
	if (sysfs_name(device, name, sizeof(name)))
		sysfs_guess_name(device, name, sizeof(name));
	for (char *at = strchr(name, '!'); at; at = strchr(at, '!'))
		*at = '/';
	snprintf(out, GUARD_NAME_BYTES, "/dev/%s", name);
	return out;
}

/* One of them, or a partition and its disk, which share blocks. */
static bool overlap(dev_t a, dev_t b)
{
	dev_t disk;

	return a == b || (!sysfs_whole_disk(a, &disk) && disk == b) ||
	       (!sysfs_whole_disk(b, &disk) && disk == a);
}

static bool is_on(const struct backing_loop *loop, const struct backing_place *place)
{
	if (place->inode || loop->lower.inode)
		return backing_place_is(&loop->lower, place);
	return loop->lower.device && overlap(loop->lower.device, place->device);
}

/* Is @source the device @path, or a partition of it ("e4.1p2")? */
static bool is_named(const char *source, const char *path)
{
	const size_t length = path ? strlen(path) : 0;

	if (!path || !source || strncmp(source, path, length))
		return false;
	source += length;
	return !*source || (*source == 'p' && isdigit((unsigned char)source[1]));
}

/* @name: who is used; "" for the operand itself. Returns 1. */
static int conclude(struct np_guard_verdict *verdict, enum np_guard_reason reason, const char *name,
		    const char *what, const char *where)
{
	verdict->reason = reason;
	snprintf(verdict->text, sizeof(verdict->text), "%s%s%s%.120s", name, *name ? " is " : "",
		 what, where);
	return 1;
}

/* Is @source, a path or another word, the disk @device, its whole or a part of it? Stores which. */
static bool is_source(const char *source, dev_t device, dev_t *found)
{
	struct stat status;

	if (!device || !source || *source != '/' || stat(source, &status) ||
	    !S_ISBLK(status.st_mode) || !overlap(status.st_rdev, device))
		return false;
	*found = status.st_rdev;
	return true;
}

/*
 * Looks in @table for @device, or for what is named as @path is. Returns 1 with @reason, or 0.
 * @name: of the device, "" for the operand; a partition or disk of it has its own.
 */
static int find_in(struct libmnt_table *table, dev_t device, const char *path, const char *name,
		   enum np_guard_reason reason, struct np_guard_verdict *verdict)
{
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_BACKWARD);
	char other[GUARD_NAME_BYTES];
	struct libmnt_fs *row;
	int found = 0;

	while (iterator && !found && !mnt_table_next_fs(table, iterator, &row)) {
		const char *source = mnt_fs_get_source(row), *target = mnt_fs_get_target(row);
		dev_t used = mnt_fs_get_devno(row);

		/* Swap space has no number here, and a btrfs has one of its own. */
		if (!(device && used && overlap(used, device)) &&
		    !is_source(source, device, &used) && !is_named(source, path))
			continue;
		if (device && used != device && major(used))
			name = guard_device_name(used, other);
		found = reason == NP_GUARD_SWAP
				? conclude(verdict, reason, name, "active swap space", "")
				: conclude(verdict, reason, name, "mounted on ",
					   target ? target : "/");
	}
	mnt_free_iter(iterator);
	return found;
}

/* Returns 0 with the table, empty if the kernel has no swap, or -errno. */
static int read_swaps(struct libmnt_table **table)
{
	*table = mnt_new_table();
	if (!*table)
		return -ENOMEM;
	return access("/proc/swaps", F_OK) || !mnt_table_parse_swaps(*table, NULL) ? 0 : -EIO;
}

/* "part of /dev/md0", by the holders that /sys has of the device. */
static int find_holder(dev_t device, const char *name, struct np_guard_verdict *verdict)
{
	char path[SYSFS_PATH_BYTES];
	struct dirent *entry;
	int found = 0;
	DIR *folder;

	sysfs_block_path(path, device, "holders");
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			found = conclude(verdict, NP_GUARD_HELD, name, "part of /dev/",
					 entry->d_name);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* What was not seen is noted: a known user weighs more than a possible one. */
static void miss(struct np_guard_verdict *verdict, const char *what, const char *why)
{
	if (verdict->text[0])
		return;
	snprintf(verdict->text, sizeof(verdict->text), "cannot see %.120s (%s); root can", what,
		 why);
}

/* Whether somebody holds @device: 1, 0, or -errno. */
static int is_claimed(dev_t device, const char *path)
{
	const int flags = O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC;
	const np_time limit = np_clock_now() + BUSY_LIMIT;
	int fd;

	for (;;) {
		fd = sysfs_open_node(device, flags);
		if (fd == -ENOENT && path) {
			fd = open(path, flags);
			fd = fd < 0 ? -errno : fd;
		}
		if (fd != -EBUSY || np_clock_now() >= limit)
			break;
		(void)np_clock_sleep_until(np_clock_now() + BUSY_PAUSE);
	}
	if (fd >= 0)
		close(fd);
	/* Without a medium or a driver there is nothing to hold. */
	if (fd == -ENXIO || fd == -ENODEV || fd == -ENOMEDIUM)
		return 0;
	return fd >= 0 ? 0 : fd == -EBUSY ? 1 : fd;
}

/*
 * @name: "" for the operand itself. The tables know a device that has no node any more, and who may
 * not open one can read them; where they cannot be read, an exclusive open shows the same.
 */
static int find_user(dev_t device, const char *path, const char *name,
		     struct np_guard_verdict *verdict)
{
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	int mounted = table ? 0 : errno ? -errno : -EIO, swap, claimed;
	char text[GUARD_NAME_BYTES + 40];

	if (table)
		mounted = find_in(table, device, path, name, NP_GUARD_MOUNTED, verdict);
	mnt_unref_table(table);
	if (mounted > 0)
		return mounted;
	swap = read_swaps(&table);
	if (!swap)
		swap = find_in(table, device, path, name, NP_GUARD_SWAP, verdict);
	mnt_unref_table(table);
	if (swap > 0)
		return swap;
	claimed = device ? is_claimed(device, path) : 0;
	if (claimed > 0)
		return find_holder(device, name, verdict) ||
		       conclude(verdict, NP_GUARD_HELD, name, "held exclusively by another program",
				"");
	if (claimed < 0) {
		snprintf(text, sizeof(text), "whether %s is held by another program",
			 *name ? name : "it");
		miss(verdict, text, strerror(-claimed));
	}
	if (!device && mounted < 0)
		miss(verdict, "what is mounted: /proc/self/mountinfo", strerror(-mounted));
	if (!device && swap < 0)
		miss(verdict, "what is swap space: /proc/swaps", strerror(-swap));
	return 0;
}

/* The users of the loop devices on @place but @from. */
static int find_above(const struct backing_loops *loops, const struct backing_place *place,
		      dev_t from, unsigned depth, struct np_guard_verdict *verdict, dev_t *on)
{
	char device[GUARD_NAME_BYTES], name[GUARD_NAME_BYTES + 16];
	int found = 0;

	if (!depth)
		miss(verdict, "what stands on it", "more than eight layers");
	for (size_t i = 0; !found && depth && i < loops->count; i++) {
		const struct backing_loop *loop = &loops->loop[i];
		const struct backing_place above = {.device = loop->device};

		if (loop->device == from)
			continue;
		guard_device_name(loop->device, device);
		if (!loop->lower.device && !loop->lower.inode) {
			snprintf(name, sizeof(name), "the file of %s", device);
			miss(verdict, name, "not by its name, either");
		}
		if (!is_on(loop, place))
			continue;
		if (on)
			*on = loop->device;
		snprintf(name, sizeof(name), "loop device %s", device);
		found = find_user(loop->device, NULL, name, verdict);
		if (!found)
			found = find_above(loops, &above, 0, depth - 1, verdict, NULL);
	}
	return found;
}

/* A program that writes a file has it locked; the operand itself is locked by us. */
static int find_lock(dev_t loop, const struct backing_place *file, struct np_guard_verdict *verdict)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[SYSFS_PATH_BYTES];
	struct stat status;
	struct backing_place place;
	bool locked = false;
	int fd;

	if (sysfs_read_block(loop, "loop/backing_file", path, sizeof(path)))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &status)) {
		place = backing_place_of(&status);
		locked = backing_place_is(&place, file) &&
			 ((!fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK) ||
			  (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK));
	}
	close(fd);
	return locked && conclude(verdict, NP_GUARD_HELD, "the file under it",
				  "locked by another program", "");
}

/* Is @file, under the operand, swap space? */
static int find_swap_file(const struct backing_place *file, struct np_guard_verdict *verdict)
{
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_table *table;
	int found = read_swaps(&table);
	struct backing_place place;
	struct libmnt_fs *row;
	struct stat status;

	if (found || !iterator)
		miss(verdict, "what is swap space: /proc/swaps", strerror(found ? -found : ENOMEM));
	found = 0;
	while (table && iterator && !found && !mnt_table_next_fs(table, iterator, &row)) {
		if (stat(mnt_fs_get_source(row), &status) < 0)
			continue;
		place = backing_place_of(&status);
		if (backing_place_is(&place, file))
			found = conclude(verdict, NP_GUARD_SWAP, "the file under it",
					 "active swap space", "");
	}
	mnt_free_iter(iterator);
	mnt_unref_table(table);
	return found;
}

/* The users of what @operand stands on. */
static int find_below(const struct backing_loops *loops, struct backing_place place,
		      struct np_guard_verdict *verdict, dev_t *on)
{
	char name[GUARD_NAME_BYTES], other[GUARD_NAME_BYTES];
	int found = 0;
	dev_t loop;

	for (unsigned i = 0; !found && i < BACKING_DEPTH && !place.inode; i++) {
		if (!backing_loops_below(loops, place.device, &place, &loop))
			break;
		if (place.inode) {
			found = find_lock(loop, &place, verdict);
			if (!found)
				found = find_swap_file(&place, verdict);
		} else if (place.device) {
			found = find_user(place.device, NULL, guard_device_name(place.device, name),
					  verdict);
		} else {
			snprintf(name, sizeof(name), "the file of %.40s",
				 guard_device_name(loop, other));
			miss(verdict, name, "not by its name, either");
			break;
		}
		if (!found)
			found = find_above(loops, &place, loop, BACKING_DEPTH, verdict, on);
	}
	return found;
}

int guard_users_find(const struct backing_loops *loops, const struct backing_place *operand,
		     struct np_guard_verdict *verdict, dev_t *on)
{
	int found;

	*on = 0;
	verdict->text[0] = '\0';
	found = find_above(loops, operand, 0, BACKING_DEPTH, verdict, on);
	return found ? found : find_below(loops, *operand, verdict, on);
}

int guard_users_of_device(const struct backing_loops *loops, dev_t device, const char *path,
			  struct np_guard_verdict *verdict)
{
	const struct backing_place place = {.device = device};
	int found = find_user(device, path, "", verdict);

	if (!found && device)
		found = find_above(loops, &place, 0, BACKING_DEPTH, verdict, NULL);
	if (!found && device)
		found = find_below(loops, place, verdict, NULL);
	return found;
}
