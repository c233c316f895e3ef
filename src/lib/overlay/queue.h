/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * queue: messages that wait until the kernel takes them, in their order, bounded in number and
 * bytes. Pure, one thread at a time.
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
	bool strict;		     /* by the owner: OVERLAY_OWN is bounded, too */
};

/* Pieces of one message. */
struct overlay_piece {
	const void *data;
	size_t bytes;
};

/*
 * Appends a message of @count pieces. OVERLAY_OWN has always room, for its sender asks before,
 * unless
 * @strict; the first one has, too. 0, -EAGAIN or -ENOMEM.
 */
int overlay_queue_put(struct overlay_queue *queue, const struct sockaddr_in *to,
		      enum overlay_class class, const struct overlay_piece *piece, unsigned count);

/* Takes the first one out; to be freed. NULL: it is empty. */
struct overlay_queued *overlay_queue_take(struct overlay_queue *queue);

/* Adds what is in it to @copies. */
void overlay_queue_count(const struct overlay_queue *queue, struct np_overlay_copies *copies);

/* Empties it; what was in it is added to @copies. */
void overlay_queue_drop(struct overlay_queue *queue, struct np_overlay_copies *copies);

#endif
