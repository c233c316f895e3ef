// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * One node of a Delaunay triangulation: what it does in time and with each message, and what it
 * counts. Scripts are as in support/overlay_stage.h.
 */
#include "support/overlay_stage.h"

#include <string.h>

/* West and east of the node, a chain; ten around it, two more than it remembers to be gone. */
#define CHAIN "1 HELLO 100,500; 2 HELLO 900,500; neighbours 2; quiet;"
#define RING                                                                                       \
	"1 HELLO 800,516; 2 HELLO 737,692; 3 HELLO 582,804; 4 HELLO 410,798; 5 HELLO 236,670;"     \
	"6 HELLO 192,484; 7 HELLO 258,305; 8 HELLO 416,191; 9 HELLO 597,195; 10 HELLO 748,315;"    \
	"neighbours 10; quiet;"

/* A node at a place that its user named, with a neighbour that knows it. */
static struct overlay_plan named(void)
{
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);

	plan.fixed = true;
	return plan;
}

TEST(plays)
{
	static const char *const scripts[] = {
		/* Alone: it asks its buddy each 2 s, and is stable from the first time on. */
		"+2250; STABLE 1; stable 1; quiet; +20s; "
		"said 9 I_AM_HERE 500,500>0,0 a=500,500@0 b=500,500@0; sent 10; STABLE 1; leave; "
		"stable 0; join; stable 0",
		/*
		 * A Hello names the sender's neighbours on both sides of the receiver; to a node in
		 * the direction of a neighbour that is nearer, NotNeighbour names that one twice.
		 * Of another overlay, or where no message can be sent: no answer.
		 */
		CHAIN "3 HELLO 500,900; 4 HELLO 500,100; neighbours 4; quiet; +2s;"
		      "said 4 HELLO 500,500>500,100 a=100,500@1 b=900,500@2; 5 HELLO 500,50;"
		      "said 5 NOT_NEIGHBOUR 500,500>500,50 a=500,100@4 b=500,100@4; quiet;"
		      "5 HELLO 510,60 hash 1; foreign 1; 5 HELLO 510,60 realm+; sent 0",
		/* Payloads keep a neighbour alive whose heartbeats wait behind them, from its own
		   address. */
		"1 HELLO 300,200; k8{+4s; 1 all 300,200}; neighbours 1; delivered 8;"
		"k4{2 all 300,200; +4s}; neighbours 0; timed_out 1",
		/*
		 * A Hello that the Goodbye overtook does not bring a node back; a later one does.
		 * Who has left says so to whoever greets.
		 */
		"1 HELLO 300,200; 2 HELLO 700,210; 2 GOODBYE 700,210; neighbours 1; "
		"2 HELLO 700,210; neighbours 1; +300; 2 HELLO 700,210; neighbours 2; quiet; leave; "
		"said 1 GOODBYE; said 2 GOODBYE; sent 2; LEFT 1; due never; 3 HELLO 1,1; "
		"said 3 GOODBYE; 3 GOODBYE 1,1; sent 1; sendall x = ENOTCONN; "
		"neighbours 0",
		/* A newcomer's call goes on towards its place, but neither back nor round in
		   circles for ever. */
		"1 HELLO 600,400; 2 HELLO 600,610; 3 HELLO -800,0; neighbours 3; quiet;"
		"3 I_AM_HERE -800,0 a 5000,510@5 b 5000,510@5;"
		"said 1 I_AM_HERE 500,500>600,400 a=5000,510@5; sent 1;"
		"1 I_AM_HERE -800,0 a 5000,510@5 b 5000,510@5; sent 0;"
		"k50{3 I_AM_HERE -800,0 a 5000,510@5 b 5000,510@5}; sent 1..9; looped 1..50",
		/* Neighbours that do not know each other, though they are side by side, are not
		   stable. */
		"stable 0; +100; STABLE 0; 1 HELLO 100,500; 2 HELLO 500,900; neighbours 2; +5s; "
		"neighbours 2; stable 0; STABLE 0",
		/*
		 * A neighbour's messages from elsewhere change nothing until it has been silent for
		 * a while; then it has come back elsewhere. Nothing, and what is no message.
		 */
		CHAIN
		"6 GOODBYE 100,500; 6 HELLO 100,500; forged 2; neighbours 2; +4100; "
		"6 HELLO 100,500; forged 2; quiet; +3s; said 6 HELLO; 7 raw; 7 raw 22; 7 raw d0; "
		"7 HELLO 0,0; malformed 4",
		/*
		 * A node is at one place: one that comes in the name of another, silent one has
		 * left its own, gets one copy, and cannot make this node its own neighbour.
		 */
		CHAIN "+3s; 2 HELLO 900,500; +1100; quiet; 2 HELLO 100,500; neighbours 1; "
		      "near 100,500; sendall x; sent 1; 2 HELLO 900,500; neighbours 1; "
		      "near 900,500",
		CHAIN "+3s; 2 HELLO 900,500; +1100; 0 HELLO 100,500; forged 1; 2 GOODBYE 100,500; "
		      "neighbours 1; near 900,500",
		/*
		 * Nobody is sent more than came from his address until he has answered from there
		 * what only that address was asked: neither heartbeats, nor what he says of third
		 * ones, nor longer answers.
		 */
		CHAIN "unproven 1; 3 HELLO 500,900; neighbours 3; +9s; bytes 3 40",
		"unproven 1; 2 HELLO 900,500 a 700,600@8; +9s; bytes 2 8 40..59; quiet; "
		"2 PONG 900,500; 7 proves; sent 0; 2 proves; said 2 HELLO; +5s; bytes 2 101..9999",
		CHAIN "3 HELLO 500,900; unproven 1; quiet; 4 HELLO 500,2000; sent 0; pings 1; "
		      "unproven 0; prove; said 4 NOT_NEIGHBOUR 500,500>500,2000 a=500,900@3",
		/* Calls that end here: of a neighbour, of nobody, back to where they came from; a
		 * neighbour's duplicate goes on to that; one that is a neighbour by its place is
		 * greeted. */
		RING "20 I_AM_HERE -9000,9000 a 582,804@3; 20 I_AM_HERE -9000,9000 a 0,0@21; "
		     "sent 0; unroutable 0; 9 I_AM_HERE 597,195 a 7000,-9000@21; sent 0; "
		     "unroutable 1; 20 I_AM_HERE -9000,9000 a 582,804@21; "
		     "said 3 I_AM_HERE 500,500>582,804; sent 1; "
		     "20 I_AM_HERE -9000,9000 a 600,510@21; said 21 HELLO; sent 1",
		/* A leader's call is answered by who is nearest, as far as it knows; not a
		   neighbour's. */
		"1 HELLO 900,900; quiet; 20 BEACON 10,10; said 20 HELLO; sent 1; 20 PING 10,10; "
		"said 20 PONG; sent 1; 20 BEACON 700,700; sent 1; 20 BEACON 700,701; "
		"1 BEACON 900,900; 20 BEACON 900,900; sent 0; forged 0",
		/* A neighbour's name used elsewhere: only two slow heartbeats after it was heard.
		 */
		RING ">4s; 20 HELLO 800,516; forged 1; said 20 NOT_NEIGHBOUR; sent 1; "
		     "20 NOT_NEIGHBOUR 800,516; 20 GOODBYE 800,516; forged 3; sent 0; >1n; "
		     "20 NOT_NEIGHBOUR 800,516; forged 3; 1 HELLO 800,516; forged 4; "
		     "neighbours 10; quiet; sendall x; bytes 1 0; said 20 all",
		/* Who cannot be reached is no neighbour, and takes nobody's place. */
		"1 HELLO 900,500 realm+; neighbours 0; 1 HELLO 900,500; >4s1n; "
		"1 HELLO 900,500 realm+; neighbours 1; forged 1",
		/* A report that changes the order of things makes the next heartbeat due at once.
		 */
		"1 HELLO 900,500; settle; >1n; 1 HELLO 900,500; due later; "
		"1 HELLO 900,500 a 900,900@5; due 0; >1n; 1 HELLO 900,500 a 900,900@5 b 900,900@5; "
		"due -1n; 1 HELLO 900,500 a 900,900@5; tick; stable 0; said 5 HELLO; "
		"1 HELLO 900,500 b 900,900@5; due 250; +1s; stable 0; 1 HELLO 900,500; due 250; "
		"+1s; stable 1",
	};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		play(OVERLAY_DT_BUDDIES, scripts[i]);
}

/* Silent for longer than the time-out: gone; asked again when buddies are learnt, until it answers.
 */
TEST(silence)
{
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);

	plan.contact_count = 0;
	plan.buddy_cache = 2;
	play_by(&plan, "1 HELLO 300,200; +9900; neighbours 1; +2200; neighbours 0; timed_out 1; "
		       "NEIGHBOURHOOD 2;"
		       "quiet; +2s; said 1 I_AM_HERE; 1 PONG 300,200; quiet; +5s; sent 0");
	/* The latest two are kept; one that is heard again is none any more. */
	play_by(&plan,
		"1 HELLO 300,200; +2s; 2 HELLO 700,210; +2s; 3 HELLO 500,900; +20s; neighbours 0; "
		"quiet; +2s; said 1 -; said 2 I_AM_HERE; said 3 I_AM_HERE; sent 2; 2 PONG 700,210; "
		"quiet; +2s; said 3 I_AM_HERE; sent 1; 1 HELLO 300,200; +20s; quiet; +2s; "
		"said 1 I_AM_HERE; said 3 I_AM_HERE; sent 2");
	plan.buddy_cache = 0;
	play_by(&plan, "1 HELLO 300,200; +20s; neighbours 0; quiet; +5s; sent 0");
}

/* Another one has this node's coordinates: a newcomer moves; who is known stays and tells it so. */
TEST(duplicate_addresses)
{
	const struct overlay_plan plan = named();

	play_by(&plan, "7 HELLO 500,500; TWIN 1; ADDRESS 1; event ADDRESS 500,500; "
		       "event TWIN 500,500 @7; near 500,500");
	play_by(&plan, "1 HELLO 300,200; +2250; STABLE 1; k40{7 HELLO 500,500; "
		       "said 7 NOT_NEIGHBOUR; quiet; 7 I_AM_HERE 500,500 a 500,500@7; "
		       "said 7 HELLO; +100}; TWIN 1; ADDRESS 0; "
		       "near 300,200");
}

/* Four on a circle: a newcomer moves at once, one that is known waits whether it goes over. */
TEST(circles)
{
	const struct overlay_plan plan = named();

	play(OVERLAY_DT_BUDDIES, "1 HELLO 700,500; 2 HELLO 500,700; ADDRESS 0; 3 HELLO 700,700; "
				 "COCIRCULAR 1; ADDRESS 1");
	/* The third is forged, and never comes again; then it does. */
	play_by(&plan,
		"1 HELLO 700,500; +2250; STABLE 1; 1 HELLO 700,500; 2 HELLO 500,700; "
		"3 HELLO 700,700; +1s; k17{1 HELLO 700,500; 2 HELLO 500,700; +1s}; COCIRCULAR 1; "
		"ADDRESS 0; at 500,500; k18{1 HELLO 700,500; 2 HELLO 500,700; 3 HELLO 700,700; "
		"+1s}; ADDRESS 1");
}

/* Broadcast: leaders call; who has nobody nearer to the leader answers. */
TEST(beacons)
{
	play(OVERLAY_DT_BROADCAST, "+1s; said group BEACON 500,500>0,0; sent 3..5; "
				   "0 BEACON 500,500; TWIN 0; 1 BEACON 500,900; said 1 HELLO; "
				   "1 HELLO 500,900; quiet; 1 BEACON 500,900; 2 BEACON 510,1000; "
				   "sent 0; +1s; said 1 HELLO; said group -");
}

/* As many neighbours as the plan says; one more is refused, and those that are there stay. */
TEST(crowd)
{
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);

	plan.neighbours_max = 4;
	play_by(&plan,
		"1 HELLO 600,501; 2 HELLO 501,610; 3 HELLO 410,480; 4 HELLO 490,420; neighbours 4;"
		"5 HELLO 560,565; neighbours 4; said 5 NOT_NEIGHBOUR; full 1");
}

/* Of a stranger's messages these are answered, each by one message; the others by none. */
TEST(each_type)
{
	static const char *const answers[] = {
		[OVERLAY_DT_HELLO] = "said 20 NOT_NEIGHBOUR; sent 1",
		[OVERLAY_DT_PING] = "said 20 PONG 500,500>9000,9100; sent 1",
		[OVERLAY_DT_NEW_NODE] = "said 9 NEW_NODE 500,500>597,195 a=7000,-9000@21; sent 1",
		[OVERLAY_DT_I_AM_HERE] = "said 9 I_AM_HERE 500,500>597,195 a=7000,-9000@21; sent 1",
		[OVERLAY_DT_TEST + 1] = NULL,
	};
	struct stage *s = play(OVERLAY_DT_BUDDIES, RING);

	for (unsigned type = 0; type <= OVERLAY_DT_TEST + 1; type++)
		stage_play(s, "20 %u 9000,9100 a 7000,-9000@21; %s", type,
			   answers[type] ? answers[type] : "sent 0");
	/* A neighbour's Goodbye is one, whatever else it
	 * contains. */
	stage_play(s, "1 GOODBYE 800,516 a 7000,-9000@21; sent 0; neighbours 9");
}

static const struct overlay_point ring[] = {
	P(800, 516), P(737, 692), P(582, 804), P(410, 798), P(236, 670),
	P(192, 484), P(258, 305), P(416, 191), P(597, 195), P(748, 315),
};

/* It is remembered for a fast heartbeat who has gone, of the latest eight, and from where. */
TEST(gone)
{
	struct stage *s = play(OVERLAY_DT_BUDDIES, RING);

	for (unsigned i = 0; i < 10; i++)
		stage_play(s, "%u GOODBYE %d,%d", 1 + i, ring[i].x, ring[i].y);
	for (unsigned i = 0; i < 10; i++)
		stage_play(s, "%u GOODBYE 9000,%u", 30 + i, 9000 + i); /* strangers */
	stage_play(s, "neighbours 0");
	for (unsigned i = 0; i < 10; i++)
		stage_play(s, "%u NOT_NEIGHBOUR %d,%d; %u HELLO %d,%d; %s %d,%d", 1 + i, ring[i].x,
			   ring[i].y, 1 + i, ring[i].x, ring[i].y, i < 2 ? "near" : "far",
			   ring[i].x, ring[i].y);
	/* The same at another place, another at the same. */
	stage_play(s, "neighbours 2; 5 HELLO 236,671; 40 HELLO 597,195; near 236,671 597,195; "
		      ">250-1n; 4 HELLO 410,798; far 410,798; >1n; 4 HELLO 410,798; near 410,798");
}

/* How many of @tries calls of the node at @x,-9000, which a stranger passes on, go on. */
static unsigned walk(struct stage *s, int x, int y, unsigned tries)
{
	unsigned went = 0;

	for (unsigned i = 0; i < tries; i++) {
		const uint64_t looped = stage_count(s, "looped");

		stage_play(s, "20 I_AM_HERE -9000,9000 a %d,%d@21", x, y);
		went += stage_count(s, "looped") == looped;
	}
	return went;
}

/* Eight calls for one place go on in a fast heartbeat; others' do not count. */
TEST(loops)
{
	struct stage *s = play(OVERLAY_DT_BUDDIES, RING);
	unsigned whole = 0;

	assert_int_equal(walk(s, 7000, -9000, 13), 8);
	stage_play(s, "sent 8; looped 5; >250-1n");
	assert_int_equal(walk(s, 7000, -9000, 1), 0);
	for (int i = 1; i <= 10; i++) {
		whole += walk(s, 7000 + i, -9000, 8) == 8;
		whole += walk(s, 7000, -9000 + i, 8) == 8;
	}
	assert_true(whole >= 18); /* but for few that share a counter */
	stage_play(s, ">1n");
	assert_int_equal(walk(s, 7000, -9000, 13), 8);
	stage_play(s, ">250-1n");
	assert_int_equal(walk(s, 7000, -9000, 1), 0);
}

/* What is no refusal of this node's place is not taken for one. */
TEST(no_refusals)
{
	static const struct {
		const char *says;
		unsigned twins;
	} cases[] = {
		{"NOT_NEIGHBOUR 900,500 a 500,500@7 b 500,500@7", 1},
		{"HELLO 900,500 a 500,500@7 b 500,500@7", 0},
		{"PONG 900,500 a 500,500@7 b 500,500@7", 0},
		{"NOT_NEIGHBOUR 900,500 a 500,500@0 b 500,500@0", 0},
		{"NOT_NEIGHBOUR 900,500 a 500,500@7 b 500,500@8", 0},
		{"NOT_NEIGHBOUR 900,500 a 500,500@7 b 501,500@7", 0},
		{"NOT_NEIGHBOUR 900,500 a 501,500@7 b 501,500@7", 0},
		{"NOT_NEIGHBOUR 900,500 a 500,500@7", 0},
		{"NOT_NEIGHBOUR 900,500", 0},
	};
	const struct overlay_plan plan = named();

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stage *s = stage_open(&plan);

		stage_play(s, "1 %s; TWIN %u", cases[i].says, cases[i].twins);
	}
}

/* In this node's own name: its own messages are nobody's; a duplicate's questions are answered. */
TEST(own_name)
{
	const struct overlay_plan plan = named();
	struct stage *s = stage_open(&plan);

	stage_play(s, "1 HELLO 900,500; settle; quiet");
	for (unsigned type = 0; type <= OVERLAY_DT_TEST; type++) {
		const bool walk = type == OVERLAY_DT_I_AM_HERE || type == OVERLAY_DT_NEW_NODE;
		const bool asks = type == OVERLAY_DT_HELLO || type == OVERLAY_DT_BEACON;

		stage_play(s,
			   "0 %u 500,500; 0 %u 500,500 a 500,500@0; TWIN %u; sent 0; "
			   "7 %u 500,500 a 500,500@8; TWIN 1; said 8 %s; said 7 %s; sent %d",
			   type, type, type > 0, type, walk ? "HELLO" : "-",
			   asks ? "NOT_NEIGHBOUR" : "-", walk || asks);
	}
	stage_play(s, "moves 0");
}

/* It forwards a neighbour's messages to the other one, and its own to both; no more is written than
 * there is room for. */
TEST(neighbours_and_children)
{
	const struct np_overlay_logical west = overlay_logical_point(P(100, 500)),
					east = overlay_logical_point(P(900, 500));
	const struct np_overlay_logical self = overlay_logical_point(SELF);
	const struct overlay_address stations[] = {station(1), station(2)};
	const struct np_address where[] = {overlay_address_endpoint(&stations[0]),
					   overlay_address_endpoint(&stations[1])};
	struct stage *s = play(OVERLAY_DT_BUDDIES, CHAIN);
	const struct np_overlay *node = stage_node(s);
	struct np_overlay_neighbour at[3] = {0};

	assert_int_equal(np_overlay_children(node, &west, at, 3), 1);
	assert_true(np_overlay_equal(&at[0].logical, &east));
	assert_true(np_address_equal(&at[0].address, &where[1]));
	assert_true(np_overlay_parent(node, &west, &at[0]));
	assert_true(np_overlay_equal(&at[0].logical, &west));
	assert_true(np_address_equal(&at[0].address, &where[0]));
	assert_int_equal(np_overlay_children(node, &self, at, 3), 2);
	assert_false(np_overlay_equal(&at[0].logical, &at[1].logical));
	for (unsigned room = 1; room < 4; room += 2) {
		for (unsigned children = 0; children < 2; children++) {
			memset(at, 0, sizeof(at));
			assert_int_equal(children ? np_overlay_children(node, &self, at, room)
						  : np_overlay_neighbours(node, at, room),
					 2);
			for (unsigned i = 0; i < 3; i++)
				assert_int_equal(at[i].logical.size != 0, i < 2 && i < room);
		}
	}
}

static np_time first_deadline(uint64_t seed)
{
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);

	plan.seed = seed;
	return overlay_node_deadline(stage_node(stage_open(&plan)));
}

/* Nodes that join together do not beat together, unless they have the same seed. */
TEST(seeds_differ)
{
	assert_int_equal(first_deadline(1), first_deadline(1));
	assert_int_not_equal(first_deadline(1), first_deadline(2));
	for (uint64_t seed = 0; seed < 20; seed++)
		assert_true(first_deadline(seed) >= START);
}
