/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_lock: files that another test writes, or any program that locks what it writes. */
#ifndef GUARD_LOCK_H
#define GUARD_LOCK_H

#include "guard_layers.h"

/*
 * Has anybody locked the file at @place, which is open as @fd with O_PATH, or -1? Waits a second
 * for a lock that goes away.
 */
bool guard_lock_is_held(int fd, const struct guard_place *place);

/*
 * Is @line of /proc/locks about the file at @place? "1: OFDLCK ADVISORY  WRITE -1 fe:00:12345 0
 * EOF", the device in hexadecimal.
 */
bool guard_lock_is_of(const char *line, const struct guard_place *place);

#endif
