// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * stacked: finds the file of a layer below a file of an overlay by the mount options, and
 * recognises it by its times.
 */
#include "stacked.h"

#include "guard_spaces.h"
#include "mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FOLDERS_MAX 512 /* the kernel allows 500 */
#define TRIES	    20
#define NAME_BYTES  32

/* Not in linux/magic.h. */
#define AUFS_MAGIC 0x61756673

enum stacked_kind stacked_kind(int fd)
{
	struct statfs status;

	if (fstatfs(fd, &status) < 0)
		return STACKED_OTHER;
	switch ((unsigned long)status.f_type) {
	case OVERLAYFS_SUPER_MAGIC: return STACKED_OVERLAY;
	case FUSE_SUPER_MAGIC:
	case ECRYPTFS_SUPER_MAGIC:
	case AUFS_MAGIC: return STACKED_OTHER;
	default: return STACKED_NOT;
	}
}

static bool look(int fd, struct statx *status)
{
	return statx(fd, "", AT_EMPTY_PATH, STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_BTIME,
		     status) == 0;
}

static bool same_time(const struct statx_timestamp *one, const struct statx_timestamp *other)
{
	return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

static bool alike(const struct statx *one, const struct statx *other)
{
	const bool born = one->stx_mask & other->stx_mask & STATX_BTIME;

	return one->stx_size == other->stx_size && same_time(&one->stx_mtime, &other->stx_mtime) &&
	       same_time(&one->stx_ctime, &other->stx_ctime) &&
	       (!born || same_time(&one->stx_btime, &other->stx_btime));
}

/* The file may be written at this moment: so one of them is examined before and after the other. */
enum stacked_answer stacked_compare(int one, int other)
{
	struct statx before, between, after;

	if (stacked_kind(one) == STACKED_OTHER || stacked_kind(other) == STACKED_OTHER)
		return STACKED_UNKNOWN;
	for (unsigned i = 0; i < TRIES; i++) {
		if (!look(one, &before) || !look(other, &between) || !look(one, &after))
			return STACKED_UNKNOWN;
		if (alike(&before, &between))
			return STACKED_SAME;
		if (alike(&before, &after))
			return STACKED_DIFFERENT;
	}
	return STACKED_UNKNOWN;
}

/* "a:b\:c" means the directories a and b:c. In "a::b", b is for data only. */
static size_t split(char *list, char **folder, size_t room)
{
	char *out = list, *begin = list;
	size_t count = 0;
	bool last;

	for (char *at = list;; at++) {
		last = *at == '\0';
		if (!last && at[0] == '\\' && at[1] != '\0') {
			*out++ = *++at;
		} else if (last || *at == ':') {
			*out++ = '\0';
			if (*begin && count < room)
				folder[count++] = begin;
			begin = out;
		} else {
			*out++ = *at;
		}
		if (last)
			return count;
	}
}

static char *value_of(char *option, const char *name)
{
	size_t length = strlen(name);

	return strncmp(option, name, length) == 0 ? option + length : NULL;
}

size_t stacked_folders(char *options, char **folder, size_t room)
{
	size_t count = 1;
	char *option, *value;

	if (room == 0)
		return 0;
	folder[0] = NULL;
	while ((option = strsep(&options, ","))) {
		mountinfo_unescape(option);
		if ((value = value_of(option, "upperdir="))) {
			folder[0] = value;
		} else if ((value = value_of(option, "lowerdir="))) {
			count += split(value, folder + count, room - count);
		} else if (count < room && ((value = value_of(option, "lowerdir+=")) ||
					    (value = value_of(option, "datadir+=")))) {
			folder[count++] = value;
		}
	}
	if (folder[0])
		return count;
	memmove(folder, folder + 1, (count - 1) * sizeof(*folder));
	return count - 1;
}

/* The number of the mount by which @fd was opened; 0: unknown. */
static unsigned long mount_of(int fd)
{
	char path[NAME_BYTES + 16], line[128];
	unsigned long id = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = mountinfo_open(path);
	while (file && !id && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "mnt_id:", 7) == 0)
			id = strtoul(line + 7, NULL, 10);
	}
	if (file)
		fclose(file);
	return id;
}

/* Its name below the root of its file system; false: it has none that is visible from here. */
static bool name_in(int fd, const struct mountinfo *mount, char *name, size_t room)
{
	char link[NAME_BYTES], path[PATH_MAX];
	size_t begin = strcmp(mount->point, "/") == 0 ? 0 : strlen(mount->point);
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	if (strncmp(path, mount->point, begin) != 0)
		return false;
	return (size_t)snprintf(name, room, "%s%s",
				strcmp(mount->root, "/") == 0 ? "" : mount->root,
				path + begin) < room;
}

/* Not @fd itself: an overlay may be mounted over one of its layers. */
static bool is_below(int fd, int found)
{
	struct stat one, other;

	return fstat(fd, &one) == 0 && fstat(found, &other) == 0 && S_ISREG(other.st_mode) &&
	       (one.st_dev != other.st_dev || one.st_ino != other.st_ino) &&
	       stacked_compare(fd, found) == STACKED_SAME;
}

/* Finds the file @name in one of the layers of @mount, below @root, that is the same as @fd. */
static int find_in(int fd, const struct mountinfo *mount, const char *name, const char *root)
{
	char **folder = calloc(FOLDERS_MAX, sizeof(*folder)), path[2 * PATH_MAX + NAME_BYTES];
	char *options = strdup(mount->options);
	size_t count = folder && options ? stacked_folders(options, folder, FOLDERS_MAX) : 0;
	int found = -ENOENT;

	for (size_t i = 0; found < 0 && i < count; i++) {
		if (folder[i][0] != '/' || (size_t)snprintf(path, sizeof(path), "%s%s/%s", root,
							    folder[i], name) >= sizeof(path))
			continue;
		found = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (found >= 0 && !is_below(fd, found)) {
			close(found);
			found = -ENOENT;
		}
	}
	free(options);
	free(folder);
	return found < 0 ? -ENOENT : found;
}

struct search {
	int fd;
	const struct mountinfo *mount;
	const char *name;
	int found;
};

static int search_of(void *owner, const char *table, pid_t process)
{
	struct search *search = owner;
	char root[NAME_BYTES];

	(void)table;
	snprintf(root, sizeof(root), "/proc/%d/root", (int)process);
	search->found = find_in(search->fd, search->mount, search->name, root);
	return search->found >= 0;
}

/* Where the layers are covered here, another mount namespace may still show them. */
static int find_anywhere(int fd, const struct mountinfo *mount, const char *name)
{
	struct search search = {fd, mount, name, find_in(fd, mount, name, "")};

	if (search.found < 0)
		(void)guard_spaces_each(search_of, &search);
	return search.found;
}

int stacked_below(int fd)
{
	const unsigned long id = mount_of(fd);
	struct mountinfo mount;
	char name[PATH_MAX], *line = NULL;
	size_t room = 0;
	int found = -ENOENT;
	FILE *file = id ? mountinfo_open("/proc/self/mountinfo") : NULL;

	while (file && found < 0 && getline(&line, &room, file) > 0) {
		if (strtoul(line, NULL, 10) == id && mountinfo_parse(line, &mount) &&
		    strcmp(mount.type, "overlay") == 0 && name_in(fd, &mount, name, sizeof(name)))
			found = find_anywhere(fd, &mount, name);
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}
