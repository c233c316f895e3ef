// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * busy_poll: decides whether a receiver with an empty queue should poll again soon, and spins until
 * then.
 */
#include <netperf/busy_poll.h>

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
