// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * example: finds the example files relative to the program, which may have been moved, where make
 * or make install put them.
 */
#include "example.h"

#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_there(const char *folder, const char *below, const char *name, char room[PATH_MAX])
{
	struct stat status;
	int length = snprintf(room, PATH_MAX, "%s/%s/%s", folder, below, name);

	return length < PATH_MAX && !stat(room, &status) && S_ISREG(status.st_mode);
}

/* The directory of the running program. */
static bool own_folder(char folder[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	char *slash;

	if (length <= 0)
		return false;
	folder[length] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

const char *example_find(const char *name, char room[PATH_MAX], const struct np_log *log)
{
	static const char *const paths[] = {EXAMPLES_PATH, EXAMPLES_USUAL_PATH};
	char folder[PATH_MAX];
	struct stat status;
	size_t at = 0;

	if (!*name || strchr(name, '/') || !lstat(name, &status) || !own_folder(folder))
		return name;
	while (at < sizeof(paths) / sizeof(*paths) && !is_there(folder, paths[at], name, room))
		at++;
	if (at == sizeof(paths) / sizeof(*paths))
		return name;
	np_log_info(log, "%s: no such file in this folder; reading the example %s", name, room);
	return room;
}
