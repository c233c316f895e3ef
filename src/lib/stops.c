// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stops: tells the user's stop requests from their echoes. */
#include "src/lib/stops.h"

bool stops_settled(const struct stops *stops, np_time earliest)
{
	return !stops->counted || earliest - stops->first >= STOPS_ECHO;
}

bool stops_count(struct stops *stops, np_time earliest, np_time now)
{
	if (!stops_settled(stops, earliest))
		return false;
	if (!stops->counted)
		stops->first = now;
	stops->counted++;
	return true;
}
