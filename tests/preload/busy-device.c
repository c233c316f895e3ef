// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * busy-device: preloaded, it makes the first BUSY_OPENS exclusive opens of a program fail, like a
 * device whose holder is about to release it.
 */
#include "open.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

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
