// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* queue: lists and buffers of what waits: messages, the bytes of a stream. */
#include "queue.h"

#include "message.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

int overlay_queue_put(struct overlay_queue *queue, const struct sockaddr_in *to,
		      enum overlay_class class, const struct iovec *piece, unsigned count)
{
	struct overlay_queued *made;
	size_t bytes = 0;

	for (unsigned i = 0; i < count; i++)
		bytes += piece[i].iov_len;
	if ((class != OVERLAY_OWN || queue->strict) && queue->first &&
	    (queue->count >= queue->count_max || queue->bytes + bytes > queue->bytes_max))
		return -EAGAIN;
	made = malloc(sizeof(*made) + bytes);
	if (!made)
		return -ENOMEM;
	*made = (struct overlay_queued){.to = *to, .class = class};
	for (unsigned i = 0; i < count; i++) {
		memcpy(made->data + made->bytes, piece[i].iov_base, piece[i].iov_len);
		made->bytes += piece[i].iov_len;
	}
	if (queue->first)
		queue->last->next = made;
	else
		queue->first = made;
	queue->last = made;
	queue->count++;
	queue->bytes += bytes;
	return 0;
}

struct overlay_queued *overlay_queue_take(struct overlay_queue *queue)
{
	struct overlay_queued *taken = queue->first;

	if (!taken)
		return NULL;
	queue->first = taken->next;
	queue->count--;
	queue->bytes -= taken->bytes;
	return taken;
}

void overlay_queue_count(const struct overlay_queue *queue, struct np_overlay_copies *copies)
{
	for (const struct overlay_queued *at = queue->first; at; at = at->next)
		overlay_substrate_add(copies, at->class);
}

void overlay_queue_drop(struct overlay_queue *queue, struct np_overlay_copies *copies)
{
	struct overlay_queued *taken;

	while ((taken = overlay_queue_take(queue))) {
		overlay_substrate_add(copies, taken->class);
		free(taken);
	}
}

#define FIRST_ROOM 4096
#define USUAL_ROOM 65536

/* At least @wanted bytes in all. */
static int grow(struct overlay_delimiter *d, size_t wanted)
{
	uint8_t *larger = realloc(d->data, wanted);

	if (!larger)
		return -ENOMEM;
	d->data = larger;
	d->room = wanted;
	return 0;
}

int overlay_delimiter_room(struct overlay_delimiter *d, uint8_t **at, size_t *room)
{
	int rc = 0;

	if (d->begin) {
		memmove(d->data, d->data + d->begin, d->end - d->begin);
		d->end -= d->begin;
		d->begin = 0;
	}
	if (!d->room)
		rc = grow(d, FIRST_ROOM);
	else if (d->end == d->room)
		rc = grow(d, d->room < USUAL_ROOM ? USUAL_ROOM : 2 * d->room);
	*at = d->data + d->end;
	*room = d->room - d->end;
	return rc;
}

void overlay_delimiter_fill(struct overlay_delimiter *d, size_t bytes)
{
	d->end += bytes;
}

int overlay_delimiter_next(struct overlay_delimiter *d, struct overlay_delimited *out)
{
	const uint8_t *at = d->data + d->begin;
	const size_t bytes = d->end - d->begin;
	int64_t wanted;

	if (bytes <= OVERLAY_PORT_BYTES)
		return 0;
	wanted = overlay_message_bytes(at + OVERLAY_PORT_BYTES, bytes - OVERLAY_PORT_BYTES);
	if (wanted < 0)
		return (int)wanted;
	if ((uint64_t)wanted > d->message_max)
		return -EMSGSIZE;
	if (!wanted || bytes - OVERLAY_PORT_BYTES < (size_t)wanted)
		return 0;
	*out = (struct overlay_delimited){
		.port = np_field_get16(at),
		.message = at + OVERLAY_PORT_BYTES,
		.bytes = (size_t)wanted,
	};
	d->begin += OVERLAY_PORT_BYTES + (size_t)wanted;
	return 1;
}

void overlay_delimiter_free(struct overlay_delimiter *d)
{
	free(d->data);
	d->data = NULL;
	d->room = d->begin = d->end = 0;
}
