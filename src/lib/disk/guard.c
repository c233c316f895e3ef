// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard: who uses a disk or a file, and all objections to overwriting it, the gravest first. O_EXCL
 * shows every mount, swap space, RAID and volume on a block device, in all namespaces, since the
 * kernel holds the device for them; the tables only say who it is. Loop devices hold nothing and
 * are looked up one by one.
 */
#include "guard.h"

#include "../base/sysfs.h"

#include <blkid/blkid.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libmount/libmount.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * How long to wait for whoever holds a device: the kernel frees an io_uring after the end of its
 * process, so that a run that has just ended may hold it a moment longer.
 */
#define BUSY_LIMIT NP_SECOND
#define BUSY_PAUSE (20 * NP_MILLISECOND)

/* "/dev/sda1" or "/dev/mapper/home" */
#define NAME_BYTES 64
static char *device_name(dev_t device, char out[NAME_BYTES])
{
	char name[NAME_BYTES - 12];

	if (!sysfs_read_block(device, "dm/name", name, sizeof(name))) {
		snprintf(out, NAME_BYTES, "/dev/mapper/%s", name);
		return out;
	}
	sysfs_name(device, name, sizeof(name));
	snprintf(out, NAME_BYTES, "/dev/%s", name);
	return out;
}

/*
 * Finds the first entry, in the order of names, of the folder @folder of @device in /sys that has
 * the file @file ("" for any entry). Returns false: there is none.
 */
static bool find_entry(dev_t device, const char *folder, const char *file, char name[NAME_BYTES])
{
	char path[SYSFS_PATH_BYTES], pattern[SYSFS_PATH_BYTES + 16];
	glob_t entries;
	bool found;

	sysfs_block_path(path, device, folder);
	snprintf(pattern, sizeof(pattern), "%s*%s", path, file);
	found = !glob(pattern, 0, NULL, &entries);
	if (found) {
		const char *entry = entries.gl_pathv[0] + strlen(path);

		snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(entry, "/"), entry);
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
	dev_t disk = 0;

	if (a->inode || b->inode || !a->device || !b->device)
		return a->device && backing_place_is(a, b);
	return a->device == b->device ||
	       (!blkid_devno_to_wholedisk(a->device, NULL, 0, &disk) && disk == b->device) ||
	       (!blkid_devno_to_wholedisk(b->device, NULL, 0, &disk) && disk == a->device);
}

bool np_guard_same(const char *a, const char *b)
{
	struct backing_place places[2];
	struct stat status[2];

	if (stat(a, &status[0]) || stat(b, &status[1]))
		return false;
	for (size_t i = 0; i < 2; i++)
		places[i] = backing_place_of(&status[i]);
	return overlap(&places[0], &places[1]);
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
	char other[NAME_BYTES];
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
			name = device_name(used.device, other);
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
		/* One node may be opened by whom another one refuses. */
		if ((fd == -ENOENT || fd == -EACCES) && path) {
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
	char holder[NAME_BYTES], text[NAME_BYTES + 40];
	int claimed;

	if (find_in(look, NP_GUARD_MOUNTED, place, path, name) ||
	    find_in(look, NP_GUARD_SWAP, place, path, name))
		return true;
	claimed = place->device ? is_claimed(place->device, path) : 0;
	/* What holds it is in /sys, unless it is a program. */
	if (claimed > 0 && find_entry(place->device, "holders/", "", holder))
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
	char device[NAME_BYTES], text[NAME_BYTES + 16];

	snprintf(text, sizeof(text), "the file of %s", device_name(loop, device));
	miss(look, text, "not by its name, either");
}

/* The users of the loop devices on @place; *@on: the latest of those right on it. */
static bool find_above(struct look *look, const struct backing_place *place, dev_t *on)
{
	char device[NAME_BYTES], name[NAME_BYTES + 16];
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
		snprintf(name, sizeof(name), "loop device %s", device_name(loop->device, device));
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
	char name[NAME_BYTES];
	bool found = false;

	while (!found && !place.inode &&
	       (loop = backing_loops_descend(&look->loops, place.device))) {
		place = loop->lower;
		if (place.inode) {
			found = find_lock(look, loop->device, &place) ||
				find_in(look, NP_GUARD_SWAP, &place, NULL, "the file under it");
		} else if (place.device) {
			found = find_user(look, &place, NULL, device_name(place.device, name));
		} else {
			miss_file(look, loop->device);
			break;
		}
		found = found || find_above(look, &place, on);
	}
	return found;
}

/*
 * Looks for users of @operand: mounts and swaps of the loop devices on it and of what it stands on,
 * who holds those, and who has locked its file. @path NULL: it is open already, a block device
 * exclusively. Else it is not: looks also for its own users, and, if its device is 0, only for what
 * is mounted by the name @path or that of a partition of it. Returns 1 with a reason and text in
 * @verdict, 0 for nobody (the text of NP_GUARD_UNSEEN is in @verdict->text if something could not
 * be seen, else ""), or -errno. *@on: a loop device on it, which nobody seems to use, or 0.
 */
static int find_users(const struct backing_place *operand, const char *path,
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

/* The objections that --destroy overrides. @on: a loop device on it, or 0. */
static int ask_content(int fd, const struct stat *status, const struct np_guard_place *region,
		       dev_t on, struct np_guard_verdict *verdict)
{
	struct np_guard_place all = {.bytes = (uint64_t)status->st_size};
	char name[NAME_BYTES];
	int error = 0;

	if (S_ISBLK(status->st_mode) && ioctl(fd, BLKGETSIZE64, &all.bytes) < 0)
		error = -errno;
	if (!error)
		error = np_guard_content(fd, all.bytes, region, verdict);
	if (!error && S_ISREG(status->st_mode) && verdict->reason == NP_GUARD_FREE)
		error = guard_extents_foreign(fd, region ? region : &all, verdict);
	if (error)
		return error;
	/* A loop device explains more than the content: somebody set it up. */
	if (on) {
		verdict->reason = NP_GUARD_LOOP;
		snprintf(verdict->text, sizeof(verdict->text), "in use by loop device %s",
			 device_name(on, name));
	}
	/* Whatever the table on it says; what lies in it may be between the samples. */
	if (verdict->reason == NP_GUARD_FREE && S_ISBLK(status->st_mode) &&
	    find_entry(status->st_rdev, "", "/partition", name)) {
		verdict->reason = NP_GUARD_PARTS;
		snprintf(verdict->text, sizeof(verdict->text),
			 "the kernel has a partition of it, /dev/%s", name);
	}
	verdict->destroyable = verdict->reason != NP_GUARD_FREE;
	return 0;
}

int np_guard_fd(int fd, const struct np_guard_place *region, struct np_guard_verdict *verdict)
{
	struct backing_place operand;
	char unseen[sizeof(verdict->text)];
	struct stat status;
	int found, flags;
	dev_t on;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode))
		return -ENOTBLK;
	operand = backing_place_of(&status);
	found = find_users(&operand, NULL, verdict, &on);
	if (found)
		return found < 0 ? found : 0;
	/* The kernel refuses a write to a swap file before it looks at the length. */
	if (pwrite(fd, "", 0, 0) < 0 && errno == ETXTBSY) {
		verdict->reason = NP_GUARD_SWAP;
		snprintf(verdict->text, sizeof(verdict->text), "active swap space");
		return 0;
	}
	memcpy(unseen, verdict->text, sizeof(unseen));
	/* Reads the content through the page cache, at any offset and into any buffer. */
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0))
		return -errno;
	found = ask_content(fd, &status, region, on, verdict);
	if ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags) < 0 && !found)
		found = -errno;
	/* Its signatures stay in the verdict. */
	if (!found && unseen[0]) {
		verdict->reason = NP_GUARD_UNSEEN;
		verdict->destroyable = true;
		memcpy(verdict->text, unseen, sizeof(unseen));
	}
	return found;
}

int np_guard_users(const char *path, struct np_guard_verdict *verdict)
{
	char attribute[SYSFS_PATH_BYTES], name[128], line[32];
	struct backing_place operand = {.device = 0};
	struct stat status;
	int found, missing;
	dev_t on;

	/* The number of /dev/etherd/e4.1 in /sys, where slashes are "!"; else of the node. */
	snprintf(name, sizeof(name), "%s", strncmp(path, "/dev/", 5) ? "" : path + 5);
	for (char *at = strchr(name, '/'); at; at = strchr(at, '/'))
		*at = '!';
	snprintf(attribute, sizeof(attribute), "/sys/class/block/%s/dev", name);
	missing = stat(path, &status) < 0 ? errno : 0;
	if ((!name[0] || sysfs_read_line(attribute, line, sizeof(line)) ||
	     sysfs_parse_device(line, &operand.device)) &&
	    !missing && S_ISBLK(status.st_mode))
		operand.device = status.st_rdev;
	found = find_users(&operand, path, verdict, &on);
	if (found)
		return found < 0 ? found : 0;
	if (!verdict->text[0] && missing && missing != ENOENT && missing != ENOTDIR)
		snprintf(verdict->text, sizeof(verdict->text),
			 "cannot see whether this host has it (%s); root can", strerror(missing));
	verdict->reason = verdict->text[0] ? NP_GUARD_UNSEEN : NP_GUARD_FREE;
	verdict->destroyable = verdict->reason == NP_GUARD_UNSEEN;
	return 0;
}
