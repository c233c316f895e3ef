// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-questions: all that the guard examines is asked for, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/aoe-exercise/examine.h"

#include <cmocka.h>
#include <errno.h>
#include <netperf/guard.h>
#include <stdlib.h>

#define MIB (UINT64_C(1) << 20)

/* Lists the questions about a disk, and compares the reads with the guard's places. */
static void ask(uint64_t bytes, uint8_t most)
{
	struct np_guard_place place[NP_GUARD_PLACES_MAX], whole = {.bytes = bytes};
	size_t places = np_guard_places(bytes, place), n = QUESTIONS_OF_IDENTITY, count;
	struct question *all;

	assert_int_equal(questions_list(&all, &count, bytes, &whole, most), 0);
	assert_int_equal(all[0].kind, QUESTION_CONFIG);
	assert_int_equal(all[1].kind, QUESTION_IDENTITY);
	for (size_t i = 0; i < places; i++) {
		for (uint64_t at = place[i].offset; at < place[i].offset + place[i].bytes; n++) {
			assert_true(n < count && all[n].kind == QUESTION_READ);
			assert_int_equal(all[n].lba * 512, at);
			assert_in_range(all[n].sectors, 1, most);
			at += all[n].sectors * 512u;
		}
	}
	assert_int_equal(n, count);
	free(all);
}

static void a_small_disk_is_asked_for_whole(void **state)
{
	static const uint64_t bytes[] = {512, 1024, 8192, 8192 + 512, 12 * 1024};

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
		ask(bytes[i], 2);
}

static void any_request_size_will_do(void **state)
{
	static const uint8_t most[] = {1, 2, 17, 127, 255};
	const struct np_guard_place whole = {.bytes = MIB};
	struct question *all;
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(most); i++)
		ask(9 * MIB + 512, most[i]);
	assert_int_equal(questions_list(&all, &count, MIB, &whole, 0), -EMSGSIZE);
	assert_null(all);
}

/* Is sector @lba among the reads? Each may be there once. */
static bool is_asked(const struct question *all, size_t count, uint64_t lba)
{
	unsigned times = 0;

	for (size_t i = QUESTIONS_OF_IDENTITY; i < count; i++)
		times += lba >= all[i].lba && lba < all[i].lba + all[i].sectors;
	assert_in_range(times, 0, 1);
	return times;
}

/* The part that is written has ends of its own, wherever it lies. */
static void a_region_is_examined_like_a_disk(void **state)
{
	static const struct np_guard_place regions[] = {
		{.offset = 50 * MIB + 512, .bytes = 20 * MIB},
		{.offset = 50 * MIB, .bytes = 512},
		{.offset = 3 * MIB, .bytes = 30 * MIB},	 /* reaches into the disk's begin, */
		{.offset = 60 * MIB, .bytes = 40 * MIB}, /* and to its end */
		{.offset = 0, .bytes = 100 * MIB},
	};
	struct np_guard_place place[NP_GUARD_PLACES_MAX];
	struct question *all;
	size_t count;

	(void)state;
	for (size_t r = 0; r < sizeof(regions) / sizeof(*regions); r++) {
		size_t places = np_guard_places(regions[r].bytes, place);

		assert_int_equal(questions_list(&all, &count, 100 * MIB, &regions[r], 17), 0);
		for (size_t i = 0; i < places; i++) {
			uint64_t lba = (regions[r].offset + place[i].offset) / 512;

			assert_true(is_asked(all, count, lba));
			assert_true(is_asked(all, count, lba + place[i].bytes / 512 - 1));
		}
		places = np_guard_places(100 * MIB, place);
		for (size_t i = 0; i < places; i++)
			assert_true(is_asked(all, count, place[i].offset / 512));
		for (size_t i = QUESTIONS_OF_IDENTITY + 1; i < count; i++)
			assert_true(all[i].lba >= all[i - 1].lba + all[i - 1].sectors);
		free(all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_disk_is_asked_for_whole),
		cmocka_unit_test(a_region_is_examined_like_a_disk),
		cmocka_unit_test(any_request_size_will_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
