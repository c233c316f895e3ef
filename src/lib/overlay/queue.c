// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* queue: a list of messages that wait. */
#include "queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int overlay_queue_put(struct overlay_queue *queue, const struct sockaddr_in *to,
		      enum overlay_class class, const struct overlay_piece *piece, unsigned count)
{
	struct overlay_queued *made;
	size_t bytes = 0;

	for (unsigned i = 0; i < count; i++)
		bytes += piece[i].bytes;
	if ((class != OVERLAY_OWN || queue->strict) && queue->first &&
	    (queue->count >= queue->count_max || queue->bytes + bytes > queue->bytes_max))
		return -EAGAIN;
	made = malloc(sizeof(*made) + bytes);
	if (!made)
		return -ENOMEM;
	*made = (struct overlay_queued){.to = *to, .class = class};
	for (unsigned i = 0; i < count; i++) {
		memcpy(made->data + made->bytes, piece[i].data, piece[i].bytes);
		made->bytes += piece[i].bytes;
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
