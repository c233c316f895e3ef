/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* publisher: sends the packets of one local address to all peers, round after round. */
#ifndef DATAGRAM_TEST_PUBLISHER_H
#define DATAGRAM_TEST_PUBLISHER_H

#include "addresses.h"
#include "host_drops.h"
#include "report.h"
#include "shared.h"

#include <netperf/datagram.h>

struct publisher;

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

struct publisher_plan {
	const struct options *options;
	const struct np_address *local;
	const struct np_address_list *peers;
	struct shared *shared;
	struct reporter *reporter;
	struct np_drops *drops;
	double rate_bytes_per_s; /* this publisher's share; 0: unlimited */
	int finished;		 /* eventfd signalled when the thread is done */
};

/* Opens its socket. Returns 0 or -errno. */
int publisher_open(struct publisher **publisher, const struct publisher_plan *plan);
/* NULL is allowed. */
void publisher_free(struct publisher *publisher);

void publisher_banner(const struct publisher *publisher);

/* The thread's entry point; returns NULL when everything is sent and the end was reported. */
void *publisher_run(void *publisher);

const struct publisher_result *publisher_result(const struct publisher *publisher);

#endif
