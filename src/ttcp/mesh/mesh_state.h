/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh_state: this rank's place in a mesh, and its ways to and from other ranks. */
#ifndef TTCP_MESH_MESH_STATE_H
#define TTCP_MESH_MESH_STATE_H

#include "way.h"

#include <netperf/launch.h>

/* The ranks that this one sends to, or hears from, and the ways. */
struct mesh_peers {
	uint32_t *rank;
	size_t count;
	struct way *way; /* @ways of them: ranks that are out have none */
	size_t ways;
};

struct mesh_run {
	struct session *s;
	struct np_launch *launch;
	struct np_mesh_plan plan;
	struct np_mesh *mesh;
	struct np_address local;
	int drops_in, drops_out; /* watches of all ways, or NP_DROPS_ALL: each has its own */
	int finished;		 /* an eventfd: a way has ended */
	struct mesh_peers targets, sources;
	np_time begun; /* the run of all ranks */
};

/* Logs what the launch returned, and returns it. */
int mesh_complain(const struct mesh_run *m, int rc);

/* The limit of a wait that starts now. */
np_time mesh_limit(const struct mesh_run *m);

/* mesh_meet: finds the others and opens all ways. Returns 0 or -errno after a message. */
int mesh_meet(struct mesh_run *m);

/* mesh_report: gathers what all ranks measured; rank 0 tells it. Returns the exit status. */
int mesh_conclude(struct mesh_run *m, bool connected);

#endif
