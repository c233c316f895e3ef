/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* listener: receives at one local address and counts each publisher's packets. */
#ifndef DATAGRAM_TEST_LISTENER_H
#define DATAGRAM_TEST_LISTENER_H

#include "addresses.h"
#include "flow.h"
#include "host_drops.h"
#include "report.h"
#include "shared.h"

#include <netperf/datagram.h>
#include <netperf/loss.h>
#include <netperf/path.h>

/* Flows that the result lists one by one, outside of a mesh; the others are only in its sums. */
#define LISTENER_CONCLUDED_MAX 64

struct listener;

struct listener_plan {
	const struct options *options;
	const struct np_address *local;
	const struct np_address *group; /* or NULL */
	struct shared *shared;
	struct reporter *reporter;
	struct np_drops *drops;
	bool several; /* listeners */
	int finished; /* eventfd signalled when the thread is done */
};

/* A flow that has ended, or that existed when the listener ended. */
struct listener_flow {
	struct np_address source, printed;
	bool proven, late_start;
	np_time grace; /* how long packets were waited for after its END */
	struct flow_figures life;
	struct np_drops_counts dropped; /* by this host, by the kernel's reasons */
	struct np_drops_total sender;	/* by the publisher's */
	uint64_t content_errors;
	struct np_histogram_figures rtt, delay; /* count 0: none */
	np_time delay_bound;
};

/* The listener's result; valid when its thread has ended. */
struct listener_result {
	struct np_address local;
	uint64_t packets;	 /* datagrams except control datagrams */
	uint64_t short_packets;	 /* under 28 bytes */
	uint64_t corrupt;	 /* with another magic */
	uint64_t damaged;	 /* of ours, with a wrong check value */
	uint64_t content_errors; /* packets with wrong content */
	uint64_t stray;		 /* of runs of ours whose flow had ended and been removed */
	uint64_t control_errors;
	uint64_t not_allowed; /* datagrams of hosts that --allow does not name */
	uint64_t refused;     /* packets of sources for which the table had no room */
	uint64_t displaced, displaced_packets; /* flows that were displaced, and their packets */
	struct flow_figures total;
	struct np_loss loss;
	struct listener_flow *concluded;
	size_t concluded_count, concluded_room;
	uint64_t unlisted; /* flows that are only in the sums */
	struct np_datagram_stats stats;
	struct np_loss_drops drops;	/* packets dropped because a buffer was full */
	struct np_drops_counts dropped; /* by this host, by the kernel's reasons, of anybody */
	/* Of the flows that have ended. */
	struct np_drops_counts flows_dropped;
	struct np_drops_total flows_sender;
	struct np_path_drops path; /* since the socket was opened */
	struct np_datagram_info info;
	bool nobody_came; /* within --wait */
	int error;	  /* -errno that ended the listener */
};

/* Opens socket and log. Returns 0 or, after a message, the exit status 2. */
int listener_open(struct listener **listener, const struct listener_plan *plan);

/* Returns 0, or -errno when the log could not be written; see log_file_close. NULL is allowed. */
int listener_free(struct listener *listener, bool never_began);

void listener_banner(const struct listener *listener);

/* The thread's entry point. */
void *listener_run(void *listener);

const struct listener_result *listener_result(const struct listener *listener);

#endif
