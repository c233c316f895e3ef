// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_spaces: goes through the processes, and uses the first one of each mount namespace. */
#include "guard_spaces.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <netperf/guard.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define PATH_ROOM	64
#define FIRST_PROCESSES 0xEFFFFFFC /* PROC_PID_INIT_INO: the pid namespace of init */

/* The namespaces seen so far, by inode number; our own is the first. */
struct spaces {
	ino_t *seen;
	size_t count;
	size_t room;
};

/* Returns 1 when it is a new one, 0, or -ENOMEM. */
static int note(struct spaces *spaces, ino_t space)
{
	ino_t *more;

	for (size_t i = 0; i < spaces->count; i++) {
		if (spaces->seen[i] == space)
			return 0;
	}
	if (spaces->count == spaces->room) {
		more = realloc(spaces->seen, (2 * spaces->room + 16) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		spaces->seen = more;
		spaces->room = 2 * spaces->room + 16;
	}
	spaces->seen[spaces->count++] = space;
	return 1;
}

/* A process that has ended, or belongs to another user, shows nothing. */
static bool shows_nothing(int error)
{
	return error == -ENOENT || error == -ESRCH || error == -EINVAL || error == -EACCES ||
	       error == -EPERM;
}

static int visit(struct spaces *spaces, const char *process, guard_spaces_look *look, void *owner)
{
	char path[PATH_ROOM], table[PATH_ROOM];
	struct stat status;
	int rc;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/mnt", process);
	if (stat(path, &status) < 0)
		return shows_nothing(-errno) ? 0 : -errno;
	rc = note(spaces, status.st_ino);
	if (rc <= 0)
		return rc;
	snprintf(table, sizeof(table), "/proc/%.20s/mountinfo", process);
	rc = look(owner, table, (pid_t)strtol(process, NULL, 10));
	if (rc == 0 && stat(path, &status) < 0)
		rc = -errno;
	if (!shows_nothing(rc))
		return rc;
	/* Another process of this namespace may. */
	spaces->count--;
	return 0;
}

bool np_guard_is_secluded(void)
{
	struct stat status;

	return stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != FIRST_PROCESSES;
}

int guard_spaces_each(guard_spaces_look *look, void *owner)
{
	struct spaces spaces = {0};
	struct dirent *entry;
	struct statfs system;
	struct stat own;
	DIR *folder = opendir("/proc");
	int rc = 0;

	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	if (fstatfs(dirfd(folder), &system) == 0 && system.f_type == PROC_SUPER_MAGIC &&
	    stat("/proc/self/ns/mnt", &own) == 0)
		rc = note(&spaces, own.st_ino);
	/* Without our own table there is nothing to compare with; that is reported elsewhere. */
	rc = rc < 0 ? rc : 0;
	while (!rc && spaces.count && (errno = 0, entry = readdir(folder))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			rc = visit(&spaces, entry->d_name, look, owner);
	}
	if (!rc && spaces.count && errno)
		rc = -errno;
	free(spaces.seen);
	closedir(folder);
	return rc;
}
