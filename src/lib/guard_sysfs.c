// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_sysfs: reads from /sys, and from loop devices themselves, what is stored on what. */
#include "guard_layers.h"
#include "mountinfo.h"
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <netperf/clock.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NAME_BYTES	  64
#define LOOP_MAJOR_LINUX  7
#define LOOPS_WITHOUT_SYS 256
#define PARTITIONS_TRIES  5
#define PARTITIONS_PAUSE  (20 * NP_MILLISECOND)

static uint64_t read_sectors(dev_t device, const char *attribute)
{
	char line[32];
	uint64_t sectors;

	if (sysfs_read_block(device, attribute, line, sizeof(line)) ||
	    np_units_parse_count(line, 0, UINT64_MAX / 512, &sectors))
		return UINT64_MAX / 512;
	return sectors;
}

static int add_partition(struct guard_layers *layers, dev_t device)
{
	struct guard_layer layer = {.kind = GUARD_PARTITION, .upper.device = device};

	if (sysfs_whole_disk(device, &layer.lower.device))
		return 0;
	layer.lower_begin = read_sectors(device, "start") * 512;
	layer.bytes = read_sectors(device, "size") * 512;
	return guard_layers_add(layers, &layer);
}

/*
 * For a loop device that cannot be asked, /sys has only a path, which may have been renamed or
 * deleted, or may belong to another mount namespace: it can prove a layer, but never that there is
 * none.
 */
static int add_loop_by_path(struct guard_layers *layers, dev_t device)
{
	struct guard_layer layer = {
		.kind = GUARD_LOOP, .upper.device = device, .bytes = GUARD_WHOLE};
	char path[SYSFS_PATH_BYTES];
	struct stat status;

	if (sysfs_read_block(device, "loop/backing_file", path, sizeof(path)) ||
	    stat(path, &status) < 0)
		return 0;
	if (S_ISBLK(status.st_mode))
		layer.lower.device = status.st_rdev;
	else
		layer.lower = (struct guard_place){status.st_dev, status.st_ino};
	return guard_layers_add(layers, &layer);
}

/* The device itself knows its file or device. */
static int add_loop(struct guard_layers *layers, dev_t device, const char *name)
{
	struct guard_layer layer = {.kind = GUARD_LOOP, .upper.device = device};
	int fd = sysfs_open_node(device, O_RDONLY | O_NONBLOCK), error;
	struct loop_info64 info;

	if (fd < 0) {
		guard_layers_blind(layers, true,
				   "cannot see what /dev/%s stands on (%s); root with its node in "
				   "/dev can",
				   name, strerror(-fd));
		guard_layers_suspect(layers, device);
		return add_loop_by_path(layers, device);
	}
	error = ioctl(fd, LOOP_GET_STATUS64, &info) < 0 ? errno : 0;
	close(fd);
	if (error == ENXIO) /* not in use any more */
		return 0;
	if (error) {
		guard_layers_blind(layers, true, "cannot see what /dev/%s stands on (%s)", name,
				   strerror(error));
		guard_layers_suspect(layers, device);
		return add_loop_by_path(layers, device);
	}
	if (info.lo_rdevice)
		layer.lower.device = (dev_t)info.lo_rdevice;
	else
		layer.lower = (struct guard_place){(dev_t)info.lo_device, (ino_t)info.lo_inode};
	layer.lower_begin = info.lo_offset;
	layer.bytes = info.lo_sizelimit ? info.lo_sizelimit : GUARD_WHOLE;
	return guard_layers_add(layers, &layer);
}

static int add_members(struct guard_layers *layers, dev_t device)
{
	struct guard_layer layer = {.kind = GUARD_MEMBER,
				    .scattered = true,
				    .upper.device = device,
				    .bytes = GUARD_WHOLE};
	char path[SYSFS_PATH_BYTES], tail[NAME_BYTES * 2], line[32];
	struct dirent *entry;
	int error = 0;
	DIR *folder;

	sysfs_block_path(path, device, "slaves");
	folder = opendir(path);
	if (!folder)
		return 0; /* a partition has none */
	while (!error && (errno = 0, entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(tail, sizeof(tail), "slaves/%.63s/dev", entry->d_name);
		if (sysfs_read_block(device, tail, line, sizeof(line)) ||
		    sysfs_parse_device(line, &layer.lower.device))
			guard_layers_blind(layers, false, "cannot see what %s is in %s",
					   entry->d_name, path);
		else
			error = guard_layers_add(layers, &layer);
	}
	if (!error && errno)
		error = -errno;
	closedir(folder);
	return error;
}

/* Also where /sys does not show the name of its file. */
static bool is_loop_in_use(dev_t device)
{
	char line[SYSFS_PATH_BYTES];

	return sysfs_read_block(device, "loop/backing_file", line, sizeof(line)) == 0 ||
	       (major(device) == LOOP_MAJOR_LINUX && read_sectors(device, "size") != 0);
}

static int add_device(struct guard_layers *layers, const char *name)
{
	char path[SYSFS_PATH_BYTES], line[SYSFS_PATH_BYTES];
	size_t before = layers->count;
	dev_t device;
	int error;

	snprintf(path, sizeof(path), "/sys/class/block/%.200s/dev", name);
	/* A device that went away meanwhile has no number, nor has a path of NVMe multipath. */
	if (sysfs_read_line(path, line, sizeof(line)) || sysfs_parse_device(line, &device))
		return 0;
	error = add_partition(layers, device);
	if (!error && is_loop_in_use(device))
		error = add_loop(layers, device, name);
	if (!error)
		error = add_members(layers, device);
	if (!error && layers->count > before && layers->layer[before].kind == GUARD_MEMBER)
		(void)guard_layers_read_mapping(layers, device);
	return error;
}

/* Loop devices with a node can still be asked; there is no list of others. */
static int ask_loops(struct guard_layers *layers)
{
	char name[NAME_BYTES], path[NAME_BYTES];
	struct stat status;
	int error = 0;

	for (unsigned i = 0; !error && i < LOOPS_WITHOUT_SYS; i++) {
		snprintf(name, sizeof(name), "loop%u", i);
		snprintf(path, sizeof(path), "/dev/loop%u", i);
		if (stat(path, &status) == 0 && S_ISBLK(status.st_mode) &&
		    major(status.st_rdev) == LOOP_MAJOR_LINUX)
			error = add_loop(layers, status.st_rdev, name);
	}
	return error;
}

/* Is something mounted over @path, so that it cannot be trusted? Then notes that. */
static bool is_covered(struct guard_layers *layers, const char *path)
{
	if (sysfs_check(path) != -EXDEV)
		return false;
	guard_layers_blind(layers, false,
			   "cannot see what stands on it: something is mounted over %.120s or a "
			   "folder above; umount that, or look from another mount namespace",
			   path);
	return true;
}

/* These hold what is read about the device @name. */
static bool is_device_covered(struct guard_layers *layers, const char *name)
{
	static const char *const parts[] = {
		"", "/dev", "/loop/backing_file", "/slaves", "/holders", "/partition", "/dm/name"};
	char path[SYSFS_PATH_BYTES];
	bool covered = false;

	for (size_t i = 0; !covered && i < sizeof(parts) / sizeof(*parts); i++) {
		snprintf(path, sizeof(path), "/sys/class/block/%.200s%s", name, parts[i]);
		covered = is_covered(layers, path);
	}
	return covered;
}

/* The device in a line of /proc/partitions is in /sys: "major minor #blocks name". */
static bool is_listed(const char *line)
{
	char path[SYSFS_PATH_BYTES];
	unsigned high, low;
	char *end;

	high = (unsigned)strtoul(line, &end, 10);
	if (end == line || *end != ' ')
		return true; /* the heading */
	low = (unsigned)strtoul(end, NULL, 10);
	sysfs_block_path(path, makedev(high, low), "dev");
	return sysfs_check(path) == 0;
}

/* Returns the line of a device in /proc/partitions that /sys lacks, to be freed, or NULL. */
static char *find_unlisted(void)
{
	FILE *file = mountinfo_open("/proc/partitions");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		if (!is_listed(line)) {
			fclose(file);
			return line;
		}
	}
	if (file)
		fclose(file);
	free(line);
	return NULL;
}

/* Repeats the search for a device that may have just come or gone. */
static void compare_partitions(struct guard_layers *layers)
{
	char *line = NULL;

	for (unsigned i = 0; i < PARTITIONS_TRIES; i++) {
		free(line);
		line = find_unlisted();
		if (!line)
			return;
		(void)np_clock_sleep_until(np_clock_now() + PARTITIONS_PAUSE);
	}
	line[strcspn(line, "\n")] = '\0';
	guard_layers_blind(
		layers, false,
		"cannot see what stands on it: /sys lacks what /proc/partitions has:%.80s",
		strrchr(line, ' ') ? strrchr(line, ' ') : line);
	free(line);
}

/* @covered: what /sys tells of a device by its number is not to be trusted. */
static int read_folder(struct guard_layers *layers, DIR *folder, bool covered)
{
	struct dirent *entry;
	int error = 0;

	while (!error && (errno = 0, entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		covered |= is_device_covered(layers, entry->d_name);
		error = add_device(layers, entry->d_name);
	}
	if (!error && errno)
		error = -errno;
	return error || !covered ? error : ask_loops(layers);
}

int guard_layers_read(struct guard_layers *layers)
{
	const char *missing = sysfs_missing();
	DIR *folder = missing ? NULL : opendir("/sys/class/block");
	bool covered;
	int error;

	if (!folder) {
		missing = missing ? missing : strerror(errno);
		error = ask_loops(layers);
		guard_layers_blind(layers, false, "cannot see what stands on it: %s", missing);
		return error;
	}
	covered = is_covered(layers, "/sys/class/block") || is_covered(layers, "/sys/dev/block");
	(void)is_covered(layers, "/sys/fs/btrfs");
	error = read_folder(layers, folder, covered);
	closedir(folder);
	if (!error)
		compare_partitions(layers);
	return error;
}

int guard_layers_read_loops(struct guard_layers *layers)
{
	DIR *folder = sysfs_missing() ? NULL : opendir("/sys/class/block");
	char path[SYSFS_PATH_BYTES], line[SYSFS_PATH_BYTES];
	struct dirent *entry;
	dev_t device;
	int error = 0;

	if (!folder)
		return ask_loops(layers);
	while (!error && (errno = 0, entry = readdir(folder))) {
		snprintf(path, sizeof(path), "/sys/class/block/%.200s/dev", entry->d_name);
		if (strncmp(entry->d_name, "loop", 4) == 0 &&
		    sysfs_read_line(path, line, sizeof(line)) == 0 &&
		    sysfs_parse_device(line, &device) == 0 && is_loop_in_use(device))
			error = add_loop(layers, device, entry->d_name);
	}
	if (!error && errno)
		error = -errno;
	closedir(folder);
	return error;
}
