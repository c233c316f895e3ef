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
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
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
	sysfs_name(device, name, sizeof(name));
	snprintf(out, GUARD_NAME_BYTES, "/dev/%s", name);
	return out;
}

bool guard_find_entry(dev_t device, const char *folder, const char *file,
		      char name[GUARD_NAME_BYTES])
{
	char path[SYSFS_PATH_BYTES], pattern[SYSFS_PATH_BYTES + 16];
	glob_t entries;
	bool found;

	sysfs_block_path(path, device, folder);
	snprintf(pattern, sizeof(pattern), "%s*%s", path, file);
	found = !glob(pattern, 0, NULL, &entries);
	if (found) {
		const char *entry = entries.gl_pathv[0] + strlen(path);

		snprintf(name, GUARD_NAME_BYTES, "%.*s", (int)strcspn(entry, "/"), entry);
	}
	globfree(&entries);
	return found;
}

/* All that is needed to find the users of one operand. */
struct look {
	struct backing_loops loops;
	struct libmnt_table *mounts;   /* NULL: it cannot be read */
	struct libmnt_table *swaps;    /* empty if the kernel has no swap */
	int mounts_error, swaps_error; /* why one cannot be read, -errno; else 0 */
	struct np_guard_verdict *verdict;
};

/* One file, one device, or a partition and its disk, which share blocks; not what is unknown. */
static bool overlap(const struct backing_place *a, const struct backing_place *b)
{
	dev_t disk;

	if (a->inode || b->inode || !a->device || !b->device)
		return a->device && backing_place_is(a, b);
	return a->device == b->device ||
	       (!sysfs_whole_disk(a->device, &disk) && disk == b->device) ||
	       (!sysfs_whole_disk(b->device, &disk) && disk == a->device);
}

/* @name: who is used; "" for the operand itself. Returns true. */
static bool conclude(struct look *look, enum np_guard_reason reason, const char *name,
		     const char *what, const char *where)
{
	look->verdict->reason = reason;
	snprintf(look->verdict->text, sizeof(look->verdict->text), "%s%s%s%.120s", name,
		 *name ? " is " : "", what, where);
	return true;
}

/* What was not seen is noted: a known user weighs more than a possible one. */
static void miss(struct look *look, const char *what, const char *why)
{
	if (!look->verdict->text[0])
		snprintf(look->verdict->text, sizeof(look->verdict->text),
			 "cannot see %.120s (%s); root can", what, why);
}

/* Is @row on the device @path, or on a partition of it ("e4.1p2")? */
static bool is_named(struct libmnt_fs *row, const char *path)
{
	const char *source = mnt_fs_get_source(row);
	const size_t length = path ? strlen(path) : 0;

	if (!path || !source || strncmp(source, path, length))
		return false;
	source += length;
	return !*source || (*source == 'p' && isdigit((unsigned char)source[1]));
}

/* Whether @row is on @place, a part of it or its whole; @used: which of them. */
static bool is_on(struct libmnt_fs *row, const struct backing_place *place,
		  struct backing_place *used)
{
	const char *source = mnt_fs_get_source(row);
	struct stat status;

	*used = (struct backing_place){.device = mnt_fs_get_devno(row)};
	if (overlap(used, place))
		return true;
	/* Swap space has no number here, and a btrfs has one of its own. */
	if (!source || *source != '/' || stat(source, &status) < 0)
		return false;
	*used = backing_place_of(&status);
	return overlap(used, place);
}

/*
 * Looks among the mounts, or the swaps, for @place, or for what is named as the operand is, if
 * @path is that. @name: of the place, "" for the operand; a partition or disk of it has its own.
 */
static bool find_in(struct look *look, enum np_guard_reason reason,
		    const struct backing_place *place, const char *path, const char *name)
{
	const bool swap = reason == NP_GUARD_SWAP;
	struct libmnt_table *table = swap ? look->swaps : look->mounts;
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_BACKWARD);
	const int error = swap ? look->swaps_error : look->mounts_error;
	char other[GUARD_NAME_BYTES];
	struct libmnt_fs *row;
	bool found = false;

	/* Of a device an exclusive open shows the same. */
	if ((error || !iterator) && (!place->device || place->inode))
		miss(look,
		     swap ? "what is swap space: /proc/swaps"
			  : "what is mounted: /proc/self/mountinfo",
		     strerror(error ? -error : ENOMEM));
	while (table && iterator && !found && !mnt_table_next_fs(table, iterator, &row)) {
		const char *target = mnt_fs_get_target(row);
		struct backing_place used;
		const bool on = is_on(row, place, &used);

		found = on || is_named(row, path);
		if (!found)
			continue;
		if (!on)
			used = (struct backing_place){.device = mnt_fs_get_devno(row)};
		if (place->device && !place->inode && used.device != place->device &&
		    major(used.device))
			name = guard_device_name(used.device, other);
		if (swap)
			conclude(look, reason, name, "active swap space", "");
		else
			conclude(look, reason, name, "mounted on ", target ? target : "/");
	}
	mnt_free_iter(iterator);
	return found;
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
	if (fd >= 0 || fd == -ENXIO || fd == -ENODEV || fd == -ENOMEDIUM)
		return 0;
	return fd == -EBUSY ? 1 : fd;
}

/*
 * @name: "" for the operand itself, whose @path is NULL unless it is searched for by its name. The
 * tables know a device that has no node any more, and who may not open one can read them.
 */
static bool find_user(struct look *look, const struct backing_place *place, const char *path,
		      const char *name)
{
	char holder[GUARD_NAME_BYTES], text[GUARD_NAME_BYTES + 40];
	int claimed;

	if (find_in(look, NP_GUARD_MOUNTED, place, path, name) ||
	    find_in(look, NP_GUARD_SWAP, place, path, name))
		return true;
	claimed = place->device ? is_claimed(place->device, path) : 0;
	/* What holds it is in /sys, unless it is a program. */
	if (claimed > 0 && guard_find_entry(place->device, "holders/", "", holder))
		return conclude(look, NP_GUARD_HELD, name, "part of /dev/", holder);
	if (claimed > 0)
		return conclude(look, NP_GUARD_HELD, name, "held exclusively by another program",
				"");
	if (claimed < 0) {
		snprintf(text, sizeof(text), "whether %s is held by another program",
			 *name ? name : "it");
		miss(look, text, strerror(-claimed));
	}
	return false;
}

/* What the loop device @loop stands on cannot be known. */
static void miss_file(struct look *look, dev_t loop)
{
	char device[GUARD_NAME_BYTES], text[GUARD_NAME_BYTES + 16];

	snprintf(text, sizeof(text), "the file of %s", guard_device_name(loop, device));
	miss(look, text, "not by its name, either");
}

/* The users of the loop devices on @place; *@on: the latest of those right on it. */
static bool find_above(struct look *look, const struct backing_place *place, dev_t *on)
{
	char device[GUARD_NAME_BYTES], name[GUARD_NAME_BYTES + 16];
	dev_t further;

	for (size_t i = 0; i < look->loops.count; i++) {
		struct backing_loop *loop = &look->loops.loop[i];
		const struct backing_place above = {.device = loop->device};

		if (loop->seen)
			continue;
		if (!loop->lower.device && !loop->lower.inode)
			miss_file(look, loop->device);
		if (!overlap(&loop->lower, place))
			continue;
		loop->seen = true;
		*on = loop->device;
		snprintf(name, sizeof(name), "loop device %s",
			 guard_device_name(loop->device, device));
		if (find_user(look, &above, NULL, name) || find_above(look, &above, &further))
			return true;
	}
	return false;
}

/* A program that writes a file has it locked; the operand itself is locked by us. */
static bool find_lock(struct look *look, dev_t loop, const struct backing_place *file)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[SYSFS_PATH_BYTES];
	struct stat status;
	struct backing_place place;
	bool locked = false;
	int fd;

	if (sysfs_read_block(loop, "loop/backing_file", path, sizeof(path)))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (!fstat(fd, &status)) {
		place = backing_place_of(&status);
		locked = backing_place_is(&place, file) &&
			 ((!fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK) ||
			  (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK));
	}
	close(fd);
	return locked &&
	       conclude(look, NP_GUARD_HELD, "the file under it", "locked by another program", "");
}

/* The users of what @place stands on. */
static bool find_below(struct look *look, struct backing_place place, dev_t *on)
{
	const struct backing_loop *loop;
	char name[GUARD_NAME_BYTES];
	bool found = false;

	while (!found && !place.inode &&
	       (loop = backing_loops_descend(&look->loops, place.device))) {
		place = loop->lower;
		if (place.inode) {
			found = find_lock(look, loop->device, &place) ||
				find_in(look, NP_GUARD_SWAP, &place, NULL, "the file under it");
		} else if (place.device) {
			found = find_user(look, &place, NULL,
					  guard_device_name(place.device, name));
		} else {
			miss_file(look, loop->device);
			break;
		}
		found = found || find_above(look, &place, on);
	}
	return found;
}

int guard_users_find(const struct backing_place *operand, const char *path,
		     struct np_guard_verdict *verdict, dev_t *on)
{
	struct look look = {.verdict = verdict};
	const bool known = operand->device || operand->inode;
	const char *missing;
	int found = backing_loops_read(&look.loops, &missing);

	memset(verdict, 0, sizeof(*verdict));
	*on = 0;
	if (found)
		return found;
	if (missing)
		snprintf(verdict->text, sizeof(verdict->text), "cannot see what uses it: %s",
			 missing);
	look.mounts = mnt_new_table_from_file("/proc/self/mountinfo");
	if (!look.mounts)
		look.mounts_error = errno ? -errno : -EIO;
	look.swaps = mnt_new_table();
	if (!look.swaps)
		look.swaps_error = -ENOMEM;
	else if (!access("/proc/swaps", F_OK) && mnt_table_parse_swaps(look.swaps, NULL))
		look.swaps_error = -EIO;
	found = (path && find_user(&look, operand, path, "")) ||
		(known && (find_above(&look, operand, on) || find_below(&look, *operand, on)));
	backing_loops_free(&look.loops);
	mnt_unref_table(look.mounts);
	mnt_unref_table(look.swaps);
	return found;
}
