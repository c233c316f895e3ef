// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* cursor: every piece once a pass, in order or not; short last pieces; wrap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <netperf/cursor.h>
#include <string.h>

static void expect(struct np_cursor *cursor, uint64_t offset, uint64_t length)
{
	struct np_extent extent = np_cursor_next(cursor);

	assert_int_equal(extent.offset, offset);
	assert_int_equal(extent.length, length);
}

static void walks_and_wraps_with_a_short_last_piece(void **state)
{
	struct np_cursor cursor;

	(void)state;
	np_cursor_start(&cursor, 100, 25, 10);
	expect(&cursor, 100, 10);
	expect(&cursor, 110, 10);
	assert_int_equal(cursor.passes, 0);
	expect(&cursor, 120, 5);
	assert_int_equal(cursor.passes, 1);
	expect(&cursor, 100, 10);
}

static void a_region_smaller_than_a_piece_is_one_piece(void **state)
{
	struct np_cursor cursor;

	(void)state;
	np_cursor_start(&cursor, 7, 3, 40);
	expect(&cursor, 7, 3);
	expect(&cursor, 7, 3);
	assert_int_equal(cursor.passes, 2);
}

static void an_empty_region_has_no_pieces(void **state)
{
	struct np_cursor cursor;

	(void)state;
	np_cursor_start(&cursor, 7, 0, 40);
	assert_int_equal(np_cursor_pieces(&cursor), 0);
	np_cursor_start(&cursor, 7, 40, 0);
	assert_int_equal(np_cursor_pieces(&cursor), 0);
}

static void random_order_takes_every_piece_once_a_pass(void **state)
{
	static const uint64_t lengths[] = {1, 2, 3, 16, 17, 1000, 1023};

	(void)state;
	for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++) {
		struct np_cursor cursor;
		uint8_t seen[1024];

		np_cursor_start(&cursor, 5, lengths[l] * 4, 4);
		np_cursor_randomize(&cursor, 42 + l);
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

static void random_order_is_a_function_of_the_seed_and_no_straight_line(void **state)
{
	struct np_cursor a, b, c;
	unsigned same = 0, straight = 0;
	uint64_t last = 0;

	(void)state;
	np_cursor_start(&a, 0, 1000, 1);
	b = c = a;
	np_cursor_randomize(&a, 1);
	np_cursor_randomize(&b, 1);
	np_cursor_randomize(&c, 2);
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

static void reaches_the_end_of_the_largest_region(void **state)
{
	struct np_cursor cursor;

	(void)state;
	np_cursor_start(&cursor, 0, UINT64_MAX, UINT64_C(1) << 63);
	expect(&cursor, 0, UINT64_C(1) << 63);
	expect(&cursor, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1);
	expect(&cursor, 0, UINT64_C(1) << 63);
}

static void looking_ahead_moves_nothing(void **state)
{
	struct np_cursor cursor;

	(void)state;
	np_cursor_start(&cursor, 100, 25, 10);
	assert_int_equal(np_cursor_pieces(&cursor), 3);
	np_cursor_randomize(&cursor, 9);
	for (unsigned i = 0; i < 7; i++) {
		struct np_extent ahead = np_cursor_peek(&cursor);

		assert_int_equal(np_cursor_peek(&cursor).offset, ahead.offset);
		expect(&cursor, ahead.offset, ahead.length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_and_wraps_with_a_short_last_piece),
		cmocka_unit_test(a_region_smaller_than_a_piece_is_one_piece),
		cmocka_unit_test(an_empty_region_has_no_pieces),
		cmocka_unit_test(random_order_takes_every_piece_once_a_pass),
		cmocka_unit_test(random_order_is_a_function_of_the_seed_and_no_straight_line),
		cmocka_unit_test(reaches_the_end_of_the_largest_region),
		cmocka_unit_test(looking_ahead_moves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
