/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_content: what is on it, and whether somebody may miss it. */
#ifndef GUARD_CONTENT_H
#define GUARD_CONTENT_H

#include <netperf/guard.h>

/*
 * Adds all signatures that libblkid finds to @verdict->signatures, and describes the first one in
 * @verdict->text. Returns 0, -EIO when it could not read, or -ENOMEM.
 */
int guard_content_signatures(int fd, uint64_t bytes, struct np_guard_verdict *verdict);

/*
 * Looks for anything but zeros and our stamps in @count places of the file or device, in that
 * order, up to the first finding. Returns 0 or -errno.
 */
int guard_content_places(int fd, const struct np_guard_place *place, size_t count,
			 struct np_guard_verdict *verdict);

#endif
