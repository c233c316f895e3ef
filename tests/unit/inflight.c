// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* inflight: a place is noted once, until it is forgotten, whatever else is noted beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <netperf/inflight.h>

#define PLACES 64
#define ROOM   48

static struct np_inflight *create(unsigned count)
{
	struct np_inflight *set;

	assert_int_equal(np_inflight_create(&set, count), 0);
	return set;
}

static void a_place_is_taken_once(void **state)
{
	struct np_inflight *set = create(4);

	(void)state;
	assert_false(np_inflight_has(set, 0));
	assert_true(np_inflight_add(set, 0));
	assert_false(np_inflight_add(set, 0));
	assert_false(np_inflight_has(set, UINT64_MAX));
	assert_true(np_inflight_add(set, UINT64_MAX));
	assert_true(np_inflight_has(set, UINT64_MAX));
	np_inflight_remove(set, 0);
	np_inflight_remove(set, 0);
	assert_true(np_inflight_add(set, 0));
	assert_false(np_inflight_add(set, UINT64_MAX));
	np_inflight_free(set);
}

static void no_more_places_than_there_is_room_for(void **state)
{
	struct np_inflight *set = create(1);

	(void)state;
	assert_true(np_inflight_add(set, 7));
	assert_false(np_inflight_add(set, 8));
	np_inflight_remove(set, 7);
	assert_true(np_inflight_add(set, 8));
	np_inflight_free(set);
}

/* Against a plain list, with steps that make the places fall close together and far apart. */
static void agrees_with_a_list(void **state)
{
	static const uint64_t steps[] = {1, 40, 20480, UINT64_C(1) << 32};

	(void)state;
	for (unsigned s = 0; s < sizeof(steps) / sizeof(*steps); s++) {
		struct np_inflight *set = create(ROOM);
		bool noted[PLACES] = {false};
		unsigned count = 0, random = 1;

		for (unsigned i = 0; i < 100000; i++) {
			unsigned at;

			random = random * 1103515245 + 12345;
			at = random >> 16 & (PLACES - 1);
			assert_int_equal(np_inflight_has(set, at * steps[s]), noted[at]);
			if (random >> 30) {
				bool fits = !noted[at] && count < ROOM;

				assert_int_equal(np_inflight_add(set, at * steps[s]), fits);
				count += fits;
				noted[at] |= fits;
			} else {
				np_inflight_remove(set, at * steps[s]);
				count -= noted[at];
				noted[at] = false;
			}
		}
		np_inflight_free(set);
	}
}

static void freeing_nothing_is_allowed(void **state)
{
	(void)state;
	np_inflight_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_taken_once),
		cmocka_unit_test(no_more_places_than_there_is_room_for),
		cmocka_unit_test(agrees_with_a_list),
		cmocka_unit_test(freeing_nothing_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
