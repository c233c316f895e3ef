// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The limits of a node of the spanning tree, of its times and its lists; and one with a twin. */
#include "overlay_spanning.h"
#include "support/unit.h"

#define INTERVAL  NP_SECOND
#define TIMEOUT	  (5 * NP_SECOND)
#define ADJACENCY (20 * NP_SECOND)
#define HISTORY	  (20 * NP_SECOND)
#define CACHE	  (20 * NP_SECOND)

static void open_many(struct bench *b, unsigned most)
{
	struct overlay_plan plan = spanning_plan();

	plan.neighbours_max = most;
	open_plan(b, &plan);
}

/* A child is one until it has been silent for longer than the time-out; it may then be elsewhere.
 */
TEST_AT(open_spanning, silent_child)
{
	hear_child(b, 2, 600, 5);
	b->now += TIMEOUT;
	hear_child(b, 3, 600, 5);
	assert_int_equal(counts(b).forged, 1);
	hear_child(b, 4, 601, 5);
	assert_true(is_in_tree(b, 600));
	assert_int_equal(counts(b).timed_out, 0);
	b->now++;
	hear_child(b, 4, 601, 5);
	assert_false(is_in_tree(b, 600));
	assert_int_equal(counts(b).timed_out, 1);
	hear_child(b, 3, 600, 5);
	assert_true(is_in_tree(b, 600));
	assert_int_equal(counts(b).forged, 1);
	assert_int_equal(inside(b)->count, 2);
}

/* What was heard is forgotten at the first interval after its time. */
TEST_AT(open_spanning, forgotten)
{
	np_time heard;

	b->now = overlay_node_deadline(b->node);
	overlay_node_tick(b->node, b->now);
	heard = b->now;
	hear_child(b, 2, 600, 5);
	b->now++;
	hear_child(b, 3, 601, 5);
	b->now--;
	pass(b, ADJACENCY);
	assert_int_equal(b->now, heard + ADJACENCY);
	assert_int_equal(inside(b)->count, 2);
	pass(b, INTERVAL);
	assert_int_equal(inside(b)->count, 0);
}

/* Of those that are silent the one that is so for longest makes room, and nobody else. */
TEST(makes_room)
{
	struct bench b;

	open_many(&b, 3);
	b.now += 2;
	hear_child(&b, 1, 601, 5);
	b.now--;
	hear_child(&b, 2, 602, 5);
	b.now += 3;
	hear_child(&b, 3, 603, 5);
	b.now += TIMEOUT - 3; /* the second was heard so long before */
	hear_child(&b, 4, 604, 5);
	assert_int_equal(counts(&b).full, 1);
	assert_null(spanning_find(inside(&b), 604));
	b.now += 2;
	hear_child(&b, 4, 604, 5);
	assert_non_null(spanning_find(inside(&b), 604));
	assert_null(spanning_find(inside(&b), 602));
	assert_int_equal(inside(&b)->count, 3);
	assert_int_equal(counts(&b).full, 1);
	hear_child(&b, 5, 605, 5);
	assert_null(spanning_find(inside(&b), 601));
	hear_child(&b, 6, 606, 5);
	assert_non_null(spanning_find(inside(&b), 603));
	assert_int_equal(counts(&b).full, 2);
	close_node(&b);
}

/* A root is lost when its clock has stood for longer than it may. */
TEST_AT(open_spanning, old_root)
{
	assert_true(follows(b, 1, 30, 5, 7000));
	b->now += 3 * NP_SECOND;
	assert_true(follows(b, 1, 30, 5, 7000));
	b->now += 2 * NP_SECOND;
	assert_true(follows(b, 1, 30, 5, 7000));
	b->now++;
	assert_false(follows(b, 1, 30, 5, 7000));
}

/* What was believed of a root is remembered for so long after it was heard. */
TEST_AT(open_spanning, history)
{
	np_time heard;

	heard = b->now;
	assert_true(follows(b, 1, 30, 5, 7000));
	hear_goodbye(b, 1, 30);
	assert_int_equal(inside(b)->parent, 0);
	assert_false(follows(b, 2, 31, 5, 7000));
	b->now = heard + HISTORY - 1;
	assert_false(follows(b, 2, 31, 5, 7000));
	b->now++;
	assert_true(follows(b, 2, 31, 5, 7000));
	hear_goodbye(b, 2, 31);
	assert_true(follows(b, 3, 32, 5, 7001));
}

/* So many roots are remembered; the one that was heard first makes room. */
TEST_AT(open_spanning, many_roots)
{
	for (int32_t i = 0; i <= SPANNING_ROOTS; i++) {
		b->now++;
		assert_true(follows(b, 1, 30, 200 - i, 7000));
	}
	hear_goodbye(b, 1, 30);
	for (int32_t i = SPANNING_ROOTS; i >= 1; i--)
		assert_false(follows(b, 2, 31, 200 - i, 7000));
	assert_true(follows(b, 2, 31, 200, 7000));
}

/* A payload of the node @source comes by the neighbour 30. */
static void hear_payload_way(struct bench *b, int32_t source)
{
	const struct overlay_ol ol =
		hello(OVERLAY_UNICAST, overlay_logical_number(source), overlay_logical_number(30),
		      overlay_logical_number(SELF_NUMBER));

	hear_ol(b, 1, &ol);
}

/* Joined again, it knows nothing of before. */
TEST_AT(open_spanning, joined_again)
{
	np_time due, joined;

	do {
		assert_true(follows(b, 1, 30, 5, 7000));
		hear_payload_way(b, 777);
		assert_int_equal(next_hop(b, 777), 30);
		overlay_node_leave(b->node, b->now);
		assert_int_equal(neighbours(b), 0);
		overlay_node_join(b->node, b->now);
		due = overlay_node_deadline(b->node);
		assert_true(due < b->now + INTERVAL);
	} while (due < b->now + INTERVAL / 5); /* later than news would be */
	joined = b->now;
	hear_view(b, 9, &(struct view){900, 900, 0, 0, 0, 0}); /* no news of its own root */
	assert_int_equal(overlay_node_deadline(b->node), due);
	b->now += MS(30);
	assert_true(follows(b, 1, 30, 5, 7000));
	assert_int_equal(overlay_node_deadline(b->node), joined + MS(100));
	assert_int_equal(next_hop(b, 777), 0);
}

/* A parent has a smaller root than this node, and a cost that leaves one for this node. */
TEST_AT(open_spanning, parents)
{
	struct view view = {600, SELF_NUMBER, 700, 1, 1, 0};

	hear_view(b, 1, &view);
	assert_int_equal(inside(b)->parent, 0);
	view.root--;
	hear_view(b, 1, &view);
	assert_int_equal(inside(b)->parent, 600);
	view.cost = SPANNING_COST_MAX - 1;
	hear_view(b, 1, &view);
	announces(b, SELF_NUMBER - 1, 600, SPANNING_COST_MAX);
	view.cost++;
	hear_view(b, 1, &view);
	assert_int_equal(inside(b)->parent, 0);
	assert_int_equal(counts(b).malformed, 0);
	view.cost++;
	hear_view(b, 1, &view);
	view.cost = -1;
	hear_view(b, 1, &view);
	assert_int_equal(counts(b).malformed, 2);
	view.cost = 0;
	hear_view(b, 1, &view);
	assert_int_equal(counts(b).malformed, 2);
}

/* With a long time-out it is ten intervals without a beacon that end a parent. */
TEST(ten_intervals)
{
	struct overlay_plan plan = spanning_plan();
	struct bench b;

	plan.timeout = plan.age_max = plan.root_history = 18 * NP_SECOND;
	open_plan(&b, &plan);
	b.now = overlay_node_deadline(b.node);
	overlay_node_tick(b.node, b.now);
	assert_true(follows(&b, 1, 30, 5, 7000));
	pass(&b, 9 * INTERVAL);
	assert_int_equal(inside(&b)->parent, 30);
	pass(&b, INTERVAL);
	assert_int_equal(inside(&b)->parent, 0);
	close_node(&b);
}

/* News are due a tenth of an interval after the latest beacon, or at once, and once. */
TEST_AT(open_spanning, urgent)
{
	np_time beacon;

	b->now = beacon = overlay_node_deadline(b->node);
	overlay_node_tick(b->node, b->now);
	assert_int_equal(overlay_node_deadline(b->node), beacon + INTERVAL);
	b->now += MS(30);
	assert_true(follows(b, 1, 30, 5, 7000));
	assert_int_equal(overlay_node_deadline(b->node), beacon + MS(100));
	b->now += MS(30);
	assert_true(follows(b, 1, 30, 4, 7000));
	assert_int_equal(overlay_node_deadline(b->node), beacon + MS(100));
	b->now = beacon + MS(99);
	b->sent = 0;
	overlay_node_tick(b->node, b->now);
	assert_int_equal(b->sent, 0);
	b->now += MS(1);
	overlay_node_tick(b->node, b->now);
	assert_int_equal(b->sent, 1);
	assert_int_equal(overlay_node_deadline(b->node), beacon + INTERVAL);
	assert_true(follows(b, 1, 30, 4, 7001)); /* no news */
	assert_int_equal(overlay_node_deadline(b->node), beacon + INTERVAL);
	b->now += MS(300);
	assert_true(follows(b, 1, 30, 3, 7001));
	assert_int_equal(overlay_node_deadline(b->node), b->now);
	overlay_node_tick(b->node, b->now);
	assert_int_equal(b->sent, 2);
	b->now = beacon + INTERVAL;
	overlay_node_tick(b->node, b->now);
	assert_int_equal(b->sent, 3);
	assert_int_equal(overlay_node_deadline(b->node), beacon + 2 * INTERVAL);
}

/* Stable at the first interval that is three after the latest change. */
TEST(stable)
{
	struct bench b;
	np_time changed;

	for (np_time late = 0; late < 2; late++) {
		open_spanning(&b);
		b.now = overlay_node_deadline(b.node);
		overlay_node_tick(b.node, b.now);
		b.now += late;
		changed = b.now;
		hear_view(&b, 2, &(struct view){600, 5, SELF_NUMBER, 2, 9 | OVERLAY_SPT_TREE, 0});
		pass(&b, 3 * INTERVAL - late);
		assert_int_equal(b.now, changed + 3 * INTERVAL - late);
		assert_int_equal(overlay_node_stable(b.node), !late);
		pass(&b, INTERVAL);
		assert_true(overlay_node_stable(b.node));
		overlay_node_leave(b.node, b.now);
		assert_false(overlay_node_stable(b.node));
		overlay_node_join(b.node, b.now);
		assert_false(overlay_node_stable(b.node));
		close_node(&b);
	}
}

/* Of the latest eight that said Goodbye it is known for half an interval. */
TEST_AT(open_spanning, gone)
{
	for (unsigned i = 0; i < OVERLAY_GONE + 2; i++)
		hear_child(b, 1 + i, 600 + (int32_t)i, 5);
	for (unsigned i = 0; i < OVERLAY_GONE + 2; i++)
		hear_goodbye(b, 1 + i, 600 + (int32_t)i);
	for (unsigned i = 0; i < OVERLAY_GONE + 2; i++)
		hear_goodbye(b, 30 + i, 700 + (int32_t)i); /* of strangers */
	assert_int_equal(neighbours(b), 0);
	for (unsigned i = 0; i < OVERLAY_GONE + 2; i++) {
		hear_child(b, 1 + i, 600 + (int32_t)i, 5);
		assert_int_equal(is_in_tree(b, 600 + (int32_t)i), i < 2);
	}
	hear_child(b, 4, 650, 5);  /* the same by another name */
	hear_child(b, 40, 604, 5); /* another by the same name */
	assert_true(is_in_tree(b, 650) && is_in_tree(b, 604));
	b->now += INTERVAL / 2 - 1;
	hear_child(b, 6, 605, 5);
	assert_false(is_in_tree(b, 605));
	b->now++;
	hear_child(b, 6, 605, 5);
	assert_true(is_in_tree(b, 605));
	hear_goodbye(b, 7, 605);
	assert_int_equal(counts(b).forged, 1);
	assert_true(is_in_tree(b, 605));
}

/* A beacon with an older stamp is believed half an interval after the latest one, not before. */
TEST(overtaken)
{
	const np_time half = INTERVAL / 2;
	struct bench b;

	for (np_time early = 0; early < 2; early++) {
		open_spanning(&b);
		assert_true(follows(&b, 1, 30, 5, 7000));
		b.now += half - early;
		hear_view(&b, 1, &(struct view){30, 5, 40, 3, 1, 6999});
		assert_int_equal(inside(&b)->cost, early ? 2 : 4);
		hear_view(&b, 1, &(struct view){30, 5, 40, 4, 1, 7000});
		assert_int_equal(inside(&b)->cost, 5);
		close_node(&b);
	}
}

/* A neighbour that goes is told once. */
TEST_AT(open_spanning, told_once)
{
	hear_child(b, 1, 600, 5);
	hear_child(b, 2, 601, 5);
	hear_goodbye(b, 1, 600);
	assert_int_equal(b->told[NP_OVERLAY_NEIGHBOURHOOD], 3);
	for (unsigned i = 0; i < 3; i++)
		hear_child(b, 2, 601, 5);
	assert_int_equal(b->told[NP_OVERLAY_NEIGHBOURHOOD], 3);
}

/* What was learnt of a way is believed so long, and the newest of it. */
TEST_AT(open_spanning, ways)
{
	np_time learnt;

	assert_true(follows(b, 1, 30, 5, 7000));
	hear_payload_way(b, 777);
	learnt = b->now;
	assert_int_equal(next_hop(b, 777), 30);
	while (b->now < learnt + CACHE) {
		b->now += NP_SECOND;
		assert_true(follows(b, 1, 30, 5, 7000 + b->now / NP_MILLISECOND));
		assert_int_equal(next_hop(b, 777), 30);
	}
	b->now++;
	assert_true(follows(b, 1, 30, 5, 7000 + b->now / NP_MILLISECOND));
	assert_int_equal(next_hop(b, 777), 0);
}

/* Who is still heard, but is a neighbour no more, is no way to itself. */
TEST_AT(open_spanning, no_way)
{
	hear_child(b, 1, 600, 5);
	hear_child(b, 2, 601, 5);
	assert_int_equal(next_hop(b, 601), 601);
	hear_view(b, 2, &(struct view){601, 5, 40, 2, 0, 0});
	assert_int_equal(neighbours(b), 1);
	assert_non_null(spanning_find(inside(b), 601));
	assert_int_equal(next_hop(b, 601), 0);
	assert_int_equal(next_hop(b, 600), 600);
}

/* Replies are bounded in each interval, as questions are. */
TEST_AT(open_spanning, replies)
{
	const struct overlay_spt ask = {
		.type = OVERLAY_SPT_ROUTE_REQUEST, .source = 30, .wanted = SELF_NUMBER};

	for (unsigned i = 0; i < 2; i++) {
		b->now = overlay_node_deadline(b->node);
		overlay_node_tick(b->node, b->now);
		assert_true(follows(b, 1, 30, 5, 7000 + i));
		b->sent = 0;
		for (unsigned n = 0; n < SPANNING_ASKED_MAX + 5; n++)
			hear_spt(b, 1, &ask);
		assert_int_equal(b->sent, SPANNING_ASKED_MAX);
		pass(b, MS(200)); /* the news that it has a parent */
	}
}

#define SEEDS 200

static void hear_twin(struct bench *b)
{
	hear_view(b, 7, &(struct view){self(b), self(b), 0, 0, 0, 0});
}

/* Who has neighbours gives way when the twin stays for two intervals; not if it comes anew. */
TEST_AT(open_spanning, twin_stays)
{
	np_time since;

	hear_child(b, 1, 600, 5);
	hear_twin(b);
	b->now += TIMEOUT;
	hear_twin(b); /* too late to be the same */
	assert_int_equal(counts(b).moves, 0);
	assert_int_equal(b->told[NP_OVERLAY_TWIN], 2);
	since = b->now;
	b->now = since + 2 * INTERVAL - 1;
	hear_twin(b);
	assert_int_equal(counts(b).moves, 0);
	b->now++;
	hear_twin(b);
	assert_int_equal(counts(b).moves, 1);
	assert_int_equal(counts(b).twins, 4);
	assert_int_equal(b->told[NP_OVERLAY_TWIN], 2);
	assert_int_equal(neighbours(b), 0);
	b->now += TIMEOUT - 1;
	hear_twin(b);
	assert_int_equal(counts(b).moves, 1);
	b->now++;
	hear_twin(b);
	assert_int_equal(counts(b).moves, 2);
}

/* After a move nobody hears this node yet, whatever was heard of before. */
TEST(moved_unheard)
{
	struct bench b;

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
TEST(to_the_ends)
{
	static const int32_t ends[] = {INT32_MIN, INT32_MAX};

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
TEST(twin_told)
{
	struct overlay_plan plan = spanning_plan();
	struct bench b;

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
TEST(moves)
{
	static const struct {
		int32_t from, least, most;
	} cases[] = {
		{5000, 4000, 6000},
		{300, -700, 1300},
		{INT32_MAX, INT32_MAX - 1000, INT32_MAX},
		{INT32_MIN, INT32_MIN, INT32_MIN + 1000},
	};

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
			assert_int_equal(
				overlay_logical_get_number(&b.event[NP_OVERLAY_ADDRESS].node[0]),
				cases[i].from);
			assert_true(self(&b) && self(&b) != cases[i].from);
			least = self(&b) < least ? self(&b) : least;
			most = self(&b) > most ? self(&b) : most;
			close_node(&b);
		}
		assert_in_range((int64_t)least - cases[i].least, 0, 50);
		assert_in_range((int64_t)cases[i].most - most, 0, 50);
	}
}
