/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* clock: monotonic time, sleeping until a moment, and what the wall clock says at the same one. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A moment or a length of time: nanoseconds of CLOCK_MONOTONIC. The only type for time. */
typedef int64_t np_time;

#define NP_MICROSECOND ((np_time)1000)
#define NP_MILLISECOND ((np_time)1000000)
#define NP_SECOND      ((np_time)1000000000)
#define NP_TIME_NEVER  INT64_MAX

np_time np_clock_now(void);

/* Of two moments. */
static inline np_time np_clock_sooner(np_time a, np_time b)
{
	return a < b ? a : b;
}

/* Sleeps until @when, if that is not past. Returns 0, or -EINTR when a signal came first. */
int np_clock_sleep_until(np_time when);

/* @t in seconds, for printing only. */
double np_clock_seconds(np_time t);

/*
 * The same moment on both clocks: CLOCK_REALTIME was @realtime when CLOCK_MONOTONIC was @monotonic,
 * within @error (half the time the reading took).
 */
struct np_clock_pair {
	np_time monotonic;
	np_time realtime;
	np_time error;
};

/* Reads both clocks several times and returns the closest pair. */
struct np_clock_pair np_clock_pair_read(void);

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

/*
 * Whether a receiver that found its queue empty sleeps, or polls again after a short
 * spin. When messages arrive every few microseconds, a spin costs less than a sleep, which the
 * sender must end by waking the receiver. Each look at the queue takes the lock that the sender
 * needs, so there is only one, at the end of the spin.
 */

/* Messages arrive densely when there is, on average, one in this time or less. */
#define NP_BUSY_POLL_DENSE (5 * NP_MICROSECOND)
#define NP_BUSY_POLL_SPIN  (20 * NP_MICROSECOND)

/* What arrived since the queue was last empty. Starts as {.since = now}. */
struct np_busy_poll {
	uint64_t messages; /* the receiver adds to it */
	np_time since;
};

/*
 * The queue is empty at @now. If messages have arrived densely since it was last empty, spins until
 * NP_BUSY_POLL_SPIN after @now, since a sleep this short would last longer, and returns true: poll
 * again; false: sleep. The next span starts at @now.
 */
bool np_busy_poll_spin(struct np_busy_poll *busy, np_time now);
