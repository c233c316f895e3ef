// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_wire: writes and reads the messages between rank 0 and the other ranks. */
#include "launch_wire.h"

#include <errno.h>
#include <netperf/field.h>
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
