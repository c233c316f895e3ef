// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * fail-disk: preloaded, the disk of one program fails whenever its cache is to be written back, and
 * libaio tells of no I/O that is done.
 */
#include <errno.h>
#include <time.h>
#include <unistd.h>

/* libaio.h has it with types of its own. */
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
