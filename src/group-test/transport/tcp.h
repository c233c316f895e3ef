/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: what the parts of the tcp transport share. Connections are one-way, as in Java: we connect
 * to each peer of the cluster (ourselves among them), and each peer sends to us by a connection of
 * its own, a source.
 */
#pragma once

#include "../wire/jgroups.h"
#include "variant.h"

/*
 * tcp_framing.c: what goes through the connections, both ways. Splits what one brings (spec 5.3): a
 * handshake with the identity of the connecting member, then messages, each after its length in
 * four bytes. Pure. Messages are returned where they are in the input; only one that arrives in
 * parts is assembled in separate memory.
 */
#define FRAME_LENGTH_BYTES 4

/* One connection: zero but for @longest. All fields but peer and shaken belong to tcp_framing.c. */
struct tcp_framing {
	size_t longest;	      /* messages of up to so many bytes are accepted */
	struct identity peer; /* as announced, once the handshake is complete */
	bool shaken;
	bool begun;			     /* a message has begun */
	uint8_t head[JGROUPS_HANDSHAKE_MAX]; /* of an incomplete handshake or length */
	size_t head_bytes;
	uint8_t *part; /* of an incomplete message: its first TRANSPORT_HEAD bytes */
	size_t length; /* of the whole message; 0: none */
	size_t came;   /* bytes of it so far */
};

/* The received bytes that were not processed yet. */
struct tcp_framing_input {
	const uint8_t *data;
	size_t bytes;
	np_time at;
};

void tcp_framing_end(struct tcp_framing *framing);

/*
 * Processes what it can of @input, and advances it: the handshake, or up to @room (at least 1)
 * messages; to be called until @input is empty. Returns the number of messages in @messages, valid
 * until the next call and while @input's memory is. Or -errno, after which nothing makes sense:
 * -EPROTO (no handshake), -EBADMSG (a length of 0 or less), -EMSGSIZE (longer than the longest),
 * -ENOTSUP (an older JGroups: tcp_framing_generation), -ENOMEM.
 */
int tcp_framing_take(struct tcp_framing *framing, struct tcp_framing_input *input,
		     struct transport_message *messages, unsigned room);

/* True when the end of the connection would truncate something. */
bool tcp_framing_unfinished(const struct tcp_framing *framing);

/* After -ENOTSUP: the version of that JGroups. */
const char *tcp_framing_generation(const struct tcp_framing *framing);

/*
 * The queue: what a member of a tcp mesh has sent and some peers have not accepted: one queue for
 * all, in which each peer has its place, since all get the same bytes. Pure. Each message is stored
 * after its length; the payload of DATA, and its length, are written once, at the start.
 */
#define QUEUE_ALL (-1)

struct queue;

/* A peer's place: the peer has accepted everything before it. */
struct queue_place {
	uint64_t piece;
	size_t offset;
	bool sole; /* it gets only what is for it alone */
};

/*
 * For DATA of @data_bytes, of which @header_bytes vary, and control messages of up to
 * @control_bytes. Holds 1 MiB of DATA, or two messages if that is more. Returns 0 or -ENOMEM.
 */
int queue_create(struct queue **queue, size_t data_bytes, size_t header_bytes,
		 size_t control_bytes);
void queue_free(struct queue *queue); /* NULL is allowed */

/*
 * Appends a copy of a control message for peer number @peer, or QUEUE_ALL. Returns 0, -EAGAIN
 * (full) or -ENOMEM.
 */
int queue_put(struct queue *queue, const void *message, size_t bytes, int peer);

/* Like transport_reserve. */
unsigned queue_reserve(struct queue *queue, unsigned wanted, struct transport_slots *slots);
void queue_commit(struct queue *queue, unsigned count);

/* The place after everything that is queued now. */
struct queue_place queue_end(const struct queue *queue);

/*
 * Collects what comes next for @peer in up to @room pieces; returns how many, 0 when it has
 * everything. *@bytes is their sum.
 */
unsigned queue_gather(const struct queue *queue, struct queue_place *place, int peer,
		      struct iovec *pieces, unsigned room, size_t *bytes);

/* @peer has accepted @bytes of what was gathered. */
void queue_advance(const struct queue *queue, struct queue_place *place, int peer, size_t bytes);

/* Frees what is before @oldest, which no peer needs any more. */
void queue_release(struct queue *queue, uint64_t oldest);

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
