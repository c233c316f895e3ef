/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh_state: a mesh, as the files of the topic share it. */
#ifndef MESH_STATE_H
#define MESH_STATE_H

#include <netperf/mesh.h>

/* What a rank's host dropped. */
struct mesh_host {
	uint32_t rank;
	bool known, exact;
	uint64_t packets, others;
	size_t first; /* of np_mesh.reasons, */
	unsigned entries;
	char words[NP_DROPS_WHY]; /* what is in doubt, or why nothing is known; "" */
};

struct np_mesh {
	struct np_mesh_plan plan;
	struct np_mesh_words words;
	struct np_mesh_pair *pairs;
	size_t count, room;
	struct mesh_host *hosts;
	size_t host_count, host_room;
	struct np_drops_entry *reasons;
	size_t reason_count, reason_room;
	bool settled; /* sorted, one entry for a pair */
};

/* Whether pairs of @from and @to can be in the mesh. */
bool mesh_has(const struct np_mesh *mesh, uint32_t from, uint32_t to);

/* mesh_dropped: what is in a piece about drops; all of them by rank; records. */
int mesh_dropped_unpack(struct np_mesh *mesh, uint32_t rank, const void *piece, size_t bytes);
void mesh_dropped_sort(struct np_mesh *mesh);
int mesh_dropped_write(const struct np_mesh *mesh, const struct np_launch *launch,
		       struct np_report *report);

#endif
