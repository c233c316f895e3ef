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

struct hub;

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

/* Where it listens. */
const struct np_address *hub_address(const struct hub *hub);

/* Connections that were closed because of the plan's allow. */
uint64_t hub_not_allowed(const struct hub *hub);

/* @size of them. */
const struct hub_rank *hub_ranks(const struct hub *hub);

/* Copies it in place of the one that was known. Returns 0 or -ENOMEM. */
int hub_set_blob(struct hub *hub, uint32_t rank, const void *blob, size_t bytes);

/* As np_launch_barrier and np_launch_collect. */
int hub_barrier(struct hub *hub, np_time deadline, int other_fd);
int hub_collect(struct hub *hub, np_launch_take take, void *context, np_time deadline);

#endif
