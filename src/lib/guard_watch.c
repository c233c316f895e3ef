// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard_watch: keeps what was known before the first write, except loop devices, which are read
 * again when one of them has changed: only those can be put onto what is held or locked.
 */
#include "guard_alias.h"
#include "guard_users.h"
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <netperf/clock.h>
#include <netperf/guard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A program that asks for exclusive use and is refused holds a device for a second or two, which is
 * no use yet; a mount lasts.
 */
#define HELD_LIMIT (3 * NP_SECOND)

struct np_guard_watch {
	int fd;
	bool is_file;
	bool told;
	struct guard_place operand;
	struct guard_layers lasting; /* all but loop devices */
	struct guard_layers layers;  /* with those that there were at the last look */
	struct storage_relatives relatives;
	uint64_t mark;
	bool marked;
	np_time held_since; /* 0: it is not held */
	uint64_t ground;    /* tells which part of what it was stored on at the first look */
	bool grounded;
	bool moved; /* that is no longer so */
};

static uint64_t add_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return hash * UINT64_C(1099511628211);
}

/*
 * A number that changes with any loop device's file. Returns false when /sys does not show all of
 * them.
 */
static bool mark_loops(uint64_t *mark)
{
	static const char *const parts[] = {"loop/backing_file", "loop/offset", "diskseq"};
	DIR *folder = sysfs_missing() ? NULL : opendir("/sys/class/block");
	char path[SYSFS_PATH_BYTES], line[SYSFS_PATH_BYTES];
	struct dirent *entry;
	bool complete;

	*mark = 0;
	if (!folder)
		return false;
	while ((errno = 0, entry = readdir(folder))) {
		uint64_t hash = add_text(UINT64_C(14695981039346656037), entry->d_name);

		if (strncmp(entry->d_name, "loop", 4) != 0)
			continue;
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
			snprintf(path, sizeof(path), "/sys/class/block/%.60s/%s", entry->d_name,
				 parts[i]);
			(void)sysfs_read_line(path, line, sizeof(line));
			hash = add_text(hash, line);
		}
		*mark += hash; /* in whichever order they are listed */
	}
	complete = errno == 0;
	closedir(folder);
	return complete;
}

static int copy_lasting(struct guard_layers *to, const struct guard_layers *from)
{
	int error = 0;

	for (size_t i = 0; !error && i < from->count; i++) {
		if (from->layer[i].kind != GUARD_LOOP)
			error = guard_layers_add(to, &from->layer[i]);
	}
	return error;
}

static void forget(struct np_guard_watch *watch)
{
	storage_relatives_free(&watch->relatives);
	guard_layers_free(&watch->layers);
	watch->layers = (struct guard_layers){0};
	watch->relatives = (struct storage_relatives){0};
}

/* Finds who shares storage with it by the loop devices of this moment. */
static int read_again(struct np_guard_watch *watch)
{
	int error;

	forget(watch);
	error = copy_lasting(&watch->layers, &watch->lasting);
	if (!error)
		error = guard_layers_read_loops(&watch->layers);
	if (!error)
		error = guard_alias_add(&watch->layers, &watch->operand,
					watch->is_file ? watch->fd : -1, -1);
	return error ? error
		     : storage_relatives_collect(&watch->relatives, &watch->operand,
						 &watch->layers);
}

static uint64_t add_number(uint64_t hash, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return add_text(hash, text);
}

/* A loop device can be moved to another part of its file, or to another file, in mid-run. */
static void compare_ground(struct np_guard_watch *watch)
{
	uint64_t ground = 0;

	for (size_t i = 0; i < watch->relatives.count; i++) {
		const struct storage_relative *relative = &watch->relatives.relative[i];
		uint64_t hash = UINT64_C(14695981039346656037);

		if (relative->side != GUARD_BELOW || relative->kind != GUARD_LOOP)
			continue;
		hash = add_number(hash, relative->place.device);
		hash = add_number(hash, relative->place.inode);
		hash = add_number(hash, relative->begin);
		ground += hash; /* a larger device is not another one */
	}
	watch->moved = watch->grounded && ground != watch->ground;
	if (!watch->grounded)
		watch->ground = ground;
	watch->grounded = true;
}

static int read_if_changed(struct np_guard_watch *watch)
{
	uint64_t mark;
	bool marked = mark_loops(&mark);
	int error;

	if (marked && watch->marked && mark == watch->mark)
		return 0;
	error = read_again(watch);
	if (!error)
		compare_ground(watch);
	watch->mark = mark;
	watch->marked = marked && !error;
	return error;
}

int np_guard_watch_create(struct np_guard_watch **result, int fd, bool told)
{
	struct np_guard_watch *watch;
	struct stat status;
	int error;

	*result = NULL;
	if (fstat(fd, &status) < 0)
		return -errno;
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return -ENOMEM;
	watch->fd = fd;
	watch->told = told;
	watch->is_file = S_ISREG(status.st_mode);
	watch->operand = guard_place_of(&status);
	error = guard_layers_read(&watch->lasting);
	if (error)
		np_guard_watch_free(watch);
	else
		*result = watch;
	return error;
}

void np_guard_watch_free(struct np_guard_watch *watch)
{
	if (!watch)
		return;
	forget(watch);
	guard_layers_free(&watch->lasting);
	free(watch);
}

static bool is_found(struct np_guard_verdict *verdict, int found, enum np_guard_reason reason)
{
	if (found > 0)
		verdict->reason = reason;
	return found > 0;
}

/* Returns 1 when it has been held for so long that it is used, 0, or -errno. */
static int is_held(struct np_guard_watch *watch, struct np_guard_verdict *verdict)
{
	const np_time now = np_clock_now();
	int found = guard_users_held(&watch->relatives, NULL, now, &watch->layers, verdict->text);

	if (found <= 0) {
		watch->held_since = 0;
		return found;
	}
	if (watch->held_since == 0)
		watch->held_since = now;
	return now - watch->held_since >= HELD_LIMIT;
}

/* What --destroy does not override. Returns 1 with a reason, 0, or -errno: cannot see all of it. */
static int find_user(struct np_guard_watch *watch, struct np_guard_verdict *verdict)
{
	const struct storage_relatives *relatives = &watch->relatives;
	int mounted, btrfs, swap, held;

	mounted = guard_users_mounted(relatives, NULL, verdict->text);
	if (is_found(verdict, mounted, NP_GUARD_MOUNTED))
		return 1;
	btrfs = guard_users_btrfs(relatives, verdict->text);
	if (is_found(verdict, btrfs, NP_GUARD_MOUNTED))
		return 1;
	swap = guard_users_swap(relatives, NULL, verdict->text);
	if (is_found(verdict, swap, NP_GUARD_SWAP))
		return 1;
	held = is_held(watch, verdict);
	if (is_found(verdict, held, NP_GUARD_HELD))
		return 1;
	return mounted ? mounted : btrfs ? btrfs : swap ? swap : held;
}

int np_guard_watch_look(struct np_guard_watch *watch, struct np_guard_verdict *verdict)
{
	int error = read_if_changed(watch), found;

	memset(verdict, 0, sizeof(*verdict));
	if (error)
		return error;
	if (is_found(verdict, watch->moved, NP_GUARD_HELD)) {
		snprintf(verdict->text, sizeof(verdict->text),
			 "stored on something else than what was examined");
		return 0;
	}
	found = find_user(watch, verdict);
	if (found || watch->told)
		return found > 0 || watch->told ? 0 : found;
	if (is_found(verdict, guard_users_loop(&watch->relatives, verdict->text), NP_GUARD_LOOP))
		return 0;
	verdict->text[0] = '\0';
	if (watch->layers.blind[0] == '\0' ||
	    (watch->layers.blind_to_loops && guard_users_alone(watch->fd)))
		return 0;
	verdict->reason = NP_GUARD_UNSEEN;
	snprintf(verdict->text, sizeof(verdict->text), "%s", watch->layers.blind);
	return 0;
}
