/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard: decides whether the target may be overwritten. Called before the first write. */
#ifndef AOE_EXERCISE_GUARD_H
#define AOE_EXERCISE_GUARD_H

#include "examine.h"
#include "options.h"
#include "target.h"

#include <netperf/guard.h>

/*
 * Refuses a target whose disk this host uses as /dev/etherd/eSHELF.SLOT, whether or not that node
 * exists or can be read. What cannot be determined is refused unless --destroy names the target.
 * Needs the privileges that the program started with. Returns 0, or the exit status 2 after a
 * message.
 */
int guard_local(const struct options *options, const struct np_log *log);

/* Looks each second whether this host has begun to use the target that is being written. */
struct guard_watch {
	char path[64];
	np_time next;
	struct np_guard_verdict user;
};

void guard_watch_start(struct guard_watch *watch, const struct options *options);

/*
 * Returns false when this host is known to use it, and says in @watch->user how. Without its AoE
 * driver, or when none of its disks is the target, that costs next to nothing.
 */
bool guard_watch_is_free(struct guard_watch *watch, np_time now);

/*
 * Judges the hosts that answer for the target: @count of @answerers, of which the first will be
 * used. More than one forbids writing, and causes a warning when reading. Returns 0, or exit status
 * 2 after a message.
 */
int guard_alone(const struct options *options, const struct target *answerers, unsigned count,
		const struct np_log *log);

/* The part of the target's disk that the options allow to be written. */
struct np_guard_place guard_region(const struct options *options, const struct target *target);

/*
 * Examines the target, lets libblkid search the image of its disk, and logs what the target is.
 * Returns 0, or an exit status after a message.
 */
int guard_remote(struct examination *examination, const struct options *options,
		 struct target *target, const struct np_log *log);

#endif
