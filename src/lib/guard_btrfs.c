// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_btrfs: reads from /sys which disks belong to a mounted btrfs. */
#include "guard_btrfs.h"

#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

/* What is not there, or not any more, has nothing to say. */
static int folder_error(void)
{
	return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
}

/* Finds the relative that is among the disks in @folder if @beside is one, too, or is 0. */
static int find_disk(const char *folder, const struct storage_relatives *relatives, dev_t beside,
		     const struct storage_relative **found)
{
	const struct storage_relative *first = NULL;
	char path[SYSFS_PATH_BYTES], line[32];
	struct guard_place place = {0};
	bool is_there = beside == 0;
	struct dirent *entry;
	int error = 0;
	DIR *disks = opendir(folder);

	if (!disks)
		return folder_error();
	while (!error && (errno = 0, entry = readdir(disks))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%.200s/%.63s/dev", folder, entry->d_name);
		error = sysfs_read_line(path, line, sizeof(line));
		error = error == -ENOENT ? 0 : error;
		if (error || sysfs_parse_device(line, &place.device))
			continue;
		first = first ? first : storage_relatives_find(relatives, &place);
		is_there |= place.device == beside;
	}
	if (!error && errno)
		error = -errno;
	closedir(disks);
	if (!first || !is_there)
		return error;
	*found = first;
	return 1;
}

int guard_btrfs_find(const char *folder, const struct storage_relatives *relatives, dev_t beside,
		     char uuid[GUARD_BTRFS_UUID_BYTES], const struct storage_relative **found)
{
	char path[SYSFS_PATH_BYTES];
	struct dirent *entry;
	int rc = 0;
	DIR *systems = opendir(folder);

	if (!systems)
		return folder_error();
	while (!rc && (errno = 0, entry = readdir(systems))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%.100s/%.39s/devices", folder, entry->d_name);
		rc = find_disk(path, relatives, beside, found);
		snprintf(uuid, GUARD_BTRFS_UUID_BYTES, "%.39s", entry->d_name);
	}
	if (!rc && errno)
		rc = -errno;
	closedir(systems);
	return rc;
}
