/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* roll: asks all targets of a list for their identity at the same time, and puts them in order. */
#ifndef AOE_EXERCISE_ROLL_H
#define AOE_EXERCISE_ROLL_H

#include "target.h"

/*
 * Sends IDENTIFY to each of the @count targets that is not identified yet, again to the silent
 * ones, and ends when all have answered or after the time for one of them. Returns 0, -ENOMEM or
 * -errno (-EINTR: a signal asks to stop); what came until then is noted in the targets.
 */
int roll_identify(struct wire *wire, struct target *targets, unsigned count);

/* By shelf, slot and address. */
void roll_sort(struct target *targets, unsigned count);

#endif
