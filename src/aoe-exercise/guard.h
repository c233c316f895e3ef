/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard: may this target be overwritten? Asked before the first write. */
#ifndef AOE_EXERCISE_GUARD_H
#define AOE_EXERCISE_GUARD_H

#include "examine.h"
#include "options.h"
#include "target.h"

/*
 * Is the target's disk in use by this host, as /dev/etherd/eSHELF.SLOT, whether that node is there
 * and may be read or not? What cannot be seen is refused unless --destroy names the target.
 * Needs the privileges the program began with. Returns 0, or the exit status 2 after a message.
 */
int guard_local(const struct options *options, const struct np_log *log);

/*
 * Who answers for the target: @count of @answerers, the first of which will be asked. More than
 * one forbids writing and is warned of when reading. Returns 0, or exit status 2 after a message.
 */
int guard_alone(const struct options *options, const struct target *answerers, unsigned count,
		const struct np_log *log);

/* The part of the target's disk that the options allow to be written. */
struct np_guard_place guard_region(const struct options *options, const struct target *target);

/*
 * Examines the target and lets libblkid look at the image of its disk; says who the target is.
 * Returns 0, or an exit status after a message.
 */
int guard_remote(struct examination *examination, const struct options *options,
		 struct target *target, const struct np_log *log);

#endif
