/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh_sum: adds a pair to a sum, and says where lost packets were lost. */
#ifndef MESH_SUM_H
#define MESH_SUM_H

#include <netperf/mesh.h>
#include <netperf/result.h>

/* A sum starts as all zeros. Adds a pair of which one side is known, too. */
void mesh_sum_add(struct np_mesh_sum *sum, const struct np_mesh_pair *pair);

/* What was lost of a pair or a sum, and what the hosts dropped of it. */
struct mesh_lost {
	uint64_t lost;
	bool doubtful; /* what was dropped need not be what was lost */
	struct np_drops_total from, to;
};

struct mesh_lost mesh_lost_of_pair(const struct np_mesh_pair *pair);
struct mesh_lost mesh_lost_of_sum(const struct np_mesh_sum *sum);

/* Where they were lost: each place exactly, or none of them and all unattributed. */
struct np_result mesh_lost_where(const struct mesh_lost *lost);

#endif
