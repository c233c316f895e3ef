/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * launch_channel: the messages between rank 0 and another rank, over a TCP connection. All integers
 * are big-endian. A message is its type (4 bytes), the length of its body (4 bytes), and the body.
 * Those that write and read bytes are pure; nothing here waits.
 */
#ifndef LAUNCH_CHANNEL_H
#define LAUNCH_CHANNEL_H

#include <netperf/launch.h>
#include <netperf/stream.h>
#include <stdbool.h>

#define WIRE_HEAD	8
#define WIRE_BODY_MAX	((size_t)512 * 1024)
#define WIRE_SECRET	16
#define WIRE_NAME	64  /* room for a host's or program's name, with its end */
#define WIRE_FETCH_MAX	256 /* ranks in one FETCH, so that the answer fits */
#define WIRE_JOIN_FIXED (WIRE_SECRET + 8 + 2 * WIRE_NAME)

enum wire_type {
	WIRE_JOIN = 1, /* secret, rank, size, program, host, blob */
	WIRE_REFUSED,  /* a text */
	WIRE_FETCH,    /* ranks, 4 bytes each */
	WIRE_BLOBS,    /* of each: rank (4), length (4), blob; unknown ones are left out */
	WIRE_ENTER,    /* the number of the barrier (4) */
	WIRE_RELEASE,  /* the number of the barrier (4), who is out: rank (4), state (4) */
	WIRE_PIECE,    /* of results */
	WIRE_FINISH,   /* no more pieces; no body */
	WIRE_FINISHED, /* all pieces were taken; no body */
	WIRE_BLOB,     /* in place of the one in JOIN */
};

struct wire_message {
	enum wire_type type;
	const uint8_t *body;
	size_t bytes;
};

struct wire_join {
	uint8_t secret[WIRE_SECRET];
	uint32_t rank, size;
	char program[WIRE_NAME], host[WIRE_NAME];
	const uint8_t *blob;
	size_t blob_bytes;
};

void wire_head(uint8_t head[WIRE_HEAD], enum wire_type type, size_t bytes);

/*
 * The message at the start of @data. Returns its length with the head, 0 when it is not complete,
 * or -EBADMSG.
 */
ssize_t wire_parse(const uint8_t *data, size_t bytes, struct wire_message *message);

/* Writes the body of JOIN; returns its length. */
size_t wire_join_write(const struct wire_join *join,
		       uint8_t body[WIRE_JOIN_FIXED + NP_LAUNCH_BLOB_MAX]);

/* Returns 0 or -EBADMSG. The blob stays where it is. */
int wire_join_read(const struct wire_message *message, struct wire_join *join);

/* Steps through BLOBS from *@at = 0: 1, 0 at the end, or -EBADMSG. */
int wire_blob_next(const struct wire_message *message, size_t *at, uint32_t *rank,
		   const uint8_t **blob, size_t *bytes);

/* One connection. */
struct channel {
	struct np_stream *stream; /* NULL: closed */
	uint8_t *in, *out;
	size_t in_bytes, in_room, in_used; /* @in_used: of the message returned last */
	size_t out_bytes, out_room;
};

/* Queues a message and sends what the kernel takes. Returns 0 or -errno. */
int launch_channel_send(struct channel *channel, enum wire_type type, const void *body,
			size_t bytes);

/* Sends what is queued; 0, -EAGAIN when some remains, or -errno. */
int launch_channel_flush(struct channel *channel);

/*
 * The next message that has arrived; @message's body is valid until the next call. Returns 1, 0
 * when there is none, -ECONNRESET when the partner has closed, -EBADMSG, or -errno.
 */
int launch_channel_receive(struct channel *channel, struct wire_message *message);

/* Closes the connection and frees the buffers. */
void launch_channel_close(struct channel *channel);

#endif
