// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* host: checks whether the target is a disk of this host's own AoE driver, and in use here. */
#include "guard.h"

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

int guard_local(const struct options *options, const struct np_log *log)
{
	char name[TARGET_NAME_BYTES], path[64];
	const bool told = is_told(options, name);

	snprintf(path, sizeof(path), NODES "/%s", name);
	return ask(path, name, told, log);
}
