/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * clock: monotonic time in nanoseconds, sleeping until a moment, and what the wall clock says at
 * the same moment.
 *
 * All functions are thread-safe; none keeps state.
 */
#ifndef NETPERF_CLOCK_H
#define NETPERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

/*
 * A moment or a length of time: nanoseconds of CLOCK_MONOTONIC. The library's only type for time.
 */
typedef int64_t np_time;

#define NP_MICROSECOND ((np_time)1000)
#define NP_MILLISECOND ((np_time)1000000)
#define NP_SECOND      ((np_time)1000000000)
#define NP_TIME_NEVER  INT64_MAX

/* The present moment. */
np_time np_clock_now(void);

/*
 * Sleeps until @when (returns at once if it is past). Returns 0, or -EINTR when a signal came
 * first.
 */
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

#include <netperf/bits/end.h>
#endif
