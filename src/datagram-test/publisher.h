/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* publisher: sends the packets of one local address to all peers, round after round. */
#ifndef DATAGRAM_TEST_PUBLISHER_H
#define DATAGRAM_TEST_PUBLISHER_H

#include "endpoint.h"
#include "report.h"

#include <netperf/datagram.h>
#include <netperf/interval.h>
#include <netperf/pacer.h>
#include <stdatomic.h>

/* The publisher's result; valid when its thread has ended. */
struct publisher_result {
	struct np_address at; /* local IP with the return port */
	uint64_t rounds;      /* equals the last packet number */
	uint64_t packets;     /* sent, over all peers */
	uint64_t bytes;
	uint64_t unsent;	 /* given up after send errors */
	np_time elapsed;	 /* from the first packet on; paced, n packets take n intervals */
	double rate_bytes_per_s; /* asked for; 0: unlimited */
	np_time worst_behind;
	bool limit_reached; /* -txIterations was reached */
	struct np_datagram_stats stats;
	uint64_t send_buffer_errors;
	struct np_drops_counts dropped; /* by this host, by the kernel's reasons */
	const char *variant;
	uint64_t send_buffer_bytes; /* as granted by the kernel */
};

/*
 * pace: waits for the moments at which packets are due. Sleeps until a little before the moment,
 * then spins. How long it spins follows the measured wake-up delay, within a fixed share of the
 * time between two moments, so that spinning never takes more of a CPU than that.
 */

/* The most of a CPU that spinning may take, in percent, and the longest spin. */
#define PACE_SPIN_PERCENT 8
#define PACE_SPIN_MAX	  (50 * NP_MICROSECOND)

struct pace {
	struct np_pacer pacer; /* counts bytes as events */
	np_time worst_behind;  /* the furthest behind since pace_open */
	np_time spin;	       /* how long before a moment the sleep ends */
	np_time spin_limit;
};

/* Sets the calling thread's timer slack to 1 ns. */
void pace_open(struct pace *pace);

/* Starts a series now. @rate_bytes_per_s 0: no waiting. @bytes: sent at each moment. */
void pace_start(struct pace *pace, double rate_bytes_per_s, uint64_t bytes, np_time now);

/*
 * Waits until @bytes may be sent, and counts them; or until @deadline, or until @*phase is not 0.
 * Returns the time at the end of the wait.
 */
np_time pace_wait(struct pace *pace, uint64_t bytes, np_time deadline, const _Atomic int *phase);

struct publisher {
	struct endpoint *endpoint;
	struct np_datagram *socket;
	struct wire_layout layout;
	struct publisher_result result;
	struct pace pace;
	struct np_interval interval;
	uint64_t counted_bytes;
	int drops_watch;
	unsigned batch_rounds;
	unsigned portion; /* packets handed over at a time; fewer where that takes long */
	np_time begin;
	np_time first;		     /* when the first packet was sent */
	np_time deadline;	     /* from -txDurationMs */
	struct np_flow_counts mark;  /* counts as of the last report */
	struct np_flow_counts rowed; /* counts as of the last "transmit" record */
	unsigned reports;	     /* of those asked for by signals */
	uint64_t random;
	struct np_datagram_kernel kernel; /* as of the opening */
};

/* Opens the socket of the publisher of @endpoint. Returns 0 or, after a message, the exit status 2.
 */
int publisher_open(struct endpoint *endpoint);
/* NULL is allowed. */
void publisher_free(struct publisher *publisher);

/* The thread's entry point; returns NULL when everything is sent and the end was reported. */
void *publisher_run(void *publisher);

/* True when nothing more is to be published. */
static inline bool publisher_over(const struct publisher *p)
{
	return atomic_load_explicit(&p->endpoint->publishing, memory_order_relaxed) !=
	       PHASE_RUNNING;
}

/*
 * send_batch: sends packets @first .. @first + @wanted - 1 to a peer when they are due. Returns how
 * many were sent or given up: fewer than @wanted if the run ended first.
 */
unsigned send_batch(struct publisher *p, size_t peer, uint64_t first, unsigned wanted);
/* Writes the reports that are due by time or by a signal. */
void send_batch_look_for_reports(struct publisher *p, np_time now);

/* Everything is sent: writes the last "transmit" record, if there were any before. */
void send_batch_write_rest(struct publisher *p, np_time now);

#endif
