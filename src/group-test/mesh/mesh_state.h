/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh_state: this rank's place among the ranks of a mesh. */
#ifndef GROUP_TEST_MESH_MESH_STATE_H
#define GROUP_TEST_MESH_MESH_STATE_H

#include "../session.h"
#include "card.h"

#include <netperf/launch.h>
#include <netperf/mesh.h>

struct mesh {
	struct session *s;
	struct np_launch *launch;
	struct np_mesh_plan plan;
	struct np_mesh *pairs;
	struct np_address address; /* unless something else says it */
	struct card card;	   /* the own place, and the members as rank 0 says */
	/* The same, in the order of their ranks; rank 0 is the first. */
	uint32_t rank[MEMBERS_MAX];
	struct identity who[MEMBERS_MAX];
	np_time heard[MEMBERS_MAX]; /* the latest message of each; 0: none */
	unsigned count;
	FILE *text; /* for the report; the member writes none */
	np_time begun;
	bool cut; /* this host refused to send the rest */
};

#endif
