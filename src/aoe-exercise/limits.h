/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* limits: does what the user asks for fit the target, the interface and this host? */
#ifndef AOE_EXERCISE_LIMITS_H
#define AOE_EXERCISE_LIMITS_H

#include "options.h"
#include "target.h"

/* Most sectors that a frame carries at @mtu: 36 bytes of headers are counted to it (AoEr11). */
unsigned limits_sectors(unsigned mtu);

/* Is @interface one of the aoe driver's @list (module parameter aoe_iflist)? Empty: all are. */
bool limits_listed(const char *list, const char *interface);

/*
 * Refuses a packet that is too large and a region outside the disk; warns of a window beyond the
 * target's buffers, and of the kernel's driver on the same interface. Returns 0, or the exit status
 * 2 after a message.
 */
int limits_check(const struct options *options, const struct target *target, unsigned mtu,
		 const struct np_log *log);

#endif
