/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: the connections of a node. One that this node made to a peer's listening address carries
 * what goes there; one that a peer made carries what comes from it, and what goes to it only while
 * no connection to it can be made. Both read whatever comes.
 */
#ifndef OVERLAY_TCP_H
#define OVERLAY_TCP_H

#include "delimiter.h"
#include "queue.h"

#include <netperf/stream.h>

#define TCP_OUT_MAX 512 /* peers of this node */
#define TCP_IN_MAX  256 /* connections that others made */
#define TCP_BUCKETS 256

struct tcp_link {
	struct tcp_link *next;	  /* of all, in no order */
	struct tcp_link *bucket;  /* of those of one hash; named ones only */
	struct np_stream *stream; /* out: NULL while there is none */
	struct sockaddr_in peer;  /* its listening address; in: port 0 until it has said it */
	bool out;		  /* made by this node */
	bool connected;
	bool broken;		    /* to be ended, or made anew, at the end of the turn */
	bool proven;		    /* in: a message has come */
	bool unread;		    /* more messages may be in what has come */
	bool counted;		    /* among tcp.waiting */
	unsigned failures;	    /* out: in a row */
	unsigned tries;		    /* out: of what waits */
	uint32_t watched;	    /* events */
	np_time began, used, moved; /* connecting, or accepted; bytes either way; bytes out */
	struct overlay_queue queue;
	size_t offset; /* bytes of the first that waits that have gone */
	struct overlay_delimiter in;
};

struct tcp {
	struct np_stream *listener;
	struct tcp_link *links;
	struct tcp_link *bucket[TCP_BUCKETS];
	unsigned outs, ins;
	unsigned waiting;	 /* links that something waits for and that are not known to fail */
	unsigned unread, broken; /* links with these */
	size_t buffered;	 /* bytes of room in all delimiters */
	np_time check;		 /* when a link's time may be up */
	np_time deaf;		 /* no descriptors: accept no more until then; 0: it does */
	np_time now;		 /* of the turn */
};

/* tcp_link.c */

/* The one that carries what goes to @to; made if there is none. NULL: no room or memory. */
struct tcp_link *tcp_link_to(struct overlay_substrate *s, const struct sockaddr_in *to, bool make);
/* A connection that somebody made. 0 or -errno; then the stream is closed. */
int tcp_link_accept(struct overlay_substrate *s, struct np_stream *stream);
void tcp_link_free(struct overlay_substrate *s, struct tcp_link *link);
/* The link's peer has said where it listens. */
void tcp_link_name(struct overlay_substrate *s, struct tcp_link *link, uint16_t port);
/* Ended, or made anew, at the end of the turn. */
void tcp_link_break(struct overlay_substrate *s, struct tcp_link *link);
/* Drops what waits. */
void tcp_link_drop(struct overlay_substrate *s, struct tcp_link *link);
/* When its time is up, if nothing happens. */
np_time tcp_link_due(const struct overlay_substrate *s, const struct tcp_link *link);

/* tcp_out.c */

/* A message, to go behind what waits. As overlay_substrate_face.send. */
int tcp_out_send(struct overlay_substrate *s, struct tcp_link *link, const void *message,
		 size_t bytes, enum overlay_class class);
/* Begins to connect if there is no stream. 0 or -errno. */
int tcp_out_connect(struct overlay_substrate *s, struct tcp_link *link);
/* It is writable: connected, or has room. */
void tcp_out_ready(struct overlay_substrate *s, struct tcp_link *link);
/* The stream is gone: made anew for what waits, or that is dropped. */
void tcp_out_mend(struct overlay_substrate *s, struct tcp_link *link);
/* Watches for what it waits for now. */
void tcp_out_watch(struct overlay_substrate *s, struct tcp_link *link);

/* tcp_in.c */

/* Accepts whoever waits. */
void tcp_in_accept(struct overlay_substrate *s);
/* Reads once and hands over at most *@most messages, which it counts down. */
void tcp_in_read(struct overlay_substrate *s, struct tcp_link *link, unsigned *most);
/* Hands over what has been read before. */
void tcp_in_rest(struct overlay_substrate *s, struct tcp_link *link, unsigned *most);

#endif
