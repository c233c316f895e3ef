// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * busy-device: preloaded, the first BUSY_OPENS times that a program opens a file exclusively are
 * refused, as with a device that somebody holds who is about to give it back.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/types.h>

typedef int open_function(const char *path, int flags, mode_t mode);

static int open_really(const char *name, const char *path, int flags, mode_t mode)
{
	open_function *real = (open_function *)dlsym(RTLD_NEXT, name);
	const char *times = getenv("BUSY_OPENS");
	static long refused;

	if (times && (flags & O_EXCL) && !(flags & O_CREAT) && refused < atol(times)) {
		refused++;
		errno = EBUSY;
		return -1;
	}
	return real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list rest;
	mode_t mode;

	va_start(rest, flags);
	mode = va_arg(rest, mode_t);
	va_end(rest);
	return open_really("open", path, flags, mode);
}

/* The same one: where offsets have 64 bits anyhow, and here none is used. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
	return open_really("open", path, flags, 0);
}
