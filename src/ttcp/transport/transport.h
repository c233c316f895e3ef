/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transport: how the bytes of a conversation go and come, at either end: one face, a table for each
 * kind of socket. What comes is handed to the machine of this end. One thread.
 */
#ifndef TTCP_TRANSPORT_TRANSPORT_H
#define TTCP_TRANSPORT_TRANSPORT_H

#include "../conversation/receiver.h"
#include "../conversation/sender.h"
#include "../session_state.h"

#define TRANSPORT_LOOK (20 * NP_MILLISECOND) /* a receive call that sleeps, at most */

struct transport_face;

/* One that is open. */
struct transport {
	const struct transport_face *face;
	struct session *session;
	/* Whose messages it carries: one of the two is there. */
	struct receiver *receiver;
	struct sender *sender;
	const struct sender_plan *plan; /* the sender's */
	const struct np_address *to;	/* a sender's receiver, or group */
	void *sockets;			/* the face's own */
	bool rested; /* nothing was there, and the caller stayed awake: there may be now */
	bool failed; /* a receiver's sender broke off, or our output did, and it was said */
};

/* What the kernel and the other host said of the sockets so far. */
struct transport_counts {
	/* What came and found no room, in drop_unit; NULL: it is sent again. */
	bool dropped_known;
	uint64_t dropped;
	const char *drop_unit;
	uint64_t send_errors; /* refusals of other hosts among them */
	uint64_t retried;     /* found no room, and were sent again */
	int refusal;	      /* -errno of the other host's latest refusal; 0: none */
};

struct transport_face {
	bool datagrams; /* messages may be lost, twice, late */
	/* Before privileges are dropped. Returns 0 or, after a message, the exit status. */
	int (*open)(struct transport *t);
	/* A sender's lanes that have no connection get one; NULL: needless. 0 or -errno. */
	int (*connect)(struct transport *t);
	/* The same for a word between two runs: lane 0 alone, one try. */
	int (*reach)(struct transport *t);
	/* Takes what is there. How many messages, or -errno. */
	int (*receive)(struct transport *t);
	/*
	 * Sleeps until something may be there, or a sender's lane has room for what it has left (1
	 * and more), @deadline or a signal (0); or -errno.
	 */
	int (*wait)(struct transport *t, np_time deadline, bool writable);
	/* How long a sender's receive may sleep while nothing is there; 0: not at all. */
	int (*patience)(struct transport *t, np_time limit);
	/*
	 * A message, whole: by @way, a sender's lane, or a receiver's of what came; @to NULL: a
	 * sender's receiver or group. 0 or -errno.
	 */
	int (*send)(struct transport *t, void *way, const struct np_address *to,
		    const void *message, size_t bytes);
	/* sender_port's; @context: the transport. Receivers: NULL. */
	ssize_t (*push)(void *context, struct sender_lane *lane, np_time *now);
	/* No more follows on this lane in this run. NULL: it is told by messages alone. */
	void (*finish)(struct transport *t, unsigned lane);
	/* A sender's lane, or all that the run had (-1), is of no use any more; NULL: it stays. */
	void (*release)(struct transport *t, int lane);
	/* The bytes that the other kernel does not have yet. NULL: not known. */
	uint64_t (*unacknowledged)(struct transport *t);
	void (*counts)(const struct transport *t, struct transport_counts *counts);
	/* Where messages of @way, or without one, come in. NULL: no one address. */
	const struct np_address *(*local)(const struct transport *t, const void *way);
	/* A sender's lane 0, for bytes that are no messages. NULL: datagrams. */
	struct np_stream *(*stream)(const struct transport *t);
	/* The sockets of the run. */
	void (*describe)(const struct transport *t, struct np_record *start);
	void (*close)(struct transport *t);
};

extern const struct transport_face transport_sender_tcp, transport_sender_udp;
extern const struct transport_face transport_receiver_tcp, transport_receiver_udp;

static inline const struct options *transport_options(const struct transport *t)
{
	return t->session->options;
}

#endif
