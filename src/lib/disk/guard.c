// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: collects all objections to overwriting the operand, the gravest first. */
#include <netperf/disk.h>

#include "../base/sysfs.h"
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * Without /sys nobody can be seen: then @loops is empty and the verdict is UNSEEN. Returns 0 or
 * -errno.
 */
static int read_loops(struct backing_loops *loops, struct np_guard_verdict *verdict)
{
	const char *missing;
	int error = backing_loops_read(loops, &missing);

	memset(verdict, 0, sizeof(*verdict));
	if (!error && missing) {
		verdict->reason = NP_GUARD_UNSEEN;
		verdict->destroyable = true;
		snprintf(verdict->text, sizeof(verdict->text), "cannot see what uses it: %s",
			 missing);
	}
	return error;
}

/* A partition that the kernel has of the disk @device, whatever the table on it says; "" if none.
 */
static void find_partition(dev_t device, char name[GUARD_NAME_BYTES])
{
	char path[SYSFS_PATH_BYTES], part[SYSFS_PATH_BYTES];
	struct dirent *entry;
	DIR *folder;

	name[0] = '\0';
	sysfs_block_path(path, device, "");
	folder = opendir(path);
	while (folder && !name[0] && (entry = readdir(folder))) {
		snprintf(part, sizeof(part), "%.200s%.60s/partition", path, entry->d_name);
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && !access(part, F_OK))
			snprintf(name, GUARD_NAME_BYTES, "/dev/%.50s", entry->d_name);
	}
	if (folder)
		closedir(folder);
}

/* The objections that --destroy overrides. @on: a loop device on it, or 0. */
static int ask_content(int fd, const struct stat *status, const struct np_guard_place *region,
		       dev_t on, struct np_guard_verdict *verdict)
{
	struct np_guard_place all = {.bytes = (uint64_t)status->st_size};
	char name[GUARD_NAME_BYTES];
	int error = 0;

	if (S_ISBLK(status->st_mode) && ioctl(fd, BLKGETSIZE64, &all.bytes) < 0)
		error = -errno;
	if (!error)
		error = np_guard_content(fd, all.bytes, verdict);
	if (!error && region && verdict->reason == NP_GUARD_FREE)
		error = np_guard_region(fd, region, verdict);
	if (!error && S_ISREG(status->st_mode) && verdict->reason == NP_GUARD_FREE)
		error = guard_extents_foreign(fd, region ? region : &all, verdict);
	if (error)
		return error;
	/* A loop device explains more than the content: somebody set it up. */
	if (on) {
		verdict->reason = NP_GUARD_LOOP;
		snprintf(verdict->text, sizeof(verdict->text), "in use by loop device %s",
			 guard_device_name(on, name));
	}
	/* What lies in it may be between the samples. */
	if (verdict->reason == NP_GUARD_FREE && S_ISBLK(status->st_mode)) {
		find_partition(status->st_rdev, name);
		if (name[0]) {
			verdict->reason = NP_GUARD_PARTS;
			snprintf(verdict->text, sizeof(verdict->text),
				 "the kernel has a partition of it, %s", name);
		}
	}
	verdict->destroyable = verdict->reason != NP_GUARD_FREE;
	return 0;
}

/* Reads the content through the page cache, at any offset and into any buffer. */
static int ask_content_buffered(int fd, const struct stat *status,
				const struct np_guard_place *region, dev_t on,
				struct np_guard_verdict *verdict)
{
	int flags = fcntl(fd, F_GETFL), error;

	if (flags < 0 || ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0))
		return -errno;
	error = ask_content(fd, status, region, on, verdict);
	if ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags) < 0 && !error)
		error = -errno;
	return error;
}

int np_guard_fd(int fd, const struct np_guard_place *region, struct np_guard_verdict *verdict)
{
	struct np_guard_verdict unseen;
	struct backing_place operand;
	struct backing_loops loops;
	struct stat status;
	dev_t on = 0;
	int found;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode))
		return -ENOTBLK;
	found = read_loops(&loops, verdict);
	if (found)
		return found;
	unseen = *verdict;
	operand = backing_place_of(&status);
	found = guard_users_find(&loops, &operand, verdict, &on);
	backing_loops_free(&loops);
	if (found)
		return found < 0 ? found : 0;
	/* The kernel refuses a write to a swap file before it looks at the length. */
	if (pwrite(fd, "", 0, 0) < 0 && errno == ETXTBSY) {
		verdict->reason = NP_GUARD_SWAP;
		snprintf(verdict->text, sizeof(verdict->text), "active swap space");
		return 0;
	}
	if (verdict->text[0])
		unseen = *verdict;
	found = ask_content_buffered(fd, &status, region, on, verdict);
	/* Its signatures stay in the verdict. */
	if (!found && unseen.text[0]) {
		verdict->reason = NP_GUARD_UNSEEN;
		verdict->destroyable = true;
		memcpy(verdict->text, unseen.text, sizeof(verdict->text));
	}
	return found;
}

/* The number of /dev/etherd/e4.1 in /sys, where slashes are "!", or of the node @path; 0: neither.
 */
static dev_t find_device(const char *path)
{
	char attribute[SYSFS_PATH_BYTES], name[128], line[32];
	struct stat status;
	dev_t device;

	snprintf(name, sizeof(name), "%s", strncmp(path, "/dev/", 5) ? "" : path + 5);
	for (char *at = strchr(name, '/'); at; at = strchr(at, '/'))
		*at = '!';
	snprintf(attribute, sizeof(attribute), "/sys/class/block/%s/dev", name);
	if (name[0] && !sysfs_read_line(attribute, line, sizeof(line)) &&
	    !sysfs_parse_device(line, &device))
		return device;
	return !stat(path, &status) && S_ISBLK(status.st_mode) ? status.st_rdev : 0;
}

int np_guard_users(const char *path, struct np_guard_verdict *verdict)
{
	struct np_guard_verdict unseen;
	struct backing_loops loops;
	struct stat status;
	int found = read_loops(&loops, verdict);

	if (found)
		return found;
	unseen = *verdict;
	verdict->text[0] = '\0';
	found = guard_users_of_device(&loops, find_device(path), path, verdict);
	backing_loops_free(&loops);
	if (found)
		return found < 0 ? found : 0;
	if (!unseen.text[0] && !verdict->text[0] && stat(path, &status) < 0 && errno != ENOENT &&
	    errno != ENOTDIR)
		snprintf(verdict->text, sizeof(verdict->text),
			 "cannot see whether this host has it (%s); root can", strerror(errno));
	if (unseen.text[0])
		*verdict = unseen;
	verdict->reason = verdict->text[0] ? NP_GUARD_UNSEEN : NP_GUARD_FREE;
	verdict->destroyable = verdict->reason == NP_GUARD_UNSEEN;
	return 0;
}
