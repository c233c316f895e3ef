// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_users: mounts, swap, md and dm holders, exclusive openers and loop devices. */
#include "guard_users.h"

#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Undoes the kernel's octal escapes in place: "\040" is a blank (seq_file's mangle_path). */
static void unescape(char *text)
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

/* The prefix for who it is when @path is the operand's file or one of its kin; else NULL. */
static const char *kin_by_path(const struct guard_kin *kin, const char *path)
{
	const struct guard_member *member;
	struct stat status;

	if (path[0] != '/' || stat(path, &status) < 0)
		return NULL;
	if (guard_kin_is_file(kin, &status))
		return "";
	if (!S_ISBLK(status.st_mode))
		return NULL;
	member = guard_kin_find(kin, status.st_rdev);
	return member ? member->text : NULL;
}

/*
 * A line of mountinfo: "36 35 98:0 /root /point options optional... - type source options".
 * The device of btrfs is none that exists, so the source is looked at, too.
 */
static int mount_line(const struct guard_kin *kin, char *line, char text[GUARD_TEXT_BYTES])
{
	char *field[5] = {NULL}, *rest = line, *source;
	const struct guard_member *member = NULL;
	const char *who;
	dev_t device;

	for (size_t i = 0; i < 5; i++)
		field[i] = strsep(&rest, " ");
	source = rest ? strstr(rest, " - ") : NULL;
	if (!source)
		return 0;
	rest = source + 3;
	strsep(&rest, " ");
	source = strsep(&rest, " ");
	if (sysfs_parse_device(field[2], &device) == 0)
		member = guard_kin_find(kin, device);
	if (source)
		unescape(source);
	who = member ? member->text : source ? kin_by_path(kin, source) : NULL;
	if (!who)
		return 0;
	unescape(field[4]);
	snprintf(text, GUARD_TEXT_BYTES, "%smounted on %s", who, field[4]);
	return 1;
}

/* A line of /proc/swaps: "path type size used priority", blanks and tabs between. */
static int swap_line(const struct guard_kin *kin, char *line, char text[GUARD_TEXT_BYTES])
{
	const char *who;

	line[strcspn(line, " \t")] = '\0';
	unescape(line);
	who = kin_by_path(kin, line);
	if (!who)
		return 0;
	snprintf(text, GUARD_TEXT_BYTES, "%sactive swap space", who);
	return 1;
}

static int each_line(const char *path, const struct guard_kin *kin, char text[GUARD_TEXT_BYTES],
		     int (*look)(const struct guard_kin *, char *, char *))
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int found = 0;

	if (!file)
		return -errno;
	while (!found && getline(&line, &room, file) > 0)
		found = look(kin, line, text);
	if (!found && ferror(file))
		found = -EIO;
	free(line);
	fclose(file);
	return found;
}

int guard_users_mounted(const struct guard_kin *kin, char text[GUARD_TEXT_BYTES])
{
	return each_line("/proc/self/mountinfo", kin, text, mount_line);
}

/* A kernel without swap has no such file. */
int guard_users_swap(const struct guard_kin *kin, char text[GUARD_TEXT_BYTES])
{
	int found = each_line("/proc/swaps", kin, text, swap_line);

	return found == -ENOENT ? 0 : found;
}

static int holder(const struct guard_member *member, char text[GUARD_TEXT_BYTES])
{
	char path[SYSFS_PATH_BYTES];
	struct dirent *entry;
	int found = 0;
	DIR *folder;

	sysfs_block_path(path, member->device, "holders");
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	while (!found && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(text, GUARD_TEXT_BYTES, "%spart of /dev/%.63s", member->text,
			 entry->d_name);
		found = 1;
	}
	closedir(folder);
	return found;
}

static int exclusive(const char *path, const char *who, char text[GUARD_TEXT_BYTES])
{
	int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != EBUSY)
		return -errno;
	snprintf(text, GUARD_TEXT_BYTES, "%sheld exclusively by another program", who);
	return 1;
}

/* The operand is opened by @path, or not when that is NULL; the others by the kernel's names. */
static int exclusive_member(const struct guard_member *member, const char *path,
			    char text[GUARD_TEXT_BYTES])
{
	char node[80], name[64];
	int found;

	if (!member->exclusive)
		return 0;
	if (member->text[0] == '\0')
		return path ? exclusive(path, "", text) : 0;
	if (sysfs_name(member->device, name, sizeof(name)))
		return 0;
	snprintf(node, sizeof(node), "/dev/%s", name);
	found = exclusive(node, member->text, text);
	return found < 0 ? 0 : found;
}

int guard_users_held(const struct guard_kin *kin, const char *path, char text[GUARD_TEXT_BYTES])
{
	int found = 0;

	for (size_t i = 0; !found && i < kin->count; i++) {
		found = holder(&kin->member[i], text);
		if (!found)
			found = exclusive_member(&kin->member[i], path, text);
	}
	return found;
}

int guard_users_loop(const struct guard_kin *kin, char text[GUARD_TEXT_BYTES])
{
	char name[64];

	for (size_t i = 0; i < kin->count; i++) {
		if (!kin->member[i].loop || sysfs_name(kin->member[i].device, name, sizeof(name)))
			continue;
		snprintf(text, GUARD_TEXT_BYTES, "in use by loop device /dev/%s", name);
		return 1;
	}
	return 0;
}
