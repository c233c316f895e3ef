// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A node of the spanning tree and another one of its address: when it gives way, and where to. */
#include "overlay_spanning.h"

#define SEEDS	 200
#define INTERVAL NP_SECOND
#define TIMEOUT	 (5 * NP_SECOND)

static void hear_twin(struct bench *b)
{
	hear_view(b, 7, &(struct view){self(b), self(b), 0, 0, 0, 0});
}

/* Who has neighbours gives way when the twin stays for two intervals; not if it comes anew. */
static void twin_stays(void **state)
{
	struct bench b;
	np_time since;

	(void)state;
	open_spanning(&b);
	hear_child(&b, 1, 600, 5);
	hear_twin(&b);
	b.now += TIMEOUT;
	hear_twin(&b); /* too late to be the same */
	assert_int_equal(counts(&b).moves, 0);
	assert_int_equal(b.told[NP_OVERLAY_TWIN], 2);
	since = b.now;
	b.now = since + 2 * INTERVAL - 1;
	hear_twin(&b);
	assert_int_equal(counts(&b).moves, 0);
	b.now++;
	hear_twin(&b);
	assert_int_equal(counts(&b).moves, 1);
	assert_int_equal(counts(&b).twins, 4);
	assert_int_equal(b.told[NP_OVERLAY_TWIN], 2);
	assert_int_equal(neighbours(&b), 0);
	b.now += TIMEOUT - 1;
	hear_twin(&b);
	assert_int_equal(counts(&b).moves, 1);
	b.now++;
	hear_twin(&b);
	assert_int_equal(counts(&b).moves, 2);
	close_node(&b);
}

/* After a move nobody hears this node yet, whatever was heard of before. */
static void moved_unheard(void **state)
{
	struct bench b;

	(void)state;
	for (unsigned first = 0; first < 2; first++) {
		open_spanning(&b);
		if (first)
			hear_view(&b, 2, &(struct view){31, 5, 40, 2, 1, 6999});
		assert_true(follows(&b, 1, 30, 5, 7000));
		hear_view(&b, 2, &(struct view){31, 5, 40, 2, 1, 7001});
		assert_int_equal(inside(&b)->parent, 30);
		hear_twin(&b);
		b.now += 2 * INTERVAL;
		hear_twin(&b);
		assert_int_equal(counts(&b).moves, 1);
		assert_int_equal(inside(&b)->parent, 0);
		assert_true(follows(&b, 2, 31, 5, 7002));
		close_node(&b);
	}
}

/* The ends of the numbers can be moved to as well. */
static void to_the_ends(void **state)
{
	static const int32_t ends[] = {INT32_MIN, INT32_MAX};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct overlay_plan plan = spanning_plan();
		bool there = false;

		plan.coordinates = P(i ? INT32_MAX - 1 : INT32_MIN + 1, 0);
		plan.neighbours_max = 3;
		for (plan.seed = 1; !there && plan.seed < 40000; plan.seed++) {
			struct bench b;

			open_plan(&b, &plan);
			hear_twin(&b);
			there = self(&b) == ends[i];
			close_node(&b);
		}
		assert_true(there);
	}
}

/* Told of a twin again when a time-out has passed, also when it is there all the time. */
static void twin_told(void **state)
{
	struct overlay_plan plan = spanning_plan();
	struct bench b;

	(void)state;
	plan.fixed = true;
	open_plan(&b, &plan);
	hear_child(&b, 1, 600, 5);
	hear_twin(&b);
	b.now += TIMEOUT - 1;
	hear_twin(&b);
	assert_int_equal(b.told[NP_OVERLAY_TWIN], 1);
	b.now++;
	hear_twin(&b);
	assert_int_equal(b.told[NP_OVERLAY_TWIN], 2);
	assert_int_equal(counts(&b).moves, 0);
	hear_goodbye(&b, 7, SELF_NUMBER); /* in its own name */
	assert_int_equal(counts(&b).forged, 1);
	assert_int_equal(counts(&b).twins, 3);
	close_node(&b);
}

/* A new address is at most 1000 away, within 32 bits, neither 0 nor the old one nor one heard. */
static void moves(void **state)
{
	static const struct {
		int32_t from, least, most;
	} cases[] = {
		{5000, 4000, 6000},
		{300, -700, 1300},
		{INT32_MAX, INT32_MAX - 1000, INT32_MAX},
		{INT32_MIN, INT32_MIN, INT32_MIN + 1000},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int32_t least = INT32_MAX, most = INT32_MIN;

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct overlay_plan plan = spanning_plan();
			struct bench b;

			plan.coordinates = P(cases[i].from, 0);
			plan.seed = seed;
			open_plan(&b, &plan);
			hear_twin(&b);
			assert_int_equal(counts(&b).moves, 1);
			assert_int_equal(b.event[NP_OVERLAY_ADDRESS].from.x, cases[i].from);
			assert_true(self(&b) && self(&b) != cases[i].from);
			least = self(&b) < least ? self(&b) : least;
			most = self(&b) > most ? self(&b) : most;
			close_node(&b);
		}
		assert_in_range((int64_t)least - cases[i].least, 0, 50);
		assert_in_range((int64_t)cases[i].most - most, 0, 50);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twin_stays),  cmocka_unit_test(moved_unheard),
		cmocka_unit_test(twin_told),   cmocka_unit_test(moves),
		cmocka_unit_test(to_the_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
