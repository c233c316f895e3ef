/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard: what is on a disk or a file, beside np_guard_content. */
#pragma once

#include <netperf/disk.h>

/*
 * Adds all signatures that libblkid finds to @verdict->signatures, and describes the first one in
 * @verdict->text. Returns 0, -EIO when it could not read, or -ENOMEM.
 */
int guard_content_signatures(int fd, uint64_t bytes, struct np_guard_verdict *verdict);

#define GUARD_EXTENTS_MAX	  4096
#define GUARD_EXTENTS_WHOLE_BYTES (UINT64_C(64) << 20)

/*
 * Looks for anything but zeros and our stamps in @region of the file @fd: in all of it if it has no
 * more than GUARD_EXTENTS_WHOLE_BYTES; otherwise, if there are holes or unwritten extents, in each
 * extent of data: in all of them if they have no more than that together, else in the first and the
 * last NP_GUARD_SAMPLE_BYTES of each. More extents than GUARD_EXTENTS_MAX are UNREAD. Does nothing
 * more if the file is dense, or if the file system does not know. Returns 0 with @verdict, or
 * -ENOMEM.
 */
int guard_extents_foreign(int fd, const struct np_guard_place *region,
			  struct np_guard_verdict *verdict);
