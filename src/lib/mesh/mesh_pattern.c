// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_pattern: who sends to whom. */
#include "mesh_state.h"
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

/* To whom @rank sends; @backwards: who sends to it. */
static size_t peers_of(const struct np_mesh_plan *plan, uint32_t rank, bool backwards,
		       uint32_t *peers)
{
	const uint32_t n = plan->ranks, half = n / 2;
	const uint64_t all = n - 1;
	/* As many as the plan has, or all, spread evenly. */
	const uint64_t drawn = plan->sample && plan->sample < all ? plan->sample : all;
	size_t count = 0;
	uint32_t peer;

	if (n < 2)
		return 0;
	switch (plan->pattern) {
	case NP_MESH_ALL:
		for (uint32_t i = 0; i < n && plan->senders; i++) {
			if (i != rank && (backwards ? i : rank) < plan->senders)
				peers[count++] = i;
		}
		/* The same distances for each rank, so that each hears as many as it sends to. */
		for (uint64_t i = 0; i < drawn && !plan->senders; i++) {
			const uint64_t away = 1 + i * all / drawn;

			peers[count++] = (uint32_t)((rank + (backwards ? n - away : away)) % n);
		}
		qsort(peers, count, sizeof(*peers), ascending);
		return count;
	case NP_MESH_INCAST:
	case NP_MESH_OUTCAST:
		/* Rank 0 only sends, or only receives. */
		if (!rank != ((plan->pattern == NP_MESH_OUTCAST) != backwards))
			return 0;
		for (uint64_t i = 0; i < drawn; i++) {
			peer = (uint32_t)(1 + i * all / drawn);
			if (!rank || rank == peer)
				peers[count++] = rank ? 0 : peer;
		}
		return count;
	case NP_MESH_RING: peer = (rank + (backwards ? n - 1 : 1)) % n; break;
	case NP_MESH_PAIRS: peer = rank ^ 1; break;
	default: peer = rank < half ? rank + half : rank < 2 * half ? rank - half : rank;
	}
	peers[0] = peer;
	return peer < n && peer != rank;
}

size_t mesh_targets(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers)
{
	return peers_of(plan, rank, false, peers);
}

size_t mesh_sources(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers)
{
	return peers_of(plan, rank, true, peers);
}
