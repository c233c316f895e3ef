// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_channel: one of a receiver's connections, and the answers that wait for room in it. */
#include "tcp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_ROOM 65536

struct tcp_channel *tcp_channel_new(struct np_stream *stream, np_time now)
{
	struct tcp_channel *c = calloc(1, sizeof(*c));

	if (c)
		c->answers = malloc(ANSWER_ROOM);
	if (!c || !c->answers) {
		np_stream_free(stream);
		free(c);
		return NULL;
	}
	c->stream = stream;
	c->channel.peer = np_stream_info(stream)->remote;
	c->since = now;
	c->ready = true;
	return c;
}

void tcp_channel_free(struct tcp_channel *c)
{
	np_stream_free(c->stream);
	free(c->answers);
	free(c);
}

void tcp_flush(struct tcp_channel *c)
{
	while (c->went < c->filled) {
		ssize_t sent = np_stream_send(c->stream, c->answers + c->went, c->filled - c->went);

		if (sent == -EAGAIN)
			return;
		if (sent < 0) {
			/* What arrived before can still be read. */
			c->went = c->filled;
			return;
		}
		c->went += (size_t)sent;
	}
	c->went = c->filled = 0;
}

ssize_t tcp_send_answer(struct tcp_channel *c, const void *message, size_t bytes, bool more)
{
	if (c->filled + bytes > ANSWER_ROOM)
		tcp_flush(c);
	if (c->filled + bytes > ANSWER_ROOM)
		return -EAGAIN;
	memcpy(c->answers + c->filled, message, bytes);
	c->filled += bytes;
	if (!more)
		tcp_flush(c);
	return (ssize_t)bytes;
}
