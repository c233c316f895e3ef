/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_extents: what a file holds where its file system knows of data. */
#ifndef GUARD_EXTENTS_H
#define GUARD_EXTENTS_H

#include <netperf/guard.h>

#define GUARD_EXTENTS_MAX	  4096
#define GUARD_EXTENTS_WHOLE_BYTES (UINT64_C(64) << 20)

/*
 * Looks for anything but zeros and our stamps in @region of the file @fd: in all of it if it has no
 * more than GUARD_EXTENTS_WHOLE_BYTES; otherwise, if there are holes or unwritten extents, in each
 * extent of data: in all of them if they have no more than that together, else in the first and the
 * last NP_GUARD_SAMPLE_BYTES of each. More extents than GUARD_EXTENTS_MAX are UNREAD. Does nothing
 * more if the file is dense, or if the file system does not know. Returns 0 with @verdict, or
 * -errno.
 */
int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict);

#endif
