/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transport: carries the bytes of streams, or datagrams, at either end: one interface, with a table
 * for each transport. Of messages it knows how long they can be; what arrives is passed to its user
 * unchanged. One thread, but TCP's may have more (--threads): of a sender each pushes some of the
 * lanes, of a receiver each reads some of the connections, and one at a time is its user.
 *
 * A new transport is one file that fills in a struct transport_face, and its row in transport.c. A
 * transport of datagrams needs open, receive, wait, send, push, counts, local, describe and close;
 * for other functions that are NULL see below. Its addresses are any np_address that distinguishes
 * partners, for example a sockaddr_in6 where they are not IP addresses; then name formats them. To
 * join, or to wait for others, it has connect. What it must do by time it does in receive, wait and
 * pause, and in push: a sender that sends as fast as possible and gets no answers calls nothing
 * else.
 */
#pragma once

#include "../session/session_state.h"

#include <sys/types.h>

#define TRANSPORT_LANES_MAX 64
#define TRANSPORT_LOOK	    (20 * NP_MILLISECOND) /* the longest sleep of a receive call */
/* Seconds for an overlay to become stable, and for which its nodes stay after the last run. */
#define TRANSPORT_SETTLE 5
/* The most bytes of a stream that are read at a time. */
#define TRANSPORT_READ ((size_t)1 << 20)
/* The same for small messages: one of the kernel's buffers on loopback. */
#define TRANSPORT_READ_SMALL ((size_t)64 << 10)
/* Room before them for the user; a page, since the kernel copies faster to a page boundary. */
#define TRANSPORT_BEFORE 4096
/* Of a channel's fill. */
#define TRANSPORT_FILL ((size_t)256 << 10)

struct transport;

/* A connection, or a sender's socket of datagrams. The transport embeds it in its own structure. */
struct channel {
	struct np_address peer; /* of a connection */
	uint8_t *batch;		/* a sender's: the bytes that push sends, ->batch messages */
	int fd;			/* of a connection */
	bool taken; /* by the user: a thread of its own receives and sends by ->fd, nobody else */
	bool kept;  /* set by the user: must not be closed for being silent, or for others */
	/*
	 * Of a receiver's that is for one transaction: TRANSPORT_FILL bytes, to send again and
	 * again until nothing of so many is left; then it is gone.
	 */
	const uint8_t *fill;
	uint64_t fill_left;
	bool gone;  /* delivers no more; the user may set it, too */
	int error;  /* the reason: -errno; 0: the partner closed it */
	void *user; /* for the user */
};

/* The user: handles what arrives. */
struct transport_user {
	/*
	 * Handles datagrams that arrived together; @by_group: sent to all members. Returns how many
	 * messages. Hot.
	 */
	int (*packets)(struct transport *t, const struct np_packet *packet, unsigned count,
		       bool by_group);
	/* A receiver's connection was made. Returns 0, or -errno: it is closed. */
	int (*opened)(struct transport *t, struct channel *channel);
	/*
	 * The most bytes that it wants next, up to TRANSPORT_READ; or, if it sets *@unread, how
	 * many to discard. NULL: TRANSPORT_READ_SMALL. Hot.
	 */
	size_t (*wants)(const struct transport *t, const struct channel *channel, bool *unread);
	/*
	 * Handles bytes of a connection in order, with TRANSPORT_BEFORE bytes of room before them;
	 * NULL: they were discarded. Returns how many messages, or -errno, which receive then
	 * returns. Hot.
	 */
	int (*bytes)(struct transport *t, struct channel *channel, uint8_t *data, size_t length,
		     np_time at);
	/*
	 * A receiver's connection is gone. False: it is still needed for sending, and this is
	 * called again.
	 */
	bool (*ended)(struct transport *t, struct channel *channel);
	/* A receiver's connection is closed; a sender has NULL. */
	void (*closed)(struct transport *t, struct channel *channel);
	/*
	 * Does what is due by time while another one that shares the node waits and receives. NULL:
	 * nothing.
	 */
	void (*step)(struct transport *t);
};

/* One end's. The user sets the first part before it is opened. */
struct transport {
	const struct transport_face *face;
	const struct transport_user *user;
	void *owner; /* for the user */
	struct session *session;
	unsigned lanes;	     /* a sender's streams; 0: a receiver */
	unsigned first, end; /* those of them that this thread pushes, and waits for */
	bool part;	     /* other threads push the others, and one of them receives for all */
	unsigned batch;	     /* the most messages in one push of a sender */
	bool answered;	     /* each of them is acknowledged */
	double rate_bits;    /* a second, of the sender's next run; 0: as fast as possible */

	struct np_address to; /* a sender's destination, or the group that a receiver is in */
	bool group;	      /* what is sent to ->to goes to several hosts */
	struct channel *lane[TRANSPORT_LANES_MAX]; /* a sender's, once it is open */
	void *sockets;				   /* of the transport */
	size_t longest;	 /* the most bytes of a datagram; 0: as UDP; open sets it */
	np_time crowded; /* since when no descriptor is left for those who come; 0: there is one */
	bool linger;	 /* close may take TRANSPORT_SETTLE longer: the user was told */
	bool rested; /* nothing had arrived, and the caller stayed awake: there may be something now
		      */
};

/* What the kernel and the other host reported about the sockets so far. */
struct transport_counts {
	/* What arrived but found no room, in drop_unit; NULL: it is sent again. */
	bool dropped_known;
	uint64_t dropped;
	const char *drop_unit;
	bool drops_of_others; /* they may include messages that were never of this run */
	uint64_t send_errors; /* include errors that other hosts reported */
	int send_error;	      /* -errno of the latest of them; 0: none, or not known */
	unsigned mtu;	      /* of the path, if that was -EMSGSIZE; 0: unknown */
	uint64_t retried;     /* found no room, and were sent again */
	/* As reported_drops and reported_drops_perhaps of struct np_datagram_stats. */
	uint64_t known_dropped, known_dropped_perhaps;
	int refusal; /* -errno of the latest error that the other host reported; 0: none */
	struct np_marks marks; /* of a sender's messages */
};

/* What the kernel has counted so far: of the sockets, and of datagrams of all programs. */
struct transport_kernel {
	struct transport_counts sockets;
	bool known; /* the next */
	struct np_datagram_kernel all;
	struct np_path_drops path; /* before this host's UDP */
};

struct transport_face {
	bool datagrams; /* messages may be lost, duplicated, late; else streams of bytes */
	/*
	 * Sets ->to and ->group from what the user typed, and opens sockets. Called before
	 * privileges are dropped. Returns 0 or, after a message, the exit status.
	 */
	int (*open)(struct transport *t);
	void (*close)(struct transport *t); /* also after a failed open */
	/*
	 * Connects a sender's lane that has no connection, for as long as the user wants to wait
	 * for a receiver, or to run at all. NULL: not needed. Returns 0 or -errno.
	 */
	int (*connect)(struct transport *t, unsigned lane);
	/*
	 * Makes a connection like that of @lane, unless @other_fd becomes readable. Any thread.
	 * NULL: there are none. 0 or -errno.
	 */
	int (*dial)(struct transport *t, unsigned lane, int other_fd, struct np_stream **stream);
	/*
	 * Sends @message from a receiver to ->to, by a connection @lane that it makes for it, for
	 * as long as the user wants to wait, if there are connections. NULL: receivers cannot.
	 * Returns the descriptor at which the answer comes, or -errno.
	 */
	int (*call)(struct transport *t, unsigned lane, const void *message, size_t bytes);
	/*
	 * Of datagrams: whether senders that are opened now may have the receiver's port. NULL: a
	 * sender and a receiver in one thread share the node of session->shares.
	 */
	void (*share)(struct transport *t, bool shared);
	/* Makes a receiver's connection the lane of a @sender. NULL: datagrams. */
	void (*hand_over)(struct transport *t, struct channel *channel, struct transport *sender,
			  unsigned lane);
	/*
	 * Gives the receiver @to, which has a thread of its own and place.served, a socket for the
	 * datagrams that come from @from; or a connection of this one that is ->gone, of which the
	 * first @bytes, at most MESSAGE_CONTROL_MAX, are read already. Return 0 or -errno.
	 */
	int (*serve)(struct transport *t, const struct np_address *from, struct transport *to);
	int (*give)(struct channel *channel, struct transport *to, const void *data, size_t bytes);
	/*
	 * Passes everything that has arrived to the user. Returns how many messages, or -errno of a
	 * sender's lane.
	 */
	int (*receive)(struct transport *t);
	/*
	 * Sleeps until something may have arrived, a sender's lane whose bit is in @writable has
	 * room, or @deadline or a signal (0); or returns -errno.
	 */
	int (*wait)(struct transport *t, np_time deadline, uint64_t writable);
	/*
	 * How long receive may sleep on @channel (NULL: the only one) while fewer than
	 * @low_watermark bytes (0: nothing) have arrived; 0: not at all. NULL: it never sleeps.
	 * Returns 0 or -errno.
	 */
	int (*receive_timeout)(struct transport *t, struct channel *channel, np_time limit,
			       size_t low_watermark);
	/*
	 * Sends one control message. A datagram goes as a whole to @to (NULL: ->to) by @channel
	 * (NULL: a receiver's own). A connection accepts what it has room for in a moment; what a
	 * receiver sends waits for room; @more: others will follow before receive ends. Returns the
	 * bytes that were or will be sent; or -errno, -EAGAIN: no room.
	 */
	ssize_t (*send)(struct transport *t, struct channel *channel, const struct np_address *to,
			const void *message, size_t bytes, bool more);
	/*
	 * Sends @bytes of a sender's batch from @first on to ->to: returns how many were sent;
	 * -EAGAIN: no room now; or -errno: with datagrams, of the first message only. Hot.
	 */
	ssize_t (*push)(struct transport *t, struct channel *channel, size_t first, size_t bytes);
	/*
	 * A sender's pause between two runs, in which nothing is received: sleeps until @until and
	 * does what is due by time. False: the user stopped it. NULL: there is nothing to do.
	 */
	bool (*pause)(struct transport *t, np_time until);
	/* Nothing more follows on this lane in this run. NULL: messages alone tell that. */
	void (*finish)(struct transport *t, unsigned lane);
	/*
	 * Closes a sender's lane, or all that are kept (-1); of a receiver all others, too, if not
	 * -1. NULL: they stay open.
	 */
	void (*release)(struct transport *t, int lane);
	/* The bytes of ->first to ->end that the other kernel has not acknowledged. NULL: unknown.
	 */
	uint64_t (*unacknowledged)(struct transport *t);
	/* NULL: what is dropped is sent again, and nothing is counted. */
	void (*counts)(const struct transport *t, struct transport_counts *counts);
	/* The address at which messages arrive by @channel, or without one. NULL: several. */
	const struct np_address *(*local)(const struct transport *t, const struct channel *channel);
	/* A sender's lane 0, for bytes that are no messages. NULL: datagrams. */
	struct np_stream *(*stream)(const struct transport *t);
	/*
	 * Appends the sockets of the run to @start, and says in @full what the first one is; either
	 * may be NULL. @peer: a receiver's sender, or NULL.
	 */
	void (*describe)(const struct transport *t, const struct np_address *peer,
			 struct np_record *start, struct np_block_full *full);
	/*
	 * Sums TCP's own figures of a sender's lanes, or of the connections that a receiver keeps.
	 * Returns of how many connections. NULL: no TCP.
	 */
	unsigned (*tcp)(const struct transport *t, struct np_block_tcp *sum);
	/* Adds what else happened to messages here to the summary. NULL: nothing. */
	void (*sum_up)(const struct transport *t, struct np_record *summary);
	/* Writes what partners call this end, if that is no IP address; NULL: it is. Returns @out.
	 */
	char *(*self)(const struct transport *t, char out[NP_ADDRESS_TEXT]);
	/* Formats a partner's address; NULL: as an IP address. Returns @out. */
	char *(*name)(const struct np_address *address, char out[NP_ADDRESS_TEXT]);
};

/* By enum options_transport. UDP is to a host or to a group: datagrams of both are handled alike.
 */
extern const struct transport_face *const transport_faces[];
extern const struct transport_face transport_tcp, transport_udp, transport_overlay;

/*
 * For open: resolves a sender's receiver of -t, which is no broadcast address, or the group of -m
 * at either end. Returns 0 or, after a message, the exit status.
 */
int transport_resolve(struct transport *t);

struct transport_counts transport_count(const struct transport *t);

/* For describe: who stamps, NULL: nobody; and the buffers, in bytes, 0: unknown. */
void transport_describe(struct np_record *socket, struct np_block_full *full, const char *stamps,
			size_t send_bytes, size_t receive_bytes);

/* What other threads give to a receiver: a connection, with its first bytes, or a socket. */
struct transport_gift {
	void *socket;
	size_t bytes;
	uint8_t data[MESSAGE_CONTROL_MAX];
};

/* A pipe of them. Starts as zeros. */
struct transport_inbox {
	bool open;
	int fd[2]; /* to read and to write */
	unsigned given, taken;
};

int transport_inbox_open(struct transport_inbox *inbox); /* 0 or -errno */
void transport_inbox_close(struct transport_inbox *inbox);
int transport_inbox_give(struct transport_inbox *inbox, const struct transport_gift *gift);
bool transport_inbox_take(struct transport_inbox *inbox, struct transport_gift *gift);

/*
 * For wait: sleeps until something happens to one of @count descriptors, with room for one more in
 * @fds, or until @deadline or a signal, which it takes. Returns what wait does; after a signal @fds
 * say what else has happened.
 */
int transport_wait(struct transport *t, struct pollfd *fds, unsigned count, np_time deadline);

static inline const struct options *transport_options(const struct transport *t)
{
	return t->session->options;
}
