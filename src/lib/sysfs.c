// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sysfs: reads what the kernel tells about block devices under /sys/dev/block. */
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netperf/units.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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

int sysfs_name(dev_t device, char *out, size_t room)
{
	char path[SYSFS_PATH_BYTES], target[PATH_MAX];
	const char *slash;
	ssize_t length;

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
