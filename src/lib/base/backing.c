// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* backing: looks up loop devices in /sys, and what a disk or a file is stored on through them. */
#include "backing.h"

#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FOLDER	    "/sys/class/block"
#define DESCRIPTORS 8 /* the most that are open at a time */

struct backing_place backing_place_of(const struct stat *status)
{
	if (S_ISBLK(status->st_mode))
		return (struct backing_place){.device = status->st_rdev};
	return (struct backing_place){status->st_dev, status->st_ino};
}

bool backing_place_is(const struct backing_place *a, const struct backing_place *b)
{
	return a->device == b->device && a->inode == b->inode;
}

/* The device itself knows; whoever may not ask it has the path in /sys. */
static struct backing_place below_loop(dev_t device)
{
	int fd = sysfs_open_node(device, O_RDONLY | O_NONBLOCK);
	struct loop_info64 info = {0};
	char path[SYSFS_PATH_BYTES];
	struct stat status;
	int asked = -1;

	if (fd >= 0) {
		asked = ioctl(fd, LOOP_GET_STATUS64, &info);
		close(fd);
	}
	if (!asked && info.lo_rdevice)
		return (struct backing_place){.device = (dev_t)info.lo_rdevice};
	if (!asked)
		return (struct backing_place){(dev_t)info.lo_device, (ino_t)info.lo_inode};
	if (sysfs_read_block(device, "loop/backing_file", path, sizeof(path)) ||
	    stat(path, &status) < 0)
		return (struct backing_place){0};
	return backing_place_of(&status);
}

static int add_loop(struct backing_loops *loops, const char *name)
{
	char path[SYSFS_PATH_BYTES], line[SYSFS_PATH_BYTES];
	struct backing_loop *larger;
	dev_t device;

	/* An unused one has no file. */
	snprintf(path, sizeof(path), FOLDER "/%.60s/loop/backing_file", name);
	if (sysfs_read_line(path, line, sizeof(line)))
		return 0;
	snprintf(path, sizeof(path), FOLDER "/%.60s/dev", name);
	if (sysfs_read_line(path, line, sizeof(line)) || sysfs_parse_device(line, &device))
		return 0;
	larger = reallocarray(loops->loop, loops->count + 1, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	loops->loop = larger;
	loops->loop[loops->count++] =
		(struct backing_loop){.device = device, .lower = below_loop(device)};
	return 0;
}

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

int backing_loops_read(struct backing_loops *loops, const char **missing)
{
	int error = spare_descriptors();
	struct dirent *entry;
	DIR *folder;

	*loops = (struct backing_loops){0};
	*missing = sysfs_missing();
	if (error || *missing)
		return error;
	folder = opendir(FOLDER);
	if (!folder)
		return -errno;
	while (!error && (errno = 0, entry = readdir(folder)))
		error = add_loop(loops, entry->d_name);
	if (!error && errno)
		error = -errno;
	closedir(folder);
	if (error)
		backing_loops_free(loops);
	return error;
}

void backing_loops_free(struct backing_loops *loops)
{
	free(loops->loop);
	*loops = (struct backing_loops){0};
}

bool backing_loops_below(const struct backing_loops *loops, dev_t device,
			 struct backing_place *lower, dev_t *loop)
{
	dev_t disk = device;

	(void)sysfs_whole_disk(device, &disk);
	for (size_t i = 0; i < loops->count; i++) {
		if (loops->loop[i].device != disk)
			continue;
		*lower = loops->loop[i].lower;
		*loop = disk;
		return true;
	}
	return false;
}

int backing_carries(int fd, const char *input)
{
	struct backing_place file, place;
	struct backing_loops loops;
	const char *missing;
	struct stat status;
	int found;
	dev_t loop;

	if (fstat(fd, &status) < 0)
		return -errno;
	file = backing_place_of(&status);
	/* What is not there is stored nowhere. */
	if (stat(input, &status) < 0 || (!S_ISBLK(status.st_mode) && !S_ISREG(status.st_mode)))
		return 0;
	place = backing_place_of(&status);
	if (backing_place_is(&place, &file))
		return 1;
	/* A file is stored on the disk of its file system, if that has one. */
	place.inode = 0;
	found = backing_loops_read(&loops, &missing);
	if (!found && missing)
		found = -EXDEV;
	for (unsigned i = 0; !found && i < BACKING_DEPTH && !place.inode; i++) {
		if (!backing_loops_below(&loops, place.device, &place, &loop))
			break;
		if (!place.device && !place.inode)
			found = -EXDEV;
		else
			found = backing_place_is(&place, &file);
	}
	backing_loops_free(&loops);
	return found;
}
