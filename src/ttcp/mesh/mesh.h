/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * mesh: a run between the ranks that a launcher starts: one report, by rank 0. From one rank to
 * another leads an edge; at each of its ends is an ordinary sender, or a receiver for one sender,
 * in a thread of its own, that writes no result.
 */
#ifndef TTCP_MESH_MESH_H
#define TTCP_MESH_MESH_H

#include "../session/session_state.h"

#include <netperf/launch.h>
#include <netperf/mesh.h>
#include <pthread.h>

struct receive_session;
struct send_session;

/* Does not move once it is open. */
struct mesh_edge {
	uint32_t own, other; /* ranks */
	bool sends;
	struct options options; /* the user's, for this edge; points to the text below */
	char bind[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	char program[64]; /* for messages: they name the edge */
	struct np_log log;
	struct session session;
	struct send_session *send;
	struct receive_session *receive;
	pthread_t thread;
	int finished; /* that of the mesh_run */
	bool running, over;
};

/* The ranks that this one sends to, or hears from, and the edges. */
struct mesh_peers {
	uint32_t *rank;
	size_t count;
	struct mesh_edge *edge; /* @edges of them: ranks that are out have none */
	size_t edges;
};

struct mesh_run {
	struct session *s;
	struct np_launch *launch;
	struct np_mesh_plan plan;
	struct np_mesh *mesh;
	struct np_address local; /* port 0 */
	int drops_in, drops_out; /* watches of all edges, or NP_DROPS_ALL: each has its own */
	int finished;		 /* an eventfd: the thread of an edge has ended */
	struct mesh_peers targets, sources;
	np_time begun; /* the run of all ranks */
};

/* Runs it; privileges are dropped. Returns the exit status. */
int mesh_run(struct session *s);

/* Logs what the launch returned, and returns it. */
int mesh_complain(const struct mesh_run *m, int rc);

/* The limit of a wait that starts now. */
np_time mesh_limit(const struct mesh_run *m);

/* mesh_meet: finds the others and opens all edges. Returns 0 or -errno after a message. */
int mesh_meet(struct mesh_run *m);

/*
 * mesh_edge: opens a receiver for rank @other (@to NULL), or a sender to it. Returns 0 or, after a
 * message, 2.
 */
int mesh_edge_open(struct mesh_edge *edge, const struct mesh_run *m, uint32_t other,
		   const struct np_address *to);

/* Starts the threads of @peers. Returns 0, or -errno after a message. */
int mesh_edge_start(const struct mesh_run *m, struct mesh_peers *peers);

/* Joins the thread if it has ended. Returns whether it still runs. */
bool mesh_edge_runs(struct mesh_edge *edge);

/* This end's part of the pair; @begun: the run of all ranks. The thread must have ended. */
struct np_mesh_pair mesh_edge_measured(const struct mesh_edge *edge, np_time begun);

/*
 * Adds what this host dropped of its messages, if its run began; *@sum is inexact if they were not
 * counted. The thread must have ended.
 */
void mesh_edge_add_dropped(const struct mesh_edge *edge, struct np_drops_counts *sum);

/* The thread must have ended, or never been started. */
void mesh_edge_close(struct mesh_edge *edge);

/* place: where a rank of a mesh receives: its address, and a port for each rank it hears. Pure. */

/* Ranks that one rank hears, or sends to, at most. */
#define PLACE_PORTS_MAX 256
#define PLACE_BYTES_MAX (2 + 2 * PLACE_PORTS_MAX + NP_ADDRESS_TEXT)

/* Writes what other ranks must know to @out of PLACE_BYTES_MAX; returns the bytes. */
size_t place_write(const struct np_address *address, const uint16_t *ports, size_t count,
		   uint8_t *out);

/*
 * The address with the port of index @index, out of what another rank wrote. Returns 0, -EBADMSG,
 * or -ENOENT: no port is for that rank.
 */
int place_read(const void *data, size_t bytes, size_t index, struct np_address *address);

#endif
