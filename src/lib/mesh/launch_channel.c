// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_channel: the messages of one connection, written, read, queued, sent and received. */
#include "launch_sides.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

ssize_t wire_parse(const uint8_t *data, size_t bytes, struct wire_message *message)
{
	uint32_t type;

	if (bytes < WIRE_HEAD)
		return 0;
	type = np_field_get32(data);
	if (type < WIRE_JOIN || type > WIRE_BLOB)
		return -EBADMSG;
	message->type = (enum wire_type)type;
	message->bytes = np_field_get32(data + 4);
	message->body = data + WIRE_HEAD;
	if (message->bytes > WIRE_BODY_MAX)
		return -EBADMSG;
	return message->bytes > bytes - WIRE_HEAD ? 0 : (ssize_t)(WIRE_HEAD + message->bytes);
}

const struct wire_join *wire_join_of(const struct wire_message *message)
{
	const struct wire_join *join = (const void *)message->body;

	if (message->type != WIRE_JOIN || message->bytes != sizeof(*join) ||
	    join->program[WIRE_NAME - 1] || join->host[WIRE_NAME - 1])
		return NULL;
	return join;
}

int wire_blob_next(const struct wire_message *message, size_t *at, uint32_t *rank,
		   const uint8_t **blob, size_t *bytes)
{
	const size_t left = message->bytes - *at;
	const uint8_t *entry = message->body + *at;

	if (!left)
		return 0;
	if (left < 8)
		return -EBADMSG;
	*rank = np_field_get32(entry);
	*bytes = np_field_get32(entry + 4);
	*blob = entry + 8;
	if (*bytes > NP_LAUNCH_BLOB_MAX || *bytes > left - 8)
		return -EBADMSG;
	*at += 8 + *bytes;
	return 1;
}

#define ROOM_LEAST 2048

static int make_room(struct buffer *buffer, size_t needed)
{
	size_t room = buffer->room ? buffer->room : ROOM_LEAST;
	uint8_t *larger;

	if (needed <= buffer->room)
		return 0;
	while (room < needed)
		room *= 2;
	larger = realloc(buffer->data, room);
	if (!larger)
		return -ENOMEM;
	buffer->data = larger;
	buffer->room = room;
	return 0;
}

/* Removes the first @bytes. Rank 0 has thousands of channels: an empty buffer is given back. */
static void remove_first(struct buffer *buffer, size_t bytes)
{
	buffer->bytes -= bytes;
	if (!buffer->bytes) {
		free(buffer->data);
		*buffer = (struct buffer){0};
	} else if (bytes) {
		memmove(buffer->data, buffer->data + bytes, buffer->bytes);
	}
}

int launch_channel_flush(struct channel *channel)
{
	size_t sent = 0;
	ssize_t n = 0;

	if (!channel->stream)
		return -ENOTCONN;
	while (sent < channel->out.bytes) {
		n = np_stream_send(channel->stream, channel->out.data + sent,
				   channel->out.bytes - sent);
		if (n < 0)
			break;
		sent += (size_t)n;
	}
	remove_first(&channel->out, sent);
	return n < 0 ? (int)n : 0;
}

int launch_channel_send(struct channel *channel, enum wire_type type, const void *body,
			size_t bytes)
{
	struct buffer *out = &channel->out;
	int rc = make_room(out, out->bytes + WIRE_HEAD + bytes);

	if (rc)
		return rc;
	np_field_put32(out->data + out->bytes, type);
	np_field_put32(out->data + out->bytes + 4, (uint32_t)bytes);
	if (bytes)
		memcpy(out->data + out->bytes + WIRE_HEAD, body, bytes);
	out->bytes += WIRE_HEAD + bytes;
	rc = launch_channel_flush(channel);
	return rc == -EAGAIN ? 0 : rc;
}

int launch_channel_receive(struct channel *channel, struct wire_message *message)
{
	struct buffer *in = &channel->in;
	ssize_t n;
	int rc;

	if (!channel->stream)
		return -ENOTCONN;
	remove_first(in, channel->taken);
	channel->taken = 0;
	for (;;) {
		n = wire_parse(in->data, in->bytes, message);
		if (n > 0)
			channel->taken = (size_t)n;
		if (n)
			return n > 0 ? 1 : (int)n;
		/* For the message that is arriving, as far as its length is known. */
		rc = make_room(in, in->bytes < WIRE_HEAD
					   ? ROOM_LEAST
					   : WIRE_HEAD + (size_t)np_field_get32(in->data + 4));
		if (rc)
			return rc;
		n = np_stream_receive(channel->stream, in->data + in->bytes, in->room - in->bytes);
		if (n == -EAGAIN)
			return 0;
		if (n <= 0)
			return n ? (int)n : -ECONNRESET;
		in->bytes += (size_t)n;
	}
}

void launch_channel_close(struct channel *channel)
{
	np_stream_free(channel->stream);
	free(channel->in.data);
	free(channel->out.data);
	*channel = (struct channel){0};
}
