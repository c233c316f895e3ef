/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: the connections of a node. One that this node made to a peer's listening address carries
 * messages to that peer; one that a peer made carries messages from it, and messages to it only
 * while no connection to it can be made. Both are read.
 */
#pragma once

#include "message.h"
#include "substrate.h"

#define TCP_OUT_MAX 512 /* peers of this node */
#define TCP_IN_MAX  256 /* connections that others made */

struct tcp_link {
	unsigned at;		  /* in tcp.link */
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
	bool gathered;		    /* its queue is sent by release() */
	struct buffer in;
};

struct tcp {
	struct np_stream *listener;
	unsigned outs, ins;
	struct tcp_link *link[TCP_OUT_MAX + TCP_IN_MAX]; /* outs + ins of them, in any order */
	uint64_t name[TCP_OUT_MAX + TCP_IN_MAX];	 /* what each is found by */
	unsigned waiting;	 /* links with waiting messages that are not known to fail */
	unsigned unread, broken; /* links in these states */
	unsigned gathers;	 /* how many callers want messages gathered */
	unsigned gathered;	 /* links of which messages are */
	size_t buffered;	 /* bytes allocated in all of their buffers */
	np_time accept_at;	 /* when to accept; NP_TIME_NEVER: when the listener has one more */
	np_time now;		 /* of the turn */
};
