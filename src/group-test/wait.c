// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* wait: ppoll(2) with an absolute moment, the timer slack, and a spin. */
#include "wait.h"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

void wait_sharpen(void)
{
	prctl(PR_SET_TIMERSLACK, 1UL);
}

void wait_spin(np_time when)
{
	while (np_clock_now() < when)
		sched_yield();
}

int wait_ready(struct pollfd *fds, nfds_t count, np_time deadline)
{
	struct timespec rest = {};
	np_time left;

	if (deadline == NP_TIME_NEVER)
		return ppoll(fds, count, NULL, NULL);
	left = deadline - np_clock_now();
	if (left > 0)
		rest = (struct timespec){left / NP_SECOND, left % NP_SECOND};
	return ppoll(fds, count, &rest, NULL);
}
