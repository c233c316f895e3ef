// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delimiter: a buffer of a stream's bytes, of which whole messages are handed out. */
#include "delimiter.h"

#include "message.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

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

void overlay_delimiter_free(struct overlay_delimiter *d, int all)
{
	if (!all && d->begin != d->end)
		return;
	free(d->data);
	d->data = NULL;
	d->room = d->begin = d->end = 0;
}
