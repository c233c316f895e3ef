/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh_state: a mesh, as the files of the topic share it. */
#pragma once

#include <netperf/mesh.h>

/* What a rank's host dropped, as np_mesh_pack_dropped wrote it. */
struct mesh_host {
	uint32_t rank;
	uint8_t *piece;
	size_t bytes;
};

struct np_mesh {
	struct np_mesh_plan plan;
	struct np_mesh_words words;
	struct np_mesh_pair *pairs;
	size_t count, room;
	struct mesh_host *hosts;
	size_t host_count, host_room;
	bool settled; /* sorted, one entry for a pair */
};

/* Makes room in *@array, of elements of @size bytes, for one more than @count. 0 or -ENOMEM. */
int mesh_grow(void **array, size_t count, size_t *room, size_t size);

/* What a piece of np_mesh_pack_dropped says; @counts->why lies in it. False: it is none. */
bool mesh_dropped_read(const uint8_t *piece, size_t bytes, struct np_drops_counts *counts);

/* A sum starts as all zeros. Adds a pair of which one side is known, too. */
void mesh_sum_add(struct np_mesh_sum *sum, const struct np_mesh_pair *pair);

/* The pairs, the ranks' drops and the summary. np_report_close has the errors. */
void mesh_write_records(const struct np_mesh *mesh, const struct np_launch *launch,
			const struct np_mesh_ending *how);
