// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sysfs: reads what the kernel reports about block devices under /sys/dev/block. */
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <netperf/units.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LOOP_MAJOR_LINUX 7

void sysfs_block_path(char path[SYSFS_PATH_BYTES], dev_t device, const char *tail)
{
	snprintf(path, SYSFS_PATH_BYTES, "/sys/dev/block/%u:%u/%s", major(device), minor(device),
		 tail);
}

int sysfs_read_line(const char *path, char *out, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t begin, end;
	ssize_t got;

	out[0] = '\0';
	if (fd < 0)
		return -errno;
	got = read(fd, out, room - 1);
	close(fd);
	if (got < 0) {
		out[0] = '\0';
		return -EIO;
	}
	out[got] = '\0';
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

int sysfs_parse_device(const char *text, dev_t *device)
{
	const char *colon = strchr(text, ':');
	uint64_t high, low;
	char number[16];

	if (!colon || (size_t)(colon - text) >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, (size_t)(colon - text));
	number[colon - text] = '\0';
	if (np_units_parse_count(number, 0, UINT32_MAX, &high) ||
	    np_units_parse_count(colon + 1, 0, UINT32_MAX, &low))
		return -EINVAL;
	*device = makedev((unsigned)high, (unsigned)low);
	return 0;
}

int sysfs_whole_disk(dev_t device, dev_t *disk)
{
	char line[32];

	if (sysfs_read_block(device, "partition", line, sizeof(line)))
		return -ENOENT;
	if (sysfs_read_block(device, "../dev", line, sizeof(line)))
		return -ENOENT;
	return sysfs_parse_device(line, disk);
}

/* Something else has the number where another part of /sys is mounted over this one. */
static bool is_block(dev_t device)
{
	char path[SYSFS_PATH_BYTES], target[PATH_MAX];
	ssize_t length;

	sysfs_block_path(path, device, "subsystem");
	length = readlink(path, target, sizeof(target) - 1);
	target[length < 0 ? 0 : length] = '\0';
	return length >= 6 && strcmp(target + length - 6, "/block") == 0;
}

int sysfs_name(dev_t device, char *out, size_t room)
{
	char path[SYSFS_PATH_BYTES], target[PATH_MAX];
	const char *slash;
	ssize_t length;

	if (!is_block(device))
		return -ENOENT;
	sysfs_block_path(path, device, "");
	path[strlen(path) - 1] = '\0';
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	slash = strrchr(target, '/');
	snprintf(out, room, "%s", slash ? slash + 1 : target);
	return 0;
}

void sysfs_guess_name(dev_t device, char *out, size_t room)
{
	if (major(device) == LOOP_MAJOR_LINUX)
		snprintf(out, room, "loop%u", minor(device));
	else
		snprintf(out, room, "block/%u:%u", major(device), minor(device));
}

static bool is_sysfs(const char *path)
{
	struct statfs status;

	return statfs(path, &status) == 0 && status.f_type == SYSFS_MAGIC;
}

const char *sysfs_missing(void)
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

/* Opens @path if it is a node of @device. */
static int open_if(const char *path, dev_t device, int flags)
{
	struct stat status;
	int fd, error;

	if (stat(path, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode) || status.st_rdev != device)
		return -ENOENT;
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && S_ISBLK(status.st_mode) && status.st_rdev == device)
		return fd;
	error = -ENOENT;
	close(fd);
	return error;
}

/*
 * Tries the names "sda1", "etherd!e4.1" (for etherd/e4.1), and udev's by number where a node was
 * renamed.
 */
int sysfs_open_node(dev_t device, int flags)
{
	char path[SYSFS_PATH_BYTES], name[SYSFS_PATH_BYTES - 8];
	int fd = -ENOENT;

	if (sysfs_name(device, name, sizeof(name)) == 0) {
		for (char *at = strchr(name, '!'); at; at = strchr(at, '!'))
			*at = '/';
		snprintf(path, sizeof(path), "/dev/%s", name);
		fd = open_if(path, device, flags);
	} else if (major(device) == LOOP_MAJOR_LINUX) {
		snprintf(path, sizeof(path), "/dev/loop%u", minor(device));
		fd = open_if(path, device, flags);
	}
	if (fd == -ENOENT) {
		snprintf(path, sizeof(path), "/dev/block/%u:%u", major(device), minor(device));
		fd = open_if(path, device, flags);
	}
	return fd;
}
