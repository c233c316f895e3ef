// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of stamps: kernel stamps turn rightly, and a stepped clock makes them void. */
#include "src/lib/net/stamps.h"
#include "support/unit.h"

/* Far beyond what a busy machine adds to the reading of two clocks. */
#define STEP (30 * NP_SECOND)

TEST(stamps_turn_to_monotonic_time)
{
	struct stamps stamps;
	const char *source;
	np_time realtime;

	stamps_start(&stamps, &source);
	assert_string_equal(source, "kernel");
	stamps_batch(&stamps);
	realtime = stamps.pair.realtime - 5 * NP_MILLISECOND;
	assert_int_equal(stamps_convert(&stamps, realtime),
			 stamps.pair.monotonic - 5 * NP_MILLISECOND);
	assert_string_equal(source, "kernel");
}

TEST(no_stamp_is_later_than_its_batch)
{
	struct stamps stamps;
	const char *source;

	stamps_start(&stamps, &source);
	stamps_batch(&stamps);
	assert_int_equal(stamps_convert(&stamps, stamps.pair.realtime + NP_SECOND), stamps.now);
}

TEST(a_step_ends_kernel_stamps_for_good)
{
	struct stamps stamps;
	const char *source;

	for (int way = -1; way <= 1; way += 2) {
		stamps_start(&stamps, &source);
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

TEST(a_slewed_clock_is_not_a_step)
{
	struct stamps stamps;
	const char *source;

	stamps_start(&stamps, &source);
	/* An hour without a frame, at the kernel's 500 ppm. */
	stamps.pair.monotonic -= 3600 * NP_SECOND;
	stamps.pair.realtime -= 3600 * NP_SECOND + 3600 * NP_SECOND / 2000;
	stamps_batch(&stamps);
	assert_string_equal(source, "kernel");
}

TEST(a_batch_is_later_than_the_one_before)
{
	struct stamps stamps;
	const char *source;
	np_time before;

	stamps_start(&stamps, &source);
	for (int i = 0; i < 1000; i++) {
		before = stamps.now;
		stamps_batch(&stamps);
		assert_true(stamps.now >= before);
		assert_true(stamps.now <= np_clock_now());
	}
}

TEST(clocks_that_drift_apart_are_paired_anew)
{
	struct stamps stamps;
	const char *source;
	np_time realtime;

	stamps_start(&stamps, &source);
	stamps.pair.realtime -= 20 * NP_MICROSECOND;
	realtime = stamps.pair.realtime;
	stamps_batch(&stamps);
	assert_string_equal(source, "kernel");
	assert_int_not_equal(stamps.pair.realtime, realtime);
}
