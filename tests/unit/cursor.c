// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* cursor: every piece once a pass, in order or not; short last pieces; wrap. */
#include "support/unit.h"

#include <netperf/engine.h>

static void expect(struct np_cursor *cursor, uint64_t offset, uint64_t length)
{
	struct np_extent extent = np_cursor_next(cursor);

	assert_int_equal(extent.offset, offset);
	assert_int_equal(extent.length, length);
}

static struct np_cursor cursor; /* each test starts its own */

TEST(walks_and_wraps_with_a_short_last_piece)
{
	np_cursor_start(&cursor, 100, 25, 10);
	expect(&cursor, 100, 10);
	expect(&cursor, 110, 10);
	assert_int_equal(cursor.passes, 0);
	expect(&cursor, 120, 5);
	assert_int_equal(cursor.passes, 1);
	expect(&cursor, 100, 10);
}

TEST(a_region_smaller_than_a_piece_is_one_piece)
{
	np_cursor_start(&cursor, 7, 3, 40);
	expect(&cursor, 7, 3);
	expect(&cursor, 7, 3);
	assert_int_equal(cursor.passes, 2);
}

TEST(an_empty_region_has_no_pieces)
{
	np_cursor_start(&cursor, 7, 0, 40);
	assert_int_equal(cursor.pieces, 0);
	np_cursor_start(&cursor, 7, 40, 0);
	assert_int_equal(cursor.pieces, 0);
}

TEST(random_order_takes_every_piece_once_a_pass)
{
	static const uint64_t lengths[] = {1, 2, 3, 16, 17, 1000, 1023};

	for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++) {
		uint8_t seen[1024];

		np_cursor_start(&cursor, 5, lengths[l] * 4, 4);
		cursor.random = true;
		cursor.seed = 42 + l;
		for (unsigned pass = 0; pass < 3; pass++) {
			memset(seen, 0, sizeof(seen));
			for (uint64_t i = 0; i < lengths[l]; i++) {
				struct np_extent extent = np_cursor_next(&cursor);

				assert_int_equal((extent.offset - 5) % 4, 0);
				assert_in_range((extent.offset - 5) / 4, 0, lengths[l] - 1);
				assert_int_equal(seen[(extent.offset - 5) / 4]++, 0);
			}
			assert_int_equal(cursor.passes, pass + 1);
		}
	}
}

TEST(random_order_is_a_function_of_the_seed_and_no_straight_line)
{
	struct np_cursor a, b, c;
	unsigned same = 0, straight = 0;
	uint64_t last = 0;

	np_cursor_start(&a, 0, 1000, 1);
	b = c = a;
	a.random = true;
	a.seed = 1;
	b.random = true;
	b.seed = 1;
	c.random = true;
	c.seed = 2;
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t at = np_cursor_next(&a).offset;

		assert_int_equal(at, np_cursor_next(&b).offset);
		same += at == np_cursor_next(&c).offset;
		straight += at == last + 1;
		last = at;
	}
	assert_in_range(same, 0, 50);
	assert_in_range(straight, 0, 50);
}

TEST(reaches_the_end_of_the_largest_region)
{
	np_cursor_start(&cursor, 0, UINT64_MAX, UINT64_C(1) << 63);
	expect(&cursor, 0, UINT64_C(1) << 63);
	expect(&cursor, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1);
	expect(&cursor, 0, UINT64_C(1) << 63);
}

TEST(looking_ahead_moves_nothing)
{
	np_cursor_start(&cursor, 100, 25, 10);
	assert_int_equal(cursor.pieces, 3);
	cursor.random = true;
	cursor.seed = 9;
	for (unsigned i = 0; i < 7; i++) {
		struct np_extent ahead = np_cursor_peek(&cursor);

		assert_int_equal(np_cursor_peek(&cursor).offset, ahead.offset);
		expect(&cursor, ahead.offset, ahead.length);
	}
}
