/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh_state: this rank's place in a mesh, and the ranks it talks to. */
#ifndef DATAGRAM_TEST_MESH_STATE_H
#define DATAGRAM_TEST_MESH_STATE_H

#include "session_state.h"

/* The ranks that this one sends to, or hears from, and their listeners. */
struct mesh_peers {
	uint32_t *rank;
	struct np_address *address;
	size_t count;
};

struct mesh_run {
	struct session *s;
	struct np_launch *launch;
	struct np_mesh_plan plan;
	struct np_mesh *mesh;
	struct mesh_peers targets, sources;
	FILE *text; /* for the report; the threads write none */
	np_time begun;
};

/*
 * Gathers what all ranks measured; rank 0 reports it. @connected: rank 0 is there. Returns the exit
 * status.
 */
int mesh_report(struct mesh_run *m, bool connected);

#endif
