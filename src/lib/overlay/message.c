// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message: encodes and decodes the messages of HyperCast 4, and finds their length in a stream. */
#include "message.h"

#include <errno.h>
#include <netperf/field.h>
#include <string.h>

#define OL_FIRST   (OVERLAY_MESSAGE_OL << 4)
#define OL_VERSION 3
#define OL_FIXED   11 /* bytes before the addresses */
#define HEAD	   8  /* of the others, before what each type has of its own */

/* A length of @width bytes. */
static uint32_t ol_get_length(const uint8_t *at, unsigned width)
{
	uint32_t length = 0;

	while (width--)
		length = length << 8 | *at++;
	return length;
}

static int64_t ol_bytes(const uint8_t *data, size_t bytes)
{
	const unsigned mode = bytes > 1 ? data[1] & 0xf : OVERLAY_MULTICAST;
	size_t at = OL_FIXED;
	unsigned width;

	if ((bytes > 1 && data[1] >> 4 != OL_VERSION) || mode < OVERLAY_MULTICAST ||
	    mode > OVERLAY_UNICAST)
		return -EBADMSG;
	if (bytes < OL_FIXED)
		return 0;
	if (data[10] != 4 && data[10] != OVERLAY_POINT_BYTES &&
	    data[10] != NP_OVERLAY_LOGICAL_BYTES)
		return -EBADMSG;
	at += (size_t)data[10] * (mode == OVERLAY_UNICAST ? 3 : 2);
	if (data[9] != OVERLAY_EXTENSION_LONG)
		return (int64_t)(at + np_field_get16(data + 5));
	/* The length is in the extension that says that it is long. */
	if (bytes < at + 3)
		return 0;
	width = data[at + 2];
	if (data[at + 1] != 1 || width < 1 || width > 4)
		return -EBADMSG;
	at += 3 + width;
	return bytes < at ? 0 : (int64_t)(at + ol_get_length(data + at - width, width));
}

int64_t overlay_message_bytes(const void *message, size_t bytes)
{
	const uint8_t *data = message;

	if (!bytes)
		return 0;
	if (data[0] == OL_FIRST)
		return ol_bytes(data, bytes);
	if (data[0] >> 4 != OVERLAY_MESSAGE_DT && data[0] >> 4 != OVERLAY_MESSAGE_SPT)
		return -EBADMSG;
	return bytes < 3 ? 0 : 3 + np_field_get16(data + 1);
}

/* The Delaunay triangulation. */

static uint8_t *put_point(uint8_t *at, struct overlay_point point)
{
	np_field_put32(at, (uint32_t)point.x);
	np_field_put32(at + 4, (uint32_t)point.y);
	return at + OVERLAY_POINT_BYTES;
}

static int32_t take_number(struct np_field_cursor *cursor)
{
	return (int32_t)np_field_take32(cursor);
}

static struct overlay_point take_point(struct np_field_cursor *cursor)
{
	const int32_t x = take_number(cursor);

	return (struct overlay_point){x, take_number(cursor)};
}

static uint8_t *put_pair(uint8_t *at, const struct overlay_pair *pair)
{
	if (!overlay_point_null(pair->point))
		at = overlay_address_put(at, &pair->address);
	return put_point(at, pair->point);
}

static void take_pair(struct np_field_cursor *cursor, struct overlay_pair *pair)
{
	static const uint8_t null[OVERLAY_POINT_BYTES];

	*pair = (struct overlay_pair){0};
	if (cursor->left >= sizeof(null) && !memcmp(cursor->at, null, sizeof(null))) {
		np_field_take(cursor, sizeof(null));
		return;
	}
	overlay_address_take(cursor, &pair->address);
	pair->point = take_point(cursor);
	cursor->bad = cursor->bad || overlay_point_null(pair->point);
}

size_t overlay_dt_encode(uint8_t out[OVERLAY_DT_MAX], const struct overlay_dt *dt)
{
	uint8_t *at;

	out[0] = (uint8_t)(OVERLAY_MESSAGE_DT << 4 | (dt->rendezvous & 0xf));
	out[3] = dt->type;
	np_field_put32(out + 4, dt->hash);
	at = put_point(out + 8, dt->source);
	at = put_point(at, dt->destination);
	at = put_pair(at, &dt->a);
	at = put_pair(at, &dt->b);
	np_field_put16(out + 1, (uint16_t)(at - out - 3));
	return (size_t)(at - out);
}

int overlay_dt_decode(const void *message, size_t bytes, struct overlay_dt *dt)
{
	const uint8_t *data = message;
	struct np_field_cursor cursor;

	if (bytes < OVERLAY_DT_MIN || bytes > OVERLAY_DT_MAX ||
	    data[0] >> 4 != OVERLAY_MESSAGE_DT || bytes != (size_t)3 + np_field_get16(data + 1))
		return -EBADMSG;
	cursor = (struct np_field_cursor){data + HEAD, bytes - HEAD, false};
	dt->rendezvous = data[0] & 0xf;
	dt->type = data[3];
	dt->hash = np_field_get32(data + 4);
	dt->source = take_point(&cursor);
	dt->destination = take_point(&cursor);
	take_pair(&cursor, &dt->a);
	take_pair(&cursor, &dt->b);
	return cursor.bad || cursor.left ? -EBADMSG : 0;
}

#define BEACON_FIXED 28 /* of a beacon between the address and the senders */
#define METRIC	     2

static uint8_t *put_number(uint8_t *at, int32_t number)
{
	np_field_put32(at, (uint32_t)number);
	return at + 4;
}

void overlay_spt_put_sender(uint8_t out[OVERLAY_SPT_SENDER_BYTES], int32_t logical, uint8_t told)
{
	*put_number(out, logical) = told;
}

uint8_t overlay_spt_told(const struct overlay_spt *spt, int32_t logical)
{
	const uint8_t *at = spt->sender;

	for (unsigned i = 0; i < spt->senders; i++, at += OVERLAY_SPT_SENDER_BYTES) {
		if ((int32_t)np_field_get32(at) == logical)
			return at[4];
	}
	return 0;
}

static void put_beacon(uint8_t *at, const struct overlay_spt *spt)
{
	const size_t senders = (size_t)spt->senders * OVERLAY_SPT_SENDER_BYTES;

	at = overlay_address_put(at, &spt->address);
	at = put_number(at, spt->source);
	at = put_number(at, spt->root);
	at = put_number(at, spt->parent);
	at = put_number(at, spt->cost);
	np_field_put64(at, (uint64_t)spt->timestamp);
	at = put_number(at + 8, (int32_t)spt->senders);
	if (senders)
		memcpy(at, spt->sender, senders);
	np_field_put16(at + senders, spt->metric);
}

static size_t spt_bytes(const struct overlay_spt *spt)
{
	if (spt->type == OVERLAY_SPT_BEACON)
		return (size_t)HEAD + OVERLAY_ADDRESS_HEADER + spt->address.length + BEACON_FIXED +
		       (size_t)spt->senders * OVERLAY_SPT_SENDER_BYTES + METRIC;
	return HEAD + 4u * spt->type;
}

ssize_t overlay_spt_encode(void *out, size_t room, const struct overlay_spt *spt)
{
	const size_t bytes = spt_bytes(spt);
	uint8_t *at = out;

	if (bytes > room || bytes > 3 + UINT16_MAX)
		return -EMSGSIZE;
	at[0] = (uint8_t)(OVERLAY_MESSAGE_SPT << 4 | (spt->rendezvous & 0xf));
	np_field_put16(at + 1, (uint16_t)(bytes - 3));
	at[3] = spt->type;
	np_field_put32(at + 4, spt->hash);
	at += HEAD;
	if (spt->type == OVERLAY_SPT_BEACON) {
		put_beacon(at, spt);
		return (ssize_t)bytes;
	}
	at = put_number(at, spt->source);
	if (spt->type == OVERLAY_SPT_ROUTE_REPLY)
		at = put_number(at, spt->next_hop);
	if (spt->type != OVERLAY_SPT_GOODBYE)
		put_number(at, spt->wanted);
	return (ssize_t)bytes;
}

static void take_beacon(struct np_field_cursor *cursor, struct overlay_spt *spt)
{
	const uint8_t *metric;

	overlay_address_take(cursor, &spt->address);
	spt->source = take_number(cursor);
	spt->root = take_number(cursor);
	spt->parent = take_number(cursor);
	spt->cost = take_number(cursor);
	spt->timestamp = (int64_t)np_field_take64(cursor);
	spt->senders = np_field_take32(cursor);
	/* More than that fit no message. */
	cursor->bad = cursor->bad || !spt->root || spt->senders > UINT16_MAX;
	spt->sender = cursor->bad ? NULL
				  : np_field_take(cursor,
						  (size_t)spt->senders * OVERLAY_SPT_SENDER_BYTES);
	metric = np_field_take(cursor, METRIC);
	spt->metric = metric ? np_field_get16(metric) : 0;
}

static void take_others(struct np_field_cursor *cursor, struct overlay_spt *spt)
{
	spt->source = take_number(cursor);
	if (spt->type == OVERLAY_SPT_ROUTE_REPLY)
		spt->next_hop = take_number(cursor);
	if (spt->type != OVERLAY_SPT_GOODBYE)
		spt->wanted = take_number(cursor);
	if (spt->type > OVERLAY_SPT_ROUTE_REPLY ||
	    (spt->type == OVERLAY_SPT_ROUTE_REPLY && !spt->next_hop) ||
	    (spt->type != OVERLAY_SPT_GOODBYE && !spt->wanted))
		cursor->bad = true;
}

int overlay_spt_decode(const void *message, size_t bytes, struct overlay_spt *spt)
{
	const uint8_t *data = message;
	struct np_field_cursor cursor;

	if (bytes < HEAD || data[0] >> 4 != OVERLAY_MESSAGE_SPT ||
	    bytes != (size_t)3 + np_field_get16(data + 1))
		return -EBADMSG;
	cursor = (struct np_field_cursor){data + HEAD, bytes - HEAD, false};
	*spt = (struct overlay_spt){
		.rendezvous = data[0] & 0xf,
		.type = data[3],
		.hash = np_field_get32(data + 4),
	};
	if (spt->type == OVERLAY_SPT_BEACON)
		take_beacon(&cursor, spt);
	else
		take_others(&cursor, spt);
	return cursor.bad || cursor.left || !spt->source ? -EBADMSG : 0;
}

unsigned overlay_ol_width(uint64_t length)
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
		const unsigned least = overlay_ol_width(e->bytes),
			       width = e->width ? e->width : least;

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

static uint8_t *put_logical(uint8_t *at, const struct np_overlay_logical *logical)
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
	const unsigned width = e->width ? e->width : overlay_ol_width(e->bytes);

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
		width = overlay_ol_width((uint64_t)total);
	if (width > 4 || (width && width < overlay_ol_width((uint64_t)total)))
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
static void take_logical(struct np_field_cursor *cursor, unsigned size,
			 struct np_overlay_logical *logical)
{
	const uint8_t *at = np_field_take(cursor, size);

	*logical = (struct np_overlay_logical){.size = (uint8_t)size};
	if (at && size == OVERLAY_POINT_BYTES)
		memcpy(logical->bytes, at, OVERLAY_POINT_BYTES);
	else if (at)
		memcpy(logical->bytes, at, size);
	cursor->bad = cursor->bad || overlay_logical_null(logical);
}

/* The next extension, of @type; returns the type of the one after it. */
static uint8_t take_extension(struct np_field_cursor *cursor, uint8_t type, struct overlay_ol *ol)
{
	const bool single = type == OVERLAY_EXTENSION_DATA || type == OVERLAY_EXTENSION_ROUTE;
	const uint8_t next = np_field_take8(cursor), width = np_field_take8(cursor);
	const uint8_t *length = np_field_take(cursor, width);
	struct overlay_extension e = {.type = type, .width = width};

	cursor->bad = cursor->bad || width < 1 || width > 4;
	if (cursor->bad)
		return 0;
	e.bytes = ol_get_length(length, width);
	e.data = np_field_take(cursor, e.bytes);
	if (ol->extensions == OVERLAY_EXTENSIONS_MAX || type == OVERLAY_EXTENSION_LONG ||
	    (single && overlay_ol_find(ol, type)) ||
	    (type == OVERLAY_EXTENSION_ROUTE && e.bytes % ol->source.size))
		cursor->bad = true;
	else
		ol->extension[ol->extensions++] = e;
	return next;
}

int overlay_ol_decode(const void *message, size_t bytes, struct overlay_ol *ol)
{
	const uint8_t *data = message;
	const int64_t wants = overlay_message_bytes(data, bytes);
	struct np_field_cursor cursor;
	uint8_t type;

	if (wants <= 0 || (uint64_t)wants != bytes || data[0] != OL_FIRST)
		return -EBADMSG;
	cursor = (struct np_field_cursor){data + OL_FIXED, bytes - OL_FIXED, false};
	*ol = (struct overlay_ol){
		.mode = data[1] & 0xf,
		.traffic_class = data[2],
		.flow_label = np_field_get16(data + 3),
		.hop_limit = np_field_get16(data + 7),
	};
	take_logical(&cursor, data[10], &ol->source);
	take_logical(&cursor, data[10], &ol->previous);
	if (ol->mode == OVERLAY_UNICAST)
		take_logical(&cursor, data[10], &ol->destination);
	type = data[9];
	if (type == OVERLAY_EXTENSION_LONG) {
		cursor.bad = cursor.bad || np_field_get16(data + 5);
		type = np_field_take8(&cursor);
		np_field_take(&cursor, 1);
		ol->long_width = np_field_take8(&cursor);
		np_field_take(&cursor, ol->long_width);
	}
	while (type && !cursor.bad)
		type = take_extension(&cursor, type, ol);
	return cursor.bad || cursor.left ? -EBADMSG : 0;
}
