/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * made_clock: a monotonic clock that a test sets. It goes on by a microsecond each time it is read,
 * and nobody sleeps.
 */
#ifndef MADE_CLOCK_H
#define MADE_CLOCK_H

#include <netperf/clock.h>

extern np_time made_clock; /* 0: the real one, which is read and slept by */

#endif
