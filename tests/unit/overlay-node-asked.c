// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a node of an overlay answers its user: neighbours, children, counts; and its plan's limits.
 */
#include "overlay_bench.h"
#include "support/unit.h"

static struct np_overlay_logical logical(struct overlay_point point)
{
	return overlay_logical_point(point);
}

/* It forwards a neighbour's messages to the other one, and its own to both; no more is written than
 * there is room for. */
TEST_AT(open_chain, neighbours_and_children)
{
	const struct np_overlay_logical west = logical(P(100, 500)), east = logical(P(900, 500));
	const struct np_overlay_logical self = logical(SELF);
	const struct overlay_address where[] = {address(1), address(2)};
	struct overlay_neighbour at[3] = {0};

	assert_int_equal(overlay_node_children(b->node, &west, at, 3), 1);
	assert_true(np_overlay_equal(&at[0].logical, &east));
	assert_true(overlay_address_equal(&at[0].address, &where[1]));
	assert_true(overlay_node_parent(b->node, &west, &at[0]));
	assert_true(np_overlay_equal(&at[0].logical, &west));
	assert_true(overlay_address_equal(&at[0].address, &where[0]));
	assert_int_equal(overlay_node_children(b->node, &self, at, 3), 2);
	assert_false(np_overlay_equal(&at[0].logical, &at[1].logical));
	assert_int_equal(at[2].logical.size, 0);
	memset(at, 0, sizeof(at));
	assert_int_equal(overlay_node_children(b->node, &self, at, 1), 2);
	assert_true(at[0].logical.size && !at[1].logical.size);
	memset(at, 0, sizeof(at));
	assert_int_equal(overlay_node_neighbours(b->node, at, 1), 2);
	assert_true(at[0].logical.size && !at[1].logical.size);
	assert_int_equal(overlay_node_neighbours(b->node, at, 3), 2);
	assert_true(at[1].logical.size && !at[2].logical.size);
}

static np_time first_deadline(uint64_t seed)
{
	const struct overlay_address buddy = address(9);
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, &buddy);
	struct bench b;
	np_time deadline;

	plan.seed = seed;
	open_plan(&b, &plan);
	deadline = overlay_node_deadline(b.node);
	close_node(&b);
	return deadline;
}

/* Nodes that join together do not beat together, unless they have the same seed. */
TEST(seeds_differ)
{
	assert_int_equal(first_deadline(1), first_deadline(1));
	assert_int_not_equal(first_deadline(1), first_deadline(2));
	for (uint64_t seed = 0; seed < 20; seed++)
		assert_true(first_deadline(seed) >= START);
}

/* Neighbours that do not know each other, though they are side by side, make no stable overlay. */
TEST_AT(open_node, unstable_while_they_disagree)
{
	assert_false(overlay_node_stable(b->node));
	pass(b, 100 * NP_MILLISECOND);
	assert_int_equal(b->told[NP_OVERLAY_STABLE], 0);
	hear(b, 1, OVERLAY_DT_HELLO, P(100, 500));
	hear(b, 2, OVERLAY_DT_HELLO, P(500, 900));
	assert_int_equal(neighbours(b), 2);
	pass(b, 5 * NP_SECOND);
	assert_int_equal(neighbours(b), 2);
	assert_false(overlay_node_stable(b->node));
	assert_int_equal(b->told[NP_OVERLAY_STABLE], 0);
}

/* Outside the overlay, a node counts what it does not take. */
TEST_AT(open_chain, outside)
{
	overlay_node_leave(b->node, b->now);
	hear(b, 3, OVERLAY_DT_HELLO, P(500, 900));
	assert_int_equal(counts(b).not_joined, 1);
	assert_int_equal(neighbours(b), 0);
}
