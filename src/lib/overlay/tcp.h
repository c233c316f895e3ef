/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: the connections of a node. One that this node made to a peer's listening address carries
 * messages to that peer; one that a peer made carries messages from it, and messages to it only
 * while no connection to it can be made. Both are read.
 */
#pragma once

#include "substrate.h"

#include <netperf/stream.h>

#define TCP_OUT_MAX 512 /* peers of this node */
#define TCP_IN_MAX  256 /* connections that others made */
#define TCP_BUCKETS 256

/*
 * Finds the messages in the bytes of a TCP connection. Each is preceded by two bytes, the sender's
 * listening port, and contains its own length. Memory grows with the bytes received, not with the
 * lengths that messages claim.
 */

/* The length of the port. */
#define OVERLAY_PORT_BYTES 2

struct overlay_delimiter {
	uint8_t *data;
	size_t room, begin, end;
	size_t message_max; /* set by the owner */
};

struct overlay_delimited {
	uint16_t port;
	const uint8_t *message; /* valid until the next call of room */
	size_t bytes;
};

/*
 * Where to write the next bytes, by which @end is then increased; there is room for at least one.
 * Returns 0 or -ENOMEM.
 */
int overlay_delimiter_room(struct overlay_delimiter *d, uint8_t **at, size_t *room);

/*
 * Takes the next message. Returns 1, 0 when more bytes are needed, -EBADMSG when it is no message,
 * or -EMSGSIZE when it is longer than message_max: then nothing after it can be found.
 */
int overlay_delimiter_next(struct overlay_delimiter *d, struct overlay_delimited *out);

void overlay_delimiter_free(struct overlay_delimiter *d);

struct tcp_link {
	struct tcp_link *next;	  /* list of all, unordered */
	struct tcp_link *bucket;  /* list of those with the same hash; named ones only */
	struct np_stream *stream; /* out: NULL while there is none */
	struct sockaddr_in peer; /* its listening address; incoming: port 0 until it was received */
	bool out;		 /* made by this node */
	bool connected;
	bool broken;		    /* to be closed, or made again, at the end of the turn */
	bool proven;		    /* incoming: a message has arrived */
	bool unread;		    /* the received bytes may contain more messages */
	bool counted;		    /* among tcp.waiting */
	unsigned tries;		    /* outgoing: attempts for what waits */
	uint32_t watched;	    /* events */
	np_time began, used, moved; /* when it started to connect or was accepted; last bytes either
				       way; last bytes out */
	bool limited;		    /* outgoing: in what the kernel holds unsent */
	np_time window;		    /* when it began to count what it carries in a second */
	size_t carried;		    /* bytes since then */
	struct overlay_queue queue; /* strict: the latest attempt to connect has failed */
	size_t offset;		    /* bytes of the first waiting message that were sent */
	bool gathered;		    /* its queue is sent by tcp_out_release */
	struct overlay_delimiter in;
};

struct tcp {
	struct np_stream *listener;
	struct tcp_link *links;
	struct tcp_link *bucket[TCP_BUCKETS];
	unsigned outs, ins;
	unsigned waiting;	 /* links with waiting messages that are not known to fail */
	unsigned unread, broken; /* links in these states */
	unsigned gathers;	 /* how many callers want messages gathered */
	unsigned gathered;	 /* links of which messages are */
	size_t buffered;	 /* bytes allocated in all delimiters */
	np_time check;		 /* when a link may reach its time limit */
	np_time accept_after;	 /* no descriptors: accepts none until then; 0: it accepts */
	np_time now;		 /* of the turn */
};

/* What the user asked for of each connection, and of the listener, at @local. */
struct np_stream_options tcp_link_options(const struct overlay_substrate *s,
					  const struct np_address *local);
/* The link that carries messages to @to; created if there is none. NULL: no room or memory. */
struct tcp_link *tcp_link_to(struct overlay_substrate *s, const struct sockaddr_in *to, bool make);
/* Adds an accepted connection, or closes it. */
void tcp_link_accept(struct overlay_substrate *s, struct np_stream *stream);
void tcp_link_free(struct overlay_substrate *s, struct tcp_link *link);
/* The link's peer has sent its listening port. */
void tcp_link_name(struct overlay_substrate *s, struct tcp_link *link, uint16_t port);
/* Marks it to be closed, or made again, at the end of the turn. */
void tcp_link_break(struct overlay_substrate *s, struct tcp_link *link);
/* Drops the waiting messages. */
void tcp_link_drop(struct overlay_substrate *s, struct tcp_link *link);
/* When it reaches its time limit, if nothing happens. */
np_time tcp_link_due(const struct overlay_substrate *s, const struct tcp_link *link);

/* Sends a message after those that wait. Like overlay_substrate_face.send. */
int tcp_out_send(struct overlay_substrate *s, struct tcp_link *link, const void *message,
		 size_t bytes, enum overlay_class class);
/* Sends what is gathered. */
void tcp_out_release(struct overlay_substrate *s);
/* It is writable: it was connected, or has room. */
void tcp_out_ready(struct overlay_substrate *s, struct tcp_link *link);
/* The stream is gone: connects again for what waits, or drops that. */
void tcp_out_reconnect(struct overlay_substrate *s, struct tcp_link *link);
