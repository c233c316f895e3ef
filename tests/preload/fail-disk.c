// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * fail-disk: preloaded, it makes every flush of a program's disk fail, and hides the completion of
 * libaio's I/Os.
 */
#include <errno.h>
#include <time.h>
#include <unistd.h>

/* libaio.h declares it with its own types. */
int io_getevents(void *context, long least, long most, void *events, struct timespec *timeout);

int fsync(int fd)
{
	(void)fd;
	errno = EIO;
	return -1;
}

int fdatasync(int fd)
{
	return fsync(fd);
}

int io_getevents(void *context, long least, long most, void *events, struct timespec *timeout)
{
	(void)context;
	(void)least;
	(void)most;
	(void)events;
	(void)timeout;
	return -EIO;
}
