/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * shaper: queueing disciplines that split a buffer of many datagrams (UDP_SEGMENT): they report a
 * refusal only if they drop all of it. Thread-safe.
 */
#ifndef OVERLAY_SHAPER_H
#define OVERLAY_SHAPER_H

#include <stdbool.h>

/*
 * False: each discipline of this network namespace is known to take or refuse a buffer as a whole.
 * True: one of them may split it, or they cannot be asked for. Asks the kernel: tens of
 * microseconds, more with thousands of interfaces.
 */
bool overlay_shaper_splits(void);

#endif
