// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message_ol: overlay messages, the header and the chain of extensions that carries the payload. */
#include "message_ol.h"

#include <errno.h>
#include <netperf/field.h>
#include <string.h>

/* What has been written, and what is left. */
struct writer {
	uint8_t *at;
	size_t room;
};

static unsigned width_of(uint64_t length)
{
	return length <= UINT8_MAX ? 1 : length <= UINT16_MAX ? 2 : length <= 0xffffff ? 3 : 4;
}

const struct overlay_extension *overlay_ol_find(const struct overlay_ol *ol, uint8_t type)
{
	for (unsigned i = 0; i < ol->extensions; i++) {
		if (ol->extension[i].type == type)
			return &ol->extension[i];
	}
	return NULL;
}

/* The bytes of all extensions with their headers, or -EMSGSIZE when a width is too small. */
static int64_t extensions_bytes(const struct overlay_ol *ol)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < ol->extensions; i++) {
		const struct overlay_extension *e = &ol->extension[i];
		const unsigned least = width_of(e->bytes), width = e->width ? e->width : least;

		if (e->bytes > UINT32_MAX || width < least || width > 4)
			return -EMSGSIZE;
		total += 2 + width + e->bytes;
	}
	return total > UINT32_MAX ? -EMSGSIZE : (int64_t)total;
}

static void put_length(uint8_t *at, unsigned width, uint64_t length)
{
	while (width--) {
		at[width] = (uint8_t)length;
		length >>= 8;
	}
}

static uint8_t *put_logical(uint8_t *at, const struct overlay_logical *logical)
{
	/* The usual size in one move. */
	if (logical->size == OVERLAY_POINT_BYTES)
		memcpy(at, logical->bytes, OVERLAY_POINT_BYTES);
	else
		memcpy(at, logical->bytes, logical->size);
	return at + logical->size;
}

/* The extension @index, which says the type of the one after it. */
static uint8_t *put_extension(uint8_t *at, const struct overlay_ol *ol, unsigned index)
{
	const struct overlay_extension *e = &ol->extension[index];
	const unsigned width = e->width ? e->width : width_of(e->bytes);

	*at++ = index + 1 < ol->extensions ? ol->extension[index + 1].type : 0;
	*at++ = (uint8_t)width;
	put_length(at, width, e->bytes);
	if (e->bytes)
		memcpy(at + width, e->data, e->bytes);
	return at + width + e->bytes;
}

static uint8_t *put_header(uint8_t *at, const struct overlay_ol *ol, uint16_t total, uint8_t first)
{
	at[0] = OL_FIRST;
	at[1] = (uint8_t)(OL_VERSION << 4 | ol->mode);
	at[2] = ol->traffic_class;
	np_field_put16(at + 3, ol->flow_label);
	np_field_put16(at + 5, total);
	np_field_put16(at + 7, ol->hop_limit);
	at[9] = first;
	at[10] = ol->source.size;
	at = put_logical(at + OL_FIXED, &ol->source);
	at = put_logical(at, &ol->previous);
	return ol->mode == OVERLAY_UNICAST ? put_logical(at, &ol->destination) : at;
}

ssize_t overlay_ol_encode(void *out, size_t room, const struct overlay_ol *ol)
{
	const size_t head = OL_FIXED + ol->source.size * (ol->mode == OVERLAY_UNICAST ? 3u : 2u);
	const uint8_t first = ol->extensions ? ol->extension[0].type : 0;
	const int64_t total = extensions_bytes(ol);
	unsigned width = ol->long_width;
	uint8_t *at = out;
	size_t bytes;

	if (total < 0)
		return -EMSGSIZE;
	if (total > UINT16_MAX && !width)
		width = width_of((uint64_t)total);
	if (width > 4 || (width && width < width_of((uint64_t)total)))
		return -EMSGSIZE;
	bytes = head + (size_t)total + (width ? 3 + width : 0);
	if (bytes > room)
		return -EMSGSIZE;
	if (width) {
		at = put_header(at, ol, 0, OVERLAY_EXTENSION_LONG);
		*at++ = first;
		*at++ = 1;
		*at++ = (uint8_t)width;
		put_length(at, width, (uint64_t)total);
		at += width;
	} else {
		at = put_header(at, ol, (uint16_t)total, first);
	}
	for (unsigned i = 0; i < ol->extensions; i++)
		at = put_extension(at, ol, i);
	return (ssize_t)bytes;
}

/* The next address of the header; not null. */
static int get_logical(const uint8_t **at, unsigned size, struct overlay_logical *logical)
{
	*logical = (struct overlay_logical){.size = (uint8_t)size};
	if (size == OVERLAY_POINT_BYTES)
		memcpy(logical->bytes, *at, OVERLAY_POINT_BYTES);
	else
		memcpy(logical->bytes, *at, size);
	*at += size;
	return overlay_logical_null(logical) ? -EBADMSG : 0;
}

/* The header of a message that has all of it. */
static int get_header(const uint8_t **at, struct overlay_ol *ol)
{
	const uint8_t *data = *at;
	int rc;

	*ol = (struct overlay_ol){
		.mode = data[1] & 0xf,
		.traffic_class = data[2],
		.flow_label = np_field_get16(data + 3),
		.hop_limit = np_field_get16(data + 7),
	};
	*at += OL_FIXED;
	rc = get_logical(at, data[10], &ol->source);
	if (!rc)
		rc = get_logical(at, data[10], &ol->previous);
	if (!rc && ol->mode == OVERLAY_UNICAST)
		rc = get_logical(at, data[10], &ol->destination);
	return rc;
}

static int add_extension(struct overlay_ol *ol, const struct overlay_extension *e)
{
	const bool single = e->type == OVERLAY_EXTENSION_DATA || e->type == OVERLAY_EXTENSION_ROUTE;

	if (ol->extensions == OVERLAY_EXTENSIONS_MAX || e->type == OVERLAY_EXTENSION_LONG ||
	    (single && overlay_ol_find(ol, e->type)))
		return -EBADMSG;
	if (e->type == OVERLAY_EXTENSION_ROUTE && e->bytes % ol->source.size)
		return -EBADMSG;
	ol->extension[ol->extensions++] = *e;
	return 0;
}

/* The chain from @type on, which takes just @bytes. */
static int get_extensions(const uint8_t *at, size_t bytes, uint8_t type, struct overlay_ol *ol)
{
	int rc = 0;

	while (type && !rc) {
		struct overlay_extension e = {.type = type};

		if (bytes < 2 || at[1] < 1 || at[1] > 4 || bytes < (size_t)2 + at[1])
			return -EBADMSG;
		type = at[0];
		e.width = at[1];
		e.bytes = ol_get_length(at + 2, e.width);
		at += 2 + e.width;
		bytes -= (size_t)2 + e.width;
		if (bytes < e.bytes)
			return -EBADMSG;
		e.data = at;
		at += e.bytes;
		bytes -= e.bytes;
		rc = add_extension(ol, &e);
	}
	return rc || bytes ? -EBADMSG : 0;
}

int overlay_ol_decode(const void *message, size_t bytes, struct overlay_ol *ol)
{
	const uint8_t *data = message, *at = data;
	const int64_t wants = overlay_message_bytes(data, bytes);
	uint8_t first;

	if (wants <= 0 || (uint64_t)wants != bytes || data[0] != OL_FIRST || get_header(&at, ol))
		return -EBADMSG;
	first = data[9];
	if (first == OVERLAY_EXTENSION_LONG) {
		if (np_field_get16(data + 5))
			return -EBADMSG;
		first = at[0];
		ol->long_width = at[2];
		at += 3 + ol->long_width;
	}
	return get_extensions(at, bytes - (size_t)(at - data), first, ol);
}
