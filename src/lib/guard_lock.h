/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_lock: files that another test writes, or any program that locks what it writes. */
#ifndef GUARD_LOCK_H
#define GUARD_LOCK_H

#include "guard_layers.h"

/*
 * Has anybody locked the file at @place, which is open as @fd with O_PATH, or -1? Waits a second
 * for a lock that goes away. Returns 1, 0, or -errno: neither the file nor the table of locks can
 * be read.
 */
int guard_lock_is_held(int fd, const struct guard_place *place);

/*
 * Is @line of /proc/locks about the file at @place? "1: OFDLCK ADVISORY  WRITE -1 fe:00:12345 0
 * EOF", the device in hexadecimal.
 */
bool guard_lock_is_of(const char *line, const struct guard_place *place);

/* Is @line, of that table or of a descriptor's, about a lock, not a lease? */
bool guard_lock_is_lock(const char *line);

/* The process that a line of the table names; 0 or less: none that can be seen from here, or an OFD
 * lock. */
long guard_lock_owner(const char *line);

#endif
