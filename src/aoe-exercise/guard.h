/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard: decides whether the target can be used so, and whether it may be overwritten. */
#ifndef AOE_EXERCISE_GUARD_H
#define AOE_EXERCISE_GUARD_H

#include "examine.h"
#include "options.h"

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

/*
 * Refuses a target whose disk this host uses as /dev/etherd/eSHELF.SLOT, whether or not that node
 * exists or can be read. What cannot be determined is refused unless --destroy names the target.
 * Needs the privileges that the program started with. Returns 0, or the exit status 2 after a
 * message.
 */
int guard_local(const struct options *options, const struct np_log *log);

/*
 * Judges the hosts that answer for the target: @count of @answerers, of which the first will be
 * used. More than one forbids writing, and causes a warning when reading. Returns 0, or exit status
 * 2 after a message.
 */
int guard_alone(const struct options *options, const struct target *answerers, unsigned count,
		const struct np_log *log);

/* The order in which the options visit the region, the part of the disk that they use. */
struct np_cursor guard_cursor(const struct options *options, const struct target *target);

/* That region. */
struct np_guard_place guard_region(const struct options *options, const struct target *target);

/*
 * Examines the target, lets libblkid search the image of its disk, and logs what the target is.
 * Returns 0, or an exit status after a message.
 */
int guard_remote(struct examination *examination, const struct options *options,
		 const struct np_log *log);

#endif
