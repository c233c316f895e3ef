// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_pattern: who sends to whom. */
#include <netperf/mesh.h>

const char *const np_mesh_patterns[] = {
	[NP_MESH_ALL] = "mesh",		[NP_MESH_PAIRS] = "pairs",
	[NP_MESH_INCAST] = "incast",	[NP_MESH_OUTCAST] = "outcast",
	[NP_MESH_RING] = "ring",	[NP_MESH_BISECTION] = "bisection",
	[NP_MESH_BISECTION + 1] = NULL,
};

/*
 * Whether a peer, the @index-th of all others, is one of the sample: as many as the plan has, or
 * all, spread evenly.
 */
static bool is_drawn(const struct np_mesh_plan *plan, uint64_t index)
{
	const uint64_t all = plan->ranks - 1;
	const uint64_t count = plan->sample && plan->sample < all ? plan->sample : all;
	const uint64_t drawn = (index * count + all - 1) / all;

	return drawn * all / count == index;
}

static bool sends(const struct np_mesh_plan *plan, uint32_t from, uint32_t to)
{
	const uint32_t n = plan->ranks, half = n / 2;

	if (from == to)
		return false;
	switch (plan->pattern) {
	case NP_MESH_ALL:
		/* The same distances for each rank, so that each hears as many as it sends to. */
		return plan->senders ? from < plan->senders
				     : is_drawn(plan, (to + (uint64_t)n - from) % n - 1);
	case NP_MESH_INCAST: return !to && is_drawn(plan, from - 1);
	case NP_MESH_OUTCAST: return !from && is_drawn(plan, to - 1);
	case NP_MESH_RING: return to == (from + 1) % n;
	case NP_MESH_PAIRS: return to == (from ^ 1);
	default: return from < half ? to == from + half : from < 2 * half && to == from - half;
	}
}

size_t np_mesh_targets(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers)
{
	size_t count = 0;

	for (uint32_t i = 0; i < plan->ranks; i++) {
		if (sends(plan, rank, i))
			peers[count++] = i;
	}
	return count;
}

size_t np_mesh_sources(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers)
{
	size_t count = 0;

	for (uint32_t i = 0; i < plan->ranks; i++) {
		if (sends(plan, i, rank))
			peers[count++] = i;
	}
	return count;
}
