// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* clock: reads monotonic nanoseconds, sleeps until a moment, and pairs both clocks. */
#include <errno.h>
#include <netperf/clock.h>
#include <time.h>

#define PAIR_TRIES 5

static np_time read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (np_time)now.tv_sec * NP_SECOND + now.tv_nsec;
}

np_time np_clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int np_clock_sleep_until(np_time when)
{
	/* The kernel refuses times before its clock started. */
	if (when <= 0)
		return 0;

	const struct timespec moment = {
		.tv_sec = when / NP_SECOND,
		.tv_nsec = when % NP_SECOND,
	};

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
}

double np_clock_seconds(np_time t)
{
	return (double)t / 1e9;
}

static struct np_clock_pair read_pair_once(void)
{
	const np_time before = np_clock_now();
	const np_time realtime = read_clock(CLOCK_REALTIME);
	const np_time after = np_clock_now();
	const np_time half = (after - before + 1) / 2;

	return (struct np_clock_pair){
		.monotonic = before + half,
		.realtime = realtime,
		.error = half,
	};
}

struct np_clock_pair np_clock_pair_read(void)
{
	struct np_clock_pair best = read_pair_once();

	/* An interrupted reading has a large error; one of a few tries is not interrupted. */
	for (int i = 1; i < PAIR_TRIES; i++) {
		const struct np_clock_pair pair = read_pair_once();

		if (pair.error < best.error)
			best = pair;
	}
	return best;
}
