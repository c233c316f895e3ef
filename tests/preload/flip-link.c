// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * flip-link: preloaded, it exchanges the symbolic link FLIP_LINK with FLIP_WITH after a program has
 * accessed the link's path FLIP_AT times: so what a path leads to changes between two accesses,
 * every time and not by chance.
 */
#include "open.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef int stat_function(const char *path, struct stat *status);

static int looked(const char *path, int result)
{
	const char *link = getenv("FLIP_LINK"), *with = getenv("FLIP_WITH");
	const char *at = getenv("FLIP_AT");
	static long looks;

	if (link && with && at && strcmp(path, link) == 0 && ++looks == atol(at))
		(void)renameat2(AT_FDCWD, link, AT_FDCWD, with, RENAME_EXCHANGE);
	return result;
}

static int open_really(const char *name, const char *path, int flags, mode_t mode)
{
	open_function *real = (open_function *)dlsym(RTLD_NEXT, name);

	return looked(path, real(path, flags, mode));
}

int stat(const char *path, struct stat *status)
{
	stat_function *real = (stat_function *)dlsym(RTLD_NEXT, "stat");

	return looked(path, real(path, status));
}
