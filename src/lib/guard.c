// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: collects all objections to overwriting the operand, the gravest first. */
#include <netperf/guard.h>

#include "guard_alias.h"
#include "guard_carries.h"
#include "guard_content.h"
#include "guard_erofs.h"
#include "guard_extents.h"
#include "guard_fuse.h"
#include "guard_suspects.h"
#include "guard_users.h"
#include "storage_relatives.h"
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netperf/clock.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * How long to wait for whoever holds a device: the kernel frees an io_uring after the end of its
 * process, so that a run that has just ended may hold it a moment longer.
 */
#define BUSY_LIMIT  NP_SECOND

#define DESCRIPTORS 8 /* the most that are open at a time */

_Static_assert(sizeof(((struct np_guard_verdict *)0)->text) == GUARD_TEXT_BYTES,
	       "texts are written in place");

/* What is known about the operand. */
struct inquiry {
	struct guard_place operand;
	const char
		*name; /* its name in tables of mounts and swaps; NULL: known only by its device */
	const char *node; /* where it can be opened; NULL: it is open already, exclusively */
	struct guard_layers layers;
	struct storage_relatives relatives;
};

/* Without free descriptors nothing could be examined, which must not pass for "cannot see". */
static int spare_descriptors(void)
{
	int spare[DESCRIPTORS], count = 0, error = 0;

	while (!error && count < DESCRIPTORS) {
		spare[count] = open("/", O_PATH | O_CLOEXEC);
		if (spare[count] < 0)
			error = -errno;
		else
			count++;
	}
	while (count > 0)
		close(spare[--count]);
	return error;
}

/* @fd: the operand when it is a file, else -1. */
static int inquire(struct inquiry *inquiry, int fd)
{
	int error = spare_descriptors();

	if (!error)
		error = guard_layers_read(&inquiry->layers);
	if (!error)
		error = guard_alias_add(&inquiry->layers, &inquiry->operand, fd, -1);
	if (!error)
		error = storage_relatives_collect(&inquiry->relatives, &inquiry->operand,
						  &inquiry->layers);
	if (error == -E2BIG) {
		guard_layers_blind(&inquiry->layers, false,
				   "cannot see what stands on it: too many layers, or in a circle");
		error = 0;
	}
	return error;
}

static void inquiry_free(struct inquiry *inquiry)
{
	storage_relatives_free(&inquiry->relatives);
	guard_layers_free(&inquiry->layers);
}

/* Sets the reason if @found. Returns true when the search is over. */
static bool settle(struct np_guard_verdict *verdict, int found, enum np_guard_reason reason)
{
	if (found > 0)
		verdict->reason = reason;
	return found > 0;
}

static const char *unseen(int error)
{
	return error == -EXDEV ? "something is mounted over it" : strerror(-error);
}

/* What could not be examined is noted: a known user weighs more than a possible one. */
static bool is_user(struct inquiry *inquiry, int found, const char *what, const char *help)
{
	if (found < 0)
		guard_layers_blind(&inquiry->layers, false, "cannot see %s: %s%s", what,
				   unseen(found), help);
	return found > 0;
}

static bool is_mounted(struct inquiry *inquiry, char text[GUARD_TEXT_BYTES])
{
	const struct storage_relatives *relatives = &inquiry->relatives;
	static const char elsewhere[] = "what is mounted in other mount namespaces: /proc",
			  by_root[] = "; root can";

	return is_user(inquiry, guard_users_mounted(relatives, inquiry->name, text),
		       "what is mounted: /proc/self/mountinfo", "; mount -t proc proc /proc") ||
	       is_user(inquiry, guard_users_btrfs(relatives, text),
		       "which disks each btrfs has: /sys/fs/btrfs", by_root) ||
	       (!inquiry->operand.device &&
		is_user(inquiry, guard_users_elsewhere(inquiry->name, text), elsewhere, by_root)) ||
	       is_user(inquiry, guard_users_file_elsewhere(relatives, text), elsewhere, by_root);
}

/* Returns 1 with a reason, 0 when no user is found, or -errno. */
static int ask_users(struct inquiry *inquiry, struct np_guard_verdict *verdict)
{
	int found;

	if (settle(verdict, is_mounted(inquiry, verdict->text), NP_GUARD_MOUNTED))
		return 1;
	found = guard_users_swap(&inquiry->relatives, inquiry->name, verdict->text);
	if (settle(verdict, is_user(inquiry, found, "what is swap space: /proc/swaps", ""),
		   NP_GUARD_SWAP))
		return 1;
	found = guard_users_held(&inquiry->relatives, inquiry->node, np_clock_now() + BUSY_LIMIT,
				 &inquiry->layers, verdict->text);
	if (!found && inquiry->layers.locked) {
		snprintf(verdict->text, sizeof(verdict->text),
			 "the file under it is being written by another program, which has locked "
			 "it%s%s",
			 inquiry->layers.locker[0] ? ": " : "", inquiry->layers.locker);
		found = 1;
	}
	(void)settle(verdict, found, NP_GUARD_HELD);
	return found;
}

/*
 * What cannot be examined counts against the operand, and --destroy overrides it, unless that may
 * take the file from a loop device in use. @bytes: of the operand if it is a file.
 */
static int admit(const struct inquiry *inquiry, uint64_t bytes, bool is_shared,
		 struct np_guard_verdict *verdict)
{
	char loop[GUARD_TEXT_BYTES];
	int found;

	if (inquiry->layers.blind[0] == '\0')
		return 0;
	verdict->reason = NP_GUARD_UNSEEN;
	snprintf(verdict->text, sizeof(verdict->text), "%s", inquiry->layers.blind);
	found = guard_suspects_used(&inquiry->layers, &inquiry->operand, bytes,
				    np_clock_now() + BUSY_LIMIT, verdict->text);
	/* Who has it open may be a loop device, or a mount, of which there is no trace. */
	if (!found && is_shared && !inquiry->layers.blind_to_loops &&
	    !guard_users_loop(&inquiry->relatives, loop)) {
		snprintf(verdict->text, sizeof(verdict->text), "is open elsewhere: %.230s",
			 inquiry->layers.blind);
		found = 1;
	}
	verdict->destroyable = !found;
	return found < 0 ? found : 0;
}

static int size_of(int fd, const struct stat *status, uint64_t *bytes)
{
	*bytes = (uint64_t)status->st_size;
	if (S_ISBLK(status->st_mode) && ioctl(fd, BLKGETSIZE64, bytes) < 0)
		return -errno;
	return 0;
}

/* May somebody have the file open, or one that the disk is stored on? */
static bool may_be_open(const struct inquiry *inquiry, int fd)
{
	for (size_t i = 0; i < inquiry->relatives.count; i++) {
		const struct storage_relative *relative = &inquiry->relatives.relative[i];

		if (relative->side == GUARD_BELOW && relative->place.inode != 0)
			return true;
	}
	return inquiry->operand.inode != 0 && !guard_users_alone(fd);
}

/* Returns 1 with a reason when the file is known to be in use, or may be without being visible. */
static int ask_mounted_file(struct inquiry *inquiry, int fd, struct np_guard_verdict *verdict)
{
	const bool is_open = may_be_open(inquiry, fd);
	char loop[GUARD_TEXT_BYTES];
	int found;

	if (settle(verdict,
		   is_user(inquiry, guard_fuse_served(&inquiry->relatives, verdict->text),
			   "what FUSE serves: /proc", "; root can"),
		   NP_GUARD_HELD))
		return 1;
	if (is_open && inquiry->operand.inode != 0)
		guard_fuse_suspect(fd, &inquiry->layers);
	found = guard_erofs_mounted(fd, is_open, &inquiry->layers, verdict->text);
	if (settle(verdict, found, NP_GUARD_MOUNTED))
		return found;
	if (!guard_erofs_is_open(fd))
		return 0;
	/* A loop device has the file open, too, and was asked for its users, but hides others. */
	snprintf(verdict->text, sizeof(verdict->text),
		 "carries EROFS and is open elsewhere: it may be mounted in another mount "
		 "namespace; %s",
		 guard_users_loop(&inquiry->relatives, loop) ? "detach its loop device"
							     : "close it there");
	verdict->reason = NP_GUARD_HELD;
	return 1;
}

/* The objections that --destroy overrides. */
static int ask_content(const struct storage_relatives *relatives, int fd,
		       const struct np_guard_place *region, struct np_guard_verdict *verdict)
{
	struct np_guard_place all = {0};
	struct stat status;
	uint64_t bytes = 0;
	int found = fstat(fd, &status) < 0 ? -errno : size_of(fd, &status, &bytes);

	if (found)
		return found;
	all.bytes = bytes;
	found = np_guard_content(fd, bytes, verdict);
	if (!found && region && verdict->reason == NP_GUARD_FREE)
		found = np_guard_region(fd, region, verdict);
	if (!found && S_ISREG(status.st_mode) && verdict->reason == NP_GUARD_FREE)
		found = guard_extents_foreign(fd, region ? region : &all, verdict);
	if (found)
		return found;
	/* A loop device explains more than the content: somebody set it up. */
	found = guard_users_loop(relatives, verdict->text);
	if (found > 0)
		verdict->reason = NP_GUARD_LOOP;
	/* What lies in it may be between the samples. */
	if (!found && verdict->reason == NP_GUARD_FREE) {
		found = guard_users_partition(relatives, verdict->text);
		if (found > 0)
			verdict->reason = NP_GUARD_PARTS;
	}
	verdict->destroyable = verdict->reason != NP_GUARD_FREE;
	return found < 0 ? found : 0;
}

/* Reads the content through the page cache, at any offset and into any buffer. */
static int ask_content_buffered(struct inquiry *inquiry, int fd,
				const struct np_guard_place *region,
				struct np_guard_verdict *verdict)
{
	int flags = fcntl(fd, F_GETFL), error;

	if (flags < 0 || ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0))
		return -errno;
	error = ask_mounted_file(inquiry, fd, verdict);
	if (!error)
		error = ask_content(&inquiry->relatives, fd, region, verdict);
	if ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags) < 0 && !error)
		error = -errno;
	return error;
}

int np_guard_fd(int fd, const struct np_guard_place *region, struct np_guard_verdict *verdict)
{
	struct inquiry inquiry = {0};
	struct stat status;
	int found;

	memset(verdict, 0, sizeof(*verdict));
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode))
		return -ENOTBLK;
	inquiry.operand = guard_place_of(&status);
	found = inquire(&inquiry, S_ISREG(status.st_mode) ? fd : -1);
	if (!found)
		found = ask_users(&inquiry, verdict);
	if (!found && guard_users_swapped(fd)) {
		snprintf(verdict->text, sizeof(verdict->text), "active swap space");
		found = settle(verdict, 1, NP_GUARD_SWAP);
	}
	if (!found)
		found = ask_content_buffered(&inquiry, fd, region, verdict);
	if (!found && inquiry.layers.blind[0] != '\0' && guard_users_alone(fd)) {
		inquiry.layers.suspects = 0;
		if (inquiry.layers.blind_to_loops)
			inquiry.layers.blind[0] = '\0';
	}
	if (!found)
		found = admit(&inquiry, (uint64_t)status.st_size,
			      inquiry.layers.blind[0] != '\0' && guard_users_shared(fd), verdict);
	inquiry_free(&inquiry);
	return found < 0 ? found : 0;
}

/* Whether @fd is open on a relative of @operand, which is open as @input if it is a file. */
static int is_relative(const struct guard_place *operand, int input, int fd)
{
	struct inquiry inquiry = {.operand = *operand};
	struct guard_place place;
	struct stat status;
	int found = fstat(fd, &status) < 0 ? -errno : guard_layers_read(&inquiry.layers);

	place = guard_place_of(&status);
	if (!found)
		found = guard_alias_add(&inquiry.layers, operand, input, fd);
	if (!found)
		found = storage_relatives_collect(&inquiry.relatives, operand, &inquiry.layers);
	if (!found && storage_relatives_find(&inquiry.relatives, &place))
		found = 1;
	if (!found && inquiry.layers.blind[0] != '\0' && !guard_users_alone(fd))
		found = -EXDEV;
	inquiry_free(&inquiry);
	return found;
}

int guard_carries(int fd, const char *input)
{
	struct guard_place place;
	struct stat status;
	int found, opened = open(input, O_PATH | O_CLOEXEC);

	if (opened < 0)
		return 0;
	if (fstat(opened, &status) < 0) {
		found = -errno;
	} else if (S_ISBLK(status.st_mode)) {
		place = guard_place_of(&status);
		found = is_relative(&place, -1, fd);
	} else {
		place = guard_place_of(&status);
		found = S_ISREG(status.st_mode) ? is_relative(&place, opened, fd) : 0;
		/* What its file system is stored on. */
		place = (struct guard_place){.device = status.st_dev};
		if (!found && major(status.st_dev) != 0)
			found = is_relative(&place, -1, fd);
	}
	close(opened);
	return found;
}

int guard_is_disk(int fd)
{
	struct inquiry inquiry = {0};
	char text[GUARD_TEXT_BYTES];
	struct stat status;
	int found;

	if (fstat(fd, &status) < 0)
		return -errno;
	inquiry.operand = guard_place_of(&status);
	found = inquire(&inquiry, fd);
	if (!found)
		found = guard_users_loop(&inquiry.relatives, text);
	if (!found && (guard_users_mounted(&inquiry.relatives, NULL, text) > 0 ||
		       guard_users_btrfs(&inquiry.relatives, text) > 0 || guard_users_swapped(fd)))
		found = 1;
	inquiry_free(&inquiry);
	return found;
}

/* The file in /sys with the device number of /dev/etherd/e4.1, where slashes are "!". */
static void name_attribute(const char *path, char attribute[SYSFS_PATH_BYTES])
{
	char name[128];

	snprintf(name, sizeof(name), "%s", strncmp(path, "/dev/", 5) == 0 ? path + 5 : path);
	for (char *at = strchr(name, '/'); at; at = strchr(at, '/'))
		*at = '!';
	snprintf(attribute, SYSFS_PATH_BYTES, "/sys/class/block/%s/dev", name);
}

/* The block device with the name @path in /sys, or of which @path is a node. 0: neither. */
static dev_t find_device(const char *path)
{
	char attribute[SYSFS_PATH_BYTES], line[32];
	struct stat status;
	dev_t device;

	if (strncmp(path, "/dev/", 5) == 0) {
		name_attribute(path, attribute);
		if (sysfs_read_line(attribute, line, sizeof(line)) == 0 &&
		    sysfs_parse_device(line, &device) == 0)
			return device;
	}
	return stat(path, &status) == 0 && S_ISBLK(status.st_mode) ? status.st_rdev : 0;
}

/*
 * It has neither a node nor an entry in /sys: nothing is on top of it, but a mount may outlive
 * both.
 */
static int inquire_by_name(struct inquiry *inquiry)
{
	const char *missing = sysfs_missing();
	char attribute[SYSFS_PATH_BYTES];
	struct stat status;
	int error = spare_descriptors();

	name_attribute(inquiry->name, attribute);
	if (missing)
		guard_layers_blind(&inquiry->layers, false,
				   "cannot see whether this host uses it: %s", missing);
	else if (sysfs_check(attribute) == -EXDEV)
		guard_layers_blind(&inquiry->layers, false,
				   "cannot see whether this host uses it: something is mounted "
				   "over %s or a folder above; umount it",
				   attribute);
	if (stat(inquiry->name, &status) < 0 && errno != ENOENT && errno != ENOTDIR)
		guard_layers_blind(&inquiry->layers, false,
				   "cannot see whether this host has it: %s: root can",
				   strerror(errno));
	return error ? error
		     : storage_relatives_collect(&inquiry->relatives, &inquiry->operand,
						 &inquiry->layers);
}

int np_guard_users(const char *path, struct np_guard_verdict *verdict)
{
	struct inquiry inquiry = {.name = path};
	int found;

	memset(verdict, 0, sizeof(*verdict));
	inquiry.operand.device = find_device(path);
	if (inquiry.operand.device != 0) {
		inquiry.node = path;
		found = inquire(&inquiry, -1);
	} else {
		found = inquire_by_name(&inquiry);
	}
	if (!found)
		found = ask_users(&inquiry, verdict);
	if (!found)
		found = admit(&inquiry, 0, false, verdict);
	inquiry_free(&inquiry);
	return found < 0 ? found : 0;
}
