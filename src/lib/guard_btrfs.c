// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_btrfs: reads from /sys which disks belong to a mounted btrfs. */
#include "guard_btrfs.h"

#include "sysfs.h"

#include <dirent.h>
#include <stdio.h>

/* The relative that is among the disks in @folder; NULL: none, or @beside is missing. */
static const struct storage_relative *find_disk(const char *folder,
						const struct storage_relatives *relatives,
						dev_t beside)
{
	const struct storage_relative *relative, *found = NULL;
	char path[SYSFS_PATH_BYTES], line[32];
	struct guard_place place = {0};
	bool is_there = beside == 0;
	struct dirent *entry;
	DIR *disks = opendir(folder);

	if (!disks)
		return NULL;
	while ((entry = readdir(disks))) {
		snprintf(path, sizeof(path), "%.200s/%.63s/dev", folder, entry->d_name);
		if (entry->d_name[0] == '.' || sysfs_read_line(path, line, sizeof(line)) ||
		    sysfs_parse_device(line, &place.device))
			continue;
		relative = storage_relatives_find(relatives, &place);
		found = found ? found : relative;
		is_there |= place.device == beside;
	}
	closedir(disks);
	return is_there ? found : NULL;
}

const struct storage_relative *guard_btrfs_find(const char *folder,
						const struct storage_relatives *relatives,
						dev_t beside, char uuid[GUARD_BTRFS_UUID_BYTES])
{
	const struct storage_relative *found = NULL;
	char path[SYSFS_PATH_BYTES];
	struct dirent *entry;
	DIR *systems = opendir(folder);

	if (!systems)
		return NULL;
	while (!found && (entry = readdir(systems))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%.100s/%.39s/devices", folder, entry->d_name);
		found = find_disk(path, relatives, beside);
		snprintf(uuid, GUARD_BTRFS_UUID_BYTES, "%.39s", entry->d_name);
	}
	closedir(systems);
	return found;
}
