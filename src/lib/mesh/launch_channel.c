// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_channel: the messages of one connection, written, read, queued, sent and received. */
#include "launch_sides.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

void wire_head(uint8_t head[WIRE_HEAD], enum wire_type type, size_t bytes)
{
	np_field_put32(head, type);
	np_field_put32(head + 4, (uint32_t)bytes);
}

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

size_t wire_join_write(const struct wire_join *join,
		       uint8_t body[WIRE_JOIN_FIXED + NP_LAUNCH_BLOB_MAX])
{
	uint8_t *at = body;

	memset(body, 0, WIRE_JOIN_FIXED);
	memcpy(at, join->secret, WIRE_SECRET);
	np_field_put32(at + WIRE_SECRET, join->rank);
	np_field_put32(at + WIRE_SECRET + 4, join->size);
	at += WIRE_SECRET + 8;
	memccpy(at, join->program, '\0', WIRE_NAME - 1);
	memccpy(at + WIRE_NAME, join->host, '\0', WIRE_NAME - 1);
	if (join->blob_bytes)
		memcpy(body + WIRE_JOIN_FIXED, join->blob, join->blob_bytes);
	return WIRE_JOIN_FIXED + join->blob_bytes;
}

int wire_join_read(const struct wire_message *message, struct wire_join *join)
{
	const uint8_t *at = message->body;

	if (message->type != WIRE_JOIN || message->bytes < WIRE_JOIN_FIXED ||
	    message->bytes > WIRE_JOIN_FIXED + NP_LAUNCH_BLOB_MAX)
		return -EBADMSG;
	memcpy(join->secret, at, WIRE_SECRET);
	join->rank = np_field_get32(at + WIRE_SECRET);
	join->size = np_field_get32(at + WIRE_SECRET + 4);
	at += WIRE_SECRET + 8;
	memcpy(join->program, at, WIRE_NAME);
	memcpy(join->host, at + WIRE_NAME, WIRE_NAME);
	join->blob = message->body + WIRE_JOIN_FIXED;
	join->blob_bytes = message->bytes - WIRE_JOIN_FIXED;
	return join->program[WIRE_NAME - 1] || join->host[WIRE_NAME - 1] ? -EBADMSG : 0;
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

static void release(uint8_t **buffer, size_t *room)
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
		release(&channel->out, &channel->out_room);
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

int launch_channel_receive(struct channel *channel, struct wire_message *message)
{
	ssize_t n;
	int rc;

	if (!channel->stream)
		return -ENOTCONN;
	channel->in_bytes -= channel->in_used;
	if (channel->in_used && channel->in_bytes)
		memmove(channel->in, channel->in + channel->in_used, channel->in_bytes);
	channel->in_used = 0;
	if (!channel->in_bytes)
		release(&channel->in, &channel->in_room);
	for (;;) {
		n = wire_parse(channel->in, channel->in_bytes, message);
		if (n) {
			channel->in_used = n > 0 ? (size_t)n : 0;
			return n > 0 ? 1 : (int)n;
		}
		/* For the message that is arriving, as far as its length is known. */
		rc = make_room(&channel->in, &channel->in_room,
			       channel->in_bytes < WIRE_HEAD
				       ? ROOM_LEAST
				       : WIRE_HEAD + (size_t)np_field_get32(channel->in + 4));
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
