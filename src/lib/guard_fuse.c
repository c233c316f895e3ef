// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_fuse: goes through the descriptors of processes that have /dev/fuse open. */
#include "guard_fuse.h"

#include "mountinfo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PATH_ROOM  96
#define MISC_MAJOR 10
#define FUSE_MINOR 229 /* linux/miscdevice.h */

static bool stat_of(const char *path, struct stat *status)
{
	int fd = open(path, O_PATH | O_CLOEXEC), rc;

	if (fd < 0)
		return false;
	rc = fstat(fd, status);
	close(fd);
	return rc == 0;
}

/* The name is read first: to ask a file for its number may take long. */
static bool is_fuse(const char *path)
{
	char target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	struct stat status;

	target[length < 0 ? 0 : length] = '\0';
	return length > 5 && strcmp(target + length - 5, "/fuse") == 0 && stat_of(path, &status) &&
	       status.st_rdev == makedev(MISC_MAJOR, FUSE_MINOR);
}

/* A descriptor by O_PATH only remembers the file. */
static bool is_for_use(const char *process, const char *fd)
{
	char path[PATH_ROOM], line[256];
	unsigned long flags = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/fdinfo/%.20s", process, fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "flags:", 6) == 0)
			flags = strtoul(line + 6, NULL, 8);
	}
	if (file)
		fclose(file);
	return !(flags & O_PATH);
}

/* The one of @relatives that @fd of @process is open on, or NULL. */
static const struct storage_relative *find_relative(const struct storage_relatives *relatives,
						    const char *process, const char *fd)
{
	const struct storage_relative *relative = NULL;
	struct guard_place place;
	char path[PATH_ROOM];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%.20s/fd/%.20s", process, fd);
	if (stat_of(path, &status) && (S_ISBLK(status.st_mode) || S_ISREG(status.st_mode))) {
		place = guard_place_of(&status);
		relative = storage_relatives_find(relatives, &place);
	}
	return relative && is_for_use(process, fd) ? relative : NULL;
}

static void name_server(const char *process, const struct storage_relative *relative,
			char text[GUARD_TEXT_BYTES])
{
	char path[PATH_ROOM], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", process);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	snprintf(text, GUARD_TEXT_BYTES, "%sopen in process %.20s%s%s, which serves FUSE",
		 relative->text, process, name[0] ? ", " : "", name);
}

/* What does not show its descriptors has ended, or belongs to another user. */
static int search_process(const struct storage_relatives *relatives, const char *process,
			  char text[GUARD_TEXT_BYTES])
{
	const struct storage_relative *found = NULL;
	char folder[PATH_ROOM], path[PATH_ROOM];
	struct dirent *entry;
	bool serves = false;
	DIR *descriptors;

	snprintf(folder, sizeof(folder), "/proc/%.20s/fd", process);
	descriptors = opendir(folder);
	if (!descriptors)
		return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -errno : 0;
	while (!serves && (entry = readdir(descriptors))) {
		snprintf(path, sizeof(path), "%.40s/%.20s", folder, entry->d_name);
		serves = entry->d_name[0] != '.' && is_fuse(path);
	}
	rewinddir(descriptors);
	while (serves && !found && (entry = readdir(descriptors))) {
		if (entry->d_name[0] != '.')
			found = find_relative(relatives, process, entry->d_name);
	}
	closedir(descriptors);
	if (found)
		name_server(process, found, text);
	return found != NULL;
}

int guard_fuse_served(const struct storage_relatives *relatives, char text[GUARD_TEXT_BYTES])
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	int found = 0;

	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	while (!found && (errno = 0, entry = readdir(folder))) {
		char *end;
		long process = strtol(entry->d_name, &end, 10);

		if (process > 0 && *end == '\0' && process != getpid())
			found = search_process(relatives, entry->d_name, text);
	}
	if (!found && errno)
		found = -errno;
	closedir(folder);
	return found;
}

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void guard_fuse_suspect(int fd, struct guard_layers *layers)
{
	char link[PATH_ROOM], name[PATH_MAX], *line = NULL;
	FILE *file = mountinfo_open("/proc/self/mountinfo");
	struct mountinfo mount;
	size_t room = 0;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, name, sizeof(name) - 1);
	name[length < 0 ? 0 : length] = '\0';
	while (file && length > 0 && getline(&line, &room, file) > 0) {
		if (mountinfo_parse(line, &mount) && strncmp(mount.type, "fuse", 4) == 0 &&
		    mount.source[0] != '/' && strcmp(last_of(mount.source), last_of(name)) == 0)
			guard_layers_blind(layers, false,
					   "cannot see whether it is the %.80s that FUSE has "
					   "mounted on %.100s; root can, or umount that",
					   mount.source, mount.point);
	}
	free(line);
	if (file)
		fclose(file);
}
