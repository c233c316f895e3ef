/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: the state that the parts of the tcp transport share. Connections are one-way, as in Java: we
 * connect to each peer of the cluster (ourselves among them), and each peer sends to us by a
 * connection of its own, a source.
 */
#pragma once

#include "tcp_framing.h"
#include "variant.h"

#define TCP_READ_BYTES	(256 << 10) /* at most in one call */
#define TCP_MOVED_EVERY (100 * NP_MILLISECOND)

enum tcp_peer_state { TCP_FAILED, TCP_CONNECTING, TCP_CONNECTED, TCP_LOST };

/* Our connection to an entry of the cluster. */
struct tcp_peer {
	struct np_address address;
	struct identity id;
	struct np_stream *stream; /* NULL when it failed or was lost */
	enum tcp_peer_state state;
	int reported; /* the latest enum transport_event_kind of its state; -1: none */
	bool absent;  /* the latest attempt to reach it failed; sources that announced it must be
			 closed */
	bool dropped; /* by the caller: if it comes back, it gets only messages for it alone */
	int error;    /* of the latest event; of an attempt, if it does not end */
	struct queue_place place;
	bool blocked;	       /* the kernel accepted no more: wait until there is room */
	np_time since;	       /* while blocked: when something last moved */
	uint64_t acknowledged; /* bytes, when its progress was last checked */
	bool moved;	       /* it accepted some bytes, but not all */
	uint32_t window;       /* the smallest room it had since that last grew */
	np_time move_reported;
};

/* A connection that was made to us. */
struct tcp_source {
	struct np_stream *stream; /* NULL: unused */
	struct tcp_framing framing;
	np_time since; /* accepted */
	np_time move_reported;
	bool trusted; /* it is known to come from the member that it announces */
	bool dropped; /* by the listener, from within a delivery */
};

struct tcp_state {
	struct transport *t;
	const struct transport_tcp_plan *plan;
	struct np_stream *listener;
	struct np_stream_options options; /* of connections */
	struct np_address local;	  /* the local address to connect from; without a port */
	uint8_t handshake[JGROUPS_HANDSHAKE_MAX];
	size_t handshake_bytes;

	struct tcp_peer *peers;
	unsigned peer_count, peer_room;
	np_time looked;	 /* when windows and progress were last checked */
	np_time tried;	 /* when failed ones were last tried */
	unsigned failed; /* the number of failed ones */
	unsigned blocked;
	bool news; /* peers have events to report, see tcp_set_news */
	struct queue *queue;

	struct tcp_source *sources;
	unsigned source_count;
	unsigned unauthenticated;	  /* sources whose handshake is not complete */
	const struct tcp_source *reading; /* it is being delivered; NULL: none */
	/*
	 * The latest stranger that was reported, and how many were: a flood gets only a few lines.
	 */
	struct identity last_refused;
	unsigned refusals_reported;
	np_time accept_at; /* when to accept; NP_TIME_NEVER: when the listener has one more */

	unsigned turns;
	uint8_t *buffer; /* TCP_READ_BYTES */
	struct transport_message messages[TRANSPORT_BATCH];
};

/* What an epoll event is about: kind and index in one number. */
enum tcp_kind { TCP_LISTENER, TCP_PEER, TCP_SOURCE };

/* Has epoll report @events of it. Returns 0 or -errno. */
int tcp_watch(const struct tcp_state *s, struct np_stream *stream, enum tcp_kind kind,
	      unsigned index, uint32_t events);

/* The next turn, which is due at once, reports what became of peers. */
static inline void tcp_set_news(struct tcp_state *s)
{
	s->news = true;
	s->t->deadline = 0;
}

/* tcp_out.c: connections from us; called by tcp.c. */

/* Tries all that are neither connected nor lost; tcp_peers_retry: if it is time. */
void tcp_peers_connect(struct tcp_state *s);
void tcp_peers_retry(struct tcp_state *s);
void tcp_peer_event(struct tcp_state *s, unsigned index, uint32_t events);
void tcp_peers_send(struct tcp_state *s); /* what is queued */
void tcp_peers_notify(struct tcp_state *s);
/* Disconnects stalled peers, reports those that move. Returns when to call it again. */
np_time tcp_peers_limit(struct tcp_state *s, np_time now);
void tcp_peer_drop(struct transport *t, const struct identity *who);
/*
 * It connected to us, @again while another connection of it exists. False: nobody listens at its
 * address.
 */
bool tcp_peer_back(struct tcp_state *s, const struct identity *who, bool again);
/* NULL: not in the cluster. */
struct tcp_peer *tcp_peer_of(const struct tcp_state *s, const struct identity *who);

/* tcp.c: connections to us. */
/*
 * Closes those that speak for @who, but for @kept, which may be NULL; the one being delivered after
 * that. Returns how many.
 */
unsigned tcp_source_drop(struct tcp_state *s, const struct identity *who,
			 const struct tcp_source *kept);
void tcp_source_deny(struct tcp_state *s,
		     const struct identity *who); /* nobody listens at its address */
