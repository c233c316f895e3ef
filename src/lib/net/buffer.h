/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * buffer: bytes of a TCP connection: received ones until a message is whole, or those that the
 * kernel has not accepted yet. Memory grows with the bytes, not with the lengths that messages
 * claim.
 */
#pragma once

#include <netperf/stream.h>

/* The bytes from @begin to @end. All zero: none, and no memory. */
struct buffer {
	uint8_t *data;
	size_t room, begin, end;
};

/* Makes room for @bytes at @end; what is in the buffer may move. Returns 0 or -ENOMEM. */
int buffer_reserve(struct buffer *buffer, size_t bytes);

/* Receives once to @end. Returns like np_stream_receive, or -ENOMEM. */
ssize_t buffer_receive(struct buffer *buffer, struct np_stream *stream);

void buffer_free(struct buffer *buffer);
