// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* buffer: bytes of a TCP connection until they are whole messages, or sent. */
#include "buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 65536

int buffer_reserve(struct buffer *b, size_t bytes)
{
	size_t room = b->room;
	uint8_t *data;

	if (b->begin) {
		memmove(b->data, b->data + b->begin, b->end - b->begin);
		b->end -= b->begin;
		b->begin = 0;
	}
	while (room < b->end + bytes)
		room = room ? 2 * room : LEAST_ROOM;
	data = room == b->room ? b->data : realloc(b->data, room);
	if (!data)
		return -ENOMEM;
	b->data = data;
	b->room = room;
	return 0;
}

ssize_t buffer_receive(struct buffer *b, struct np_stream *stream)
{
	ssize_t got = buffer_reserve(b, 1);

	if (!got)
		got = np_stream_receive(stream, b->data + b->end, b->room - b->end);
	b->end += got > 0 ? (size_t)got : 0;
	return got;
}

void buffer_free(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){0};
}
