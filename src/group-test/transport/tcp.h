/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: what the parts of the tcp transport share. Connections are one-way, as in Java:
 * to each peer of the cluster (ourselves among them) goes one of ours, and each source sends by one
 * of its own.
 */
#ifndef GROUP_TEST_TRANSPORT_TCP_H
#define GROUP_TEST_TRANSPORT_TCP_H

#include "tcp_framing.h"
#include "tcp_queue.h"
#include "variant.h"

#include <net/if.h>
#include <netperf/stream.h>

#define TCP_READ_BYTES	(256 << 10) /* at most in one call */
#define TCP_NOBODY	UINT32_MAX
#define TCP_MOVED_EVERY (100 * NP_MILLISECOND)

enum tcp_peer_state { TCP_FAILED, TCP_CONNECTING, TCP_CONNECTED, TCP_LOST };

/* Our way to an entry of the cluster. */
struct tcp_peer {
	struct np_address address;
	struct identity id;
	struct np_stream *stream; /* NULL when failed or lost */
	enum tcp_peer_state state;
	enum transport_event_kind told;
	bool anything_told;
	bool absent;  /* the latest try to reach it failed; those that announced it are to go */
	bool dropped; /* by the caller: if it comes back it gets only what is sent to it alone */
	int error;
	struct queue_place place;
	bool blocked;	 /* the kernel took no more: wait until it says that there is room */
	np_time since;	 /* when something last moved, while blocked */
	np_time looked;	 /* when it was asked for its progress */
	int waiting;	 /* bytes that it had not acknowledged then */
	bool moved;	 /* it took some, and has not got all */
	uint32_t window; /* the least that it had room for since that last grew */
	np_time moved_told;
};

/* A connection that was made to us. */
struct tcp_source {
	struct np_stream *stream; /* NULL: free */
	struct tcp_framing framing;
	np_time since; /* accepted */
	np_time moved_told;
	bool trusted; /* whoever it announces is its other end */
	bool dropped; /* by the listener, from inside of a delivery */
};

struct tcp_state {
	struct np_stream *listener;
	struct np_stream_options options; /* of connections */
	struct np_address local;	  /* whence they come; without a port */
	bool strict;
	char device[IFNAMSIZ];
	int ttl;
	uint8_t handshake[JGROUPS_HANDSHAKE_MAX];
	size_t handshake_bytes;

	struct tcp_peer *peers;
	unsigned peer_count;
	np_time stall;
	bool watch_windows;
	np_time watched; /* the windows, last */
	np_time tried;	 /* when the failed ones were tried last */
	unsigned failed; /* how many are */
	unsigned blocked;
	bool news; /* peers have something to tell */
	struct queue *queue;
	bool full; /* the last reservation found no room */

	struct tcp_source *sources;
	unsigned source_count;
	unsigned unauthenticated; /* sources that have not shaken hands yet */
	unsigned reading;	  /* index of the source that is being delivered; TCP_NOBODY */
	/* The latest that was told of, and how many were: a flood is not worth a line each. */
	struct identity stranger;
	unsigned strangers_told;
	np_time deaf_until; /* no descriptor was left for another connection; 0: listening */

	unsigned turns;
	uint8_t *buffer; /* TCP_READ_BYTES */
	struct transport_message messages[TRANSPORT_BATCH];
};

/* What an epoll event is about: kind and index in one number. */
enum tcp_kind { TCP_LISTENER, TCP_PEER, TCP_SOURCE };

/* tcp_out.c: the ways from us; below tcp_in.c. */
int tcp_watch(struct transport *t, struct np_stream *stream, enum tcp_kind kind, unsigned index,
	      uint32_t events);
/* Sets the hops of what is sent; -1: leave. 0 or -errno. */
int tcp_set_ttl(struct np_stream *stream, int ttl);
void tcp_peers_connect(struct transport *t); /* all that are not connected nor lost */
void tcp_peers_retry(struct transport *t);   /* the same, if it is time */
void tcp_peer_event(struct transport *t, unsigned index, uint32_t events);
void tcp_peers_send(struct transport *t); /* what is in the queue */
/* One more of whom the latest try to reach it failed; NULL: of all it is known. */
const struct identity *tcp_peer_absent(struct transport *t);
void tcp_peers_tell(struct transport *t);
void tcp_peers_tell_moves(struct transport *t, np_time now);
np_time tcp_peers_limit(struct transport *t, np_time now); /* cuts who stalls; next moment */
void tcp_peer_drop(struct transport *t, const struct identity *who);
/* It connected to us, @again while another connection of its stands. False: nobody is there. */
bool tcp_peer_back(struct transport *t, const struct identity *who, bool again);
/* NULL: not in the cluster. */
const struct tcp_peer *tcp_peer_of(const struct transport *t, const struct identity *who);
/* Anybody of the cluster is at that address, whatever the port. */
bool tcp_peer_is_near(const struct transport *t, const struct identity *remote);
int tcp_peer_find(const struct transport *t, const struct identity *who); /* -1: not connected */
bool tcp_peers_idle(const struct transport *t);

/* tcp_in.c: the ways to us. */
void tcp_sources_accept(struct transport *t, np_time now);
/* Reads once, about @most messages. Returns how many came; *@more: there is more. */
unsigned tcp_source_read(struct transport *t, unsigned index, unsigned most, bool *more);
np_time tcp_sources_limit(struct transport *t, np_time now); /* ends who is silent; next moment */
void tcp_source_drop(struct transport *t, const struct identity *who);
void tcp_source_free(struct transport *t, unsigned index);
void tcp_source_trust(struct transport *t, const struct identity *who, unsigned way);
void tcp_source_deny(struct transport *t, const struct identity *who); /* nobody answers there */

#endif
