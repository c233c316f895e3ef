// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* When a node of the Delaunay triangulation gives up its place, to the nanosecond, and where to. */
#include "overlay_bench.h"
#include "support/unit.h"

#define SEEDS 200
#define PLACE P(300, 200)
#define SLOW  (2 * NP_SECOND)
#define LIMIT (10 * NP_SECOND) /* after it a neighbour is dead */

static void open_at(struct bench *b, struct overlay_point at, bool fixed, uint64_t seed)
{
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, NULL);

	plan.coordinates = at;
	plan.fixed = fixed;
	plan.seed = seed;
	open_plan(b, &plan);
}

static struct overlay_point place(const struct bench *b)
{
	const struct np_overlay_logical logical = overlay_node_logical(b->node);

	return overlay_logical_get_point(&logical);
}

/* Whether another node at this node's place makes it move. */
static bool moves_for_twin(struct bench *b)
{
	const uint64_t before = counts(b).moves;

	hear(b, 7, OVERLAY_DT_BEACON, place(b));
	return counts(b).moves != before;
}

/* Lets the one neighbour keep alive what it is, until @end. */
static void keep(struct bench *b, np_time end)
{
	while (b->now < end) {
		const np_time left = end - b->now;

		hear(b, 1, OVERLAY_DT_HELLO, PLACE);
		pass(b, left < NP_SECOND ? left : NP_SECOND);
	}
	hear(b, 1, OVERLAY_DT_HELLO, PLACE);
}

/* With a neighbour and settled since now. */
static void settle(struct bench *b)
{
	hear(b, 1, OVERLAY_DT_HELLO, PLACE);
	while (!b->told[NP_OVERLAY_STABLE]) {
		b->now = overlay_node_deadline(b->node);
		overlay_node_tick(b->node, b->now);
	}
}

/* A settled node whose place nobody named gives way; where nobody knows it yet, again at once; and
 * once it is known there, not before the time-out has passed. */
TEST(unnamed)
{
	struct bench b;
	np_time moved;

	open_at(&b, SELF, false, 1);
	settle(&b);
	assert_true(moves_for_twin(&b));
	assert_int_equal(counts(&b).moves, 1);
	assert_true(moves_for_twin(&b));
	moved = b.now;
	keep(&b, moved + LIMIT - 1);
	assert_false(moves_for_twin(&b));
	keep(&b, moved + LIMIT);
	assert_true(moves_for_twin(&b));
	assert_int_equal(counts(&b).moves, 3);
	assert_int_equal(counts(&b).twins, 4);
	close_node(&b);
}

/* Says in the neighbour's name that the node 7 is at this node's place; true when it moves. */
static bool moves_for_refusal(struct bench *b)
{
	const struct overlay_dt no = {
		.type = OVERLAY_DT_NOT_NEIGHBOUR,
		.source = PLACE,
		.a = {place(b), address(7)},
		.b = {place(b), address(7)},
	};
	const uint64_t before = counts(b).moves;

	hear_dt(b, 1, &no);
	return counts(b).moves != before;
}

/* The neighbour insists from now on, until @end; the node stays. */
static void insist(struct bench *b, np_time end)
{
	while (b->now < end) {
		const np_time left = end - b->now;

		assert_false(moves_for_refusal(b));
		pass(b, left < NP_SECOND ? left : NP_SECOND);
	}
	assert_false(moves_for_refusal(b));
}

/* A node that settled less than a time-out before is talked out of its place in two slow
 * heartbeats, another one in those and a time-out. */
TEST(refused)
{
	struct bench b;

	for (unsigned known = 0; known < 2; known++) {
		const np_time before = known ? LIMIT : LIMIT - 1;
		np_time since;

		open_at(&b, SELF, true, 1);
		settle(&b);
		keep(&b, b.now + before);
		since = b.now;
		insist(&b, since + 2 * SLOW + (known ? LIMIT : 0));
		pass(&b, 1);
		assert_true(moves_for_refusal(&b));
		close_node(&b);
	}
}

/* Who is silent about it for longer than a time-out begins anew. */
TEST(refused_with_pauses)
{
	struct bench b;

	for (unsigned pause = 0; pause < 2; pause++) {
		open_at(&b, SELF, true, 1);
		settle(&b);
		assert_false(moves_for_refusal(&b));
		keep(&b, b.now + LIMIT + pause);
		assert_int_equal(moves_for_refusal(&b), !pause);
		close_node(&b);
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
			struct bench b;
			struct overlay_point to;

			open_at(&b, P(cases[i].from, 7), false, seed);
			assert_true(moves_for_twin(&b));
			to = place(&b);
			assert_false(overlay_point_equal(to, P(cases[i].from, 7)));
			least.x = to.x < least.x ? to.x : least.x;
			most.x = to.x > most.x ? to.x : most.x;
			least.y = to.y < least.y ? to.y : least.y;
			most.y = to.y > most.y ? to.y : most.y;
			close_node(&b);
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
		struct bench b;

		open_at(&b, P(1, 1), false, seed);
		hear(&b, 1, OVERLAY_DT_HELLO, P(2, 1));
		hear(&b, 2, OVERLAY_DT_HELLO, P(0, 2));
		assert_true(moves_for_twin(&b));
		assert_true(place(&b).x || place(&b).y);
		assert_false(overlay_point_equal(place(&b), P(2, 1)));
		assert_false(overlay_point_equal(place(&b), P(0, 2)));
		close_node(&b);
	}
}

static uint32_t distance(struct overlay_point a, struct overlay_point b)
{
	const uint32_t x = (uint32_t)abs(a.x - b.x), y = (uint32_t)abs(a.y - b.y);

	return x > y ? x : y;
}

/* Each move for a twin goes up to twice as far, at last up to 1024; a node that joins again begins
 * anew. */
TEST(wider)
{
	uint32_t most[15] = {0}, anew = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct bench b;

		open_at(&b, P(20000, 20000), false, seed);
		for (unsigned i = 0; i < 15; i++) {
			const struct overlay_point from = place(&b);
			uint32_t gone;

			assert_true(moves_for_twin(&b));
			gone = distance(from, place(&b));
			most[i] = gone > most[i] ? gone : most[i];
		}
		overlay_node_leave(b.node, b.now);
		overlay_node_join(b.node, b.now);
		const struct overlay_point from = place(&b);

		assert_true(moves_for_twin(&b));
		anew = distance(from, place(&b)) > anew ? distance(from, place(&b)) : anew;
		close_node(&b);
	}
	for (unsigned i = 0; i < 15; i++) {
		const uint32_t reach = UINT32_C(1) << (i < 10 ? i : 10);

		assert_in_range(most[i], reach - reach / 4, reach);
	}
	assert_int_equal(anew, 1);
}

/* The circle around 502,501 of the square radius 5, on which 500,500 and 501,499 lie, too. */
static void hear_circle(struct bench *b)
{
	hear(b, 1, OVERLAY_DT_HELLO, P(504, 500));
	hear(b, 2, OVERLAY_DT_HELLO, P(504, 502));
	hear(b, 3, OVERLAY_DT_HELLO, P(503, 503));
}

/* Where a step leads to another place on the same circle, the next one follows at once. */
TEST(off_the_circle)
{
	unsigned twice = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct bench b;
		uint64_t moves;

		open_at(&b, SELF, false, seed);
		hear_circle(&b);
		moves = counts(&b).moves;
		assert_int_equal(b.told[NP_OVERLAY_COCIRCULAR], 1);
		assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 1);
		assert_true(overlay_point_equal(told_point(&b, NP_OVERLAY_ADDRESS), SELF));
		assert_true(moves >= 1);
		twice += moves > 1;
		pass(&b, NP_SECOND);
		assert_int_equal(counts(&b).moves, moves);
		assert_int_equal(b.told[NP_OVERLAY_COCIRCULAR], 1);
		close_node(&b);
	}
	assert_in_range(twice, SEEDS / 20, SEEDS / 3);
}

/* Passes to the next heartbeat. */
static void beat(struct bench *b)
{
	const np_time until = overlay_node_deadline(b->node);

	pass(b, until - b->now);
}

/* A named place is kept for a time-out and two slow heartbeats, and given up with the next beat. */
TEST(circle_of_a_named_place)
{
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, NULL);
	struct bench b;
	np_time since;

	plan.fixed = true;
	plan.heartbeat_fast = plan.heartbeat_slow = SLOW;
	plan.rendezvous = 1000 * NP_SECOND;
	open_plan(&b, &plan);
	hear(&b, 1, OVERLAY_DT_HELLO, P(504, 500));
	pass(&b, 1000 * NP_SECOND);
	hear(&b, 1, OVERLAY_DT_HELLO, P(504, 500));
	while (!b.told[NP_OVERLAY_STABLE])
		beat(&b);
	beat(&b);
	hear_circle(&b);
	since = b.now;
	assert_int_equal(b.told[NP_OVERLAY_COCIRCULAR], 1);
	while (b.now < since + LIMIT + 2 * SLOW) {
		assert_int_equal(counts(&b).moves, 0);
		beat(&b);
		hear_circle(&b);
	}
	assert_int_equal(b.now, since + LIMIT + 2 * SLOW);
	assert_int_equal(counts(&b).moves, 0);
	assert_int_equal(b.told[NP_OVERLAY_COCIRCULAR], 1);
	beat(&b);
	assert_true(counts(&b).moves > 0);
	close_node(&b);
}

/* A circle that goes over and comes again is another one: it is told, and the time begins anew. */
TEST(circle_again)
{
	struct bench b;

	open_at(&b, SELF, true, 1);
	hear(&b, 1, OVERLAY_DT_HELLO, P(504, 500));
	while (!b.told[NP_OVERLAY_STABLE])
		beat(&b);
	hear_circle(&b);
	assert_int_equal(b.told[NP_OVERLAY_COCIRCULAR], 1);
	hear(&b, 3, OVERLAY_DT_GOODBYE, P(503, 503));
	for (unsigned i = 0; i < 20; i++) {
		hear(&b, 1, OVERLAY_DT_HELLO, P(504, 500));
		hear(&b, 2, OVERLAY_DT_HELLO, P(504, 502));
		pass(&b, NP_SECOND);
	}
	hear_circle(&b);
	assert_int_equal(b.told[NP_OVERLAY_COCIRCULAR], 2);
	pass(&b, NP_SECOND);
	assert_int_equal(counts(&b).moves, 0);
	close_node(&b);
}
