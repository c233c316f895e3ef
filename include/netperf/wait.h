/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * wait: sleeps that end when a descriptor is ready or at a moment of np_clock_now(), to the
 * precision of the kernel's timers. Thread-safe.
 */
#ifndef NETPERF_WAIT_H
#define NETPERF_WAIT_H

#include <netperf/clock.h>
#include <poll.h>

#include <netperf/bits/begin.h>

/*
 * Sleeps until one of @count @fds is ready (poll(2); a negative descriptor never is), until
 * @deadline, or until a signal. NP_TIME_NEVER: no deadline; a deadline that has passed: checks
 * without sleeping. Returns how many are ready; 0 at the deadline or after a signal, with every
 * revents 0; or -errno.
 */
int np_wait_ready(struct pollfd *fds, nfds_t count, np_time deadline);

/*
 * PR_SET_TIMERSLACK: from now on sleeps of the calling thread, and of threads it starts later, end
 * when they are due, not up to 50 us later. Real-time threads have no slack anyway.
 */
void np_wait_end_on_time(void);

#include <netperf/bits/end.h>
#endif
