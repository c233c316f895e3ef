/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* console_time: formats a moment as the original does. */
#ifndef DATAGRAM_TEST_CONSOLE_TIME_H
#define DATAGRAM_TEST_CONSOLE_TIME_H

#include <netperf/clock.h>

#define CONSOLE_TIME_TEXT 40

/*
 * @realtime (CLOCK_REALTIME, ns) in local time: "2026-11-21 09:01:20.62", milliseconds without
 * trailing zeros except for the first digit. Returns @out.
 */
char *console_time(np_time realtime, char out[CONSOLE_TIME_TEXT]);

#endif
