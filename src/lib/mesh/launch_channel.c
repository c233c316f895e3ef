// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_channel: queues, sends and receives the messages of one connection. */
#include "launch_channel.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 2048

/* Rank 0 has thousands of channels: an empty buffer is given back. */
static int make_room(uint8_t **buffer, size_t *room, size_t needed)
{
	uint8_t *larger;
	size_t size = *room ? *room : ROOM_LEAST;

	if (needed <= *room)
		return 0;
	while (size < needed)
		size *= 2;
	larger = realloc(*buffer, size);
	if (!larger)
		return -ENOMEM;
	*buffer = larger;
	*room = size;
	return 0;
}

static void give_back(uint8_t **buffer, size_t *room)
{
	free(*buffer);
	*buffer = NULL;
	*room = 0;
}

int launch_channel_flush(struct channel *channel)
{
	size_t sent = 0;
	ssize_t n = 0;

	if (!channel->stream)
		return -ENOTCONN;
	while (sent < channel->out_bytes) {
		n = np_stream_send(channel->stream, channel->out + sent, channel->out_bytes - sent);
		if (n < 0)
			break;
		sent += (size_t)n;
	}
	channel->out_bytes -= sent;
	if (!channel->out_bytes)
		give_back(&channel->out, &channel->out_room);
	else if (sent)
		memmove(channel->out, channel->out + sent, channel->out_bytes);
	return n < 0 ? (int)n : 0;
}

int launch_channel_send(struct channel *channel, enum wire_type type, const void *body,
			size_t bytes)
{
	uint8_t *at;
	int rc = make_room(&channel->out, &channel->out_room,
			   channel->out_bytes + WIRE_HEAD + bytes);

	if (rc)
		return rc;
	at = channel->out + channel->out_bytes;
	wire_head(at, type, bytes);
	if (bytes)
		memcpy(at + WIRE_HEAD, body, bytes);
	channel->out_bytes += WIRE_HEAD + bytes;
	rc = launch_channel_flush(channel);
	return rc == -EAGAIN ? 0 : rc;
}

static void drop_used(struct channel *channel)
{
	channel->in_bytes -= channel->in_used;
	if (channel->in_used && channel->in_bytes)
		memmove(channel->in, channel->in + channel->in_used, channel->in_bytes);
	channel->in_used = 0;
	if (!channel->in_bytes)
		give_back(&channel->in, &channel->in_room);
}

/* Room for the message that is arriving, as far as its length is known. */
static size_t wanted(const struct channel *channel)
{
	return channel->in_bytes < WIRE_HEAD ? ROOM_LEAST
					     : WIRE_HEAD + (size_t)np_field_get32(channel->in + 4);
}

int launch_channel_receive(struct channel *channel, struct wire_message *message)
{
	ssize_t n;
	int rc;

	if (!channel->stream)
		return -ENOTCONN;
	drop_used(channel);
	for (;;) {
		n = wire_parse(channel->in, channel->in_bytes, message);
		if (n) {
			channel->in_used = n > 0 ? (size_t)n : 0;
			return n > 0 ? 1 : (int)n;
		}
		rc = make_room(&channel->in, &channel->in_room, wanted(channel));
		if (rc)
			return rc;
		n = np_stream_receive(channel->stream, channel->in + channel->in_bytes,
				      channel->in_room - channel->in_bytes);
		if (n == -EAGAIN || n == -EINTR)
			return 0;
		if (n <= 0)
			return n ? (int)n : -ECONNRESET;
		channel->in_bytes += (size_t)n;
	}
}

void launch_channel_close(struct channel *channel)
{
	np_stream_free(channel->stream);
	free(channel->in);
	free(channel->out);
	*channel = (struct channel){0};
}
