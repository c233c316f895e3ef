/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* roll: asks all targets of a list for their identity at the same time, and sorts the list. */
#ifndef AOE_EXERCISE_ROLL_H
#define AOE_EXERCISE_ROLL_H

#include "target.h"

/*
 * Sends IDENTIFY to each of the @count targets that is not identified yet and repeats it to silent
 * ones. Ends when all have answered, or after the time that one target may take. Returns 0, -ENOMEM
 * or -errno (-EINTR: a signal asks to stop); answers received by then are stored in the targets.
 */
int roll_identify(struct channel *channel, struct target *targets, unsigned count);

/* Sorts by shelf, slot and address. */
void roll_sort(struct target *targets, unsigned count);

#endif
