/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * delimiter: finds the messages in the bytes of a TCP connection. Each is preceded by two bytes,
 * the sender's listening port, and contains its own length. Memory grows with the bytes received,
 * not with the lengths that messages claim. Pure, one thread at a time.
 */
#ifndef OVERLAY_DELIMITER_H
#define OVERLAY_DELIMITER_H

#include <stddef.h>
#include <stdint.h>

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

/* Frees the memory if it is empty; with @all in any case. */
void overlay_delimiter_free(struct overlay_delimiter *d, int all);

#endif
