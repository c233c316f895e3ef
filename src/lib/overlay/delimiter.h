/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * delimiter: finds the messages in the bytes of a TCP connection. Before each one stand two bytes,
 * the sender's listening port; how long it is it says itself. Memory grows with the bytes that have
 * come, not with what a message says of itself. Pure, one thread at a time.
 */
#ifndef OVERLAY_DELIMITER_H
#define OVERLAY_DELIMITER_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the port. */
#define OVERLAY_PORT_BYTES 2

struct overlay_delimiter {
	uint8_t *data;
	size_t room, begin, end;
	size_t message_max; /* set by the owner */
};

struct overlay_delimited {
	uint16_t port;
	const uint8_t *message; /* good until the next call of room */
	size_t bytes;
};

/* Where the next bytes go; at least one has room. 0 or -ENOMEM. */
int overlay_delimiter_room(struct overlay_delimiter *d, uint8_t **at, size_t *room);
/* So many have been written there. */
void overlay_delimiter_fill(struct overlay_delimiter *d, size_t bytes);

/*
 * The next message. 1, 0 when more bytes are needed, -EBADMSG when what comes is no message, or
 * -EMSGSIZE when it is longer than message_max: nothing can be found behind it then.
 */
int overlay_delimiter_next(struct overlay_delimiter *d, struct overlay_delimited *out);

/* Frees the memory, when there is nothing in it; with @all in any case. */
void overlay_delimiter_free(struct overlay_delimiter *d, int all);

#endif
