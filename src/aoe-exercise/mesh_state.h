/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh_state: a rank's part of a mesh, and in rank 0 what all have told. */
#ifndef AOE_EXERCISE_MESH_STATE_H
#define AOE_EXERCISE_MESH_STATE_H

#include "mesh_client.h"
#include "session_state.h"

struct mesh_run {
	struct session *s;
	const struct np_log *log; /* that of the session has the rank in its lines */
	struct options options;	  /* of this rank: its part of the region */
	struct np_log rank_log;
	char program[64];
	struct np_launch *launch;
	struct result *result; /* NULL: its run did not begin */
	np_time begin;	       /* of it, in all ranks */
	struct np_usage usage;
	bool started;	       /* the start is reported */
	struct client *client; /* of each rank; in rank 0 alone */
	bool *told;	       /* the same: whether it is known */
	struct np_mesh *mesh;  /* in rank 0 alone */
	char target[TARGET_NAME_BYTES];
};

/* Makes @mesh, for what is told of drops. Returns 0 or -errno. */
int mesh_create(struct mesh_run *m);

/* Rank 0 writes what all ranks measured. Returns the exit status. */
int mesh_report(struct mesh_run *m);

#endif
