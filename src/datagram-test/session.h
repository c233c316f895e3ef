/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * session: a whole run of the program, from resolving addresses to the exit status; its ordinary
 * course (session.c) and that of a mesh (mesh.c) share the state.
 */
#ifndef DATAGRAM_TEST_SESSION_H
#define DATAGRAM_TEST_SESSION_H

#include "listener.h"
#include "publisher.h"

#include <netperf/process.h>
#include <netperf/signals.h>

struct addresses {
	struct np_address_list locals;
	struct np_address_list peers;
	struct np_address group;
	bool has_group;
};

struct endpoint_thread {
	pthread_t thread;
	bool running;
};

/* One local address with its listener, its publisher, and their threads. */
struct endpoint {
	struct shared *shared;
	struct listener *listener;
	struct publisher *publisher; /* NULL without peers */
	struct endpoint_thread listening, publishing;
};

struct session {
	const struct options *options;
	const struct np_log *log;
	struct addresses addresses;
	struct reporter reporter;
	struct np_signals *signals;
	struct np_drops *drops;
	struct endpoint *endpoint;
	size_t endpoint_count;
	uint32_t *runs; /* of the endpoints' publishers, one each */
	int finished;	/* eventfd: a thread has ended */
	unsigned interrupts;
	struct np_usage usage;
};

/* Returns 0, or the exit status 2 after a message. Call addresses_free in any case. */
int addresses_resolve(struct addresses *addresses, const struct options *options,
		      const struct np_log *log);
void addresses_free(struct addresses *addresses);

/* Returns the exit status. */
int session_run(const struct options *options, const struct np_log *log);

/* Runs a mesh between the ranks that a launcher started, with all listeners open. Returns the same.
 */
int mesh_run(struct session *s);

/* Opens the publisher of @endpoint, at @local. Returns 0 or, after a message, the exit status 2. */
int session_open_publisher(struct session *s, struct endpoint *endpoint,
			   const struct np_address *local);

/* Start a thread. Return 0 or -errno; session_join collects those that were started. */
int session_start_listener(struct endpoint *endpoint);
int session_start_publisher(struct endpoint *endpoint);

/* Joins threads that have ended. Returns how many still run. */
unsigned session_join(struct endpoint *endpoint);

/* Reports the phase that the run has reached to all threads, and wakes them; it is never taken
 * back. */
void session_set_phase(struct session *s, enum shared_phase publishing,
		       enum shared_phase listening);

/* Warn of what reduces the worth of the figures; return the exit status. */
int session_judge_listener(struct session *s, const struct listener_result *r);
int session_judge_publisher(struct session *s, const struct publisher_result *r);

#endif
