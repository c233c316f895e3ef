// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* inflight: a place is noted once, until it is forgotten, whatever else is noted beside it. */
#include "support/unit.h"

#include <stdint.h>

#include <netperf/cursor.h>

#define PLACES 64
#define ROOM   48

static struct np_inflight *create(unsigned count)
{
	struct np_inflight *set;

	assert_int_equal(np_inflight_create(&set, count), 0);
	return set;
}

TEST(a_place_is_taken_once)
{
	struct np_inflight *set = create(4);

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

TEST(no_more_places_than_there_is_room_for)
{
	struct np_inflight *set = create(1);

	assert_true(np_inflight_add(set, 7));
	assert_false(np_inflight_add(set, 8));
	np_inflight_remove(set, 7);
	assert_true(np_inflight_add(set, 8));
	np_inflight_free(set);
}

/* Against a plain list, with steps that make the places fall close together and far apart. */
TEST(agrees_with_a_list)
{
	static const uint64_t steps[] = {1, 40, 20480, UINT64_C(1) << 32};

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

TEST(freeing_nothing_is_allowed)
{
	np_inflight_free(NULL);
}
