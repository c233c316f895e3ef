/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * queue: messages that wait until the kernel accepts them, in order and limited in number and
 * bytes, and the bytes of a stream until a message is whole. Pure, one thread at a time.
 */
#pragma once

#include "substrate.h"

#include <sys/uio.h>

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

/*
 * Appends a message of @count pieces. OVERLAY_OWN always has room, since its sender asks before,
 * unless @strict; so does the first message. Returns 0, -EAGAIN or -ENOMEM.
 */
int overlay_queue_put(struct overlay_queue *queue, const struct sockaddr_in *to,
		      enum overlay_class class, const struct iovec *piece, unsigned count);

/* Removes the first one, which the caller frees. NULL: the queue is empty. */
struct overlay_queued *overlay_queue_take(struct overlay_queue *queue);

/* Adds the messages in it to @copies. */
void overlay_queue_count(const struct overlay_queue *queue, struct np_overlay_copies *copies);

/* Empties it, and adds its messages to @copies. */
void overlay_queue_drop(struct overlay_queue *queue, struct np_overlay_copies *copies);

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

/* Where to write the next bytes; there is room for at least one. Returns 0 or -ENOMEM. */
int overlay_delimiter_room(struct overlay_delimiter *d, uint8_t **at, size_t *room);
/* @bytes were written there. */
void overlay_delimiter_fill(struct overlay_delimiter *d, size_t bytes);

/*
 * Takes the next message. Returns 1, 0 when more bytes are needed, -EBADMSG when it is no message,
 * or -EMSGSIZE when it is longer than message_max: then nothing after it can be found.
 */
int overlay_delimiter_next(struct overlay_delimiter *d, struct overlay_delimited *out);

void overlay_delimiter_free(struct overlay_delimiter *d);
