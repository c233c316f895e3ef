// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * sysfs: reads what the kernel reports about block devices under /sys/dev/block; looks up loop
 * devices there, and what a disk or a file is stored on through them.
 */
#include "sysfs.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LOOP_MAJOR_LINUX 7
#define SYSFS_ROOT_INODE 1 /* kernfs */
#define DESCRIPTORS	 8 /* the most that are open at a time */

void sysfs_block_path(char path[SYSFS_PATH_BYTES], dev_t device, const char *tail)
{
	snprintf(path, SYSFS_PATH_BYTES, "/sys/dev/block/%u:%u/%s", major(device), minor(device),
		 tail);
}

ssize_t sysfs_read_text(const char *path, char *out, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	out[0] = '\0';
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, out + length, room - 1 - length);
		length += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	close(fd);
	out[got < 0 ? 0 : length] = '\0';
	return got < 0 ? -EIO : (ssize_t)length;
}

int sysfs_read_line(const char *path, char *out, size_t room)
{
	const ssize_t got = sysfs_read_text(path, out, room);
	size_t begin, end;

	if (got < 0)
		return (int)got;
	begin = strspn(out, " ");
	end = begin + strcspn(out + begin, "\n");
	while (end > begin && out[end - 1] == ' ')
		end--;
	memmove(out, out + begin, end - begin);
	out[end - begin] = '\0';
	return 0;
}

int sysfs_read_block(dev_t device, const char *name, char *out, size_t room)
{
	char path[SYSFS_PATH_BYTES];

	sysfs_block_path(path, device, name);
	return sysfs_read_line(path, out, room);
}

int sysfs_parse_device(char *text, dev_t *device)
{
	const char *first = strsep(&text, ":");
	uint64_t high, low;

	if (!text || np_units_parse_count(first, 0, UINT32_MAX, &high) ||
	    np_units_parse_count(text, 0, UINT32_MAX, &low))
		return -EINVAL;
	*device = makedev((unsigned)high, (unsigned)low);
	return 0;
}

void sysfs_name(dev_t device, char *out, size_t room)
{
	char path[SYSFS_PATH_BYTES], text[256];
	const char *name;

	sysfs_block_path(path, device, "uevent");
	(void)sysfs_read_text(path, text, sizeof(text));
	name = strstr(text, "DEVNAME=");
	/* A device of another kind has none where another part of /sys is mounted over this one. */
	if (name && strstr(name, "\nDEVTYPE="))
		snprintf(out, room, "%.*s", (int)strcspn(name + 8, "\n"), name + 8);
	else if (major(device) == LOOP_MAJOR_LINUX)
		snprintf(out, room, "loop%u", minor(device));
	else
		snprintf(out, room, "block/%u:%u", major(device), minor(device));
}

static bool is_sysfs(const char *path)
{
	struct statfs status;

	return statfs(path, &status) == 0 && status.f_type == SYSFS_MAGIC;
}

/* Whether /sys shows the kernel's sysfs: NULL, or what is wrong and how to mend it. */
static const char *sysfs_missing(void)
{
	struct stat root;

	/* Not just a directory of sysfs that was mounted there. */
	if (!is_sysfs("/sys") || stat("/sys", &root) < 0 || root.st_ino != SYSFS_ROOT_INODE)
		return "/sys is not mounted; mount -t sysfs sysfs /sys";
	if (!is_sysfs("/sys/class/block"))
		return "something is mounted over /sys/class/block; umount it";
	if (!is_sysfs("/sys/dev/block"))
		return "something is mounted over /sys/dev/block; umount it";
	return NULL;
}

int sysfs_open_node(dev_t device, int flags)
{
	char *path = blkid_devno_to_devname(device);
	struct stat status;
	int fd;

	if (!path)
		return -ENOENT;
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	free(path);
	if (fd < 0 || (!fstat(fd, &status) && S_ISBLK(status.st_mode) && status.st_rdev == device))
		return fd;
	close(fd);
	return -ENOENT;
}

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

int backing_loops_read(struct backing_loops *loops, const char **missing)
{
	static const char tail[] = "loop/backing_file";
	char path[SYSFS_PATH_BYTES], line[SYSFS_PATH_BYTES];
	int spare[DESCRIPTORS], count = 0, error = 0, found;
	struct backing_place lower;
	dev_t device;
	glob_t files;

	/* Without free descriptors nothing could be examined, which is not "cannot see". */
	while (!error && count < DESCRIPTORS) {
		spare[count] = open("/", O_PATH | O_CLOEXEC);
		if (spare[count] < 0)
			error = -errno;
		else
			count++;
	}
	while (count > 0)
		close(spare[--count]);
	*loops = (struct backing_loops){0};
	*missing = sysfs_missing();
	if (error || *missing)
		return error;
	found = glob("/sys/class/block/*/loop/backing_file", GLOB_ERR, NULL, &files);
	if (found && found != GLOB_NOMATCH)
		return found == GLOB_NOSPACE ? -ENOMEM : -EIO;
	loops->loop = calloc(files.gl_pathc + 1, sizeof(*loops->loop));
	for (size_t i = 0; loops->loop && i < files.gl_pathc; i++) {
		const char *file = files.gl_pathv[i];

		snprintf(path, sizeof(path), "%.*sdev", (int)(strlen(file) - strlen(tail)), file);
		if (sysfs_read_line(path, line, sizeof(line)) || sysfs_parse_device(line, &device))
			continue;
		lower = below_loop(device);
		/* An unused one has no file: this one was detached while it was looked at. */
		if (!lower.device && !lower.inode && access(file, F_OK) < 0 && errno == ENOENT)
			continue;
		loops->loop[loops->count++] = (struct backing_loop){device, lower, false};
	}
	globfree(&files);
	return loops->loop ? 0 : -ENOMEM;
}

void backing_loops_free(struct backing_loops *loops)
{
	free(loops->loop);
	*loops = (struct backing_loops){0};
}

const struct backing_loop *backing_loops_descend(struct backing_loops *loops, dev_t device)
{
	dev_t disk = device;

	(void)!blkid_devno_to_wholedisk(device, NULL, 0, &disk);
	for (struct backing_loop *loop = loops->loop; loop < loops->loop + loops->count; loop++) {
		if (loop->device != disk || loop->seen)
			continue;
		loop->seen = true;
		return loop;
	}
	return NULL;
}
