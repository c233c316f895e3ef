/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* wait: sleeps that end when they should: to the nanosecond of the kernel's timers, or by looking.
 */
#ifndef GROUP_TEST_WAIT_H
#define GROUP_TEST_WAIT_H

#include <netperf/clock.h>
#include <poll.h>
#include <stdbool.h>

/* The calling thread's sleeps end when they are due, not up to 50 us later (timer slack). */
void wait_sharpen(void);

/* Looks at the clock until @when; who else wants the CPU may have it in between. */
void wait_spin(np_time when);

/*
 * Sleeps until one of @fds is ready or @deadline, NP_TIME_NEVER: no limit; at once when that is
 * past. Returns how many are ready.
 */
int wait_ready(struct pollfd *fds, nfds_t count, np_time deadline);

#endif
