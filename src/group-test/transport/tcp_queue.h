/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp_queue: what a member of a tcp mesh has sent and some peers have not accepted: one queue for
 * all, in which each peer has its place, since all get the same bytes. Pure. Each message is stored
 * after its length; the payload of DATA, and its length, are written once, at the start.
 */
#ifndef GROUP_TEST_TRANSPORT_TCP_QUEUE_H
#define GROUP_TEST_TRANSPORT_TCP_QUEUE_H

#include "transport.h"

#include <sys/uio.h>

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

/* How many pieces are after @place, including those for other peers. */
uint64_t queue_behind(const struct queue *queue, const struct queue_place *place);

#endif
