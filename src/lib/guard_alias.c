// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard_alias: compares the files of loop devices with the operand and with each other. */
#include "guard_alias.h"

#include "guard_lock.h"
#include "stacked.h"
#include "storage_relatives.h"
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <netperf/guard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FILES_MAX 4096

struct file {
	struct guard_place place;
	dev_t loop; /* the loop device that has it; 0: the operand, or the file below another one */
	int fd;	    /* opened with O_PATH; -1: it cannot be examined */
	enum stacked_kind kind;
	bool settled; /* it is not on a stacked file system, or the file below it is known */
};

struct files {
	struct file *file;
	size_t count;
	size_t room;
};

/* Takes ownership of @fd. */
static int add(struct files *files, struct guard_place place, dev_t loop, int fd)
{
	struct file *larger;

	if (files->count == FILES_MAX) {
		if (fd >= 0)
			close(fd);
		return -E2BIG;
	}
	if (files->count == files->room) {
		files->room = files->room ? files->room * 2 : 16;
		larger = reallocarray(files->file, files->room, sizeof(*larger));
		if (!larger) {
			if (fd >= 0)
				close(fd);
			return -ENOMEM;
		}
		files->file = larger;
	}
	/* Stacked file systems have no device of their own. */
	files->file[files->count++] = (struct file){
		.place = place,
		.loop = loop,
		.fd = fd,
		.kind = fd >= 0			   ? stacked_kind(fd)
			: major(place.device) == 0 ? STACKED_OTHER
						   : STACKED_NOT,
	};
	return 0;
}

/* Opens the file that /sys names, if it is the one at @place. */
static int open_file(dev_t loop, const struct guard_place *place)
{
	char path[SYSFS_PATH_BYTES];
	struct guard_place found;
	struct stat status;
	int fd;

	if (sysfs_read_block(loop, "loop/backing_file", path, sizeof(path)))
		return -1;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		found = guard_place_of(&status);
		if (guard_place_is(&found, place))
			return fd;
	}
	close(fd);
	return -1;
}

static int add_given(struct files *files, int fd)
{
	struct stat status;

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return 0;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? -errno : add(files, guard_place_of(&status), 0, fd);
}

static int add_loops(struct files *files, const struct guard_layers *layers)
{
	int error = 0;

	for (size_t i = 0; !error && i < layers->count; i++) {
		const struct guard_layer *layer = &layers->layer[i];

		if (layer->kind == GUARD_LOOP && layer->lower.inode != 0)
			error = add(files, layer->lower, layer->upper.device,
				    open_file(layer->upper.device, &layer->lower));
	}
	return error;
}

static int join(struct guard_layers *layers, const struct file *upper, const struct file *lower)
{
	const struct guard_layer layer = {.kind = GUARD_ALIAS,
					  .upper = upper->place,
					  .lower = lower->place,
					  .bytes = GUARD_WHOLE};

	return guard_place_is(&upper->place, &lower->place) ? 0 : guard_layers_add(layers, &layer);
}

/* Files found below are appended to the list, since they may be on an overlay, too. */
static int settle(struct files *files, struct guard_layers *layers)
{
	struct stat status;
	int error = 0, fd;

	for (size_t i = 0; !error && i < files->count; i++) {
		struct file *file = &files->file[i];

		file->settled = file->kind == STACKED_NOT;
		if (file->kind != STACKED_OVERLAY || (fd = stacked_below(file->fd)) < 0)
			continue;
		if (fstat(fd, &status) < 0) {
			close(fd);
			continue;
		}
		file->settled = true;
		error = add(files, guard_place_of(&status), 0, fd);
		if (!error)
			error = join(layers, &files->file[i], &files->file[files->count - 1]);
	}
	return error;
}

/* Is @file the operand, or is the operand stored on it? */
static int concerns(const struct file *file, const struct guard_place *operand,
		    const struct guard_layers *layers)
{
	const struct storage_relative *relative;
	struct storage_relatives relatives;
	int error = storage_relatives_collect(&relatives, operand, layers), found = error;

	if (!error) {
		relative = storage_relatives_find(&relatives, &file->place);
		found = relative && relative->side != GUARD_ABOVE;
	}
	storage_relatives_free(&relatives);
	return found;
}

/* Somebody has mounted it, or holds it otherwise; in a container that is all there is to see. */
static bool is_held(dev_t loop)
{
	int fd = sysfs_open_node(loop, O_RDONLY | O_EXCL | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	return fd == -EBUSY;
}

/* @file may be @other by another name, and a loop device uses @other. */
static int say_unknown(struct guard_layers *layers, const struct file *file,
		       const struct file *other, const struct guard_place *operand)
{
	int found = concerns(file, operand, layers);
	char name[64];

	if (found <= 0 || other->loop == 0)
		return found;
	guard_layers_suspect(layers, other->loop);
	if (sysfs_name(other->loop, name, sizeof(name)))
		sysfs_guess_name(other->loop, name, sizeof(name));
	if (file->settled)
		guard_layers_blind(layers, true,
				   "cannot see whether it is the file of /dev/%s by another name",
				   name);
	else
		guard_layers_blind(
			layers, false,
			"cannot see which file below its %s it is, and whether that is "
			"the file of /dev/%s%s; outside of this mount namespace it can be "
			"seen",
			file->kind == STACKED_OVERLAY ? "overlay" : "file system", name,
			is_held(other->loop) ? ", which is in use" : "");
	return 0;
}

static int compare(struct guard_layers *layers, const struct file *one, const struct file *other,
		   const struct guard_place *operand)
{
	enum stacked_answer answer = STACKED_UNKNOWN;
	int error;

	/* For settled files the numbers decide. */
	if (one->settled && other->settled)
		return 0;
	if (guard_place_is(&one->place, &other->place))
		return 0;
	if (one->fd >= 0 && other->fd >= 0)
		answer = stacked_compare(one->fd, other->fd);
	if (answer == STACKED_DIFFERENT)
		return 0;
	if (answer == STACKED_SAME)
		return join(layers, one, other);
	error = say_unknown(layers, one, other, operand);
	return error < 0 ? error : say_unknown(layers, other, one, operand);
}

/* A program that writes a file has it locked. The operand itself is locked by us. */
static int look_for_locks(struct guard_layers *layers, const struct files *files,
			  const struct guard_place *operand)
{
	char link[32];
	int found = 0;

	for (size_t i = 0; operand->inode == 0 && !layers->locked && i < files->count; i++) {
		const struct file *file = &files->file[i];

		found = concerns(file, operand, layers);
		if (found < 0)
			return found;
		found = found ? guard_lock_is_held(file->fd, &file->place) : 0;
		if (found < 0)
			guard_layers_blind(layers, false,
					   "cannot see whether the file under it is locked: "
					   "/proc/locks: %s; root, where the file is, can",
					   strerror(-found));
		layers->locked = found > 0;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
		if (layers->locked)
			(void)np_guard_locker(link, layers->locker);
	}
	return 0;
}

int guard_alias_add(struct guard_layers *layers, const struct guard_place *operand, int fd,
		    int other)
{
	struct files files = {0};
	int error = add_given(&files, fd);

	if (!error)
		error = add_given(&files, other);
	if (!error)
		error = add_loops(&files, layers);
	if (!error)
		error = settle(&files, layers);
	for (size_t i = 0; !error && i < files.count; i++) {
		for (size_t j = i + 1; !error && j < files.count; j++)
			error = compare(layers, &files.file[i], &files.file[j], operand);
	}
	if (!error)
		error = look_for_locks(layers, &files, operand);
	for (size_t i = 0; i < files.count; i++) {
		if (files.file[i].fd >= 0)
			close(files.file[i].fd);
	}
	free(files.file);
	return error;
}
