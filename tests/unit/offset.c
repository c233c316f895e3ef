// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of offset: clocks made up, ways known, so that each error is, too. */
#include "support/unit.h"

#include <netperf/histogram.h>

#define START (1000 * NP_SECOND)
#define US    NP_MICROSECOND

/* One exchange with a clock @ahead of ours: @out there, @held, @back. */
static bool exchange(struct np_offset *offset, np_time t1, np_time ahead, const np_time way[3])
{
	np_time t2 = t1 + way[0] + ahead, t3 = t2 + way[1];

	return np_offset_add(offset, t1, t2, t3, t1 + way[0] + way[1] + way[2]);
}

TEST(error_is_within_the_bound)
{
	static const np_time aheads[] = {0, 5 * NP_SECOND, -7 * NP_SECOND, 1234567891};
	static const np_time ways[][3] = {
		{0, 0, 0},
		{50 * US, 0, 50 * US},
		{40 * US, NP_MILLISECOND, 60 * US},
		{101, 1, 0},
		{0, 1, 101},
		{0, 9 * NP_SECOND, NP_SECOND},
		{NP_MILLISECOND, 1, 1},
	};

	for (unsigned i = 0; i < sizeof(aheads) / sizeof(*aheads); i++) {
		for (unsigned j = 0; j < sizeof(ways) / sizeof(*ways); j++) {
			struct np_offset offset = {0};
			np_time away = ways[j][0] + ways[j][1] + ways[j][2], error;

			assert_true(exchange(&offset, START, aheads[i], ways[j]));
			assert_true(offset.known);
			assert_int_equal(offset.at, START + away);
			error = offset.offset - aheads[i];
			assert_in_range(error < 0 ? -error : error, 0, offset.bound);
			assert_int_equal(offset.bound,
					 (ways[j][0] + ways[j][2] + 1) / 2 + away / 10000);
		}
	}
}

/* The other clock runs 100 ppm fast, the answer is held for 9 s, the way back is the longer one. */
TEST(drift_while_it_is_held_is_in_the_bound)
{
	struct np_offset offset = {0};
	np_time held = 9 * NP_SECOND, t4 = START + 100 * US + held;
	np_time fast = held / 10000;

	assert_true(np_offset_add(&offset, START, START + 100 * US, START + 100 * US + held + fast,
				  t4 + 2 * fast));
	/* At t4 it is ahead by what it has gained. */
	assert_in_range(fast - offset.offset, 0, offset.bound);
}

TEST(the_smallest_bound_of_now_is_kept)
{
	static const np_time near[] = {10 * US, 0, 10 * US}, far[] = {50 * US, 0, 0};
	struct np_offset offset = {0}, before;

	assert_true(exchange(&offset, START, 100, far));
	assert_true(exchange(&offset, START + NP_SECOND, 100, near));
	assert_int_equal(offset.offset, 100);
	before = offset;
	assert_false(exchange(&offset, START + NP_SECOND + 100 * NP_MILLISECOND, 100, far));
	assert_int_equal(offset.at, before.at);
	assert_int_equal(offset.offset, before.offset);
	/* 15 us of drift after 150 ms: as good as the far one, but for its own drift. */
	assert_false(exchange(&offset, before.at + 150 * NP_MILLISECOND - 50 * US, 100, far));
	assert_true(exchange(&offset, before.at + 151 * NP_MILLISECOND, 100, far));
	assert_int_equal(offset.offset, 100 + 25 * US);
	assert_int_equal(offset.bound, 25 * US + 5);
}

TEST(the_later_of_two_equal_ones_is_kept)
{
	static const np_time way[] = {10 * US, 0, 10 * US};
	struct np_offset offset = {0};

	assert_true(exchange(&offset, START, 100, way));
	assert_true(exchange(&offset, START + US, 100, way));
	assert_int_equal(offset.at, START + 21 * US);
}

TEST(the_bound_grows_with_time)
{
	struct np_offset offset = {.known = true, .bound = 100, .at = START};

	assert_int_equal(np_offset_bound(&offset, START), 100);
	assert_int_equal(np_offset_bound(&offset, START - NP_SECOND), 100);
	assert_int_equal(np_offset_bound(&offset, START + NP_SECOND), 100 + 100 * US);
	offset.at = INT64_MIN;
	assert_true(np_offset_bound(&offset, INT64_MAX) > 100);
}

TEST(what_cannot_be_is_not_used)
{
	static const struct {
		np_time t1, t2, t3, t4;
	} bad[] = {
		{START, 900, 500, START + 100},		       /* answered before it came */
		{START, 500, 700, START + 100},		       /* there longer than away */
		{START, 500, 500, START - 1},		       /* came before it left */
		{START, 500, 500, START + 10 * NP_SECOND + 1}, /* too long ago */
		{START, INT64_MIN, INT64_MAX, START + 100},
		{START, INT64_MAX, INT64_MIN + 200, START + 100},
		{INT64_MIN, 500, 500, START},
		{INT64_MAX, 500, 500, START},
		{INT64_MAX, 500, 500, INT64_MIN + 20 * NP_SECOND},
	};
	struct np_offset offset = {0};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(np_offset_add(&offset, bad[i].t1, bad[i].t2, bad[i].t3, bad[i].t4));
	assert_false(offset.known);
	assert_true(np_offset_add(&offset, START, 500, 500, START + 10 * NP_SECOND));
}

TEST(stamps_are_corrected)
{
	struct np_offset offset = {.known = true, .offset = 5 * NP_SECOND};

	assert_int_equal(np_offset_correct(&offset, START + 5 * NP_SECOND), START);
	offset.offset = -5 * NP_SECOND;
	assert_int_equal(np_offset_correct(&offset, START), START + 5 * NP_SECOND);
}

/* Whatever it says, a delay can be taken. */
TEST(lies_do_not_overflow)
{
	static const np_time extremes[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
	const np_time limit = INT64_C(1) << 62;

	for (unsigned i = 0; i < 6; i++) {
		for (unsigned j = 0; j < 6; j++) {
			struct np_offset offset = {0};
			np_time ours;

			assert_true(np_offset_add(&offset, START, extremes[i], extremes[i],
						  START + 100));
			ours = np_offset_correct(&offset, extremes[j]);
			assert_true(ours >= -limit && ours <= limit);
			assert_true(START - ours <= START + limit);
		}
	}
	/* Far off, but right side up. */
	assert_int_equal(np_offset_correct(&(struct np_offset){.offset = -1}, INT64_MAX), limit);
	assert_int_equal(np_offset_correct(&(struct np_offset){.offset = 1}, INT64_MIN), -limit);
	assert_int_equal(np_offset_correct(&(struct np_offset){.offset = INT64_MIN}, 0), limit);
}
