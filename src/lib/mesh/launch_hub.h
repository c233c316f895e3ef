/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * launch_hub: rank 0's side of a run: takes the connections of the other ranks, holds the barriers,
 * hands out blobs and takes results. One thread; its sockets are served only while a function that
 * waits runs.
 */
#ifndef LAUNCH_HUB_H
#define LAUNCH_HUB_H

#include "launch_channel.h"

#include <sys/queue.h>

struct hub_rank {
	enum np_launch_state state;
	bool joined;
	bool finished;	  /* has sent all its results */
	uint32_t entered; /* barriers it has reached */
	char host[WIRE_NAME];
	uint8_t *blob;
	size_t blob_bytes;
	struct hub_peer *peer; /* its connection, or NULL */
};

/* A connection. */
struct hub_peer {
	struct channel channel;
	bool joined;
	uint32_t rank; /* once joined */
	bool paused;   /* has sent results, which nobody takes yet */
	bool waits;    /* for room to send */
	np_time accepted;
	TAILQ_ENTRY(hub_peer) link;
};

struct hub {
	uint32_t size;
	uint32_t step; /* barriers begun */
	char program[WIRE_NAME];
	uint8_t secret[WIRE_SECRET];
	struct hub_rank *ranks;	    /* @size of them */
	struct np_stream *listener; /* NULL: the only rank */
	int epoll;
	np_time accept_after; /* no descriptors: accepts none until then; NP_TIME_NEVER: it does */
	TAILQ_HEAD(, hub_peer) peers; /* in the order of their connections */
	uint32_t pending;
	const struct np_address_networks *allow;
	uint64_t not_allowed; /* connections that were closed because of @allow */
	np_launch_take take;  /* while results are collected */
	void *context;
};

/* What rank 0 is opened with; a JOIN must have the same size, program and secret. */
struct hub_plan {
	uint32_t size;
	const char *program, *host; /* at most WIRE_NAME - 1 bytes */
	uint8_t secret[WIRE_SECRET];
	const struct np_address *local; /* port 0: the kernel chooses */
	const struct np_address_networks *allow;
	const void *blob; /* of rank 0 */
	size_t blob_bytes;
};

/* Listens. Returns 0 or -errno. */
int hub_open(struct hub **hub, const struct hub_plan *plan);
void hub_free(struct hub *hub);

/* Copies it in place of the one that was known. Returns 0 or -ENOMEM. */
int hub_set_blob(struct hub *hub, uint32_t rank, const void *blob, size_t bytes);

/* As np_launch_barrier and np_launch_collect. */
int hub_barrier(struct hub *hub, np_time deadline, int other_fd);
int hub_collect(struct hub *hub, np_launch_take take, void *context, np_time deadline);

#endif
