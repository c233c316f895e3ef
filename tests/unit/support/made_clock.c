// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* made_clock: stands in for the C library's clock, by which the library reads it. */
#include "made_clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

np_time made_clock;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC || !made_clock)
		return (int)syscall(SYS_clock_gettime, clock, now);
	made_clock += NP_MICROSECOND;
	*now = (struct timespec){made_clock / NP_SECOND, made_clock % NP_SECOND};
	return 0;
}
