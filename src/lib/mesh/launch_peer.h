/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* launch_peer: the connections of rank 0's hub: strangers, and ranks that have joined. */
#ifndef LAUNCH_PEER_H
#define LAUNCH_PEER_H

#include "launch_channel.h"
#include "launch_hub.h"

/*
 * Connections that have not joined: how many more there may be than ranks, which may all connect at
 * once, and how long each may take to join.
 */
#define PEER_STRANGERS_MAX 256
#define PEER_JOIN_LIMIT	   (10 * NP_SECOND)

struct hub_peer {
	struct channel channel;
	bool joined;
	uint32_t rank; /* once joined */
	bool paused;   /* has sent results, which nobody takes yet */
	bool waits;    /* for room to send */
	np_time accepted;
	struct hub_peer *next, *prev;
};

struct hub {
	uint32_t size;
	uint32_t step; /* barriers begun */
	char program[WIRE_NAME];
	uint8_t secret[WIRE_SECRET];
	struct hub_rank *ranks;
	struct np_stream *listener; /* NULL: the only rank */
	int epoll;
	struct hub_peer *peers, *last; /* in the order of their connections */
	uint32_t strangers;
	const struct np_address_networks *allow;
	uint64_t not_allowed; /* connections */
	np_launch_take take;  /* while results are collected */
	void *context;
};

#define PEER_LATE "too late: the others have gone on without it"

/* Owns @stream in any case; NULL: no memory. */
struct hub_peer *peer_add(struct hub *hub, struct np_stream *stream);

/* Closes it; its rank is NP_LAUNCH_GONE unless it was out before. */
void peer_remove(struct hub *hub, struct hub_peer *peer);

/* Receives and sends what is possible now; may remove @peer. */
void peer_serve(struct hub *hub, struct hub_peer *peer);

/* May remove @peer. */
void peer_tell(struct hub *hub, struct hub_peer *peer, enum wire_type type, const void *body,
	       size_t bytes);

/* Tells it why, and removes it as peer_remove() does. */
void peer_refuse(struct hub *hub, struct hub_peer *peer, const char *why);

/* Results are taken from now on: serves the ranks that have sent some already. */
void peer_resume_all(struct hub *hub);

/* Removes connections that have not joined in time. */
void peer_expel_strangers(struct hub *hub);

#endif
