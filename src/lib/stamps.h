/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link_stamps: the kernel's wall-clock stamps on frames as monotonic time. */
#ifndef LINK_STAMPS_H
#define LINK_STAMPS_H

#include "link_variant.h"

struct link_stamps {
	struct np_clock_pair pair; /* of the batch before, then of this one */
	np_time now;		   /* when this batch was taken */
	bool stepped;		   /* once the wall clock was stepped: user stamps to the end */
};

/* Begins, and says "kernel" in link->info. */
void link_stamps_start(struct np_link *link, struct link_stamps *stamps);

/* Before the stamps of a batch are turned: pairs the clocks; a step changes link->info to "user".
 */
void link_stamps_batch(struct np_link *link, struct link_stamps *stamps);

/* The monotonic time of a frame which the kernel stamped @realtime; never later than the batch. */
np_time link_stamps_turn(const struct link_stamps *stamps, np_time realtime);

#endif
