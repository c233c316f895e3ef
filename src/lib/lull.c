// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* lull: whether a receiver that found nothing should look again soon, and the rest until then. */
#include <netperf/lull.h>

bool np_lull_dense(struct np_lull *lull, np_time now)
{
	bool dense = (np_time)lull->messages * NP_LULL_DENSE > now - lull->since;

	*lull = (struct np_lull){.since = now};
	return dense;
}

void np_lull_rest(np_time now)
{
	np_time end = now + NP_LULL_REST;

	while (now < end)
		now = np_clock_now();
}
