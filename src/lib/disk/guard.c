// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: collects all objections to overwriting the operand, the gravest first. */
#include <netperf/disk.h>

#include "../base/sysfs.h"
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
		error = np_guard_content(fd, all.bytes, region, verdict);
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
	/* Whatever the table on it says; what lies in it may be between the samples. */
	if (verdict->reason == NP_GUARD_FREE && S_ISBLK(status->st_mode) &&
	    guard_find_entry(status->st_rdev, "", "/partition", name)) {
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
	found = guard_users_find(&operand, NULL, verdict, &on);
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
	const struct backing_place operand = {.device = find_device(path)};
	struct stat status;
	dev_t on;
	int found = guard_users_find(&operand, path, verdict, &on);

	if (found)
		return found < 0 ? found : 0;
	if (!verdict->text[0] && stat(path, &status) < 0 && errno != ENOENT && errno != ENOTDIR)
		snprintf(verdict->text, sizeof(verdict->text),
			 "cannot see whether this host has it (%s); root can", strerror(errno));
	verdict->reason = verdict->text[0] ? NP_GUARD_UNSEEN : NP_GUARD_FREE;
	verdict->destroyable = verdict->reason == NP_GUARD_UNSEEN;
	return 0;
}
