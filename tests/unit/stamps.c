// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of link_stamps: kernel stamps turn rightly, and a stepped clock makes them void. */
#include "src/lib/link_stamps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Far beyond what a busy machine adds to the reading of two clocks. */
#define STEP (30 * NP_SECOND)

static void start(struct np_link *link, struct link_stamps *stamps)
{
	memset(link, 0, sizeof(*link));
	link_stamps_start(link, stamps);
}

static void stamps_turn_to_monotonic_time(void **state)
{
	struct link_stamps stamps;
	struct np_link link;
	np_time realtime;

	(void)state;
	start(&link, &stamps);
	assert_string_equal(link.info.stamps, "kernel");
	link_stamps_batch(&link, &stamps);
	realtime = stamps.pair.realtime - 5 * NP_MILLISECOND;
	assert_int_equal(link_stamps_turn(&stamps, realtime),
			 stamps.pair.monotonic - 5 * NP_MILLISECOND);
	assert_string_equal(link.info.stamps, "kernel");
}

static void no_stamp_is_later_than_its_batch(void **state)
{
	struct link_stamps stamps;
	struct np_link link;

	(void)state;
	start(&link, &stamps);
	link_stamps_batch(&link, &stamps);
	assert_int_equal(link_stamps_turn(&stamps, stamps.pair.realtime + NP_SECOND), stamps.now);
}

static void a_step_ends_kernel_stamps_for_good(void **state)
{
	struct link_stamps stamps;
	struct np_link link;

	(void)state;
	for (int way = -1; way <= 1; way += 2) {
		start(&link, &stamps);
		/* As if the wall clock had been stepped since the batch before. */
		stamps.pair.realtime += way * STEP;
		link_stamps_batch(&link, &stamps);
		assert_string_equal(link.info.stamps, "user");
		assert_int_equal(link_stamps_turn(&stamps, stamps.pair.realtime - NP_SECOND),
				 stamps.now);
		link_stamps_batch(&link, &stamps);
		assert_string_equal(link.info.stamps, "user");
		assert_int_equal(link_stamps_turn(&stamps, stamps.pair.realtime - NP_SECOND),
				 stamps.now);
	}
}

static void a_slewed_clock_is_not_a_step(void **state)
{
	struct link_stamps stamps;
	struct np_link link;

	(void)state;
	start(&link, &stamps);
	/* An hour without a frame, at the kernel's 500 ppm. */
	stamps.pair.monotonic -= 3600 * NP_SECOND;
	stamps.pair.realtime -= 3600 * NP_SECOND + 3600 * NP_SECOND / 2000;
	link_stamps_batch(&link, &stamps);
	assert_string_equal(link.info.stamps, "kernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps_turn_to_monotonic_time),
		cmocka_unit_test(no_stamp_is_later_than_its_batch),
		cmocka_unit_test(a_step_ends_kernel_stamps_for_good),
		cmocka_unit_test(a_slewed_clock_is_not_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
