// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * clock: reads monotonic nanoseconds, and pairs both clocks; sleeps until a moment, by ppoll(2)
 * also until a descriptor is ready, or spins where a sleep would take longer; sets the timer slack.
 */
#include <errno.h>
#include <netperf/clock.h>
#include <sys/prctl.h>
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

struct np_clock_pair np_clock_pair_read(void)
{
	struct np_clock_pair best = {.error = NP_TIME_NEVER};

	/* An interrupted reading has a large error; one of a few tries is not interrupted. */
	for (int i = 0; i < PAIR_TRIES; i++) {
		const np_time before = np_clock_now();
		const np_time realtime = read_clock(CLOCK_REALTIME);
		const np_time half = (np_clock_now() - before + 1) / 2;

		if (half < best.error)
			best = (struct np_clock_pair){before + half, realtime, half};
	}
	return best;
}

int np_wait_ready(struct pollfd *fds, nfds_t count, np_time deadline)
{
	const np_time now = np_clock_now(), left = deadline > now ? deadline - now : 0;
	const struct timespec limit = {left / NP_SECOND, left % NP_SECOND};
	int ready = ppoll(fds, count, deadline == NP_TIME_NEVER ? NULL : &limit, NULL);

	if (ready >= 0)
		return ready;
	if (errno != EINTR)
		return -errno;
	/* The kernel leaves revents unchanged. */
	for (nfds_t i = 0; i < count; i++)
		fds[i].revents = 0;
	return 0;
}

void np_wait_end_on_time(void)
{
	prctl(PR_SET_TIMERSLACK, 1UL);
}

bool np_busy_poll_spin(struct np_busy_poll *busy, np_time now)
{
	const bool dense = (np_time)busy->messages * NP_BUSY_POLL_DENSE > now - busy->since;
	const np_time end = now + NP_BUSY_POLL_SPIN;

	*busy = (struct np_busy_poll){.since = now};
	while (dense && now < end)
		now = np_clock_now();
	return dense;
}
