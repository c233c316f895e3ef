/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_alias: files with two names and different numbers, the merged name on an overlay and that
 * in one of its layers, as layers of storage.
 */
#ifndef GUARD_ALIAS_H
#define GUARD_ALIAS_H

#include "guard_layers.h"

/*
 * Adds to @layers, which was read before, which files of loop devices, of @fd and of @other are the
 * same. @operand is what is judged; @fd is open on it when it is a file, else -1; @other: another
 * file to compare, or -1. What is unknown and concerns the operand makes @layers blind. Notes in
 * @layers whether a file below an operand that is a device is locked. Returns 0 or -errno.
 */
int guard_alias_add(struct guard_layers *layers, const struct guard_place *operand, int fd,
		    int other);

#endif
