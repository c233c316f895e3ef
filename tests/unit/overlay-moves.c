// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* When a node of the Delaunay triangulation gives up its place, to the nanosecond, and where to. */
#include "support/overlay_stage.h"

#include <stdlib.h>

#define SEEDS 200
#define SLOW  (2 * NP_SECOND)
#define LIMIT (10 * NP_SECOND) /* after it a neighbour is dead */

static struct stage *open_at(struct overlay_point at, bool fixed, uint64_t seed)
{
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);

	plan.contact_count = 0;
	plan.coordinates = at;
	plan.fixed = fixed;
	plan.seed = seed;
	return stage_open(&plan);
}

/* Whether what is said of the node's place, twice in a format, makes it move. */
static bool moves_for(struct stage *s, const char *format)
{
	const uint64_t before = stage_count(s, "moves");
	const struct overlay_point at = stage_point(s);
	char script[128];

	snprintf(script, sizeof(script), format, at.x, at.y, at.x, at.y);
	stage_play(s, "%s", script);
	return stage_count(s, "moves") != before;
}

/* Another node is at this node's place. */
static bool moves_for_duplicate(struct stage *s)
{
	return moves_for(s, "7 BEACON %d,%d");
}

/* The neighbour says that the node 7 is there. */
static bool moves_for_refusal(struct stage *s)
{
	return moves_for(s, "1 NOT_NEIGHBOUR 300,200 a %d,%d@7 b %d,%d@7");
}

/* Lets the one neighbour keep alive what it is, until @end; it may insist that the node moves. */
static void keep(struct stage *s, np_time end, bool insists)
{
	while (stage_now(s) < end) {
		const np_time left = end - stage_now(s);

		if (insists)
			assert_false(moves_for_refusal(s));
		stage_play(s, "%s; +%lldn", insists ? "" : "1 HELLO 300,200",
			   (long long)(left < NP_SECOND ? left : NP_SECOND));
	}
	if (insists)
		assert_false(moves_for_refusal(s));
	else
		stage_play(s, "1 HELLO 300,200");
}

/* A settled node whose place nobody named gives way; where nobody knows it yet, again at once; and
 * once it is known there, not before the time-out has passed. */
TEST(unnamed)
{
	struct stage *s = open_at(SELF, false, 1);
	np_time moved;

	stage_play(s, "1 HELLO 300,200; settle");
	assert_true(moves_for_duplicate(s));
	assert_true(moves_for_duplicate(s));
	moved = stage_now(s);
	keep(s, moved + LIMIT - 1, false);
	assert_false(moves_for_duplicate(s));
	keep(s, moved + LIMIT, false);
	assert_true(moves_for_duplicate(s));
	stage_play(s, "moves 3");
}

/* A node that settled less than a time-out before is talked out of its place in two slow
 * heartbeats, another one in those and a time-out. */
TEST(refused)
{
	for (unsigned known = 0; known < 2; known++) {
		struct stage *s = open_at(SELF, true, 1);

		stage_play(s, "1 HELLO 300,200; settle");
		keep(s, stage_now(s) + (known ? LIMIT : LIMIT - 1), false);
		keep(s, stage_now(s) + 2 * SLOW + (known ? LIMIT : 0), true);
		stage_play(s, "+1n");
		assert_true(moves_for_refusal(s));
	}
}

/* Who is silent about it for longer than a time-out begins anew. */
TEST(refused_with_pauses)
{
	for (unsigned pause = 0; pause < 2; pause++) {
		struct stage *s = open_at(SELF, true, 1);

		stage_play(s, "1 HELLO 300,200; settle");
		assert_false(moves_for_refusal(s));
		keep(s, stage_now(s) + LIMIT + pause, false);
		assert_int_equal(moves_for_refusal(s), !pause);
	}
}

/* One step is at most 1 each way, over neither the ends of the numbers nor 0. */
TEST(steps)
{
	static const struct {
		int32_t from, least, most;
	} cases[] = {
		{500, 499, 501},
		{INT32_MAX, INT32_MAX - 1, INT32_MAX},
		{INT32_MAX - 1, INT32_MAX - 2, INT32_MAX},
		{INT32_MIN, INT32_MIN, INT32_MIN + 1},
		{INT32_MIN + 1, INT32_MIN, INT32_MIN + 2},
		{0, 0, 1},
		{1, 0, 2},
		{-1, -2, -1},
		{-2, -3, -1},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct overlay_point least = P(INT32_MAX, INT32_MAX),
				     most = P(INT32_MIN, INT32_MIN);

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct stage *s = open_at(P(cases[i].from, 7), false, seed);
			struct overlay_point to;

			assert_true(moves_for_duplicate(s));
			to = stage_point(s);
			assert_false(overlay_point_equal(to, P(cases[i].from, 7)));
			least.x = to.x < least.x ? to.x : least.x;
			most.x = to.x > most.x ? to.x : most.x;
			least.y = to.y < least.y ? to.y : least.y;
			most.y = to.y > most.y ? to.y : most.y;
		}
		assert_int_equal(least.x, cases[i].least);
		assert_int_equal(most.x, cases[i].most);
		assert_int_equal(least.y, 6);
		assert_int_equal(most.y, 8);
	}
}

/* Nor to 0,0 or to where a neighbour is. */
TEST(taken)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct stage *s = open_at(P(1, 1), false, seed);
		struct overlay_point to;

		stage_play(s, "1 HELLO 2,1; 2 HELLO 0,2");
		assert_true(moves_for_duplicate(s));
		to = stage_point(s);
		assert_false(overlay_point_null(to) || overlay_point_equal(to, P(2, 1)) ||
			     overlay_point_equal(to, P(0, 2)));
	}
}

static uint32_t distance(struct overlay_point a, struct overlay_point b)
{
	const uint32_t x = (uint32_t)abs(a.x - b.x), y = (uint32_t)abs(a.y - b.y);

	return x > y ? x : y;
}

/* Each move for a duplicate goes up to twice as far, at last up to 1024; a node that joins again
 * begins anew. */
TEST(wider)
{
	uint32_t most[16] = {0}; /* the last: when it has joined again */

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct stage *s = open_at(P(20000, 20000), false, seed);

		for (unsigned i = 0; i < 16; i++) {
			const struct overlay_point from = stage_point(s);
			uint32_t gone;

			if (i == 15)
				stage_play(s, "leave; join");
			assert_true(moves_for_duplicate(s));
			gone = distance(from, stage_point(s));
			most[i] = gone > most[i] ? gone : most[i];
		}
	}
	for (unsigned i = 0; i < 15; i++) {
		const uint32_t reach = UINT32_C(1) << (i < 10 ? i : 10);

		assert_in_range(most[i], reach - reach / 4, reach);
	}
	assert_int_equal(most[15], 1);
}

/* The circle around 502,501 of the square radius 5, on which 500,500 and 501,499 lie, too. */
#define CIRCLE "1 HELLO 504,500; 2 HELLO 504,502; 3 HELLO 503,503; "

/* Where a step leads to another place on the same circle, the next one follows at once. */
TEST(off_the_circle)
{
	unsigned twice = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct stage *s = open_at(SELF, false, seed);
		uint64_t moves;

		stage_play(s, CIRCLE "COCIRCULAR 1; ADDRESS 1; event ADDRESS 500,500");
		moves = stage_count(s, "moves");
		assert_true(moves >= 1);
		twice += moves > 1;
		stage_play(s, "+1s; moves %u; COCIRCULAR 1", (unsigned)moves);
	}
	assert_in_range(twice, SEEDS / 20, SEEDS / 3);
}

/* A named place is kept for a time-out and two slow heartbeats, and given up with the next beat:
 * the first of these is due at once. */
TEST(circle_of_a_named_place)
{
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);

	plan.contact_count = 0;
	plan.fixed = true;
	plan.heartbeat_fast = plan.heartbeat_slow = SLOW;
	plan.rendezvous = 1000 * NP_SECOND;
	play_by(&plan,
		"1 HELLO 504,500; +1000s; 1 HELLO 504,500; settle; beat; " CIRCLE "COCIRCULAR 1;"
		"k8{moves 0; beat; " CIRCLE "}; moves 0; COCIRCULAR 1; due 2s; beat; moves 1..9");
}

/* A circle that goes over and comes again is another one: it is told, and the time begins anew. */
TEST(circle_again)
{
	struct stage *s = open_at(SELF, true, 1);

	stage_play(s, "1 HELLO 504,500; settle; " CIRCLE "COCIRCULAR 1; 3 GOODBYE 503,503;"
		      "k20{1 HELLO 504,500; 2 HELLO 504,502; +1s}; " CIRCLE
		      "COCIRCULAR 2; +1s; moves 0");
}
