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
#include <netperf/tool.h>

struct addresses {
	struct np_address_list locals;
	struct np_address_list peers;
	struct np_address group;
	bool has_group;
	struct np_address_networks *allowed; /* by --allow; NULL: all */
};

struct session {
	struct np_run *run;
	const struct options *options;
	const struct np_log *log;
	struct addresses addresses;
	struct reporter reporter;
	struct endpoint *endpoint;
	size_t endpoint_count;
	int finished; /* eventfd: a thread has ended */
	unsigned interrupts;
	struct np_usage usage;
};

/* np_tool's open, work and close. */
int session_open(struct np_run *run);
int session_work(struct np_run *run);
int session_close(struct np_run *run, int status);

/* Returns 0, or the exit status 2 after a message. Call addresses_free in any case. */
int addresses_resolve(struct addresses *addresses, const struct options *options,
		      const struct np_log *log);
void addresses_free(struct addresses *addresses);

/*
 * Runs a mesh between the ranks that a launcher started, with all listeners open. Returns the exit
 * status.
 */
int mesh_run(struct session *s);

/* The record "start"; NULL: records are not wanted. */
struct np_record *session_start_record(const struct session *s);

/*
 * Starts a thread; without an @owner there is none. Returns 0 or -errno; session_join collects
 * those that were started.
 */
int session_start(struct endpoint_thread *thread, void *(*run)(void *), void *owner);

/* Sleeps until a thread ends or a signal comes, which is acted on, or @ms have passed. */
void session_await(struct session *s, int ms);
#define SESSION_LOOK 1000 /* ms */

/* Joins threads that have ended. Returns how many still run. */
unsigned session_join(struct endpoint *endpoint);

/* Reports the phase that the run has reached to all threads, and wakes them; it is never taken
 * back. */
void session_set_phase(struct session *s, enum phase publishing, enum phase listening);

/* Warn of what reduces the worth of the figures; return the exit status. */
int session_judge_listener(struct session *s, const struct listener_result *r);
int session_judge_publisher(struct session *s, const struct publisher_result *r);

#endif
