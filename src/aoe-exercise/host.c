// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* host: checks whether the target is a disk of this host's own AoE driver, and in use here. */
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <netperf/guard.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NODES "/dev/etherd"

/* Whether --destroy names the target by its address; the target itself has not been asked yet. */
static bool is_told(const struct options *options, char name[TARGET_NAME_BYTES])
{
	snprintf(name, TARGET_NAME_BYTES, "e%" PRIu64 ".%" PRIu64, options->target.shelf,
		 options->target.slot);
	return options->target.destroy && strcmp(options->target.destroy, name) == 0;
}

/* What cannot be seen, --destroy overrides. Returns 0 or the exit status 2. */
static int refuse_unseen(const char *path, const char *what, const char *name, bool told,
			 const struct np_log *log)
{
	if (told)
		np_log_warning(log, path, "%s; overwriting it, as --destroy says", what);
	else
		np_log_error(log, path, "%s; --destroy=%s overwrites it all the same", what, name);
	return told ? 0 : 2;
}

/* Returns 0 when @path is not in use or --destroy overrides, else the exit status 2. */
static int ask(const char *path, const char *name, bool told, const struct np_log *log)
{
	struct np_guard_verdict verdict;
	int error;

	error = np_guard_users(path, &verdict);
	if (error) {
		np_log_error(log, path, "cannot tell whether this host uses it: %s",
			     strerror(-error));
		return 2;
	}
	if (verdict.reason == NP_GUARD_FREE)
		return 0;
	if (verdict.reason != NP_GUARD_UNSEEN) {
		np_log_error(log, path, "this host uses it: %s", verdict.text);
		return 2;
	}
	if (!verdict.destroyable)
		return np_log_refuse(log, path, "%s", verdict.text);
	return refuse_unseen(path, verdict.text, name, told, log);
}

/* A partition whose disk has no node is checked by itself. */
static bool is_partition(const char *file, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(file, name, length) && file[length] == 'p' && file[length + 1] &&
	       !file[length + 1 + strspn(file + length + 1, "0123456789")];
}

static int ask_for_partitions(const char *name, bool told, const struct np_log *log)
{
	DIR *folder = opendir(NODES);
	int status = 0, error = 0;
	struct dirent *entry;
	char path[64], text[128];

	if (!folder)
		error = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
	while (folder && !status && (errno = 0, entry = readdir(folder))) {
		if (!is_partition(entry->d_name, name))
			continue;
		snprintf(path, sizeof(path), NODES "/%.40s", entry->d_name);
		status = ask(path, name, told, log);
	}
	if (folder) {
		error = status ? 0 : errno;
		closedir(folder);
	}
	if (!error)
		return status;
	snprintf(text, sizeof(text),
		 "cannot see which partitions of %s this host has: %s; root can", name,
		 strerror(error));
	return refuse_unseen(NODES, text, name, told, log);
}

int guard_local(const struct options *options, const struct np_log *log)
{
	char name[TARGET_NAME_BYTES], path[64];
	bool told = is_told(options, name);
	int status;

	snprintf(path, sizeof(path), NODES "/%s", name);
	status = ask(path, name, told, log);
	return status ? status : ask_for_partitions(name, told, log);
}

void guard_watch_start(struct guard_watch *watch, const struct options *options)
{
	*watch = (struct guard_watch){0};
	snprintf(watch->path, sizeof(watch->path), NODES "/e%" PRIu64 ".%" PRIu64,
		 options->target.shelf, options->target.slot);
}

/* Does its driver have the disk? A slash in a name is "!" in /sys. */
static bool is_there(const char *path)
{
	char folder[96];

	snprintf(folder, sizeof(folder), "/sys/class/block/etherd!%s", path + strlen(NODES "/"));
	return access(folder, F_OK) == 0 || access(path, F_OK) == 0;
}

bool guard_watch_is_free(struct guard_watch *watch, np_time now)
{
	if (now < watch->next)
		return watch->user.reason == NP_GUARD_FREE;
	watch->next = now + NP_SECOND;
	if (!is_there(watch->path) || np_guard_users(watch->path, &watch->user) ||
	    watch->user.reason == NP_GUARD_UNSEEN)
		watch->user.reason = NP_GUARD_FREE;
	return watch->user.reason == NP_GUARD_FREE;
}
