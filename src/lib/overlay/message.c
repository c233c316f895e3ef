// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message: encodes and decodes the messages of HyperCast 4, and finds their length in a stream. */
#include "message.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

#define OL_FIRST   (OVERLAY_MESSAGE_OL << 4)
#define OL_VERSION 3
#define OL_FIXED   11 /* bytes before the addresses */
#define HEAD	   4  /* of the others: kind, length of what follows that, type */

/* A length of @width bytes. */
static uint32_t ol_get_length(const uint8_t *at, unsigned width)
{
	uint32_t length = 0;

	while (width--)
		length = length << 8 | *at++;
	return length;
}

int64_t overlay_message_bytes(const void *message, size_t bytes)
{
	const uint8_t *data = message;
	const unsigned mode = bytes > 1 ? data[1] & 0xf : OVERLAY_MULTICAST;
	size_t at = OL_FIXED;
	unsigned width;

	if (!bytes)
		return 0;
	if (data[0] >> 4 == OVERLAY_MESSAGE_DT || data[0] >> 4 == OVERLAY_MESSAGE_SPT)
		return bytes < 3 ? 0 : 3 + np_field_get16(data + 1);
	if (data[0] != OL_FIRST || (bytes > 1 && data[1] >> 4 != OL_VERSION) ||
	    mode < OVERLAY_MULTICAST || mode > OVERLAY_UNICAST)
		return -EBADMSG;
	if (bytes < OL_FIXED)
		return 0;
	if (data[10] != OVERLAY_NUMBER_BYTES && data[10] != OVERLAY_POINT_BYTES &&
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

int overlay_delimited_next(struct buffer *in, size_t most, struct overlay_delimited *out)
{
	const uint8_t *at = in->data + in->begin;
	const size_t bytes = in->end - in->begin;
	int64_t wanted;

	if (bytes <= OVERLAY_PORT_BYTES)
		return 0;
	wanted = overlay_message_bytes(at + OVERLAY_PORT_BYTES, bytes - OVERLAY_PORT_BYTES);
	if (wanted < 0)
		return -EBADMSG;
	if ((uint64_t)wanted > most)
		return -EMSGSIZE;
	if (!wanted || bytes - OVERLAY_PORT_BYTES < (size_t)wanted)
		return 0;
	*out = (struct overlay_delimited){
		.port = np_field_get16(at),
		.message = at + OVERLAY_PORT_BYTES,
		.bytes = (size_t)wanted,
	};
	in->begin += OVERLAY_PORT_BYTES + (size_t)wanted;
	return 1;
}

/*
 * The other messages as lists of their fields, each both written and read. When it is written,
 * nothing is stored in the struct.
 */

/* Writes the head before what @w has written; returns the message's length. */
static size_t put_head(uint8_t *out, const struct np_field_list *w, enum overlay_message_kind kind,
		       uint8_t rendezvous, uint8_t type)
{
	const size_t bytes = (size_t)(w->out - out);

	out[0] = (uint8_t)(kind << 4 | (rendezvous & 0xf));
	np_field_put16(out + 1, (uint16_t)(bytes - 3));
	out[3] = type;
	return bytes;
}

/* Whether it is such a message, of that length. */
static bool head_fits(const uint8_t *data, size_t bytes, enum overlay_message_kind kind)
{
	return bytes >= HEAD && data[0] >> 4 == kind &&
	       bytes == (size_t)3 + np_field_get16(data + 1);
}

static void point(struct np_field_list *w, struct overlay_point *point)
{
	NP_FIELD(w, point->x);
	NP_FIELD(w, point->y);
}

static void pair(struct np_field_list *w, struct overlay_pair *pair)
{
	static const uint8_t null[OVERLAY_POINT_BYTES];
	const bool none =
		w->out ? overlay_point_null(pair->point)
		       : w->in.left >= sizeof(null) && !memcmp(w->in.at, null, sizeof(null));

	if (!none)
		overlay_address_fields(w, &pair->address);
	point(w, &pair->point);
	w->in.bad |= !none && overlay_point_null(pair->point);
}

static void dt_fields(struct np_field_list *w, struct overlay_dt *dt)
{
	NP_FIELD(w, dt->hash);
	point(w, &dt->source);
	point(w, &dt->destination);
	pair(w, &dt->a);
	pair(w, &dt->b);
}

size_t overlay_dt_encode(uint8_t out[OVERLAY_DT_MAX], const struct overlay_dt *dt)
{
	struct np_field_list w = {.out = out + HEAD};

	dt_fields(&w, (struct overlay_dt *)(uintptr_t)dt);
	return put_head(out, &w, OVERLAY_MESSAGE_DT, dt->rendezvous, dt->type);
}

int overlay_dt_decode(const void *message, size_t bytes, struct overlay_dt *dt)
{
	const uint8_t *data = message;
	struct np_field_list w = {.out = NULL};

	if (!head_fits(data, bytes, OVERLAY_MESSAGE_DT))
		return -EBADMSG;
	w.in = (struct np_field_cursor){data + HEAD, bytes - HEAD, false};
	*dt = (struct overlay_dt){.rendezvous = data[0] & 0xf, .type = data[3]};
	dt_fields(&w, dt);
	return w.in.bad || w.in.left ? -EBADMSG : 0;
}

void overlay_spt_put_sender(uint8_t out[OVERLAY_SPT_SENDER_BYTES], int32_t logical, uint8_t told)
{
	np_field_put32(out, (uint32_t)logical);
	out[4] = told;
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

static void beacon(struct np_field_list *w, struct overlay_spt *m)
{
	size_t bytes;

	overlay_address_fields(w, &m->address);
	NP_FIELD(w, m->source);
	NP_FIELD(w, m->root);
	NP_FIELD(w, m->parent);
	NP_FIELD(w, m->cost);
	NP_FIELD(w, m->timestamp);
	/* More than that fit no message. */
	NP_FIELD_NUMBER(w, m->senders, 4, UINT16_MAX);
	bytes = (size_t)m->senders * OVERLAY_SPT_SENDER_BYTES;
	if (!w->out)
		m->sender = np_field_take(&w->in, bytes);
	else if (bytes)
		np_field_list_bytes(w, (void *)(uintptr_t)m->sender, bytes);
	NP_FIELD(w, m->metric);
	w->in.bad |= !m->root;
}

static void spt_fields(struct np_field_list *w, struct overlay_spt *m)
{
	NP_FIELD(w, m->hash);
	if (m->type == OVERLAY_SPT_BEACON) {
		beacon(w, m);
	} else {
		NP_FIELD(w, m->source);
		if (m->type == OVERLAY_SPT_ROUTE_REPLY)
			NP_FIELD(w, m->next_hop);
		if (m->type != OVERLAY_SPT_GOODBYE)
			NP_FIELD(w, m->wanted);
		w->in.bad |= m->type > OVERLAY_SPT_ROUTE_REPLY ||
			     (m->type == OVERLAY_SPT_ROUTE_REPLY && !m->next_hop) ||
			     (m->type != OVERLAY_SPT_GOODBYE && !m->wanted);
	}
	w->in.bad |= !m->source;
}

ssize_t overlay_spt_encode(void *out, size_t room, const struct overlay_spt *spt)
{
	struct np_field_list w = {.out = (uint8_t *)out + HEAD};
	size_t bytes = 8 + 4u * spt->type;

	if (spt->type == OVERLAY_SPT_BEACON)
		bytes = OVERLAY_SPT_BEACON_MAX - OVERLAY_ADDRESS_BYTES + spt->address.length +
			(size_t)spt->senders * OVERLAY_SPT_SENDER_BYTES;
	if (bytes > room || bytes > 3 + UINT16_MAX)
		return -EMSGSIZE;
	spt_fields(&w, (struct overlay_spt *)(uintptr_t)spt);
	return (ssize_t)put_head(out, &w, OVERLAY_MESSAGE_SPT, spt->rendezvous, spt->type);
}

int overlay_spt_decode(const void *message, size_t bytes, struct overlay_spt *spt)
{
	const uint8_t *data = message;
	struct np_field_list w = {.out = NULL};

	if (!head_fits(data, bytes, OVERLAY_MESSAGE_SPT))
		return -EBADMSG;
	w.in = (struct np_field_cursor){data + HEAD, bytes - HEAD, false};
	*spt = (struct overlay_spt){.rendezvous = data[0] & 0xf, .type = data[3]};
	spt_fields(&w, spt);
	return w.in.bad || w.in.left ? -EBADMSG : 0;
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
	unsigned width = ol->long_width;
	uint8_t *at = out;
	uint64_t total = 0; /* bytes of all extensions with their headers */
	size_t bytes;

	for (unsigned i = 0; i < ol->extensions; i++) {
		const struct overlay_extension *e = &ol->extension[i];
		const unsigned least = overlay_ol_width(e->bytes),
			       wide = e->width ? e->width : least;

		if (e->bytes > UINT32_MAX || wide < least || wide > 4)
			return -EMSGSIZE;
		total += 2 + wide + e->bytes;
	}
	if (total > UINT16_MAX && !width)
		width = overlay_ol_width(total);
	bytes = head + (size_t)total + (width ? 3 + width : 0);
	if (total > UINT32_MAX || width > 4 || (width && width < overlay_ol_width(total)) ||
	    bytes > room)
		return -EMSGSIZE;
	if (width) {
		at = put_header(at, ol, 0, OVERLAY_EXTENSION_LONG);
		*at++ = first;
		*at++ = 1;
		*at++ = (uint8_t)width;
		put_length(at, width, total);
		at += width;
	} else {
		at = put_header(at, ol, (uint16_t)total, first);
	}
	for (unsigned i = 0; i < ol->extensions; i++) {
		const struct overlay_extension *e = &ol->extension[i];

		/* Each one says the type of the one after it. */
		width = e->width ? e->width : overlay_ol_width(e->bytes);
		*at++ = i + 1 < ol->extensions ? e[1].type : 0;
		*at++ = (uint8_t)width;
		put_length(at, width, e->bytes);
		if (e->bytes)
			memcpy(at + width, e->data, e->bytes);
		at += width + e->bytes;
	}
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
	while (type && !cursor.bad) {
		const bool single =
			type == OVERLAY_EXTENSION_DATA || type == OVERLAY_EXTENSION_ROUTE;
		const uint8_t next = np_field_take8(&cursor), width = np_field_take8(&cursor);
		struct overlay_extension e = {.type = type, .width = width};
		const uint8_t *length = np_field_take(&cursor, width);

		if (cursor.bad || width < 1 || width > 4)
			return -EBADMSG;
		e.bytes = ol_get_length(length, width);
		e.data = np_field_take(&cursor, e.bytes);
		if (ol->extensions == OVERLAY_EXTENSIONS_MAX || type == OVERLAY_EXTENSION_LONG ||
		    (single && overlay_ol_find(ol, type)) ||
		    (type == OVERLAY_EXTENSION_ROUTE && e.bytes % ol->source.size))
			return -EBADMSG;
		ol->extension[ol->extensions++] = e;
		type = next;
	}
	return cursor.bad || cursor.left ? -EBADMSG : 0;
}
