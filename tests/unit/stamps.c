// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of stamps: kernel stamps turn rightly, and a stepped clock makes them void. */
#include "src/lib/net/socket.h"
#include "support/unit.h"

/* Far beyond what a busy machine adds to the reading of two clocks. */
#define STEP (30 * NP_SECOND)

static struct stamps stamps;
static const char *source;

static int start(void **state)
{
	(void)state;
	stamps_start(&stamps, &source);
	return 0;
}

TEST_WITH(start, NULL, stamps_turn_to_monotonic_time)
{
	np_time realtime;

	assert_string_equal(source, "kernel");
	stamps_batch(&stamps);
	realtime = stamps.pair.realtime - 5 * NP_MILLISECOND;
	assert_int_equal(stamps_convert(&stamps, realtime),
			 stamps.pair.monotonic - 5 * NP_MILLISECOND);
	assert_string_equal(source, "kernel");
}

TEST_WITH(start, NULL, no_stamp_is_later_than_its_batch)
{
	stamps_batch(&stamps);
	assert_int_equal(stamps_convert(&stamps, stamps.pair.realtime + NP_SECOND), stamps.now);
}

TEST_WITH(start, NULL, a_step_ends_kernel_stamps_for_good)
{
	for (int way = -1; way <= 1; way += 2) {
		/* As if the wall clock had been stepped since the batch before. */
		stamps.pair.realtime += way * STEP;
		stamps_batch(&stamps);
		assert_string_equal(source, "user");
		assert_int_equal(stamps_convert(&stamps, stamps.pair.realtime - NP_SECOND),
				 stamps.now);
		stamps_batch(&stamps);
		assert_string_equal(source, "user");
		assert_int_equal(stamps_convert(&stamps, stamps.pair.realtime - NP_SECOND),
				 stamps.now);
	}
}

TEST_WITH(start, NULL, a_slewed_clock_is_not_a_step)
{
	/* An hour without a frame, at the kernel's 500 ppm. */
	stamps.pair.monotonic -= 3600 * NP_SECOND;
	stamps.pair.realtime -= 3600 * NP_SECOND + 3600 * NP_SECOND / 2000;
	stamps_batch(&stamps);
	assert_string_equal(source, "kernel");
}

TEST_WITH(start, NULL, a_batch_is_later_than_the_one_before)
{
	np_time before;

	for (int i = 0; i < 1000; i++) {
		before = stamps.now;
		stamps_batch(&stamps);
		assert_true(stamps.now >= before);
		assert_true(stamps.now <= np_clock_now());
	}
}

TEST_WITH(start, NULL, clocks_that_drift_apart_are_paired_anew)
{
	np_time realtime;

	stamps.pair.realtime -= 20 * NP_MICROSECOND;
	realtime = stamps.pair.realtime;
	stamps_batch(&stamps);
	assert_string_equal(source, "kernel");
	assert_int_not_equal(stamps.pair.realtime, realtime);
}
