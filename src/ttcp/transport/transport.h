/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transport: carries the bytes of streams, or datagrams, at either end: one face, a table for each
 * transport. It knows no messages and no conversation: what comes is handed to its user as it came.
 * One thread.
 *
 * A new transport is one file that fills in a struct transport_face, and its row in transport.c.
 * One of datagrams needs open, receive, wait, send, push, counts, local, describe and close; what
 * else it leaves NULL has the meaning said below. Its addresses are any np_address that tells one
 * partner from another, as sockaddr_in6 where they are not of IP; then name writes them. To join,
 * or to wait until others are there, it has connect. What it must do by time it does in receive,
 * wait and pause, and in push: a greedy sender of DATA that nobody answers calls nothing else.
 */
#ifndef TTCP_TRANSPORT_TRANSPORT_H
#define TTCP_TRANSPORT_TRANSPORT_H

#include "../session_state.h"

#include <netperf/address.h>
#include <netperf/datagram.h>
#include <netperf/stream.h>
#include <sys/types.h>

#define TRANSPORT_LANES_MAX 64
#define TRANSPORT_LOOK	    (20 * NP_MILLISECOND) /* a receive call that sleeps, at most */
/* Most bytes of a stream that are read at a time. */
#define TRANSPORT_READ ((size_t)1 << 20)
/* The same of small messages: one of the buffers of the kernel on loopback. */
#define TRANSPORT_READ_SMALL ((size_t)64 << 10)
/* Room before them that is their taker's; a page, where the kernel copies faster to. */
#define TRANSPORT_BEFORE 4096

/* A connection, or a sender's socket of datagrams. What is behind it is the transport's own. */
struct channel {
	struct np_address peer; /* of a connection */
	uint8_t *batch;		/* a sender's: the bytes that push sends, of plan.batch messages */
	bool kept;  /* the user's to set: not to be closed for its silence, or for others */
	bool gone;  /* brings no more; the user may say so, too */
	int error;  /* why: -errno; 0: the partner ended it */
	void *user; /* the user's own */
};

/* Who takes what comes. */
struct transport_user {
	void *context;
	/* Datagrams that came together; @by_group: to all members. How many messages. Hot. */
	int (*packets)(void *context, const struct np_packet *packet, unsigned count,
		       bool by_group);
	/* A connection is there: 0, or -errno: it is closed. */
	int (*opened)(void *context, struct channel *channel);
	/*
	 * How many bytes it wants next at most, TRANSPORT_READ or fewer; or, if it sets *@unread,
	 * how many are to be thrown away. NULL: TRANSPORT_READ_SMALL. Hot.
	 */
	size_t (*wish)(void *context, const struct channel *channel, bool *unread);
	/*
	 * Bytes of a connection in their order, behind TRANSPORT_BEFORE bytes of room; NULL: they
	 * were thrown away. How many messages, or -errno, which receive returns then. Hot.
	 */
	int (*bytes)(void *context, struct channel *channel, uint8_t *data, size_t length,
		     np_time at);
	/* ->gone. False: it is still needed to send by, and is asked about again. */
	bool (*ended)(void *context, struct channel *channel);
	void (*closed)(void *context, struct channel *channel); /* NULL: nothing is to be done */
};

/* What it is opened for. */
struct transport_plan {
	unsigned lanes;	      /* a sender's streams; 0: a receiver's end */
	unsigned batch;	      /* a sender's messages in one push, at most */
	size_t message_bytes; /* of each of them */
	bool answered;	      /* each of them */
	size_t control_bytes; /* of any other message, at most */
};

struct transport_face;

/* One that is open. */
struct transport {
	const struct transport_face *face;
	struct session *session;
	struct transport_plan plan;
	struct transport_user user;
	struct np_address to; /* where a sender sends to; or the group that a receiver is in */
	bool group;	      /* what is sent to ->to goes to many */
	struct channel *lane[TRANSPORT_LANES_MAX]; /* a sender's, from open on */
	void *sockets;				   /* the face's own */
	bool rested; /* nothing was there, and the caller stayed awake: there may be now */
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
	bool datagrams; /* messages may be lost, twice, late; else streams of bytes */
	/* ->to and ->group by what the user typed: 0 or the exit status. NULL: needless. */
	int (*resolve)(struct transport *t);
	/* Before privileges are dropped. Returns 0 or, after a message, the exit status. */
	int (*open)(struct transport *t);
	void (*close)(struct transport *t); /* also what was never, or not all, opened */
	/*
	 * A sender's lane that has no connection gets one; @patient: as long as the user wants to
	 * wait for a receiver, else one try. NULL: needless. 0 or -errno.
	 */
	int (*connect)(struct transport *t, unsigned lane, bool patient);
	/* Hands all that is there to the user. How many messages, or -errno of a sender's lane. */
	int (*receive)(struct transport *t);
	/*
	 * Sleeps until something may be there, one of the sender's lanes whose bits are in
	 * @writable has room, or @deadline or a signal (0); or -errno.
	 */
	int (*wait)(struct transport *t, np_time deadline, uint64_t writable);
	/*
	 * How long receive may sleep by @channel (NULL: the only one) while fewer than @least bytes
	 * (0: nothing) are there; 0: not at all. NULL: it never sleeps. 0 or -errno.
	 */
	int (*patience)(struct transport *t, struct channel *channel, np_time limit, size_t least);
	/*
	 * One control message. A datagram goes to @to (NULL: ->to) by @channel (NULL: a receiver's
	 * own) whole. By a connection as much goes as there is room for in a moment; what a
	 * receiver sends waits for room; @more: others will follow before receive ends. Returns
	 * the bytes that went, or will; or -errno, -EAGAIN: no room.
	 */
	ssize_t (*send)(struct transport *t, struct channel *channel, const struct np_address *to,
			const void *message, size_t bytes, bool more);
	/*
	 * A sender's @bytes of the channel's batch from @first on, to ->to: how many of them went;
	 * -EAGAIN: no room now; or -errno: of datagrams, of the first message alone. Hot.
	 */
	ssize_t (*push)(struct transport *t, struct channel *channel, size_t first, size_t bytes);
	/*
	 * A sender's pause between two runs, in which nothing is received: sleeps until @until and
	 * does what is due by time. False: the user stopped it. NULL: nothing is.
	 */
	bool (*pause)(struct transport *t, np_time until);
	/* No more follows on this lane in this run. NULL: it is told by messages alone. */
	void (*finish)(struct transport *t, unsigned lane);
	/* Closes a sender's lane, or all that are kept (-1). NULL: they stay. */
	void (*release)(struct transport *t, int lane);
	/* The bytes that the other kernel does not have yet. NULL: not known. */
	uint64_t (*unacknowledged)(struct transport *t);
	void (*counts)(const struct transport *t, struct transport_counts *counts);
	/* Where messages come in by @channel, or without one. NULL: no one address. */
	const struct np_address *(*local)(const struct transport *t, const struct channel *channel);
	/* A sender's lane 0, for bytes that are no messages. NULL: datagrams. */
	struct np_stream *(*stream)(const struct transport *t);
	/* The sockets of the run, for the start record; @peer: a receiver's sender. */
	void (*describe)(const struct transport *t, struct np_record *start,
			 const struct np_address *peer);
	/* A partner's address as people know it; NULL: as an IP address. Returns @out. */
	char *(*name)(const struct np_address *address, char out[NP_ADDRESS_TEXT]);
};

/* The row of @transport. */
const struct transport_face *transport_face_of(enum options_transport transport);

extern const struct transport_face transport_tcp, transport_udp, transport_multicast;

static inline const struct options *transport_options(const struct transport *t)
{
	return t->session->options;
}

#endif
