// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Whole overlays on a made-up network and a made-up clock, in which nodes join, leave, die and come
 * back, packets are lost and the network falls apart. Each time within a stated number of
 * heartbeats the neighbours are those of a Delaunay triangulation, a payload to all reaches each
 * node once, one to a node reaches just it. usage: overlay-seeds [FIRST-SEED [RUNS [NODES]]] */
#include "support/overlay_trials.h"

#include <malloc.h>
#include <stdio.h>

#define NEWCOMERS 6

/*
 * What happens to an overlay; each must be over within so many slow heartbeats of 2 s. The dead are
 * given up after five of them. A newcomer's call is lost for good with any hop on its way.
 */
enum hurt { JOIN, LEAVE, DIE, TWIN, RESTART, LOSS_1, LOSS_10, LOSS_30, CALM, PART, HEAL, HURTS };

static struct trial hurts[HURTS] = {
	[JOIN] = {.name = "all join", .beats = 5},
	[LEAVE] = {.name = "a quarter leaves", .beats = 3},
	[DIE] = {.name = "a quarter dies", .beats = 8},
	[TWIN] = {.name = "one joins where another is", .beats = 3},
	[RESTART] = {.name = "the buddy is restarted", .beats = 3},
	[LOSS_1] = {.name = "some join and die, 1 % is lost", .beats = 10},
	[LOSS_10] = {.name = "some join and die, 10 % is lost", .beats = 15},
	[LOSS_30] = {.name = "some join and die, 30 % is lost", .beats = 150},
	[CALM] = {.name = "nothing is lost any more", .beats = 4},
	[PART] = {.name = "the network falls in two", .beats = 8},
	[HEAL] = {.name = "the network is one again", .beats = 4},
};

struct run {
	struct network *network;
	struct overlay_plan plan;
	int32_t frame; /* coordinates are between -frame and frame */
};

static bool taken(const struct run *r, struct overlay_point point)
{
	for (unsigned i = 0; i < r->network->count; i++) {
		if (r->network->station[i].node &&
		    overlay_point_equal(network_point(&r->network->station[i]), point))
			return true;
	}
	return false;
}

static struct overlay_point draw_point(struct run *r)
{
	const uint64_t span = 2 * (uint64_t)r->frame + 1;
	struct overlay_point point;

	do {
		point.x = (int32_t)network_draw(r->network, span) - r->frame;
		point.y = (int32_t)network_draw(r->network, span) - r->frame;
	} while (overlay_point_null(point) || (r->plan.fixed && taken(r, point)));
	return point;
}

static void start(struct run *r, struct station *s, struct overlay_point point)
{
	r->plan.coordinates = point;
	network_start(s, &r->plan, 1);
}

static struct station *draw_station(struct run *r, unsigned first)
{
	return trial_station(r->network, first);
}

/* Waits until all is right; then payloads go to each, once. */
static void settle(struct run *r, enum hurt hurt, unsigned sides)
{
	trial_settle(r->network, &hurts[hurt], r->plan.heartbeat_slow, sides);
	if (r->network->loss > 0)
		return;
	for (unsigned i = 0; i < 2 && sides == 1; i++) {
		network_multicast(r->network, draw_station(r, 0));
		network_unicast(r->network, draw_station(r, 0), draw_station(r, 0));
	}
}

/* Bytes on the heap, where the C library tells. */
static size_t heap(void)
{
#ifdef __GLIBC__
	return mallinfo2().uordblks;
#else
	return 0;
#endif
}

static void join_all(struct run *r, unsigned count)
{
	const size_t before = heap();

	for (unsigned i = 0; i < count; i++) {
		start(r, network_add(r->network), draw_point(r));
		trial_pause(r->network, count);
	}
	settle(r, JOIN, 1);
	if (count >= 1000)
		printf("%u nodes, %zu bytes each with what is on its way, right after %.2f s\n",
		       count, (heap() - before) / count, (double)hurts[JOIN].worst / 1e9);
}

static void restart_buddy(struct run *r)
{
	struct network *n = r->network;
	const struct overlay_point point = network_point(&n->station[0]);

	network_kill(&n->station[0]);
	network_run(n, n->now + (np_time)network_draw(n, 30 * NP_SECOND));
	start(r, &n->station[0], point);
	settle(r, RESTART, 1);
}

static void lossy(struct run *r)
{
	const unsigned which = (unsigned)network_draw(r->network, TRIAL_PARTS);

	r->network->loss = trial_loss[which];
	for (unsigned i = 0; i < 2; i++) {
		start(r, network_add(r->network), draw_point(r));
		if (draw_station(r, 0)->number)
			network_kill(draw_station(r, 1));
	}
	settle(r, LOSS_1 + which, 1);
	r->network->loss = 0;
	/* A neighbour of which too much was lost is about to be given up. */
	network_run(r->network, r->network->now + 2 * r->plan.heartbeat_slow);
	settle(r, CALM, 1);
}

/* Along a line, so that each part is in one piece. */
static void fall_apart(struct run *r)
{
	struct network *n = r->network;
	const int32_t line = network_point(draw_station(r, 0)).x;

	for (unsigned i = 0; i < n->count; i++) {
		if (n->station[i].node)
			n->station[i].side = network_point(&n->station[i]).x > line;
	}
	settle(r, PART, 2);
	trial_heal(n);
	settle(r, HEAL, 1);
}

static void simulate(uint64_t seed, unsigned count)
{
	struct run r = {.network = network_new(seed, count + NEWCOMERS)};
	struct network *n = r.network;

	r.plan = overlay_plan_default(seed % 3 ? OVERLAY_DT_BUDDIES : OVERLAY_DT_BROADCAST);
	r.plan.buddy_cache = seed % 2 ? 0 : 10;
	/* One in four stands close, with circles and duplicates. */
	r.frame = seed % 4 ? 10000 : 1 + (int32_t)count / 4;
	r.plan.fixed = seed % 4 == 1;
	join_all(&r, count);
	/* The one that the others ask for the overlay stays. */
	trial_lose(n, &n->station[0], network_leave);
	settle(&r, LEAVE, 1);
	trial_lose(n, &n->station[0], network_kill);
	settle(&r, DIE, 1);
	if (!r.plan.fixed) {
		start(&r, network_add(n), network_point(draw_station(&r, 0)));
		settle(&r, TWIN, 1);
	}
	restart_buddy(&r);
	lossy(&r);
	fall_apart(&r);
	network_free(n);
}

int main(int argc, char **argv)
{
	return trials_main(argc, argv,
			   &(struct trials){simulate, hurts, HURTS, "heartbeats of 2 s"});
}
