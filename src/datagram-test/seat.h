/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* seat: one local address with its listener, its publisher, and their threads. */
#ifndef DATAGRAM_TEST_SEAT_H
#define DATAGRAM_TEST_SEAT_H

#include "listener.h"
#include "publisher.h"

struct seat_thread {
	pthread_t thread;
	bool running;
};

struct seat {
	struct partner *partner;
	struct listener *listener;
	struct publisher *publisher; /* NULL without peers */
	struct seat_thread listening, publishing;
};

/* What the seats of a run have in common. */
struct seat_plan {
	const struct options *options;
	const struct endpoints *endpoints;
	struct reporter *reporter;
	const uint32_t *runs; /* of the seats' publishers, one each */
	int finished;	      /* eventfd */
};

/* Opens the sockets of local address @index. Returns 0 or, after a message, the exit status 2. */
int seat_open(struct seat *seat, const struct seat_plan *plan, size_t index);

/* Returns 0 or -errno of the log file. */
int seat_close(struct seat *seat);

/* Prints the banners. */
void seat_banner(const struct seat *seat);

/* Starts the threads. Returns 0 or -errno; those that run are to be taken by seat_join. */
int seat_start(struct seat *seat);

/* Takes threads that have ended. Returns how many still run. */
unsigned seat_join(struct seat *seat);

/* Tells the threads how far the run is over, and wakes them; phases never go back. */
void seat_tell(struct seat *seat, enum partner_phase publishing, enum partner_phase listening);

/* A report now. */
void seat_report(struct seat *seat);

#endif
