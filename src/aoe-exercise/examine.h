/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* examine: reads what the guard wants to see of a target's disk. */
#ifndef AOE_EXERCISE_EXAMINE_H
#define AOE_EXERCISE_EXAMINE_H

#include "target.h"

/*
 * Reads the places of np_guard_places into the same places of the file @fd, which gets the size of
 * the disk. A request is sent again until it is answered, eight times at most: a place that cannot
 * be read is never taken for blank. Who else answers is noted in @target->stranger. Returns 0,
 * -ETIMEDOUT, -EIO (the target refused a read), -ESTALE (two answers to one request differ),
 * -ENOTUNIQ (more than a quarter of them had more answers than were asked for), -EINTR (a signal
 * asks to stop), or -errno.
 */
int examine_target(struct wire *wire, struct target *target, int fd);

#endif
