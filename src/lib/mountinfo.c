// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mountinfo: parses the kernel's table of mounts. */
#include "mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ROOT_INODE 1 /* PROC_ROOT_INO */

void mountinfo_unescape(char *text)
{
	char *out = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] && text[3]) {
			*out++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

/* "36 35 98:0 /root /point options optional... - type source options". */
bool mountinfo_parse(char *line, struct mountinfo *mount)
{
	char *field[5] = {NULL}, *rest = line;

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < 5; i++)
		field[i] = strsep(&rest, " ");
	rest = rest ? strstr(rest, " - ") : NULL;
	if (!rest)
		return false;
	rest += 3;
	*mount = (struct mountinfo){
		.id = field[0], .device = field[2], .root = field[3], .point = field[4]};
	mount->type = strsep(&rest, " ");
	mount->source = strsep(&rest, " ");
	mount->options = rest;
	if (!mount->source || !mount->options)
		return false;
	mountinfo_unescape(mount->root);
	mountinfo_unescape(mount->point);
	mountinfo_unescape(mount->source);
	return true;
}

static bool is_proc(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

/* Before Linux 5.6: makes sure that it is a file of procfs, if not that it is the one asked for. */
static int open_by_type(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (is_proc(fd))
		return fd;
	close(fd);
	return -EXDEV;
}

/* Opens @path only if nothing is mounted between the root of /proc and it. */
static int open_below(int root, const char *path)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_NO_XDEV};
	struct stat status;
	long fd;

	if (!is_proc(root) || fstat(root, &status) < 0 || status.st_ino != ROOT_INODE)
		return -EXDEV;
	fd = syscall(SYS_openat2, root, path + strlen("/proc/"), &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return open_by_type(path);
	return fd < 0 ? -errno : (int)fd;
}

FILE *mountinfo_open(const char *path)
{
	int root = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), fd;
	FILE *file = NULL;

	if (root < 0)
		return NULL;
	fd = open_below(root, path);
	close(root);
	if (fd >= 0)
		file = fdopen(fd, "r");
	else
		errno = -fd;
	if (fd >= 0 && !file)
		close(fd);
	return file;
}
