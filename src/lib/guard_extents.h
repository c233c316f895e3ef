/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_extents: what a file with holes holds between them. */
#ifndef GUARD_EXTENTS_H
#define GUARD_EXTENTS_H

#include <netperf/guard.h>

#define GUARD_EXTENTS_MAX	  4096
#define GUARD_EXTENTS_WHOLE_BYTES (UINT64_C(64) << 20)

/*
 * Looks for anything but zeros and our stamps in each extent of the file @fd for which its file
 * system has data, as far as it is in @region: in all of it if the extents have no more than
 * GUARD_EXTENTS_WHOLE_BYTES together, otherwise in the first and the last NP_GUARD_SAMPLE_BYTES of
 * each. More extents than GUARD_EXTENTS_MAX are UNREAD. Does nothing if there are no holes, or if
 * the file system does not know them. Returns 0 with @verdict, or -errno.
 */
int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict);

#endif
