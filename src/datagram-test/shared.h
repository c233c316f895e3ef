/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * shared: the data shared while running by the session and the two threads of one local address,
 * publisher and listener. All other data has one owner, and is merged after join.
 */
#ifndef DATAGRAM_TEST_SHARED_H
#define DATAGRAM_TEST_SHARED_H

#include "wire.h"

#include <netperf/address.h>
#include <stdatomic.h>

/* The phases of a run, in order: set by the session, and never taken back. */
enum shared_phase {
	SHARED_RUNNING,
	SHARED_CLOSING, /* nothing more is published; packets on their way may still arrive */
	SHARED_LEAVING, /* end at once */
};

/* A peer of this address's publisher, as its listener sees it. */
struct shared_peer {
	struct np_address address;
	_Atomic uint32_t heard; /* odd while the two below are being written */
	_Atomic int64_t send_time;
	_Atomic np_time arrival;
	atomic_int confirmed;  /* a listener of this program is there; int, since riscv64 has no
				  atomic exchange of bytes */
	atomic_bool end_acked; /* set once, after the counts */
	struct wire_counts counts;
	/*
	 * Owned by the publisher: the last number sent to the peer, and how many up to it were
	 * given up.
	 */
	uint64_t last, unsent;
	bool refused;			   /* its host reported that nobody listens there */
	uint64_t ends;			   /* ENDs sent to the peer */
	struct np_drops_total dropped;	   /* of those sent to it, by this host; by the publisher */
	struct wire_copies requests, acks; /* owned by the listener */
	uint64_t came; /* packets received there, by its last report; owned by the listener */
	_Atomic np_time moved; /* when that last grew, or when it had our END */
};

struct shared {
	uint32_t run;		/* of this address's publisher; 0 without peers */
	uint16_t return_port;	/* of this address's listener */
	atomic_bool go;		/* the listener has received something (-polite) */
	_Atomic int publishing; /* enum shared_phase of the publisher */
	_Atomic int listening;	/* and of the listener */
	atomic_uint reports;	/* how many reports were asked for by signals */
	int publisher_wake;	/* eventfds */
	int listener_wake;
	size_t peer_count;
	struct shared_peer *peer;
};

/* @peers may be empty. Returns 0 or -errno. */
int shared_create(struct shared **shared, const struct np_address_list *peers, uint32_t run);

/* Gives it the peers that were not known then. Call it before its threads run. */
int shared_set_peers(struct shared *shared, const struct np_address_list *peers);

/* NULL is allowed. */
void shared_free(struct shared *shared);

/* Wakes the thread that waits for the eventfd; shared_woken resets it. */
void shared_wake(int fd);
void shared_woken(int fd);

/* Called by the listener: stores the newest send time of a peer, and its arrival. Hot. */
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
 * Called by the publisher: the newest send time heard since @*last, which it updates, or
 * WIRE_NO_ACK; and its arrival.
 */
int64_t shared_ack(struct shared_peer *peer, uint32_t *last, np_time *arrival);

/* The peer that sent a control datagram about our run, or NULL. */
struct shared_peer *shared_peer_of(struct shared *shared, const struct np_address *source);

/* Called by the listener: stores a peer's acknowledgement of our END. Only the first one counts. */
void shared_acked(struct shared_peer *peer, const struct wire_counts *counts);

/*
 * Counts the packets to @local that @socket receives, or those that leave from it. Returns the
 * number of the watch, or -errno, with which np_drops_count knows nothing.
 */
int shared_watch_drops(struct np_drops *drops, enum np_drops_direction direction,
		       const struct np_address *local, int socket);

#endif
