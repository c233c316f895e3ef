/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* endpoint: one local address with its listener, its publisher, and their threads. */
#ifndef DATAGRAM_TEST_ENDPOINT_H
#define DATAGRAM_TEST_ENDPOINT_H

#include "listener.h"
#include "publisher.h"

struct endpoint_thread {
	pthread_t thread;
	bool running;
};

struct endpoint {
	struct shared *shared;
	struct listener *listener;
	struct publisher *publisher; /* NULL without peers */
	struct endpoint_thread listening, publishing;
};

/* What the endpoints of a run share. */
struct endpoint_plan {
	const struct options *options;
	const struct addresses *addresses;
	struct reporter *reporter;
	struct np_drops *drops;
	const uint32_t *runs; /* of the endpoints' publishers, one each */
	int finished;	      /* eventfd */
};

/* Opens the sockets of local address @index. Returns 0 or, after a message, the exit status 2. */
int endpoint_open(struct endpoint *endpoint, const struct endpoint_plan *plan, size_t index);

/*
 * Opens the publisher of an endpoint that was opened without peers, now that @plan has some.
 * Returns 0 or, after a message, the exit status 2.
 */
int endpoint_open_publisher(struct endpoint *endpoint, const struct endpoint_plan *plan,
			    size_t index);

/* Returns 0 or -errno of the log file. */
int endpoint_close(struct endpoint *endpoint, bool never_began);

/* Prints the banners. */
void endpoint_banner(const struct endpoint *endpoint);

/*
 * Start the threads, both or one of them. Return 0 or -errno; endpoint_join collects those that
 * were started.
 */
int endpoint_start(struct endpoint *endpoint);
int endpoint_start_listener(struct endpoint *endpoint);
int endpoint_start_publisher(struct endpoint *endpoint);

/* Joins threads that have ended. Returns how many still run. */
unsigned endpoint_join(struct endpoint *endpoint);

/*
 * Tells the threads which phase the run has reached, and wakes them; a phase is never taken back.
 */
void endpoint_tell(struct endpoint *endpoint, enum shared_phase publishing,
		   enum shared_phase listening);

/* Asks for a report now. */
void endpoint_report(struct endpoint *endpoint);

#endif
