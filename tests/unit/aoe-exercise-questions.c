// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-questions: all that the guard examines is asked for, and the few are well chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/aoe-exercise/questions.h"

#include <cmocka.h>
#include <errno.h>
#include <netperf/guard.h>
#include <stdlib.h>

#define MIB (UINT64_C(1) << 20)

/* Lists the questions about a disk, compares the reads with the guard's places, and chooses. */
static size_t ask(uint64_t bytes, uint8_t most, struct question **few, size_t *count)
{
	struct np_guard_place place[NP_GUARD_PLACES_MAX];
	size_t places = np_guard_places(bytes, place), n = QUESTIONS_OF_IDENTITY, chosen;
	struct question *all;

	assert_int_equal(questions_list(&all, count, bytes, most), 0);
	assert_int_equal(all[0].kind, QUESTION_CONFIG);
	assert_int_equal(all[1].kind, QUESTION_IDENTITY);
	for (size_t i = 0; i < places; i++) {
		for (uint64_t at = place[i].offset; at < place[i].offset + place[i].bytes; n++) {
			assert_true(n < *count && all[n].kind == QUESTION_READ);
			assert_int_equal(all[n].lba * 512, at);
			assert_in_range(all[n].sectors, 1, most);
			at += all[n].sectors * 512u;
		}
	}
	assert_int_equal(n, *count);
	*few = calloc(*count, sizeof(**few));
	chosen = questions_choose(all, *count, 5, *few);
	assert_in_range(chosen, QUESTIONS_OF_IDENTITY, *count);
	assert_int_equal((*few)[chosen - 1].lba, all[*count - 1].lba);
	free(all);
	return chosen;
}

static void the_few_are_both_ends_and_samples(void **state)
{
	struct question *few;
	size_t count, n = ask(100 * MIB, 2, &few, &count);

	(void)state;
	assert_int_equal(n, 2 + 8 + 4 + 1);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(few[2 + i].lba, i * 2);
	for (size_t i = 10; i < 14; i++)
		assert_in_range(few[i].lba, 16, 100 * MIB / 512 - 3);
	free(few);
}

static void a_small_disk_is_asked_for_whole(void **state)
{
	static const uint64_t bytes[] = {512, 1024, 8192, 8192 + 512, 12 * 1024};
	struct question *few;
	size_t count, chosen;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		chosen = ask(bytes[i], 2, &few, &count);
		assert_int_equal(chosen, count);
		free(few);
	}
}

static void any_request_size_will_do(void **state)
{
	static const uint8_t most[] = {1, 2, 17, 127, 255};
	struct question *few;
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(most); i++) {
		ask(9 * MIB + 512, most[i], &few, &count);
		free(few);
	}
	assert_int_equal(questions_list(&few, &count, MIB, 0), -EMSGSIZE);
	assert_null(few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_few_are_both_ends_and_samples),
		cmocka_unit_test(a_small_disk_is_asked_for_whole),
		cmocka_unit_test(any_request_size_will_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
