/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * launch_channel: messages (launch_wire.h) between rank 0 and another rank, over a TCP connection.
 * Nothing here waits.
 */
#ifndef LAUNCH_CHANNEL_H
#define LAUNCH_CHANNEL_H

#include "launch_wire.h"

#include <netperf/stream.h>

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
