// SPDX-License-Identifier: GPL-2.0-or-later
/* link_stamps: one pair of clock readings a batch, and what to do when the wall clock was stepped.
 */
#include "link_stamps.h"

/* The kernel slews the wall clock by at most 500 ppm, some more may come from its tick. */
#define SLEW_PER_TIME 1000
#define STEP_MIN      (50 * NP_MICROSECOND)

void link_stamps_start(struct np_link *link, struct link_stamps *stamps)
{
	stamps->pair = np_clock_pair_read();
	stamps->now = stamps->pair.monotonic;
	stamps->stepped = false;
	link->info.stamps = "kernel";
}

void link_stamps_batch(struct np_link *link, struct link_stamps *stamps)
{
	struct np_clock_pair pair = np_clock_pair_read();
	np_time passed = pair.monotonic - stamps->pair.monotonic;

	/* Frames may have been stamped on either side of the step. */
	if (np_clock_pair_stepped(&stamps->pair, &pair, STEP_MIN + passed / SLEW_PER_TIME)) {
		stamps->stepped = true;
		link->info.stamps = "user";
	}
	stamps->pair = pair;
	stamps->now = pair.monotonic;
}

np_time link_stamps_turn(const struct link_stamps *stamps, np_time realtime)
{
	np_time stamp;

	if (stamps->stepped)
		return stamps->now;
	stamp = np_clock_from_realtime(&stamps->pair, realtime);
	return stamp < stamps->now ? stamp : stamps->now;
}
