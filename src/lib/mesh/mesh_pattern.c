// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_pattern: who sends to whom. */
#include <netperf/mesh.h>
#include <stdlib.h>

const char *const np_mesh_patterns[] = {
	[NP_MESH_ALL] = "mesh",		[NP_MESH_PAIRS] = "pairs",
	[NP_MESH_INCAST] = "incast",	[NP_MESH_OUTCAST] = "outcast",
	[NP_MESH_RING] = "ring",	[NP_MESH_BISECTION] = "bisection",
	[NP_MESH_BISECTION + 1] = NULL,
};

static int ascending(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* How many of @all peers are used. */
static size_t limited(const struct np_mesh_plan *plan, size_t all)
{
	return plan->sample && plan->sample < all ? (size_t)plan->sample : all;
}

/*
 * All to all: the same distances for each rank, so that each hears as many as it sends to; these
 * are spread evenly around the ring of ranks. @backwards: who sends to @rank.
 */
static size_t all_peers(const struct np_mesh_plan *plan, uint32_t rank, bool backwards,
			uint32_t *peers)
{
	const size_t n = plan->ranks, count = limited(plan, n - 1);

	for (size_t i = 0; i < count; i++) {
		const size_t away = 1 + i * (n - 1) / count;

		peers[i] = (uint32_t)((rank + (backwards ? n - away : away)) % n);
	}
	qsort(peers, count, sizeof(*peers), ascending);
	return count;
}

/* All others, if @rank is one of the senders; @backwards: the senders but @rank. */
static size_t some_send(const struct np_mesh_plan *plan, uint32_t rank, bool backwards,
			uint32_t *peers)
{
	const uint32_t end = backwards && plan->senders < plan->ranks ? plan->senders : plan->ranks;
	size_t count = 0;

	if (!backwards && rank >= plan->senders)
		return 0;
	for (uint32_t i = 0; i < end; i++) {
		if (i != rank)
			peers[count++] = i;
	}
	return count;
}

/* The ranks, spread evenly, between which and rank 0 data flow. */
static size_t spokes(const struct np_mesh_plan *plan, uint32_t *peers)
{
	const size_t others = plan->ranks - 1, count = limited(plan, others);

	for (size_t i = 0; i < count; i++)
		peers[i] = (uint32_t)(1 + i * others / count);
	return count;
}

/* One end of the star: rank 0 has @spokes peers, each of these has rank 0. */
static size_t star(const struct np_mesh_plan *plan, uint32_t rank, bool centre, uint32_t *peers)
{
	const size_t count = spokes(plan, peers);

	if (!rank)
		return centre ? count : 0;
	if (centre)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (peers[i] == rank) {
			peers[0] = 0;
			return 1;
		}
	}
	return 0;
}

/* The only partner of @rank, or @rank itself. */
static uint32_t partner(const struct np_mesh_plan *plan, uint32_t rank)
{
	const uint32_t half = plan->ranks / 2;

	if (rank == 2 * half)
		return rank;
	if (plan->pattern == NP_MESH_PAIRS)
		return rank ^ 1;
	return rank < half ? rank + half : rank - half;
}

static size_t one(uint32_t rank, uint32_t peer, uint32_t *peers)
{
	peers[0] = peer;
	return peer != rank;
}

static size_t peers_of(const struct np_mesh_plan *plan, uint32_t rank, bool backwards,
		       uint32_t *peers)
{
	const uint32_t n = plan->ranks;

	if (n < 2)
		return 0;
	switch (plan->pattern) {
	case NP_MESH_ALL:
		return plan->senders ? some_send(plan, rank, backwards, peers)
				     : all_peers(plan, rank, backwards, peers);
	case NP_MESH_INCAST: return star(plan, rank, backwards, peers);
	case NP_MESH_OUTCAST: return star(plan, rank, !backwards, peers);
	case NP_MESH_RING: return one(rank, (rank + (backwards ? n - 1 : 1)) % n, peers);
	default: return one(rank, partner(plan, rank), peers);
	}
}

size_t np_mesh_targets(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers)
{
	return peers_of(plan, rank, false, peers);
}

size_t np_mesh_sources(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers)
{
	return peers_of(plan, rank, true, peers);
}
