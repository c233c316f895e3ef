// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* host: is the target a disk of this host's own AoE driver, and in use here? */
#include "guard.h"

#include <inttypes.h>
#include <netperf/guard.h>
#include <stdio.h>
#include <string.h>

/* What --destroy would have to say; the target itself has not been asked yet. */
static bool is_told(const struct options *options, char name[TARGET_NAME_BYTES])
{
	snprintf(name, TARGET_NAME_BYTES, "e%" PRIu64 ".%" PRIu64, options->target.shelf,
		 options->target.slot);
	return options->target.destroy && strcmp(options->target.destroy, name) == 0;
}

int guard_local(const struct options *options, const struct np_log *log)
{
	struct np_guard_verdict verdict;
	char name[TARGET_NAME_BYTES], path[64];
	bool told = is_told(options, name);
	int error;

	snprintf(path, sizeof(path), "/dev/etherd/%s", name);
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
		np_log_warning(log, path, "%s; overwriting as told", verdict.text);
		return 0;
	}
	np_log_error(log, path, "%s; --destroy=%s overwrites it all the same", verdict.text, name);
	return 2;
}
