// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* host: checks whether the target is a disk of this host's own AoE driver, and in use here. */
#include "guard.h"

#include <dirent.h>
#include <inttypes.h>
#include <netperf/guard.h>
#include <stdio.h>
#include <string.h>

#define NODES "/dev/etherd"

/* Whether --destroy names the target by its address; the target itself has not been asked yet. */
static bool is_told(const struct options *options, char name[TARGET_NAME_BYTES])
{
	snprintf(name, TARGET_NAME_BYTES, "e%" PRIu64 ".%" PRIu64, options->target.shelf,
		 options->target.slot);
	return options->target.destroy && strcmp(options->target.destroy, name) == 0;
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
	if (told) {
		np_log_warning(log, path, "%s; overwriting it, as --destroy says", verdict.text);
		return 0;
	}
	np_log_error(log, path, "%s; --destroy=%s overwrites it all the same", verdict.text, name);
	return 2;
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
	struct dirent *entry;
	char path[64];
	int status = 0;

	while (folder && !status && (entry = readdir(folder))) {
		if (!is_partition(entry->d_name, name))
			continue;
		snprintf(path, sizeof(path), NODES "/%.40s", entry->d_name);
		status = ask(path, name, told, log);
	}
	if (folder)
		closedir(folder);
	return status;
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
