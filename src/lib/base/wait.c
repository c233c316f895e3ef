// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * wait: sleeps by ppoll(2) until a moment, or spins where a sleep would take longer, and sets the
 * timer slack.
 */
#include <errno.h>
#include <netperf/clock.h>
#include <sys/prctl.h>
#include <time.h>

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

bool np_busy_poll_pays(struct np_busy_poll *busy, np_time now)
{
	bool dense = (np_time)busy->messages * NP_BUSY_POLL_DENSE > now - busy->since;

	*busy = (struct np_busy_poll){.since = now};
	return dense;
}

void np_busy_poll_spin(np_time now)
{
	np_time end = now + NP_BUSY_POLL_SPIN;

	while (now < end)
		now = np_clock_now();
}
