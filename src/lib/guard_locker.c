// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard_locker: finds who has locked a file among the descriptors of the processes, as far as these
 * may be seen, or in the table of locks, which names no owner of an OFD lock.
 */
#include "guard_lock.h"

#include "mountinfo.h"
#include "stacked.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netperf/guard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 96
#define NAMES	  2

/* The file by its own name and, on an overlay, by that in its layer. */
struct names {
	struct guard_place place[NAMES];
	size_t count;
};

static bool is_one_of(const struct names *names, const struct guard_place *place)
{
	for (size_t i = 0; i < names->count; i++) {
		if (guard_place_is(&names->place[i], place))
			return true;
	}
	return false;
}

/* Does the table of descriptor @fd of @process have a lock? */
static bool has_lock(const char *process, const char *fd)
{
	char path[PATH_ROOM], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/fdinfo/%.20s", process, fd);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strncmp(line, "lock:", 5) == 0 && guard_lock_is_lock(line);
	if (file)
		fclose(file);
	return found;
}

/* Has @process locked it? */
static bool is_by(const char *process, const struct names *names)
{
	struct guard_place place;
	struct dirent *entry;
	char path[PATH_ROOM];
	struct stat status;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", process);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "/proc/%.20s/fd/%.20s", process, entry->d_name);
		if (entry->d_name[0] == '.' || stat(path, &status) < 0)
			continue;
		/* The lock of a device is on its node. */
		place = (struct guard_place){status.st_dev, status.st_ino};
		found = is_one_of(names, &place) && has_lock(process, entry->d_name);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* Returns the process, 0, or -errno when not all of them could be listed. */
static long search_processes(const struct names *names)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	long found = 0;

	if (!folder)
		return -errno;
	while (!found && (errno = 0, entry = readdir(folder))) {
		char *end;
		long process = strtol(entry->d_name, &end, 10);

		if (process > 0 && *end == '\0' && process != getpid() &&
		    is_by(entry->d_name, names))
			found = process;
	}
	if (!found && errno)
		found = -errno;
	closedir(folder);
	return found;
}

static long search_table(const struct names *names)
{
	FILE *file = mountinfo_open("/proc/locks");
	char line[256];
	long found = 0;

	while (file && found <= 0 && fgets(line, sizeof(line), file)) {
		for (size_t i = 0; i < names->count; i++) {
			if (guard_lock_is_lock(line) && guard_lock_is_of(line, &names->place[i]))
				found = guard_lock_owner(line);
		}
	}
	if (file)
		fclose(file);
	return found;
}

static void find_names(const char *path, struct names *names)
{
	int fd = open(path, O_PATH | O_CLOEXEC), below;
	struct stat status;

	names->count = 0;
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0)
		names->place[names->count++] = (struct guard_place){status.st_dev, status.st_ino};
	below = stacked_kind(fd) == STACKED_OVERLAY ? stacked_below(fd) : -1;
	if (below >= 0 && fstat(below, &status) == 0)
		names->place[names->count++] = (struct guard_place){status.st_dev, status.st_ino};
	if (below >= 0)
		close(below);
	close(fd);
}

int np_guard_locker(const char *path, char who[NP_GUARD_LOCKER_BYTES])
{
	char table[PATH_ROOM], name[32] = "";
	struct names names;
	long process, listed;
	FILE *file;

	find_names(path, &names);
	process = listed = search_processes(&names);
	if (process <= 0)
		process = search_table(&names);
	if (process <= 0)
		return listed < 0 ? (int)listed : -ENOENT;
	snprintf(table, sizeof(table), "/proc/%ld/comm", process);
	file = fopen(table, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	snprintf(who, NP_GUARD_LOCKER_BYTES, "process %ld%s%s", process, name[0] ? ", " : "", name);
	return 0;
}
