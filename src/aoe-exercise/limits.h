/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* limits: checks that the request fits the target, the interface and this host. */
#ifndef AOE_EXERCISE_LIMITS_H
#define AOE_EXERCISE_LIMITS_H

#include "options.h"
#include "target.h"

/* The most sectors that fit a frame at @mtu, which includes 36 bytes of headers (AoEr11). */
unsigned limits_sectors(unsigned mtu);

/*
 * True when @interface is in the aoe driver's @list (module parameter aoe_iflist). An empty list
 * means all.
 */
bool limits_listed(const char *list, const char *interface);

/*
 * Refuses a packet that is too large and a region beyond the disk. Warns of a window larger than
 * the target's buffers, and when the kernel's driver uses the same interface. Returns 0, or the
 * exit status 2 after a message.
 */
int limits_check(const struct options *options, const struct target *target, unsigned mtu,
		 const struct np_log *log);

#endif
