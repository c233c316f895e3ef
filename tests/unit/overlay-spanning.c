// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* One node of the spanning tree to which a test speaks: its root, its parent, its neighbours. */
#include "overlay_spanning.h"
#include "support/unit.h"

/* Alone it is the root, and says so each second, with its clock. */
TEST_AT(open_spanning, alone)
{
	struct overlay_spt first, second;

	pass(b, NP_SECOND);
	first = said_to_group(b, OVERLAY_SPT_BEACON);
	assert_int_equal(b->message[0].data[0], 0x33);
	assert_true(first.source == SELF_NUMBER && first.root == SELF_NUMBER && !first.parent);
	assert_true(!first.cost && first.metric == 10000 && !first.senders);
	assert_int_equal(first.hash, HASH);
	b->sent = 0;
	pass(b, 20 * NP_SECOND);
	assert_int_equal(b->sent, 20);
	second = said_to_group(b, OVERLAY_SPT_BEACON);
	assert_int_equal(second.timestamp - first.timestamp, 20000);
	assert_true(overlay_node_stable(b->node));
	assert_int_equal(b->told[NP_OVERLAY_STABLE], 0); /* never told */
	assert_int_equal(neighbours(b), 0);
}

/* A better root is followed when it hears this node; its stamp goes on unchanged. */
TEST_AT(open_spanning, root)
{
	const struct view deaf = {5, 5, 0, 0, 0, 0};
	const struct view tree = {5, 5, 0, 0, OVERLAY_SPT_TREE, 0};
	struct overlay_address at;
	struct overlay_spt spt;

	hear_view(b, 1, &deaf);
	announces(b, SELF_NUMBER, 0, 0);
	spt = said_to_group(b, OVERLAY_SPT_BEACON);
	assert_int_equal(overlay_spt_told(&spt, 5), 1); /* heard, and no neighbour */
	hear_view(b, 1, &tree); /* it heard nothing of this one in the last ten */
	assert_int_equal(neighbours(b), 0);
	hear_root(b, 1, 900); /* worse than this node; the same station, so it has moved */
	announces(b, SELF_NUMBER, 0, 0);
	assert_int_equal(b->told[NP_OVERLAY_NEIGHBOURHOOD], 0);
	hear_root(b, 1, 5);
	assert_int_equal(b->told[NP_OVERLAY_NEIGHBOURHOOD], 1);
	assert_true(is_in_tree(b, 5));
	pass(b, MS(200));
	spt = said_to_group(b, OVERLAY_SPT_BEACON); /* sooner than its turn */
	assert_int_equal(spt.root, 5);
	announces(b, 5, 5, 1);
	spt = said_to_group(b, OVERLAY_SPT_BEACON);
	at = address(0);
	assert_true(overlay_address_equal(&spt.address, &at));
	assert_int_equal(spt.timestamp, stamp(b) - 1200);
	assert_int_equal(overlay_spt_told(&spt, 5), OVERLAY_SPT_TREE | 1);
	assert_int_equal(next_hop(b, 5), 5);
}

/* Nearer to the same root by the threshold: a new parent; and smaller ones of the same cost. */
TEST(metric)
{
	const struct view far = {20, 5, 19, 4, 1, 0}, same = {19, 5, 3, 4, 1, 0},
			  near = {30, 5, 7, 3, 1, 0};
	struct overlay_plan plan = spanning_plan();
	struct bench b;

	for (unsigned threshold = 0; threshold < 3; threshold++) {
		plan.jump_threshold = threshold;
		open_plan(&b, &plan);
		hear_view(&b, 1, &far);
		announces(&b, 5, 20, 5);
		hear_view(&b, 2, &same);
		assert_true(is_in_tree(&b, threshold ? 20 : 19));
		pass(&b, MS(100));
		hear_view(&b, 1, &far); /* not back to the greater one of the same cost */
		pass(&b, MS(100));
		hear_view(&b, 3, &near);
		assert_true(is_in_tree(&b, threshold < 2 ? 30 : 20));
		assert_int_equal(neighbours(&b), 1);
		pass(&b, MS(100));
		hear_root(&b, 4, 5);
		assert_true(is_in_tree(&b, 5));
		announces(&b, 5, 5, 1);
		close_node(&b);
	}
}

/* What has no newer stamp of the root may be behind this node: no parent. */
TEST_AT(open_spanning, stamps)
{
	struct view view = {30, 5, 40, 1, 1, 0};

	pass(b, MS(1500));
	view.cost = 3;
	hear_view(b, 1, &view);
	announces(b, 5, 30, 4);
	view = (struct view){31, 5, 40, 1, 1, stamp(b) - 1000};
	hear_view(b, 2, &view); /* as new as what the parent said */
	assert_true(is_in_tree(b, 30));
	view.stamp -= 500;
	hear_view(b, 2, &view);
	assert_true(is_in_tree(b, 30));
	view.stamp = stamp(b) - 999;
	pass(b, NP_SECOND);
	hear_view(b, 2, &view);
	assert_true(is_in_tree(b, 31));
}

/* A better root is believed whatever its clock says: it is another clock. */
TEST_AT(open_spanning, other_clock)
{
	const struct view better = {3, 3, 0, 0, 1, 7}, worse = {9, 9, 0, 0, 1, INT64_MAX};

	hear_root(b, 1, 5);
	hear_view(b, 3, &worse);
	assert_true(is_in_tree(b, 5) && neighbours(b) == 1);
	hear_view(b, 2, &better);
	assert_true(is_in_tree(b, 3) && neighbours(b) == 1);
	announces(b, 3, 3, 1);
	assert_int_equal(said_to_group(b, OVERLAY_SPT_BEACON).timestamp, 7);
}

/* A root's stamp is the wall clock's, and beyond whatever was believed before, by any clock. */
TEST(own_clock)
{
	struct overlay_plan plan = spanning_plan();
	const int64_t wall = INT64_C(1700000000000), ahead = INT64_C(1) << 50;
	const struct view fast = {3, 3, 0, 0, 1, ahead};
	struct bench b;

	plan.epoch = MS(wall);
	open_plan(&b, &plan);
	pass(&b, NP_SECOND);
	assert_in_range(said_to_group(&b, OVERLAY_SPT_BEACON).timestamp - wall, stamp(&b) - 1000,
			stamp(&b));
	hear_view(&b, 2, &fast);
	assert_true(is_in_tree(&b, 3));
	b.sent = 0;
	pass(&b, 30 * NP_SECOND); /* it is silent, and this node the root again */
	assert_true(!neighbours(&b));
	assert_true(said_to_group(&b, OVERLAY_SPT_BEACON).timestamp > ahead);
	close_node(&b);
}

/* News go soon, but not all of what changes all the time: at most ten more beacons a second. */
TEST(hasty)
{
	struct view view = {5, 5, 0, 0, 1, 0};
	struct bench b;

	open_spanning(&b);
	hear_view(&b, 1, &view);
	pass(&b, NP_SECOND);
	b.sent = 0;
	for (unsigned i = 0; i < 100; i++) {
		view.cost = 1 + (int32_t)i % 9;
		view.parent = view.cost ? 7 : 0;
		hear_view(&b, 1, &view);
		pass(&b, MS(10));
	}
	assert_in_range(b.sent, 9, 11);
	close_node(&b);
	/* That the same root is farther by the same parent is news, too. */
	open_spanning(&b);
	view = (struct view){30, 5, 40, 1, 1, 0};
	hear_view(&b, 1, &view);
	pass(&b, NP_SECOND);
	announces(&b, 5, 30, 2);
	b.sent = 0;
	view.cost = 2;
	hear_view(&b, 1, &view);
	pass(&b, MS(110));
	assert_int_equal(said_to_group(&b, OVERLAY_SPT_BEACON).cost, 3);
	close_node(&b);
}

/* A root that nobody hears any more is given up; old news of it are not believed. */
TEST_AT(open_spanning, lost_root)
{
	struct view view = {30, 5, 40, 1, 1, 0};
	int64_t last;

	for (unsigned i = 0; i < 5; i++) {
		view.stamp = last = stamp(b);
		hear_view(b, 1, &view);
		pass(b, NP_SECOND);
	}
	for (unsigned i = 0; i < 6; i++) {
		hear_view(b, 1, &view); /* it goes on, but not the root */
		pass(b, NP_SECOND);
	}
	announces(b, SELF_NUMBER, 0, 0);
	assert_int_equal(neighbours(b), 0);
	for (unsigned i = 0; i < 10; i++) {
		view = (struct view){30 + (int)i % 2, 5, 40, 1, 1, last - i};
		hear_view(b, 1 + i % 2, &view);
		pass(b, NP_SECOND);
		assert_int_equal(neighbours(b), 0);
	}
	/* What is newer is; what is old, too, but only after a while. */
	view.stamp = last + 1;
	hear_view(b, 2, &view);
	assert_int_equal(neighbours(b), 1);
	hear_goodbye(b, 2, 31);
	assert_int_equal(neighbours(b), 0);
	pass(b, 21 * NP_SECOND);
	view.stamp = 7;
	hear_view(b, 2, &view);
	assert_int_equal(neighbours(b), 1);
}

/* A parent that takes this node for its own one, or has but a worse root, is none. */
TEST_AT(open_spanning, bad_parents)
{
	struct view view = {30, 5, 40, 1, 1, 0};

	hear_view(b, 1, &view);
	assert_true(is_in_tree(b, 30));
	pass(b, NP_SECOND);
	view.parent = SELF_NUMBER;
	hear_view(b, 1, &view);
	announces(b, SELF_NUMBER, 0, 0);
	assert_true(is_in_tree(b, 30)); /* a child now */
	view.parent = 40;
	hear_view(b, 1, &view);
	announces(b, 5, 30, 2);
	view.root = view.logical = 30;
	view.parent = view.cost = 0;
	hear_view(b, 1, &view); /* lost the root: this one follows it */
	announces(b, 30, 30, 1);
	view = (struct view){501, 501, 0, 0, 1, 0};
	hear_view(b, 1, &view); /* has moved to a worse address */
	announces(b, SELF_NUMBER, 0, 0);
	view = (struct view){30, 5, 40, 9999, 1, 0};
	hear_view(b, 1, &view); /* too far for a metric */
	announces(b, SELF_NUMBER, 0, 0);
	assert_int_equal(counts(b).malformed, 0);
	view.cost++; /* and so that it cannot be */
	hear_view(b, 1, &view);
	assert_int_equal(counts(b).malformed, 1);
}

/* Children are neighbours; who falls silent is none after 5 s, and forgotten after 20. */
TEST_AT(open_spanning, children)
{
	struct overlay_spt spt;

	hear_root(b, 1, 5);
	hear_child(b, 2, 600, 5);
	hear_child(b, 3, 601, 5);
	assert_int_equal(neighbours(b), 3);
	assert_int_equal(b->told[NP_OVERLAY_NEIGHBOURHOOD], 3);
	for (unsigned i = 0; i < 6; i++) {
		hear_root(b, 1, 5);
		hear_child(b, 3, 601, 5);
		pass(b, NP_SECOND);
	}
	assert_int_equal(neighbours(b), 2);
	assert_int_equal(counts(b).timed_out, 1);
	assert_int_equal(b->told[NP_OVERLAY_NEIGHBOURHOOD], 4);
	spt = said_to_group(b, OVERLAY_SPT_BEACON);
	assert_int_equal(overlay_spt_told(&spt, 600), 1);
	assert_int_equal(overlay_spt_told(&spt, 601), OVERLAY_SPT_TREE | 6);
	b->sent = 0;
	hear_goodbye(b, 3, 601);
	assert_int_equal(neighbours(b), 1);
	assert_int_equal(counts(b).timed_out, 1);
	assert_int_equal(b->told[NP_OVERLAY_NEIGHBOURHOOD], 5);
	assert_int_equal(b->sent, 0); /* a Goodbye is not answered */
	/* A beacon that the Goodbye overtook does not bring it back; a later one does. */
	hear_child(b, 3, 601, 5);
	assert_int_equal(neighbours(b), 1);
	pass(b, MS(500));
	hear_child(b, 3, 601, 5);
	assert_int_equal(neighbours(b), 2);
	pass(b, 6 * NP_SECOND);
	announces(b, SELF_NUMBER, 0, 0);
	assert_int_equal(neighbours(b), 0);
	pass(b, 5 * NP_SECOND);
	spt = said_to_group(b, OVERLAY_SPT_BEACON);
	assert_int_equal(spt.senders, 0); /* none of ten */
}

/* A beacon that a later one overtook says nothing new, but that it came; half an interval later it
 * does. */
TEST_AT(open_spanning, overtaken)
{
	struct view older = {600, 5, 7, 2, 1, 0};

	hear_root(b, 1, 5);
	older.stamp = stamp(b);
	hear_child(b, 2, 600, 5);
	assert_true(is_in_tree(b, 600));
	hear_view(b, 2, &older); /* as new */
	assert_false(is_in_tree(b, 600));
	pass(b, MS(10));
	hear_child(b, 2, 600, 5);
	pass(b, MS(400));
	hear_view(b, 2, &older);
	assert_true(is_in_tree(b, 600));
	pass(b, MS(400));
	hear_view(b, 2, &older);
	assert_true(is_in_tree(b, 600));
	pass(b, MS(500));
	hear_view(b, 2, &older);
	assert_false(is_in_tree(b, 600));
}

/* Stable: nothing changed for three intervals, and all neighbours say that they are. */
TEST_AT(open_spanning, stable)
{
	const struct view agrees = {5, 5, 0, 0, OVERLAY_SPT_TREE | 9, 0};
	struct view child = {600, 5, SELF_NUMBER, 2, 9, 0};
	unsigned intervals;

	for (unsigned i = 0; i < 8; i++) {
		hear_root(b, 1, 5);
		pass(b, NP_SECOND);
		assert_false(overlay_node_stable(b->node) && i > 2);
	}
	hear_view(b, 1, &agrees);
	pass(b, NP_SECOND);
	assert_true(overlay_node_stable(b->node));
	hear_view(b, 2, &child);
	for (unsigned i = 0; i < 7; i++) { /* when the child says so, too */
		child.told = i < 6 ? 9 : 9 | OVERLAY_SPT_TREE;
		hear_view(b, 1, &agrees);
		hear_view(b, 2, &child);
		pass(b, NP_SECOND);
		assert_int_equal(overlay_node_stable(b->node), i == 6);
	}
	child.logical = 601;
	hear_view(b, 3, &child);
	for (intervals = 0; intervals < 9; intervals++) {
		pass(b, NP_SECOND);
		if (overlay_node_stable(b->node))
			break;
		hear_view(b, 1, &agrees);
		hear_view(b, 3, &child);
		child.logical = 600;
		hear_view(b, 2, &child);
		child.logical = 601;
	}
	assert_int_equal(intervals, 3); /* after the change */
	assert_int_equal(b->told[NP_OVERLAY_STABLE], 0);
}

/* A beacon has room for as many senders as the longest message allows; others are not heard. */
TEST(short_messages)
{
	struct overlay_plan plan = spanning_plan();
	struct overlay_spt spt;
	struct bench b;

	plan.message_max = 512;
	open_plan(&b, &plan);
	for (unsigned i = 0; i < 200; i++)
		hear_child(&b, 1 + i, 1000 + (int32_t)i, 5);
	assert_int_equal(neighbours(&b), (512 - 61) / 5);
	assert_int_equal(counts(&b).full, 200 - (512 - 61) / 5);
	assert_int_equal(counts(&b).protocol_received, 200);
	pass(&b, NP_SECOND);
	spt = said_to_group(&b, OVERLAY_SPT_BEACON);
	assert_int_equal(spt.senders, (512 - 61) / 5);
	close_node(&b);
}

TEST_AT(open_spanning, leaving)
{
	struct overlay_spt spt;

	hear_root(b, 1, 5);
	b->sent = 0;
	overlay_node_leave(b->node, b->now);
	spt = said_to_group(b, OVERLAY_SPT_GOODBYE);
	assert_true(spt.type == OVERLAY_SPT_GOODBYE && spt.source == SELF_NUMBER);
	assert_int_equal(b->sent, 1);
	assert_int_equal(b->told[NP_OVERLAY_LEFT], 1);
	assert_int_equal(neighbours(b), 0);
	assert_int_equal(overlay_node_deadline(b->node), NP_TIME_NEVER);
	hear_root(b, 1, 5); /* outside it says nothing */
	assert_int_equal(b->sent, 1);
	assert_int_equal(counts(b).not_joined, 1);
	assert_int_equal(overlay_node_send_all(b->node, "x", 1), -ENOTCONN);
	overlay_node_join(b->node, b->now);
	hear_root(b, 1, 5);
	announces(b, 5, 5, 1);
}
