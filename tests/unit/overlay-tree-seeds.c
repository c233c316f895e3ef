// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Whole spanning trees on a made-up network and a made-up clock, in which all hear each other, or
 * those nearby, or each a few in a row: nodes join, leave, die, packets are lost, the network falls
 * apart. Each time within a stated number of beacons there is one tree again wherever nodes reach
 * each other, its root the least address, a payload to all reaches each node once, one to a node
 * just that. usage: overlay-tree-seeds [FIRST-SEED [RUNS [NODES]]] */
#include "support/overlay_trials.h"

#include "../../src/lib/overlay/spanning.h"

#include <stdio.h>
#include <string.h>

#define STATIONS_MAX 1100
#define NEWCOMERS    8
#define FIELD	     10000 /* stations stand in a square with such a side, or on such a line */
#define TRIES	     10
#define ADDRESSES    1000000
#define MOVES	     2000 /* one with a duplicate goes no farther */

/*
 * What happens to an overlay; each must be over within so many beacons of 1 s. Three of them pass
 * until nodes call themselves stable; a neighbour, or a root, is given up after five; news go a hop
 * in a tenth of one to one, and there are up to 30 hops.
 */
enum hurt {
	JOIN,
	ROOT,
	LEAVE,
	DIE,
	ORPHANS,
	TWIN,
	LOSS_1,
	LOSS_10,
	LOSS_30,
	CALM,
	PART,
	HEAL,
	FORGED,
	HURTS
};

static struct trial hurts[HURTS] = {
	[JOIN] = {.name = "all join", .beats = 30},
	[ROOT] = {.name = "a better root joins", .beats = 30},
	[LEAVE] = {.name = "a quarter leaves", .beats = 25},
	[DIE] = {.name = "a quarter dies", .beats = 40},
	[ORPHANS] = {.name = "the root dies", .beats = 35},
	[TWIN] = {.name = "one joins with another's address", .beats = 20},
	[LOSS_1] = {.name = "some join and die, 1 % is lost", .beats = 15},
	[LOSS_10] = {.name = "some join and die, 10 % is lost", .beats = 20},
	[LOSS_30] = {.name = "some join and die, 30 % is lost", .beats = 60},
	[CALM] = {.name = "nothing is lost any more", .beats = 20},
	[PART] = {.name = "the network falls in two", .beats = 40},
	[HEAL] = {.name = "the network is one again", .beats = 25},
	[FORGED] = {.name = "a forged root falls silent", .beats = 40},
};

enum ground { ROOM, PLANE, LINE, GROUNDS }; /* all hear each other; those near; those in a row */

static unsigned deepest, again;

struct run {
	struct network *network;
	struct overlay_plan plan;
	enum ground ground;
	int64_t reach; /* how far a station is heard */
	struct overlay_point place[STATIONS_MAX];
	unsigned piece[STATIONS_MAX]; /* which part of the network, as of the latest look */
	unsigned queue[STATIONS_MAX];
};

/* One at a time. */
static struct run run;

static bool hears(const struct network *n, const struct station *from, const struct station *to)
{
	const int64_t x = run.place[from->number].x - run.place[to->number].x;
	const int64_t y = run.place[from->number].y - run.place[to->number].y;

	(void)n;
	return run.ground == ROOM || x * x + y * y <= run.reach * run.reach;
}

static int32_t number_of(const struct station *s)
{
	const struct np_overlay_logical logical = np_overlay_logical(s->node);

	return overlay_logical_get_number(&logical);
}

/* The station that @s takes for its next hop to the root @root; NULL: there is none. */
static const struct station *parent_of(const struct station *s, int32_t root)
{
	const struct np_overlay_logical logical = overlay_logical_number(root);
	struct np_overlay_neighbour parent;
	struct sockaddr_in in = {0};

	if (!np_overlay_parent(s->node, &logical, &parent))
		return NULL;
	memcpy(&in, &parent.address.storage, sizeof(in));
	return &s->network->station[ntohl(in.sin_addr.s_addr) - NETWORK_IP];
}

static bool knows(const struct station *s, const struct station *other)
{
	struct np_overlay_neighbour at[NETWORK_NEIGHBOURS];
	const unsigned count = network_neighbours(s, at);

	for (unsigned i = 0; i < count; i++) {
		if (overlay_logical_get_number(&at[i].logical) == number_of(other))
			return true;
	}
	return false;
}

static bool is_root(const struct station *s)
{
	return !s->node->spanning->parent;
}

/* As many edges as trees have, and all at rest; a quick look before the long one. */
static bool counts_fit(const struct network *n, unsigned side)
{
	unsigned living = 0, roots = 0, ends = 0;

	for (unsigned i = 0; i < n->count; i++) {
		const struct station *s = &n->station[i];

		if (!s->node || s->side != side)
			continue;
		/* Where packets are lost, something of many always changes. */
		if (n->loss <= 0 && !np_overlay_stable(s->node))
			return false;
		living++;
		roots += is_root(s);
		ends += np_overlay_neighbours(s->node, NULL, 0);
	}
	return ends == 2 * (living - roots);
}

/* Marks all that @first reaches by way of the living of its side; the least address of them. */
static int32_t mark_piece(const struct network *n, unsigned first, unsigned piece)
{
	unsigned head = 0, tail = 0;
	int32_t least = INT32_MAX;

	run.queue[tail++] = first;
	run.piece[first] = piece;
	while (head < tail) {
		const struct station *from = &n->station[run.queue[head++]];

		if (number_of(from) < least)
			least = number_of(from);
		for (unsigned i = 0; i < n->count; i++) {
			const struct station *to = &n->station[i];

			if (!to->node || to->side != from->side || run.piece[i] ||
			    !hears(n, from, to))
				continue;
			run.piece[i] = piece;
			run.queue[tail++] = i;
		}
	}
	return least;
}

/* By parents that know their children to the root, the best of its piece. */
static bool rooted(const struct station *s, int32_t root)
{
	unsigned hops = 0;

	while (number_of(s) != root) {
		const struct station *parent = parent_of(s, root);

		if (is_root(s) || !parent || !parent->node || !knows(parent, s) ||
		    !hears(s->network, parent, s) || parent->side != s->side ||
		    ++hops > s->network->count)
			return false;
		s = parent;
	}
	if (hops > deepest)
		deepest = hops;
	return is_root(s);
}

/* Each piece of a side is one tree, and its root the least address. */
static bool correct(const struct network *n, unsigned side)
{
	int32_t root[STATIONS_MAX + 1];
	unsigned pieces = 0;

	if (!counts_fit(n, side))
		return false;
	for (unsigned i = 0; i < n->count; i++) {
		if (n->station[i].side == side)
			run.piece[i] = 0;
	}
	for (unsigned i = 0; i < n->count; i++) {
		const struct station *s = &n->station[i];

		if (!s->node || s->side != side)
			continue;
		if (!run.piece[i]) {
			pieces++;
			root[pieces] = mark_piece(n, i, pieces);
		}
		if (!rooted(s, root[run.piece[i]]))
			return false;
	}
	return true;
}

static bool together(const struct network *n, const struct station *a, const struct station *b)
{
	(void)n;
	return a->side == b->side && run.piece[a->number] == run.piece[b->number];
}

static struct station *draw_station(unsigned first)
{
	return trial_station(run.network, first);
}

/*
 * A better parent may come up at any time; what is under way then is lost or doubled. Of a tree
 * that stayed as it is each node gets it once; a way learnt before that is forgotten in time.
 */
static void reach(enum hurt hurt)
{
	struct network *n = run.network;
	struct station *from = draw_station(0), *to;
	uint64_t before;
	bool good;
	unsigned tries = 0;

	do {
		before = network_changes(n);
		good = network_reaches_all(n, from);
	} while (!good && network_changes(n) != before && tries++ < TRIES);
	network_must(n, good, hurts[hurt].name);
	from = draw_station(0);
	do {
		to = draw_station(0);
	} while (!together(n, from, to));
	for (tries = 0; !network_reaches(n, from, to); tries++) {
		network_must(n, tries < TRIES, "a message to one");
		network_run(n, n->now + run.plan.route_cache);
		again++;
	}
}

/* Waits until there are trees again; then payloads go to each, once. */
static void settle(enum hurt hurt, unsigned sides)
{
	struct network *n = run.network;

	trial_settle(n, &hurts[hurt], run.plan.rendezvous, sides);
	if (n->loss <= 0 && sides == 1)
		reach(hurt);
}

static void start(struct station *s, int32_t number)
{
	run.plan.coordinates = (struct overlay_point){number, 0};
	network_start(s, &run.plan, 0);
}

/* An address that nobody has, of @span ones. */
static int32_t draw_number(int32_t first, unsigned span)
{
	const struct network *n = run.network;
	int32_t number;
	bool taken;

	do {
		number = first + (int32_t)network_draw(run.network, span);
		taken = false;
		for (unsigned i = 0; i < n->count && !taken; i++)
			taken = n->station[i].node && number_of(&n->station[i]) == number;
	} while (taken);
	return number;
}

/* Where the next station stands: on a line each within reach of the two before. */
static struct station *place_station(void)
{
	struct station *s = network_add(run.network);
	struct overlay_point *at = &run.place[s->number];

	at->x = (int32_t)network_draw(run.network, FIELD);
	at->y = (int32_t)network_draw(run.network, FIELD);
	if (run.ground == LINE) {
		at->y = 0;
		at->x = (int32_t)s->number * 100;
	}
	return s;
}

static void join_all(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		start(place_station(), draw_number(1, ADDRESSES));
		trial_pause(run.network, count);
	}
	settle(JOIN, 1);
}

static void newcomer(int32_t first)
{
	struct station *s = place_station();

	if (run.ground == LINE)
		run.place[s->number].x = (int32_t)network_draw(run.network, s->number) * 100 + 50;
	start(s, draw_number(first, ADDRESSES));
}

static void kill_root(void)
{
	struct network *n = run.network;
	struct station *least = draw_station(0);

	for (unsigned i = 0; i < n->count; i++) {
		if (n->station[i].node && number_of(&n->station[i]) < number_of(least))
			least = &n->station[i];
	}
	network_kill(least);
	settle(ORPHANS, 1);
}

static void lossy(void)
{
	/* Of a thousand, with 30 % lost, one is always about to find a new parent. */
	const unsigned which =
		(unsigned)network_draw(run.network, run.network->count > 250 ? 2 : TRIAL_PARTS);

	run.network->loss = trial_loss[which];
	for (unsigned i = 0; i < 2; i++) {
		newcomer(1);
		network_kill(draw_station(0));
	}
	settle(LOSS_1 + which, 1);
	run.network->loss = 0;
	network_run(run.network, run.network->now + run.plan.timeout);
	settle(CALM, 1);
}

static void fall_apart(void)
{
	struct network *n = run.network;
	const int32_t line = run.place[draw_station(0)->number].x;

	for (unsigned i = 0; i < n->count; i++)
		n->station[i].side = run.place[i].x > line;
	settle(PART, 2);
	trial_heal(n);
	settle(HEAL, 1);
}

/* A stranger that hears all around it, one hop from a root with the newest of stamps. */
static void forge(struct station *stranger, int32_t root)
{
	static uint8_t senders[STATIONS_MAX * OVERLAY_SPT_SENDER_BYTES], message[8192];
	const struct network *n = run.network;
	struct overlay_spt spt = {
		.rendezvous = OVERLAY_RENDEZVOUS_MULTICAST,
		.hash = NETWORK_HASH,
		.source = -7,
		.address = network_address(stranger->number),
		.root = root,
		.parent = root,
		.cost = 1,
		.timestamp = INT64_MAX,
		.sender = senders,
	};
	ssize_t bytes;

	for (unsigned i = 0; i < n->count; i++) {
		if (n->station[i].node)
			overlay_spt_put_sender(senders + (size_t)OVERLAY_SPT_SENDER_BYTES *
								 spt.senders++,
					       number_of(&n->station[i]), 10);
	}
	bytes = overlay_spt_encode(message, sizeof(message), &spt);
	network_must(n, bytes > 0, "no message");
	network_say(stranger, message, (size_t)bytes);
}

/* In the name of the real root, or of a better one that is not. */
static void forged(void)
{
	struct network *n = run.network;
	struct station *stranger = place_station();
	int32_t root = INT32_MIN;

	if (network_draw(n, 2)) {
		for (unsigned i = 0; i < n->count; i++) {
			if (n->station[i].node &&
			    (root == INT32_MIN || number_of(&n->station[i]) < root))
				root = number_of(&n->station[i]);
		}
	}
	for (unsigned i = 0; i < 10; i++) {
		forge(stranger, root);
		network_run(n, n->now + run.plan.rendezvous);
	}
	settle(FORGED, 1);
}

/* In the plane each hears about 15 others. */
static void prepare(uint64_t seed, unsigned count)
{
	static const struct network_shape shape = {hears, correct, together};
	uint64_t square = (uint64_t)FIELD * FIELD * 5 / count;

	run.network = network_new(seed, count + NEWCOMERS);
	run.network->shape = &shape;
	run.ground = (enum ground)(seed % GROUNDS);
	if (count > 150)
		run.ground = PLANE;
	for (run.reach = 1; (uint64_t)run.reach * (uint64_t)run.reach < square;)
		run.reach++;
	if (run.ground == LINE)
		run.reach = 250;
	run.plan = overlay_plan_default(OVERLAY_SPT);
	run.plan.neighbours_max = 160;
	run.plan.message_max = 1500;
}

static void simulate(uint64_t seed, unsigned count)
{
	prepare(seed, count);
	join_all(count);
	newcomer(-ADDRESSES - MOVES);
	settle(ROOT, 1);
	kill_root();
	trial_lose(run.network, NULL, network_leave);
	settle(LEAVE, 1);
	trial_lose(run.network, NULL, network_kill);
	settle(DIE, 1);
	if (run.ground == ROOM) {
		start(place_station(), number_of(draw_station(0)));
		settle(TWIN, 1);
	}
	lossy();
	fall_apart();
	forged();
	network_free(run.network);
}

int main(int argc, char **argv)
{
	const int status =
		trials_main(argc, argv, &(struct trials){simulate, hurts, HURTS, "beacons of 1 s"});

	printf("up to %u hops to the root; %u times a way learnt was out of date\n", deepest,
	       again);
	return status;
}
