// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sysfs_check: detects mounts over /sys or parts of it. */
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool is_sysfs(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 && status.f_type == SYSFS_MAGIC;
}

/* Opens the root of sysfs, not just a directory of it that was mounted there. */
static int open_root(void)
{
	int fd = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (is_sysfs(fd) && fstat(fd, &status) == 0 && status.st_ino == SYSFS_ROOT_INODE)
		return fd;
	close(fd);
	return -EXDEV;
}

/* Before Linux 5.6: checks that the path, or the directory that lacks it, is in sysfs. */
static int look_by_type(const char *path)
{
	char part[SYSFS_PATH_BYTES];
	bool missing = false;
	int fd, error = 0;

	snprintf(part, sizeof(part), "%s", path);
	while ((fd = open(part, O_PATH | O_CLOEXEC)) < 0 && strrchr(part, '/') > part) {
		missing = true;
		*strrchr(part, '/') = '\0';
	}
	if (fd < 0 || !is_sysfs(fd))
		error = -EXDEV;
	if (fd >= 0)
		close(fd);
	return error ? error : missing ? -ENOENT : 0;
}

int sysfs_check(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_XDEV};
	int root = open_root(), error;
	long fd;

	if (root < 0)
		return -EXDEV;
	fd = syscall(SYS_openat2, root, path + strlen("/sys/"), &how, sizeof(how));
	error = fd < 0 ? errno : 0;
	close(root);
	if (fd >= 0)
		close((int)fd);
	switch (error) {
	case 0: return 0;
	case ENOSYS:
	case EPERM: return look_by_type(path);
	case ENOENT:
	case ENOTDIR: return -ENOENT;
	default: return -EXDEV;
	}
}
