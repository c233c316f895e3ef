// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Exact predicates, and the neighbours of a node on a line and on a circle. (overlay-seeds has
 * whole triangulations, with all their next hops.)
 */
#include "../../src/lib/overlay/table.h"
#include "overlay_delaunay.h"
#include "support/unit.h"

#define P(x, y) ((struct overlay_point){x, y})

static uint64_t random_state = 1;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((random_state >> 33) % below);
}

static struct overlay_point draw_point(int reach)
{
	const uint32_t span = 2 * (uint32_t)reach + 1;

	return P((int32_t)draw(span) - reach, (int32_t)draw(span) - reach);
}

/* The greatest coordinates there are, and one unit beside a circle. */
TEST(extremes)
{
	const int32_t low = INT32_MIN, high = INT32_MAX;
	const struct overlay_point a = P(low, low), b = P(high, low), c = P(high, high);
	const struct overlay_point far = P(low, 0), right = P(high, 0), up = P(0, 0);

	assert_int_equal(overlay_in_circle(a, b, c, P(low, high)), 0);
	assert_int_equal(overlay_in_circle(c, b, a, P(low, high)), 0);
	assert_int_equal(overlay_in_circle(a, b, c, P(low, high - 1)), 1);
	assert_int_equal(overlay_in_circle(a, b, P(high, high - 1), P(low, high)), -1);
	assert_int_equal(overlay_in_circle(a, P(0, 0), P(5, 5), P(low, high)), 1); /* a line */
	assert_int_equal(overlay_turn(a, c, P(high - 1, high)), 1);
	assert_int_equal(overlay_turn(a, c, P(high, high - 1)), -1);
	assert_int_equal(overlay_turn(a, c, P(0, 0)), 0);
	assert_int_equal(overlay_farther(a, c, P(high, high - 1)), 1);
	assert_int_equal(overlay_turn(far, right, up), 0);
}

/* Angles at the same pivot differ by one unit at the end of the longest ray. */
TEST(angles)
{
	const int32_t low = INT32_MIN, high = INT32_MAX;
	const struct overlay_point o = P(low, low), x = P(high, low), zero = P(0, 0);
	const struct overlay_point diagonal = P(high, high), below = P(high, high - 1);
	const struct overlay_point east = P(5, 0), left = P(-7, 0), up = P(3, 3), down = P(3, -3);

	assert_true(overlay_rather(o, x, below, diagonal));
	assert_false(overlay_rather(o, x, diagonal, below));
	assert_true(overlay_rather(o, x, P(5, low), below));
	assert_true(overlay_rather(zero, east, up, left));
	assert_false(overlay_rather(zero, east, left, down));
	assert_true(overlay_rather(zero, east, P(9, 0), left));
	/* By the greater one, if both are the same. */
	assert_true(overlay_rather(o, x, diagonal, zero));
	assert_false(overlay_rather(o, x, zero, diagonal));
	assert_true(overlay_rather(diagonal, P(high, low), zero, o));
	assert_false(overlay_rather(diagonal, P(high, low), o, zero));
	assert_true(overlay_rather(zero, east, up, down));
	assert_false(overlay_rather(zero, east, down, up));
	assert_false(overlay_rather(zero, east, left, left));
}

TEST(in_circle_agrees)
{
	for (unsigned i = 0; i < 200000; i++) {
		const int reach = i % 2 ? 6 : DELAUNAY_REACH;
		struct overlay_point p[4];

		for (unsigned k = 0; k < 4; k++)
			p[k] = draw_point(reach);
		assert_int_equal(overlay_in_circle(p[0], p[1], p[2], p[3]),
				 delaunay_area(p[0], p[1], p[2])
					 ? delaunay_circle(p[0], p[1], p[2], p[3])
					 : 1);
	}
}

/* Offers all points, in any order, until none is taken any more. */
static void fill(struct overlay_table *table, const struct overlay_point *at, unsigned count)
{
	bool changed = true;

	while (changed) {
		const unsigned first = draw(count);

		changed = false;
		for (unsigned k = 0; k < count; k++) {
			const struct overlay_member m = {.point = at[(first + k) % count]};

			if (overlay_point_equal(m.point, table->self) ||
			    overlay_table_find(table, m.point) ||
			    !overlay_table_should(table, m.point))
				continue;
			assert_int_equal(overlay_table_insert(table, &m), 0);
			overlay_table_prune(table);
			changed = overlay_table_find(table, m.point) != NULL || changed;
		}
	}
}

/* Nodes on a line are a chain. */
TEST(line)
{
	struct overlay_point at[5];
	struct overlay_member member[5];
	struct overlay_table table = {.member = member, .room = 5};

	for (int i = 0; i < 5; i++)
		at[i] = P(10 + 3 * i, 7 - 2 * i);
	table.self = at[2];
	fill(&table, at, 5);
	assert_int_equal(table.count, 2);
	assert_non_null(overlay_table_find(&table, at[1]));
	assert_non_null(overlay_table_find(&table, at[3]));
	assert_ptr_equal(overlay_table_parent(&table, at[0]), overlay_table_find(&table, at[1]));
	assert_ptr_equal(overlay_table_parent(&table, at[4]), overlay_table_find(&table, at[3]));
	assert_null(overlay_table_parent(&table, at[2]));
	assert_true(overlay_table_child(&table, overlay_table_find(&table, at[3]), at[0]));
	assert_false(overlay_table_child(&table, overlay_table_find(&table, at[1]), at[0]));
}

/* Four on a circle are seen, and no longer when this node has moved away from it. */
TEST(circle)
{
	const struct overlay_point at[] = {P(1000, 1000), P(3000, 1000), P(3000, 3000),
					   P(1000, 3000)};
	struct overlay_point four[4];
	struct overlay_member member[4];
	struct overlay_table table = {.self = at[0], .member = member, .room = 4};

	fill(&table, at, 4);
	assert_int_equal(table.count, 3); /* each on the circle belongs to it */
	assert_true(overlay_table_cocircular(&table, four));
	for (unsigned i = 0; i < 4; i++)
		assert_true(overlay_point_equal(four[i], at[i]));
	overlay_table_move(&table, P(999, 999));
	assert_false(overlay_table_cocircular(&table, four));
	assert_int_equal(table.count, 2); /* the other diagonal is the shorter one now */
}
