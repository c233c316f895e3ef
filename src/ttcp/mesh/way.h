/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * way: one way of a mesh at one of its ends: an ordinary sender, or a receiver for one sender, in a
 * thread of its own, that writes no result.
 */
#ifndef TTCP_MESH_WAY_H
#define TTCP_MESH_WAY_H

#include "../session/session_state.h"

#include <netperf/mesh.h>
#include <pthread.h>

struct receive_session;
struct send_session;

/* Does not move once it is open. */
struct way {
	uint32_t own, other; /* ranks */
	bool sends;
	struct options options; /* the user's, for this way; points to the text below */
	char bind[NP_ADDRESS_TEXT], to[NP_ADDRESS_TEXT];
	char program[64]; /* for messages: they name the way */
	struct np_log log;
	struct session session;
	struct send_session *send;
	struct receive_session *receive;
	pthread_t thread;
	int finished; /* an eventfd, borrowed: written to at the end of the thread */
	bool running, over;
};

/* What is the same for all ways of a rank. */
struct way_plan {
	struct session *session;
	const struct np_address *local; /* port 0 */
	uint32_t own;
	int finished;
	size_t targets;		 /* to which it sends at once */
	int drops_in, drops_out; /* watches that all receivers, all senders share; see session */
};

/* Opens a receiver for rank @other, or a sender to it. Returns 0 or, after a message, 2. */
int way_open_receiver(struct way *way, const struct way_plan *plan, uint32_t other);
int way_open_sender(struct way *way, const struct way_plan *plan, uint32_t other,
		    const struct np_address *to);

/* The port of a receiver. */
uint16_t way_port(const struct way *way);

/* Starts the thread. Returns 0 or -errno. */
int way_start(struct way *way);

/* Stops it like a user's request; the second request ends it without a word to the other end. */
void way_stop(struct way *way);

/* Joins the thread if it has ended. Returns whether it still runs. */
bool way_runs(struct way *way);

/* This end's part of the pair; @begun: the run of all ranks. The thread must have ended. */
struct np_mesh_pair way_measured(const struct way *way, np_time begun);

/* What this host dropped of its messages, if its run began: else NULL. The thread must have ended.
 */
const struct np_drops_counts *way_dropped(const struct way *way);

/* Whether these are counted. */
bool way_counts_drops(const struct way *way);

/* The thread must have ended, or never been started. */
void way_close(struct way *way);

#endif
