/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* publisher: sends the packets of one local address to all peers, round after round. */
#ifndef DATAGRAM_TEST_PUBLISHER_H
#define DATAGRAM_TEST_PUBLISHER_H

#include "addresses.h"
#include "report.h"
#include "shared.h"

#include <netperf/datagram.h>

struct publisher;

/* What became of it; valid when its thread has ended. */
struct publisher_result {
	struct np_address at; /* local IP with the return port */
	uint64_t rounds;      /* the last number */
	uint64_t packets;     /* sent, over all peers */
	uint64_t bytes;
	uint64_t unsent; /* given up after send errors */
	np_time elapsed; /* from the first packet on; at a rate n packets take n intervals */
	double rate_bytes_per_s; /* asked for; 0: unlimited */
	np_time worst_behind;
	bool limit_reached; /* -txIterations */
	struct np_datagram_stats stats;
	uint64_t send_buffer_errors;
	const char *variant;
	uint64_t send_buffer_bytes; /* granted */
};

struct publisher_plan {
	const struct options *options;
	const struct np_address *local;
	const struct np_address_list *peers;
	struct shared *shared;
	struct reporter *reporter;
	double rate_bytes_per_s; /* its share; 0: unlimited */
	int finished;		 /* eventfd told when the thread is done */
};

/* Opens its socket. Returns 0 or -errno. */
int publisher_open(struct publisher **publisher, const struct publisher_plan *plan);
/* NULL is allowed. */
void publisher_free(struct publisher *publisher);

void publisher_banner(const struct publisher *publisher);

/* The thread's function; returns NULL when all is sent and the end is told. */
void *publisher_run(void *publisher);

const struct publisher_result *publisher_result(const struct publisher *publisher);

#endif
