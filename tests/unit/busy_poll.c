// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of busy_poll: when messages arrive densely, and how long a spin lasts. */
#include "support/unit.h"

#include <netperf/clock.h>

TEST(dense_is_a_message_each_few_microseconds)
{
	struct np_busy_poll busy = {.since = NP_SECOND};
	np_time now = NP_SECOND + 100 * NP_BUSY_POLL_DENSE;

	busy.messages += 60;
	busy.messages += 41;
	assert_true(np_busy_poll_pays(&busy, now));
	/* Only what arrived since the queue was last empty counts. */
	assert_false(np_busy_poll_pays(&busy, now + NP_MICROSECOND));
	now += NP_MICROSECOND;
	busy.messages += 100;
	assert_false(np_busy_poll_pays(&busy, now + 100 * NP_BUSY_POLL_DENSE));
	now += 100 * NP_BUSY_POLL_DENSE;
	busy.messages += 1024;
	assert_false(np_busy_poll_pays(&busy, now + NP_SECOND));
}

TEST(a_spin_is_no_shorter_than_told)
{
	np_time begin = np_clock_now();

	np_busy_poll_spin(begin);
	assert_true(np_clock_now() - begin >= NP_BUSY_POLL_SPIN);
}
