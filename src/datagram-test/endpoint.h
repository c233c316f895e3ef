/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * endpoint: one local address: what its listener and its publisher are opened with, and what these
 * two threads and the session share while they run.
 */
#ifndef DATAGRAM_TEST_ENDPOINT_H
#define DATAGRAM_TEST_ENDPOINT_H

#include "options.h"
#include "wire.h"

#include <netperf/address.h>
#include <pthread.h>
#include <stdatomic.h>

/* The phases of a run, in order: set by the session, and never taken back. */
enum phase {
	PHASE_RUNNING,
	PHASE_CLOSING, /* nothing more is published; packets on their way may still arrive */
	PHASE_LEAVING, /* end at once */
};

/* A peer of this address's publisher, as its listener sees it. */
struct peer {
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
	 * given up; @heard as of the last ack.
	 */
	uint64_t last, unsent;
	uint32_t acked;
	bool refused;			   /* its host reported that nobody listens there */
	uint64_t ends;			   /* ENDs sent to the peer */
	struct np_drops_total dropped;	   /* of those sent to it, by this host; by the publisher */
	struct wire_copies requests, acks; /* owned by the listener */
	uint64_t came; /* packets received there, by its last report; owned by the listener */
	_Atomic np_time moved; /* when that last grew, or when it had our END */
};

struct endpoint_thread {
	pthread_t thread;
	bool running;
};

struct endpoint {
	/* Set before it is opened. */
	const struct options *options;
	struct reporter *reporter;
	struct np_drops *drops;
	const struct np_address_networks *allowed; /* NULL: all */
	const struct np_address *local, *group;	   /* @group may be NULL */
	bool several;				   /* endpoints */
	double rate_bytes_per_s;		   /* the publisher's share; 0: unlimited */
	uint32_t run;				   /* the publisher's */
	int finished;				   /* eventfd signalled when a thread is done */

	uint16_t return_port;	/* of the listener */
	atomic_bool go;		/* the listener has received something (-polite) */
	_Atomic int publishing; /* enum phase of the publisher */
	_Atomic int listening;	/* and of the listener */
	atomic_uint reports;	/* how many reports were asked for by signals */
	int publisher_wake;	/* eventfds */
	int listener_wake;
	size_t peer_count;
	struct peer *peer;

	struct listener *listener;
	struct publisher *publisher; /* NULL without peers */
	struct endpoint_thread listener_thread, publisher_thread;
};

/* @peers may be empty. Returns 0 or -errno. Call endpoint_close in any case. */
int endpoint_open(struct endpoint *endpoint, const struct np_address_list *peers);

/* Gives it the peers that were not known then. Call it before its threads run. */
int endpoint_set_peers(struct endpoint *endpoint, const struct np_address_list *peers);

/* Frees what endpoint_open made. */
void endpoint_close(struct endpoint *endpoint);

/* Wakes the thread that waits for the eventfd; endpoint_woken resets it. */
void endpoint_wake(int fd);
void endpoint_woken(int fd);

/* Called by the listener: stores the newest send time of a peer, and its arrival. Hot. */
static inline void peer_hear(struct peer *peer, int64_t send_time, np_time arrival)
{
	uint32_t heard = atomic_load_explicit(&peer->heard, memory_order_relaxed);

	atomic_store_explicit(&peer->heard, heard + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&peer->send_time, send_time, memory_order_relaxed);
	atomic_store_explicit(&peer->arrival, arrival, memory_order_relaxed);
	atomic_store_explicit(&peer->heard, heard + 2, memory_order_release);
}

/*
 * Called by the publisher: the newest send time heard since the last ack, or WIRE_NO_ACK; and its
 * arrival.
 */
int64_t peer_ack(struct peer *peer, np_time *arrival);

/* The peer that sent a control datagram about our run, or NULL. */
struct peer *endpoint_peer(struct endpoint *endpoint, const struct np_address *source);

/* Called by the listener: stores a peer's acknowledgement of our END. Only the first one counts. */
void peer_acked(struct peer *peer, const struct wire_counts *counts);

/*
 * Counts the packets to @local that @socket receives, or those that leave from it. Returns the
 * number of the watch, or -errno, with which np_drops_count knows nothing.
 */
int endpoint_watch_drops(struct np_drops *drops, enum np_drops_direction direction,
			 const struct np_address *local, int socket);

#endif
