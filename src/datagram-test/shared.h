/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * shared: all that the two threads of one local address, publisher and listener, and the session
 * share while they run. What is not here has one owner, and is merged after join.
 */
#ifndef DATAGRAM_TEST_SHARED_H
#define DATAGRAM_TEST_SHARED_H

#include "wire.h"

#include <netperf/address.h>
#include <stdatomic.h>

/* How much of the run is over: each is told by the session, and never taken back. */
enum shared_phase {
	SHARED_RUNNING,
	SHARED_CLOSING, /* nothing more is published; what is on its way may come */
	SHARED_LEAVING, /* at once */
};

/* A peer of the own publisher, as the own listener hears of it. */
struct shared_peer {
	struct np_address address;
	_Atomic uint32_t heard; /* odd while the two below are being written */
	_Atomic int64_t send_time;
	_Atomic np_time arrival;
	atomic_int confirmed; /* a listener of ours is there; no bool: riscv64 exchanges no bytes */
	atomic_bool end_acked; /* set behind the counts, once */
	struct wire_counts counts;
	/* The publisher's: the last number meant for it, and how many up to that were given up. */
	uint64_t last, unsent;
	uint64_t ends;			   /* ENDs sent to it */
	struct wire_copies requests, acks; /* the listener's */
	uint64_t came;			   /* as it told last; the listener's */
	_Atomic np_time moved;		   /* when that had grown, or it had our END */
};

struct shared {
	uint32_t run;		/* of the own publisher; 0 without peers */
	uint16_t return_port;	/* of the own listener */
	atomic_bool go;		/* the own listener has been contacted */
	_Atomic int publishing; /* enum shared_phase of the publisher */
	_Atomic int listening;	/* and of the listener */
	atomic_uint reports;	/* how many were asked for by signals */
	int publisher_wake;	/* eventfds */
	int listener_wake;
	size_t peer_count;
	struct shared_peer *peer;
};

/* @peers may be empty. Returns 0 or -errno. */
int shared_create(struct shared **shared, const struct np_address_list *peers, uint32_t run);

/* NULL is allowed. */
void shared_free(struct shared *shared);

/* Wakes who waits for that eventfd; shared_woken takes the wish off it. */
void shared_wake(int fd);
void shared_woken(int fd);

/* The listener: the newest send time of a peer, and when it came. Hot. */
static inline void shared_hear(struct shared_peer *peer, int64_t send_time, np_time arrival)
{
	uint32_t heard = atomic_load_explicit(&peer->heard, memory_order_relaxed);

	atomic_store_explicit(&peer->heard, heard + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&peer->send_time, send_time, memory_order_relaxed);
	atomic_store_explicit(&peer->arrival, arrival, memory_order_relaxed);
	atomic_store_explicit(&peer->heard, heard + 2, memory_order_release);
}

/*
 * The publisher: the newest send time heard since @*last, which it keeps for the next call, or
 * WIRE_NO_ACK; and when it came.
 */
int64_t shared_ack(struct shared_peer *peer, uint32_t *last, np_time *arrival);

/* The peer that a control datagram about our run comes from, or NULL. */
struct shared_peer *shared_peer_of(struct shared *shared, const struct np_address *source);

/* The listener: a peer's acknowledgement of our end. The first one counts. */
void shared_acked(struct shared_peer *peer, const struct wire_counts *counts);

#endif
