// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * guard_lock: asks the file itself for locks, or reads the table of locks when it cannot be opened.
 */
#include "guard_lock.h"

#include "mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <netperf/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LIMIT NP_SECOND
#define PAUSE (10 * NP_MILLISECOND)

bool guard_lock_is_of(const char *line, const struct guard_place *place)
{
	const char *at = strchr(line, ':');
	unsigned long high, low;
	char *end;

	/* The number is between the colons after the fourth word. */
	at = at ? strchr(at + 1, ':') : NULL;
	if (!at)
		return false;
	while (at > line && at[-1] != ' ')
		at--;
	high = strtoul(at, &end, 16);
	if (*end != ':')
		return false;
	low = strtoul(end + 1, &end, 16);
	return *end == ':' && high == major(place->device) && low == minor(place->device) &&
	       strtoul(end + 1, NULL, 10) == place->inode;
}

bool guard_lock_is_lock(const char *line)
{
	return strstr(line, " OFDLCK ") || strstr(line, " POSIX ") || strstr(line, " FLOCK ");
}

long guard_lock_owner(const char *line)
{
	const char *at = strchr(line, ':');

	/* The word before the number of the file. */
	at = at ? strchr(at + 1, ':') : NULL;
	if (!at)
		return 0;
	while (at > line && at[-1] != ' ')
		at--;
	while (at > line && at[-1] == ' ')
		at--;
	while (at > line && at[-1] != ' ')
		at--;
	return strtol(at, NULL, 10);
}

static int is_in_table(const struct guard_place *place)
{
	FILE *file = mountinfo_open("/proc/locks");
	char line[256];
	int found = 0;

	if (!file)
		return -errno;
	/* A waiting lock, "->", follows the one it waits for; a lease is no lock. */
	while (!found && fgets(line, sizeof(line), file))
		found = guard_lock_is_lock(line) && guard_lock_is_of(line, place);
	if (!found && ferror(file))
		found = -EIO;
	fclose(file);
	return found;
}

/* The kernel tells of a lock by flock(2) only to who asks for one; it goes with the descriptor. */
static bool is_flocked(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static int is_locked(int fd, const struct guard_place *place)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char link[32];
	int opened, answer = -1;
	bool flocked = false;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	opened = fd < 0 ? -1 : open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (opened >= 0) {
		answer = fcntl(opened, F_OFD_GETLK, &lock);
		flocked = is_flocked(opened);
		close(opened);
	}
	if (flocked)
		return 1;
	return answer < 0 ? is_in_table(place) : lock.l_type != F_UNLCK;
}

int guard_lock_is_held(int fd, const struct guard_place *place)
{
	const np_time limit = np_clock_now() + LIMIT;
	int locked;

	while ((locked = is_locked(fd, place)) > 0 && np_clock_now() < limit)
		(void)np_clock_sleep_until(np_clock_now() + PAUSE);
	return locked;
}
