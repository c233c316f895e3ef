/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_content: what is on it, and whether anybody may miss it. */
#ifndef GUARD_CONTENT_H
#define GUARD_CONTENT_H

#include <netperf/guard.h>

/*
 * Adds what libblkid finds to @verdict->signatures; the first one in words to @verdict->text. 0,
 * -EIO when it could not read, or -ENOMEM.
 */
int guard_content_signatures(int fd, uint64_t bytes, struct np_guard_verdict *verdict);

/*
 * Looks for what is neither zero nor our stamps in the places of np_guard_places of the @bytes from
 * @offset on, and behind their last whole sector. 0 or -errno.
 */
int guard_content_foreign(int fd, uint64_t offset, uint64_t bytes,
			  struct np_guard_verdict *verdict);

#endif
