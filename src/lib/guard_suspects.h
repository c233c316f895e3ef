/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_suspects: loop devices that may stand on the operand, which cannot be seen. One that is in
 * use must not lose its file even if --destroy names that.
 */
#ifndef GUARD_SUSPECTS_H
#define GUARD_SUSPECTS_H

#include "guard_layers.h"

#include <netperf/clock.h>

/*
 * Whether a suspect of @layers is in use, or may be; one that is too large for a file of @bytes
 * does not stand on that. Waits until @limit for whoever holds a device to let go of it. Returns 1
 * and says so in @text, 0, or -errno.
 */
int guard_suspects_used(const struct guard_layers *layers, const struct guard_place *operand,
			uint64_t bytes, np_time limit, char text[GUARD_TEXT_BYTES]);

#endif
