// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_kin: finds the block devices that share storage with the operand. */
#include "guard_kin.h"

#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NAME_BYTES 64

/* What a loop device has its content in: a file (inode) or a block device (under). */
struct backing {
	dev_t device;
	ino_t inode;
	dev_t under;
};

const struct guard_member *guard_kin_find(const struct guard_kin *kin, dev_t device)
{
	for (size_t i = 0; i < kin->count; i++) {
		if (kin->member[i].device == device)
			return &kin->member[i];
	}
	return NULL;
}

bool guard_kin_is_file(const struct guard_kin *kin, const struct stat *status)
{
	return kin->file_inode != 0 && S_ISREG(status->st_mode) &&
	       status->st_ino == kin->file_inode && status->st_dev == kin->file_device;
}

void guard_kin_free(struct guard_kin *kin)
{
	free(kin->member);
}

/* Returns the new member, NULL when out of memory. */
static struct guard_member *add(struct guard_kin *kin, dev_t device)
{
	struct guard_member *member;

	if (kin->count == kin->room) {
		kin->room = kin->room ? kin->room * 2 : 16;
		member = reallocarray(kin->member, kin->room, sizeof(*member));
		if (!member)
			return NULL;
		kin->member = member;
	}
	member = &kin->member[kin->count++];
	memset(member, 0, sizeof(*member));
	member->device = device;
	return member;
}

static int add_named(struct guard_kin *kin, dev_t device, const char *format)
{
	struct guard_member *member;
	char name[NAME_BYTES];

	if (guard_kin_find(kin, device))
		return 0;
	member = add(kin, device);
	if (!member)
		return -ENOMEM;
	if (sysfs_name(device, name, sizeof(name)))
		snprintf(name, sizeof(name), "?");
	snprintf(member->text, sizeof(member->text), "%s /dev/%s is ", format, name);
	return 0;
}

/* Partitions are the folders of the disk's folder that have a file "partition". */
static int add_partitions(struct guard_kin *kin, dev_t disk)
{
	char path[SYSFS_PATH_BYTES], tail[NAME_BYTES * 2], line[32];
	struct dirent *entry;
	int error = 0;
	dev_t device;
	DIR *folder;

	sysfs_block_path(path, disk, "");
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	while (!error && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= NAME_BYTES)
			continue;
		snprintf(tail, sizeof(tail), "%.63s/partition", entry->d_name);
		if (sysfs_read_block(disk, tail, line, sizeof(line)))
			continue;
		snprintf(tail, sizeof(tail), "%.63s/dev", entry->d_name);
		if (sysfs_read_block(disk, tail, line, sizeof(line)) ||
		    sysfs_parse_device(line, &device))
			continue;
		error = add_named(kin, device, "its partition");
	}
	closedir(folder);
	return error;
}

static int add_relatives(struct guard_kin *kin, dev_t device)
{
	dev_t disk;
	int error = add_partitions(kin, device);

	if (!error && sysfs_whole_disk(device, &disk) == 0)
		error = add_named(kin, disk, "its disk");
	return error;
}

/*
 * The ioctl knows the file itself, whatever its path is by now; where the device may not be
 * opened the path has to do.
 */
static int read_backing(const char *name, struct backing *backing)
{
	char path[SYSFS_PATH_BYTES], file[SYSFS_PATH_BYTES];
	struct loop_info64 info;
	struct stat status;
	int fd, result;

	snprintf(path, sizeof(path), "/sys/block/%.63s/loop/backing_file", name);
	if (sysfs_read_line(path, file, sizeof(file)))
		return -ENOENT;
	snprintf(path, sizeof(path), "/dev/%.63s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		result = ioctl(fd, LOOP_GET_STATUS64, &info);
		close(fd);
		if (result == 0) {
			backing->device = (dev_t)info.lo_device;
			backing->inode = (ino_t)info.lo_inode;
			backing->under = (dev_t)info.lo_rdevice;
			return 0;
		}
	}
	if (stat(file, &status) < 0)
		return -errno;
	backing->device = status.st_dev;
	backing->inode = status.st_ino;
	backing->under = S_ISBLK(status.st_mode) ? status.st_rdev : 0;
	return 0;
}

static int add_loop(struct guard_kin *kin, dev_t device)
{
	struct guard_member *member;
	int error;

	if (guard_kin_find(kin, device))
		return 0;
	error = add_named(kin, device, "loop device");
	if (error)
		return error;
	member = &kin->member[kin->count - 1];
	member->loop = true;
	member->exclusive = true;
	return add_partitions(kin, device);
}

/* One loop device against what is known so far: may add it or, when it is @disk, what is under it.
 */
static int consider_loop(struct guard_kin *kin, const char *name, dev_t disk)
{
	char path[SYSFS_PATH_BYTES], line[32];
	struct backing backing = {0};
	dev_t device;
	int error;

	snprintf(path, sizeof(path), "/sys/block/%.63s/dev", name);
	if (read_backing(name, &backing) || sysfs_read_line(path, line, sizeof(line)) ||
	    sysfs_parse_device(line, &device))
		return 0;
	if (device == disk && backing.under != 0) {
		error = add_named(kin, backing.under, "under it");
		return error ? error : add_relatives(kin, backing.under);
	}
	if (device == disk) {
		kin->file_device = backing.device;
		kin->file_inode = backing.inode;
		return 0;
	}
	if (backing.under != 0 ? !guard_kin_find(kin, backing.under)
			       : backing.inode == 0 || backing.inode != kin->file_inode ||
					 backing.device != kin->file_device)
		return 0;
	return add_loop(kin, device);
}

static int consider_loops(struct guard_kin *kin, dev_t disk)
{
	struct dirent *entry;
	int error = 0;
	DIR *folder;

	folder = opendir("/sys/block");
	if (!folder)
		return errno == ENOENT ? 0 : -errno;
	while (!error && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, "loop", 4) == 0)
			error = consider_loop(kin, entry->d_name, disk);
	}
	closedir(folder);
	return error;
}

int guard_kin_collect(struct guard_kin *kin, const struct stat *status)
{
	dev_t self = S_ISBLK(status->st_mode) ? status->st_rdev : 0, disk = self;
	ino_t inode;
	size_t known;
	int error;

	memset(kin, 0, sizeof(*kin));
	if (self == 0) {
		kin->file_device = status->st_dev;
		kin->file_inode = status->st_ino;
	} else {
		if (!add(kin, self))
			return -ENOMEM;
		kin->member[0].exclusive = true;
		(void)sysfs_whole_disk(self, &disk);
		error = add_relatives(kin, self);
		if (error)
			return error;
	}
	/* A loop device may stand on another one: look again until nothing new is found. */
	do {
		known = kin->count;
		inode = kin->file_inode;
		error = consider_loops(kin, disk);
	} while (!error && (kin->count > known || kin->file_inode != inode));
	return error;
}
