// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * extents-back: preloaded, it makes each extent that the kernel tells end where the program began
 * to look, as of a file system that changes meanwhile.
 */
#include <dlfcn.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <sys/ioctl.h>

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) =
		(int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	struct fiemap *map;
	va_list rest;
	int rc;

	va_start(rest, request);
	map = va_arg(rest, struct fiemap *);
	va_end(rest);
	rc = real(fd, request, map);
	if (!rc && request == FS_IOC_FIEMAP && map->fm_mapped_extents) {
		map->fm_extents[0].fe_logical = 0;
		map->fm_extents[0].fe_length = map->fm_start;
	}
	return rc;
}
