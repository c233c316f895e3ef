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

/*
 * The same for a btrfs that contains the operand or one of its relatives beside @source. What
 * cannot be read is noticed when all of them are searched.
 */
static const char *relative_by_btrfs(const struct storage_relatives *relatives, const char *source)
{
	const struct storage_relative *relative;
	char uuid[GUARD_BTRFS_UUID_BYTES];
	struct stat status;

	if (stat(source, &status) < 0 || !S_ISBLK(status.st_mode))
		return NULL;
	return guard_btrfs_find(GUARD_BTRFS_FOLDER, relatives, status.st_rdev, uuid, &relative) > 0
		       ? relative->text
		       : NULL;
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

static int look_elsewhere(void *owner, const char *path, pid_t process)
{
	const struct elsewhere *e = owner;
	int found = each_line(path, NULL, e->name, e->text, other_mount_line);
	size_t length = strlen(e->text);

	if (found > 0)
		snprintf(e->text + length, GUARD_TEXT_BYTES - length, " (process %d)",
			 (int)process);
	return found;
}

int guard_users_elsewhere(const char *name, char text[GUARD_TEXT_BYTES])
{
	struct elsewhere elsewhere = {.name = name, .text = text};

	return guard_spaces_each(look_elsewhere, &elsewhere);
}

struct file_elsewhere {
	const struct storage_relatives *relatives;
	char *text;
};

/* The relative that is the source of @mount in the namespace of @process, and a file, or NULL. */
static const struct storage_relative *find_source(const struct storage_relatives *relatives,
						  const struct mountinfo *mount, pid_t process)
{
	char path[PATH_MAX + 32];
	struct guard_place place;
	struct stat status;
	size_t length;

	length = (size_t)snprintf(path, sizeof(path), "/proc/%d/root%s", (int)process,
				  mount->source);
	if (mount->source[0] != '/' || length >= sizeof(path) || stat(path, &status) < 0 ||
	    !S_ISREG(status.st_mode))
		return NULL;
	place = guard_place_of(&status);
	return storage_relatives_find(relatives, &place);
}

static int look_for_file(void *owner, const char *path, pid_t process)
{
	const struct file_elsewhere *e = owner;
	const struct storage_relative *relative = NULL;
	FILE *file = mountinfo_open(path);
	struct mountinfo mount;
	char *line = NULL;
	size_t room = 0;
	int error;

	if (!file)
		return -errno;
	while (!relative && getline(&line, &room, file) > 0) {
		if (mountinfo_parse(line, &mount))
			relative = find_source(e->relatives, &mount, process);
		if (relative)
			snprintf(e->text, GUARD_TEXT_BYTES,
				 "%.80smounted on %.100s in the mount namespace of process %d",
				 relative->text, mount.point, (int)process);
	}
	error = ferror(file) ? -EIO : 0;
	free(line);
	fclose(file);
	return relative ? 1 : error;
}

int guard_users_file_elsewhere(const struct storage_relatives *relatives,
			       char text[GUARD_TEXT_BYTES])
{
	struct file_elsewhere elsewhere = {.relatives = relatives, .text = text};

	return guard_spaces_each(look_for_file, &elsewhere);
}

int guard_users_mounted(const struct storage_relatives *relatives, const char *name,
			char text[GUARD_TEXT_BYTES])
{
	return each_line("/proc/self/mountinfo", relatives, name, text, mount_line);
}

int guard_users_btrfs(const struct storage_relatives *relatives, char text[GUARD_TEXT_BYTES])
{
	const struct storage_relative *relative;
	char uuid[GUARD_BTRFS_UUID_BYTES];
	int found = guard_btrfs_find(GUARD_BTRFS_FOLDER, relatives, 0, uuid, &relative);

	if (found > 0)
		snprintf(text, GUARD_TEXT_BYTES, "%smounted somewhere as a part of the btrfs %s",
			 relative->text, uuid);
	return found;
}

/* A kernel without swap has no such file; without /proc the mounts are missing, too. */
int guard_users_swap(const struct storage_relatives *relatives, const char *name,
		     char text[GUARD_TEXT_BYTES])
{
	int found = each_line("/proc/swaps", relatives, name, text, swap_line);

	return found == -ENOENT ? 0 : found;
}

/* The kernel refuses a write to swap space before it looks at the length. */
bool guard_users_swapped(int fd)
{
	return pwrite(fd, "", 0, 0) < 0 && errno == ETXTBSY;
}

static void blind_to_holders(struct guard_layers *layers, const char *path)
{
	guard_layers_blind(layers, false, "cannot see what stands on it: %.120s: %s; root can",
			   path, strerror(errno));
}

/* Checks the holders in /sys: of the operand, or of what is stored on the same bytes. */
static int holder(const struct storage_relative *relative, struct guard_layers *layers,
		  char text[GUARD_TEXT_BYTES])
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
	if (!folder) {
		/* Without /sys, which is reported elsewhere, or the device is gone. */
		if (errno != ENOENT)
			blind_to_holders(layers, path);
		return 0;
	}
	while (!found && (errno = 0, entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(text, GUARD_TEXT_BYTES, "%spart of /dev/%.63s", relative->text,
			 entry->d_name);
		found = 1;
	}
	if (!found && errno)
		blind_to_holders(layers, path);
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

/* Only this shows, for example, a mount in another namespace. */
static int exclusive(const struct storage_relative *relative, const char *node, np_time limit,
		     struct guard_layers *layers, char text[GUARD_TEXT_BYTES])
{
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
	if (fd == -ENXIO || fd == -ENODEV || fd == -ENOMEDIUM)
		return 0;
	guard_layers_blind(layers, false,
			   "cannot see whether %sheld by another program (%s); root with "
			   "its node in /dev can",
			   relative->text[0] ? relative->text : "it is ", strerror(-fd));
	return 0;
}

int guard_users_held(const struct storage_relatives *relatives, const char *node, np_time limit,
		     struct guard_layers *layers, char text[GUARD_TEXT_BYTES])
{
	const struct storage_relative *relative;
	int found = 0;

	for (size_t i = 0; !found && i < relatives->count; i++)
		found = holder(&relatives->relative[i], layers, text);
	for (size_t i = 0; !found && i < relatives->count; i++) {
		relative = &relatives->relative[i];
		if (storage_relative_must_be_free(relative))
			found = exclusive(relative, NULL, limit, layers, text);
		else if (node && relative->side == GUARD_SELF && relative->place.device != 0)
			found = exclusive(relative, node, limit, layers, text);
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
 * reveal anything about a file below an overlay. Returns 0 when it was granted, or -errno, of which
 * -EAGAIN means that somebody has the file open.
 */
static int try_lease(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || stacked_kind(fd) != STACKED_NOT)
		return -EINVAL;
	if (fcntl(fd, F_SETSIG, SIGWINCH) < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) < 0 ||
	    fcntl(fd, F_SETLEASE, F_UNLCK) < 0)
		return -errno;
	return 0;
}

bool guard_users_alone(int fd)
{
	return try_lease(fd) == 0;
}

bool guard_users_shared(int fd)
{
	return try_lease(fd) == -EAGAIN;
}
