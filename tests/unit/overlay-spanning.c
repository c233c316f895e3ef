// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * One node of the spanning tree, 500: its root, its parent, its neighbours, its times and its
 * lists, and what strangers try. Scripts are as in support/overlay_stage.h.
 */
#include "support/overlay_stage.h"

#define INTERVAL NP_SECOND

/* The root, parent and cost that the node announces next. */
#define ALONE		"quiet; +1s; said group BEACON 500 root 500 parent 0 cost 0 metric 10000 hears"
#define BELOW(root, by) "quiet; +1s; said group BEACON 500 root " root " parent " by " cost "
/* The first interval begins now. */
#define BEGUN "tick; sent 1; "
/* A parent 30 of the root 5, with that stamp. */
#define PARENT(stamp) "1 view 30 5 40 1 1 " stamp "; hop 5 30; "

TEST(plays)
{
	static const char *const scripts[] = {
		/* Alone it is the root, says so each second, and is stable, which is never told. */
		"+1s; said group BEACON 500 root 500 parent 0 cost 0 metric 10000 hears (0); "
		"quiet; +20s; sent 20; stable 1; STABLE 0; neighbours 0",
		/*
		 * A better root is followed when it hears this node, and has heard it lately; a
		 * worse one is not. That is said sooner than its turn.
		 */
		"1 view 5 5 0 0 0; " ALONE
		" 5:1 (1); 1 view 5 5 0 0 T0; neighbours 0; 1 root 900; " ALONE
		"; NEIGHBOURHOOD 0; 1 root 5; NEIGHBOURHOOD 1; near 5; quiet; +200; said group "
		"BEACON 500 root 5;" BELOW("5", "5") "1 metric 9999 hears 5:T1 (1); hop 5 5",
		/* What has no newer stamp of the root may be behind this node: no parent. */
		"+1500; 1 view 30 5 40 3 1; " BELOW(
			"5", "30") "4; near 30; >-1s; 2 view 31 5 40 1 1; >1s; near 30; far 31;"
				   "+1s; 2 view 31 5 40 1 1; near 31",
		/* That the same root is farther by the same parent is news, too. */
		"1 view 30 5 40 1 1; +1s; " BELOW(
			"5", "30") "2; quiet; 1 view 30 5 40 2 1; +110;"
				   "said group BEACON 500 root 5 parent 30 cost 3",
		/*
		 * A parent that takes this node for its own one, or has but a worse root, is none;
		 * one that lost the root is followed.
		 */
		"1 view 30 5 40 1 1; near 30; +1s; 1 view 30 5 500 1 1; " ALONE
		"; near 30; 1 view 30 5 40 1 1; " BELOW("5", "30") "2; 1 view 30 30 0 0 1; " BELOW(
			"30", "30") "1; 1 view 501 501 0 0 1; " ALONE,
		/* A smaller root than this node's, and a cost that leaves one for this node. */
		"1 view 600 500 700 1 1; hop 499 -; 1 view 600 499 700 1 1; hop 499 600; "
		"1 view 600 499 700 9998 1; " BELOW(
			"499", "600") "9999 metric 1; 1 view 600 499 700 9999 1; hop 499 -; "
				      "malformed 0; 1 view 600 499 700 10000 1; "
				      "1 view 600 499 700 -1 1; malformed 2; "
				      "1 view 600 499 700 0 1; malformed 2",
		/* Children are neighbours; who falls silent is none; a Goodbye is not answered. */
		"1 root 5; 2 child 600 5; 3 child 601 5; neighbours 3; NEIGHBOURHOOD 3; "
		"k6{1 root 5; 3 child 601 5; +1s}; neighbours 2; timed_out 1; NEIGHBOURHOOD 4; "
		"said group BEACON 500 root 5 parent 5 cost 1 metric 9999 hears 5:T6 600:1 601:T6 "
		"(3); quiet; 3 bye 601; neighbours 1; timed_out 1; NEIGHBOURHOOD 5; sent 0",
		/* None of the last ten beacons: not said to be heard. Beacons of before a Goodbye
		   bring nobody back. */
		"3 child 601 5; 3 bye 601; 3 child 601 5; neighbours 0; +500; 3 child 601 5; "
		"neighbours 1; +6s; " ALONE " 601:1 (1); +5s;" ALONE " (0)",
		/* A child is one until it has been silent for longer than 5 s; it may then be
		   elsewhere. */
		"2 child 600 5; >5s; 3 child 600 5; forged 1; 4 child 601 5; near 600; "
		"timed_out 0; >1n; 4 child 601 5; far 600; timed_out 1; 3 child 600 5; near 600; "
		"forged 1; heard 2",
		/* What was heard is forgotten at the first interval after 20 s. */
		BEGUN "2 child 600 5; >1n; 3 child 601 5; >-1n; +20s; heard 2; +1s; heard 0",
		/* The same station by another address: one of both. */
		"1 root 5; 2 child 600 5; 2 child 610 5; near 610; far 600",
		/* A root is lost when its clock has stood for longer than 5 s. */
		PARENT("7000") ">3s; " PARENT("7000") ">2s; " PARENT(
			"7000") ">1n; 1 view 30 5 40 1 1 7000; hop 5 -",
		/* What was believed of a root is remembered for 20 s after it was heard. */
		PARENT("7000") "1 bye 30; hop 5 -; 2 view 31 5 40 1 1 7000; hop 5 -; >20s-1n; "
			       "2 view 31 5 40 1 1 7000; hop 5 -; >1n; 2 view 31 5 40 1 1 7000; "
			       "hop 5 31; 2 bye 31; 3 view 32 5 40 1 1 7001; hop 5 32",
		/* News are due a tenth of an interval after the latest beacon, or at once, and
		   once. */
		BEGUN "due 1s; >30; " PARENT(
			"7000") "due 70; >30; 1 view 30 4 40 1 1 7000; hop 4 30; due 40; >39; "
				"turn; sent 0; >1; turn; sent 1; due 900; 1 view 30 4 40 1 1 7001; "
				"due 900; >300; 1 view 30 3 40 1 1 7001; hop 3 30; due 0; turn; "
				"sent 1; >600; turn; sent 1; due 1s",
		/* Not all of what changes all the time: at most ten more beacons a second. */
		"1 view 5 5 0 0 1; +1s; quiet; k50{1 view 5 5 7 1 1; +10; 1 view 5 5 7 2 1; +10}; "
		"sent 9..11",
		/* A beacon that a later one overtook says nothing new; half an interval later it
		   does. */
		PARENT("7000") ">500-1n; 1 view 30 5 40 3 1 6999; 1 view 30 5 40 4 1 7000; " BELOW(
			"5", "30") "5",
		PARENT("7000") ">500-1n; 1 view 30 5 40 3 1 6999; " BELOW("5", "30") "2",
		PARENT("7000") ">500; 1 view 30 5 40 3 1 6999; " BELOW("5", "30") "4",
		/* That it came counts all the same. */
		"1 root 5; 2 child 600 5; near 600; 2 view 600 5 7 2 1; far 600; +10; "
		"2 child 600 5; +400; 2 view 600 5 7 2 1 999000; near 600; +400; "
		"2 view 600 5 7 2 1 999000; near 600; +500; 2 view 600 5 7 2 1 999000; far 600",
		/* A neighbour that goes is told once. */
		"1 child 600 5; 2 child 601 5; 1 bye 600; NEIGHBOURHOOD 3; k3{2 child 601 5}; "
		"NEIGHBOURHOOD 3",
		/* Who is still heard, but is a neighbour no more, is no way to itself. */
		"1 child 600 5; 2 child 601 5; hop 601 601; 2 view 601 5 40 2 0; neighbours 1; "
		"heard 2; hop 601 -; hop 600 600",
		/* Stable at the first interval that is three after the latest change, when all say
		   so. */
		BEGUN "2 view 600 5 500 2 T9; +3s; stable 1; leave; stable 0; join; stable 0",
		BEGUN ">1n; 2 view 600 5 500 2 T9; +3s-1n; stable 0; +1s; stable 1",
		"1 view 5 5 0 0 T9; k6{2 view 600 5 500 2 9; 1 view 5 5 0 0 T9; +1s; stable 0}; "
		"2 view 600 5 500 2 T9; 1 view 5 5 0 0 T9; +1s; stable 1; STABLE 0",
		/* Leaving is said; outside it says nothing, and knows nothing of before when it
		   joins again. */
		"1 root 5; quiet; leave; said group GOODBYE 500; sent 1; LEFT 1; neighbours 0; "
		"due never; 1 root 5; sent 0; sendall x = ENOTCONN; join; "
		"1 root 5; " BELOW("5", "5") "1",
		/* Payloads keep a child alive whose beacons wait behind them. */
		"1 root 5; 2 child 600 5; 3 child 601 5; k8{+3s; 1 root 5; 2 all 777 by 600}; "
		"near 600; far 601; delivered 8; timed_out 1",
		/* Neither from another overlay, nor with another's address in it, nor from nowhere.
		 */
		"1 root 5 hash 1; foreign 1; 1 view 5 5 0 0 1 where 7; forged 1; 1 root 5 realm+; "
		"foreign 2; 1 raw 33003d0090b3ea;"
		"malformed 1; 1 HELLO 1,1; malformed 2; " ALONE " (0)",
	};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		play(OVERLAY_SPT, scripts[i]);
}

/* Nearer to the same root by the threshold: a new parent; and smaller ones of the same cost. */
TEST(metric)
{
	for (unsigned threshold = 0; threshold < 3; threshold++) {
		struct overlay_plan plan = stage_plan(OVERLAY_SPT);
		struct stage *s;

		plan.jump_threshold = threshold;
		s = stage_open(&plan);
		stage_play(s,
			   "1 view 20 5 19 4 1; " BELOW(
				   "5", "20") "5; 2 view 19 5 3 4 1; near %d; +100; "
					      "1 view 20 5 19 4 1; +100; 3 view 30 5 7 3 1; "
					      "near %d; neighbours 1; +100; 4 root 5; "
					      "near 5; " BELOW("5", "5") "1",
			   threshold ? 20 : 19, threshold < 2 ? 30 : 20);
	}
}

/* A better root is believed whatever its clock says; its stamp goes on unchanged. */
TEST(stamps)
{
	struct stage *s =
		play(OVERLAY_SPT, "1 root 5; 3 view 9 9 0 0 1 9223372036854775807; near 5; "
				  "neighbours 1; 2 view 3 3 0 0 1 7; near 3;"
				  "neighbours 1; " BELOW("3", "3") "1");

	assert_int_equal(stage_stamp(s), 7);
}

/* A root's stamp is the wall clock's, and beyond whatever was believed before, by any clock. */
TEST(own_clock)
{
	struct overlay_plan plan = stage_plan(OVERLAY_SPT);
	const int64_t wall = INT64_C(1700000000000), ahead = INT64_C(1) << 50;
	struct stage *s;
	int64_t now, first;

	plan.epoch = wall * NP_MILLISECOND;
	s = stage_open(&plan);
	stage_play(s, "+1s");
	now = stage_now(s) / NP_MILLISECOND;
	first = stage_stamp(s);
	assert_in_range(first - wall, now - 1000, now);
	stage_play(s, "+20s");
	assert_int_equal(stage_stamp(s) - first, 20000);
	/* Who is silent then. */
	stage_play(s, "2 view 3 3 0 0 1 %lld; near 3; quiet; +30s; neighbours 0", (long long)ahead);
	assert_true(stage_stamp(s) > ahead);
}

/* A root that nobody hears any more is given up; old news of it are not believed for a while. */
TEST(lost_root)
{
	struct stage *s = play(OVERLAY_SPT, "k5{1 view 30 5 40 1 1; +1s}");
	const long long last = stage_now(s) / NP_MILLISECOND - 1000;

	stage_play(s, "k6{1 view 30 5 40 1 1 %lld; +1s}; " ALONE "; neighbours 0", last);
	for (unsigned i = 0; i < 10; i++)
		stage_play(s, "%u view %u 5 40 1 1 %lld; +1s; neighbours 0", 1 + i % 2, 30 + i % 2,
			   last - i);
	stage_play(s,
		   "2 view 31 5 40 1 1 %lld; neighbours 1; 2 bye 31; neighbours 0; +21s; "
		   "2 view 31 5 40 1 1 7; neighbours 1",
		   last + 1);
}

/* 32 roots are remembered; the one that was heard first makes room. */
TEST(many_roots)
{
	struct stage *s = play(OVERLAY_SPT, "");

	for (int i = 0; i <= 32; i++)
		stage_play(s, ">1n; 1 view 30 %d 40 1 1 7000; hop %d 30", 200 - i, 200 - i);
	stage_play(s, "1 bye 30");
	for (int i = 32; i >= 1; i--)
		stage_play(s, "2 view 31 %d 40 1 1 7000; hop %d -", 200 - i, 200 - i);
	stage_play(s, "2 view 31 200 40 1 1 7000; hop 200 31");
}

/* Of those that are silent one makes room, and nobody else. */
TEST(makes_room)
{
	struct overlay_plan plan = stage_plan(OVERLAY_SPT);

	plan.neighbours_max = 3;
	play_by(&plan, ">2n; 1 child 601 5; >-1n; 2 child 602 5; >3n; 3 child 603 5; >5s-3n; "
		       "4 child 604 5; full 1; far 604; >2n; 4 child 604 5; near 604; heard 3; "
		       "full 1; 5 child 605 5; near 605; 6 child 606 5; near 603; full 2");
}

/* A beacon has room for as many senders as the longest message allows; others are not heard. */
TEST(short_messages)
{
	struct overlay_plan plan = stage_plan(OVERLAY_SPT);
	struct stage *s;

	plan.message_max = 512;
	s = stage_open(&plan);
	for (unsigned i = 0; i < 200; i++)
		stage_play(s, "%u child %u 5", 1 + i, 1000 + i);
	stage_play(s, "neighbours 90; heard 90; full 110; +1s; heard 90");
}

/* With a long time-out it is ten intervals without a beacon that end a parent. */
TEST(ten_intervals)
{
	struct overlay_plan plan = stage_plan(OVERLAY_SPT);

	plan.timeout = plan.age_max = plan.root_history = 18 * NP_SECOND;
	play_by(&plan, BEGUN PARENT("7000") "+9s; hop 5 30; +1s; hop 5 -");
}

/* Joined again, it hurries with news, though its first beacon was not due. */
TEST(joined_again)
{
	struct stage *s = play(OVERLAY_SPT, "");
	np_time due;

	do {
		stage_play(s,
			   PARENT("7000") "1 one 777 by 30; hop 777 30; leave; neighbours 0; join");
		due = overlay_node_deadline(stage_node(s)) - stage_now(s);
		assert_true(due < INTERVAL);
	} while (due < INTERVAL / 5); /* later than news would be */
	/* A root that does not hear it is no news. */
	stage_play(s, "9 view 900 900 0 0 0; due %lldn; >30; " PARENT("7000") "due 70; hop 777 -",
		   (long long)due);
}

/* Of the latest eight that said Goodbye it is known for half an interval. */
TEST(gone)
{
	struct stage *s = play(OVERLAY_SPT, "");

	for (unsigned i = 0; i < 10; i++)
		stage_play(s, "%u child %u 5", 1 + i, 600 + i);
	for (unsigned i = 0; i < 10; i++)
		stage_play(s, "%u bye %u", 1 + i, 600 + i);
	for (unsigned i = 0; i < 10; i++)
		stage_play(s, "%u bye %u", 30 + i, 700 + i); /* of strangers */
	stage_play(s, "neighbours 0");
	for (unsigned i = 0; i < 10; i++)
		stage_play(s, "%u child %u 5; %s %u", 1 + i, 600 + i, i < 2 ? "near" : "far",
			   600 + i);
	/* The same by another name, another by the same name. */
	stage_play(s, "4 child 650 5; 40 child 604 5; near 650 604; >500-1n; 6 child 605 5; "
		      "far 605; >1n; 6 child 605 5; near 605; 7 bye 605; forged 1; near 605");
}

static void hear_duplicate(struct stage *s)
{
	stage_play(s, "7 view %d %d 0 0 0", stage_number(s), stage_number(s));
}

/* This node's name elsewhere: a newcomer gives way at once, and again, but not before 5 s. */
TEST(duplicate_of_newcomer)
{
	struct overlay_plan plan = stage_plan(OVERLAY_SPT);
	struct stage *s;

	plan.fixed = true;
	s = stage_open(&plan);
	/* First its own, from the group. */
	stage_play(s, "0 view 500 500 0 0 0; TWIN 0; 7 view 500 500 0 0 0; TWIN 1; "
		      "ADDRESS 1; event ADDRESS 500; event TWIN 500 @7; moves 1; +4900");
	assert_int_not_equal(stage_number(s), SELF_NUMBER);
	hear_duplicate(s);
	stage_play(s, "moves 1; +100");
	hear_duplicate(s);
	stage_play(s, "moves 2; TWIN 2");
}

/* Who has neighbours gives way when the duplicate stays for two intervals; not if it comes anew. */
TEST(duplicate_stays)
{
	struct stage *s = play(
		OVERLAY_SPT,
		"1 child 600 5; 7 view 500 500 0 0 0; >5s; 7 view 500 500 0 0 0; moves 0; TWIN 2; "
		">2s-1n; 7 view 500 500 0 0 0; moves 0; >1n; 7 view 500 500 0 0 0; moves 1; "
		"TWIN 2; neighbours 0; >5s-1n");

	hear_duplicate(s);
	stage_play(s, "moves 1; >1n");
	hear_duplicate(s);
	stage_play(s, "moves 2");
}

/* A user's address is kept; told of a duplicate again when a time-out has passed, also if it stays.
 */
TEST(duplicate_reported)
{
	struct overlay_plan plan = stage_plan(OVERLAY_SPT);

	plan.fixed = true;
	play_by(&plan, "1 child 600 5; 7 view 500 500 0 0 0; >5s-1n; 7 view 500 500 0 0 0; TWIN 1; "
		       ">1n; 7 view 500 500 0 0 0; TWIN 2; moves 0;"
		       "7 bye 500; forged 1");
}

/* After a move nobody hears this node yet, whatever was heard of before. */
TEST(moved_unheard)
{
	for (unsigned first = 0; first < 2; first++) {
		struct stage *s = play(OVERLAY_SPT, first ? "2 view 31 5 40 2 1 6999" : "");

		stage_play(s, PARENT("7000") "2 view 31 5 40 2 1 7001; hop 5 30");
		hear_duplicate(s);
		stage_play(s, ">2s");
		hear_duplicate(s);
		stage_play(s, "moves 1; hop 5 -; 2 view 31 5 40 1 1 7002; hop 5 31");
	}
}

/* A new address is at most 1000 away, within 32 bits, neither 0 nor the old one. */
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

		for (uint64_t seed = 1; seed <= 200; seed++) {
			struct overlay_plan plan = stage_plan(OVERLAY_SPT);
			struct stage *s;
			int32_t to;

			plan.coordinates = P(cases[i].from, 0);
			plan.seed = seed;
			s = stage_open(&plan);
			hear_duplicate(s);
			stage_play(s, "moves 1; event ADDRESS %d", cases[i].from);
			to = stage_number(s);
			assert_true(to && to != cases[i].from);
			least = to < least ? to : least;
			most = to > most ? to : most;
		}
		assert_in_range((int64_t)least - cases[i].least, 0, 50);
		assert_in_range((int64_t)cases[i].most - most, 0, 50);
	}
}

/* The ends of the numbers can be moved to as well. */
TEST(to_the_ends)
{
	static const int32_t ends[] = {INT32_MIN, INT32_MAX};

	for (unsigned i = 0; i < 2; i++) {
		struct overlay_plan plan = stage_plan(OVERLAY_SPT);
		bool there = false;

		plan.coordinates = P(i ? INT32_MAX - 1 : INT32_MIN + 1, 0);
		plan.neighbours_max = 3;
		for (plan.seed = 1; !there && plan.seed < 40000; plan.seed++) {
			struct stage *s = stage_open(&plan);

			hear_duplicate(s);
			there = stage_number(s) == ends[i];
		}
		assert_true(there);
	}
}

/* Payloads at the node below the root 5, with the children 600 and 601. */
#define TREE "1 root 5; 2 child 600 5; 3 child 601 5; neighbours 3; quiet;"

TEST(payloads)
{
	static const char *const scripts[] = {
		/* To the root and to neighbours by the tree; to others, as learnt; else to all, and
		   asked for. */
		TREE "send 5 one; said 1 one 500 by 500 to 5; sent 1; send 601 one; said 3 one; "
		     "sent 1; send 777 one; said 1 one 500 by 500 to 777; said 2 one; said 3 one; "
		     "said group REQUEST 500 777; sent 4; hop 777 -; 2 one 777 by 600; "
		     "delivered 1; got hello hops 253 one; hop 777 600; send 777 one; said 2 one; "
		     "sent 1; 3 one 888 by 601 to 777; said 2 one 888 by 500 to 777; sent 1; "
		     "delivered 1;"
		     /* Nobody knows: to the others. A way is believed for 20 s. */
		     "1 one 5 by 5 to 999; said 1 -; said 2 one; said 3 one; quiet;"
		     "k5{+4s; 1 root 5; 2 child 600 5; 3 child 601 5; hop 777 600}; >1n; 1 root 5; "
		     "hop 777 -",
		/* Alone there is nobody to send to; at the end of the tree a search ends without a
		   fault. */
		"send 777 x = EHOSTUNREACH; unroutable 1; 1 root 5; 1 one 5 by 5 to 777; "
		"unroutable 1; delivered 0; quiet;"
		/* Two had asked before. */
		"k100{send 777 x}; sent 114; +1s; 1 root 5; quiet; k100{send 777 x}; sent 116",
		/* The way to a node: who knows it says so; who is not asked by a neighbour is
		   silent. */
		TREE "1 asks 5 600; said group REPLY 500 600 600; sent 1; 1 asks 5 500; "
		     "said group REPLY 500 500 500; sent 1; 1 asks 5 777; 2 asks 600 600; "
		     "4 asks 901 600; 4 asks 5 600; forged 1; sent 0; 4 replies 600 650 777; "
		     "hop 777 -; 2 replies 600 500 777; hop 777 -; 2 replies 600 650 777; "
		     "hop 777 600; 4 child 602 5; hop 777 -",
		/* Replies are bounded in each interval, as questions are. */
		"k2{tick; 1 view 30 5 40 1 1; k1{hop 5 30}; quiet; k21{1 asks 30 500}; sent 16; "
		"+200}",
		/* Each of these is dropped and counted, and sends nothing: the root is not there,
		 * nor is a child, no neighbour, in the parent's name, this node's own, no mode,
		 * another protocol's address. */
		TREE "2 all 5 by 600; 1 all 600 by 5; 4 all 777 by 901; not_from_parent 3; "
		     "4 all 5; forged 1; 1 all 500 by 5; looped 1; 1 flood 5; 1 all 5,5; "
		     "foreign 1; sent 0; delivered 0",
	};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		play(OVERLAY_SPT, scripts[i]);
}

static int32_t way(const struct stage *s, int32_t to)
{
	const struct np_overlay_logical root = overlay_logical_number(to);
	struct np_overlay_neighbour at;

	return np_overlay_parent(stage_node(s), &root, &at)
		       ? overlay_logical_get_number(&at.logical)
		       : 0;
}

/* The ways learnt last are kept, as many as there is room for, and found whatever they are. */
TEST(many_routes)
{
	struct stage *s = play(OVERLAY_SPT, TREE);
	unsigned found = 0, latest = 0;

	for (int32_t i = 0; i < 3000; i++) {
		stage_play(s, "2 one %d by 600; +1", 1000 + i);
		if (i % 1000 == 999)
			stage_play(s, "1 root 5; 2 child 600 5; 3 child 601 5");
		assert_int_equal(way(s, 1000 + i), 600);
	}
	for (int32_t i = 0; i < 3000; i++) {
		const bool is = way(s, 1000 + i) == 600;

		found += is;
		latest += is && i >= 2600;
	}
	assert_int_equal(found, 512);
	assert_in_range(latest, 380, 400);
	/* Learnt anew elsewhere: by there, and the others are kept. */
	for (int32_t i = 2900; i < 3000; i++)
		stage_play(s, "3 one %d by 601; hop %d 601", 1000 + i, 1000 + i);
	for (int32_t i = 0; i < 3000; i++)
		found -= way(s, 1000 + i) != 0;
	assert_int_equal(found, 0);
}

/* Payloads go on while strangers do their worst, in whatever name, from where they are. */
TEST(hostile)
{
	struct overlay_plan plan = stage_plan(OVERLAY_SPT);
	struct stage *s;

	plan.fixed = true;
	plan.neighbours_max = 24;
	s = stage_open(&plan);
	stage_play(s, "1 root 5; 2 child 600 5");
	for (unsigned turn = 0; turn < 500; turn++) {
		/* In the parent's name, a child's, and this node's; roots that do not hear it; in a
		 * tree of which it would be the root; what cannot be. */
		stage_play(s,
			   "6 view 5 5 0 0 9 9223372036854775807; 6 view 600 5 500 2 9; "
			   "6 view 500 5 5 1 9; %u view %d -2147483648 7 1 0 9223372036854775807; "
			   "%u view %u 500 0 0 9 9223372036854775807; 6 view 6 5 7 -1 9; "
			   "6 view 6 5 7 10000 9; 6 bye 5; 6 bye 500; 6 all 5; 6 all 901",
			   10 + turn % 40, -1000 - (int)turn, 60 + turn % 40, 800 + turn);
		stage_play(s,
			   "1 root 5; 2 child 600 5; quiet; 1 all 5; delivered %u; said 2 all; "
			   "sent 1; +100",
			   turn + 1);
	}
	stage_play(s,
		   "ADDRESS 0; NEIGHBOURHOOD 2; TWIN 1..12; full 1..99999; malformed 1000; " BELOW(
			   "5", "5") "1");
}
