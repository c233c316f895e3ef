/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp_framing: what goes through the connections of a tcp mesh, both ways. Splits what one brings
 * (spec 5.3): a handshake with the identity of the connecting member, then messages, each after its
 * length in four bytes. Pure. Messages are returned where they are in the input; only one that
 * arrives in parts is assembled in separate memory.
 */
#pragma once

#include "../wire/jgroups.h"
#include "transport.h"

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
