// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_users: mounts, swap, md and dm holders, exclusive openers and loop devices. */
#include "guard_users.h"

#include "guard_btrfs.h"
#include "guard_spaces.h"
#include "mountinfo.h"
#include "stacked.h"
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netperf/clock.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define BUSY_LIMIT NP_SECOND
#define BUSY_PAUSE (10 * NP_MILLISECOND)

/*
 * The shortest spelling of @path: without "//", "/./" and "/x/../". The kernel keeps the spelling
 * that mount(2) was given.
 */
static void shorten(const char *path, char out[PATH_MAX])
{
	size_t used = 0, length;

	for (; *path; path += length) {
		path += strspn(path, "/");
		length = strcspn(path, "/");
		if (!length || (length == 1 && path[0] == '.'))
			continue;
		if (length == 2 && path[0] == '.' && path[1] == '.') {
			while (used && out[--used] != '/')
				;
			continue;
		}
		if (used + 1 + length >= PATH_MAX)
			break;
		out[used++] = '/';
		memcpy(out + used, path, length);
		used += length;
	}
	out[used] = '\0';
}

/* Is @path the name of a disk, or of its partition, with "p" and a number after it? */
static bool is_named(const char *path, const char *name)
{
	size_t length = name ? strlen(name) : 0;
	char shorter[PATH_MAX];

	if (!name || path[0] != '/')
		return false;
	shorten(path, shorter);
	path = shorter;
	if (strncmp(path, name, length) != 0)
		return false;
	path += length;
	if (path[0] == 'p' && path[1] >= '0' && path[1] <= '9')
		path += 1 + strspn(path + 1, "0123456789");
	/* The kernel's suffix for a node that is gone. */
	return path[0] == '\0' || strcmp(path, " (deleted)") == 0;
}

/* The prefix that tells who it is when @path is the operand or one of its relatives; else NULL. */
static const char *relative_by_path(const struct storage_relatives *relatives, const char *path,
				    const char *name)
{
	const struct storage_relative *relative;
	struct guard_place place;
	struct stat status;

	if (path[0] == '/' && stat(path, &status) == 0 &&
	    (S_ISBLK(status.st_mode) || S_ISREG(status.st_mode))) {
		place = guard_place_of(&status);
		relative = storage_relatives_find(relatives, &place);
		if (relative)
			return relative->text;
	}
	return is_named(path, name) ? "" : NULL;
}

/* The same for a btrfs that contains the operand or one of its relatives beside @source. */
static const char *relative_by_btrfs(const struct storage_relatives *relatives, const char *source)
{
	const struct storage_relative *relative;
	char uuid[GUARD_BTRFS_UUID_BYTES];
	struct stat status;

	if (stat(source, &status) < 0 || !S_ISBLK(status.st_mode))
		return NULL;
	relative = guard_btrfs_find(GUARD_BTRFS_FOLDER, relatives, status.st_rdev, uuid);
	return relative ? relative->text : NULL;
}

/*
 * Checks a line of mountinfo. The device of a btrfs does not exist, so its source is checked, too,
 * and the other disks of that btrfs.
 */
static int mount_line(const struct storage_relatives *relatives, const char *name, char *line,
		      char text[GUARD_TEXT_BYTES])
{
	const struct storage_relative *relative = NULL;
	struct guard_place place = {0};
	const char *who, *beside = NULL;
	struct mountinfo mount;

	if (!mountinfo_parse(line, &mount))
		return 0;
	if (sysfs_parse_device(mount.device, &place.device) == 0)
		relative = storage_relatives_find(relatives, &place);
	who = relative ? relative->text : relative_by_path(relatives, mount.source, name);
	if (!who && strcmp(mount.type, "btrfs") == 0) {
		who = relative_by_btrfs(relatives, mount.source);
		beside = mount.source;
	}
	if (!who)
		return 0;
	snprintf(text, GUARD_TEXT_BYTES, "%smounted on %s%s%s", who, mount.point,
		 beside ? " as a part of the btrfs on " : "", beside ? beside : "");
	return 1;
}

/* Checks a line of /proc/swaps: "path type size used priority", separated by blanks and tabs. */
static int swap_line(const struct storage_relatives *relatives, const char *name, char *line,
		     char text[GUARD_TEXT_BYTES])
{
	const char *who;

	line[strcspn(line, " \t")] = '\0';
	mountinfo_unescape(line);
	who = relative_by_path(relatives, line, name);
	if (!who)
		return 0;
	snprintf(text, GUARD_TEXT_BYTES, "%sactive swap space", who);
	return 1;
}

typedef int look_at_line(const struct storage_relatives *relatives, const char *name, char *line,
			 char text[GUARD_TEXT_BYTES]);

static int each_line(const char *path, const struct storage_relatives *relatives, const char *name,
		     char text[GUARD_TEXT_BYTES], look_at_line *look)
{
	FILE *file = mountinfo_open(path);
	char *line = NULL;
	size_t room = 0;
	int found = 0;

	if (!file)
		return -errno;
	while (!found && getline(&line, &room, file) > 0)
		found = look(relatives, name, line, text);
	if (!found && ferror(file))
		found = -EIO;
	free(line);
	fclose(file);
	return found;
}

static int other_mount_line(const struct storage_relatives *relatives, const char *name, char *line,
			    char text[GUARD_TEXT_BYTES])
{
	struct mountinfo mount;

	(void)relatives;
	if (!mountinfo_parse(line, &mount) || !is_named(mount.source, name))
		return 0;
	snprintf(text, GUARD_TEXT_BYTES, "mounted on %.160s in another mount namespace",
		 mount.point);
	return 1;
}

struct elsewhere {
	const char *name;
	char *text;
};

/* A process that has ended meanwhile shows no table; another one of its namespace may. */
static int look_elsewhere(void *owner, const char *path, pid_t process)
{
	const struct elsewhere *e = owner;
	int found = each_line(path, NULL, e->name, e->text, other_mount_line);
	size_t length = strlen(e->text);

	if (found > 0)
		snprintf(e->text + length, GUARD_TEXT_BYTES - length, " (process %d)",
			 (int)process);
	return found > 0;
}

int guard_users_elsewhere(const char *name, char text[GUARD_TEXT_BYTES])
{
	struct elsewhere elsewhere = {.name = name, .text = text};

	return guard_spaces_each(look_elsewhere, &elsewhere);
}

int guard_users_mounted(const struct storage_relatives *relatives, const char *name,
			char text[GUARD_TEXT_BYTES])
{
	int found = each_line("/proc/self/mountinfo", relatives, name, text, mount_line);
	const struct storage_relative *relative;
	char uuid[GUARD_BTRFS_UUID_BYTES];

	if (found > 0)
		return found;
	/* Finds a btrfs that is mounted in another namespace. */
	relative = guard_btrfs_find(GUARD_BTRFS_FOLDER, relatives, 0, uuid);
	if (!relative)
		return found;
	snprintf(text, GUARD_TEXT_BYTES, "%smounted somewhere as a part of the btrfs %s",
		 relative->text, uuid);
	return 1;
}

/* A kernel without swap has no such file; without /proc the mounts are missing, too. */
int guard_users_swap(const struct storage_relatives *relatives, const char *name,
		     char text[GUARD_TEXT_BYTES])
{
	int found = each_line("/proc/swaps", relatives, name, text, swap_line);

	return found == -ENOENT ? 0 : found;
}

/* Checks the holders in /sys: of the operand, or of what is stored on the same bytes. */
static int holder(const struct storage_relative *relative, char text[GUARD_TEXT_BYTES])
{
	char path[SYSFS_PATH_BYTES];
	struct dirent *entry;
	int found = 0;
	DIR *folder;

	/* What is below the operand is held at least by the layers that the operand consists of. */
	if (relative->side == GUARD_BELOW || relative->place.inode != 0)
		return 0;
	if (relative->side == GUARD_ABOVE && relative->kind == GUARD_MEMBER) {
		snprintf(text, GUARD_TEXT_BYTES, "%sin use, made of the same blocks",
			 relative->text);
		return 1;
	}
	sysfs_block_path(path, relative->place.device, "holders");
	folder = opendir(path);
	if (!folder)
		return 0; /* no /sys, which is reported elsewhere */
	while (!found && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(text, GUARD_TEXT_BYTES, "%spart of /dev/%.63s", relative->text,
			 entry->d_name);
		found = 1;
	}
	closedir(folder);
	return found;
}

static int open_exclusively(dev_t device, const char *node)
{
	int flags = O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC;
	int fd = sysfs_open_node(device, flags);

	if (fd == -ENOENT && node) {
		fd = open(node, flags);
		fd = fd < 0 ? -errno : fd;
	}
	return fd;
}

/*
 * Only this shows, for example, a mount in another namespace. A run that has just ended may hold
 * the device a moment longer: the kernel frees an io_uring after the end of its process.
 */
static int exclusive(const struct storage_relative *relative, const char *node,
		     struct guard_layers *layers, char text[GUARD_TEXT_BYTES])
{
	const np_time limit = np_clock_now() + BUSY_LIMIT;
	int fd;

	while ((fd = open_exclusively(relative->place.device, node)) == -EBUSY &&
	       np_clock_now() < limit)
		(void)np_clock_sleep_until(np_clock_now() + BUSY_PAUSE);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (fd == -EBUSY) {
		snprintf(text, GUARD_TEXT_BYTES, "%sheld exclusively by another program",
			 relative->text);
		return 1;
	}
	/* Without a medium or a driver there is nothing to hold. */
	if (fd != -ENXIO && fd != -ENODEV && fd != -ENOMEDIUM)
		guard_layers_blind(layers, false,
				   "cannot see whether %sheld by another program (%s); root with "
				   "its node in /dev can",
				   relative->text[0] ? relative->text : "it is ", strerror(-fd));
	return 0;
}

int guard_users_held(const struct storage_relatives *relatives, const char *node,
		     struct guard_layers *layers, char text[GUARD_TEXT_BYTES])
{
	const struct storage_relative *relative;
	int found = 0;

	for (size_t i = 0; !found && i < relatives->count; i++)
		found = holder(&relatives->relative[i], text);
	for (size_t i = 0; !found && i < relatives->count; i++) {
		relative = &relatives->relative[i];
		if (storage_relative_must_be_free(relative))
			found = exclusive(relative, NULL, layers, text);
		else if (node && relative->side == GUARD_SELF && relative->place.device != 0)
			found = exclusive(relative, node, layers, text);
	}
	return found;
}

/* The first one above that is of @kind, whether anybody uses it or not. */
static int above(const struct storage_relatives *relatives, enum guard_layer_kind kind,
		 const char *words, char text[GUARD_TEXT_BYTES])
{
	const struct storage_relative *relative;
	char name[64];

	for (size_t i = 0; i < relatives->count; i++) {
		relative = &relatives->relative[i];
		if (relative->side != GUARD_ABOVE || relative->kind != kind)
			continue;
		if (sysfs_name(relative->place.device, name, sizeof(name)))
			sysfs_guess_name(relative->place.device, name, sizeof(name));
		snprintf(text, GUARD_TEXT_BYTES, "%s /dev/%s", words, name);
		return 1;
	}
	return 0;
}

int guard_users_loop(const struct storage_relatives *relatives, char text[GUARD_TEXT_BYTES])
{
	return above(relatives, GUARD_LOOP, "in use by loop device", text);
}

int guard_users_partition(const struct storage_relatives *relatives, char text[GUARD_TEXT_BYTES])
{
	return above(relatives, GUARD_PARTITION, "the kernel has a partition of it,", text);
}

/*
 * A loop device keeps its file open. The kernel grants a write lease only on a file that nobody
 * else has open in any namespace: that shows whether loop devices that cannot be asked use it. The
 * lease is released at once; the signal for a waiting opener is one that is ignored. It does not
 * reveal anything about a file below an overlay.
 */
bool guard_users_alone(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || stacked_kind(fd) != STACKED_NOT ||
	    fcntl(fd, F_SETSIG, SIGWINCH) < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
		return false;
	return fcntl(fd, F_SETLEASE, F_UNLCK) == 0;
}
