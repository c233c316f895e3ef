/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * queue: messages that wait until the kernel accepts them, in order, limited in number and bytes.
 * Pure, one thread at a time.
 */
#ifndef OVERLAY_QUEUE_H
#define OVERLAY_QUEUE_H

#include "substrate.h"

struct overlay_queued {
	struct overlay_queued *next;
	struct sockaddr_in to;
	enum overlay_class class;
	size_t bytes;
	uint8_t data[];
};

struct overlay_queue {
	struct overlay_queued *first, *last;
	size_t count, bytes;
	size_t count_max, bytes_max; /* set by the owner */
	bool strict;		     /* set by the owner: OVERLAY_OWN is limited, too */
};

/* Pieces of one message. */
struct overlay_piece {
	const void *data;
	size_t bytes;
};

/*
 * Appends a message of @count pieces. OVERLAY_OWN always has room, since its sender asks before,
 * unless @strict; so does the first message. Returns 0, -EAGAIN or -ENOMEM.
 */
int overlay_queue_put(struct overlay_queue *queue, const struct sockaddr_in *to,
		      enum overlay_class class, const struct overlay_piece *piece, unsigned count);

/* Removes the first one, which the caller frees. NULL: the queue is empty. */
struct overlay_queued *overlay_queue_take(struct overlay_queue *queue);

/* Adds the messages in it to @copies. */
void overlay_queue_count(const struct overlay_queue *queue, struct np_overlay_copies *copies);

/* Empties it, and adds its messages to @copies. */
void overlay_queue_drop(struct overlay_queue *queue, struct np_overlay_copies *copies);

#endif
