// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message: encodes and decodes the messages of HyperCast 4, and finds their length in a stream. */
#include "message.h"

#include <errno.h>

#define OL_FIRST   (OVERLAY_MESSAGE_OL << 4)
#define OL_VERSION 3
#define OL_FIXED   11 /* bytes before the addresses */
#define HEAD	   4  /* of the others: kind, length of what follows that, type */

int64_t overlay_message_bytes(const void *message, size_t bytes)
{
	const uint8_t *data = message;
	const unsigned mode = bytes > 1 ? data[1] & 0xf : OVERLAY_MULTICAST;
	struct np_field_list length;
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
	if (bytes < at)
		return 0;
	length = (struct np_field_list){.in = {data + at - width, width, false}};
	return (int64_t)(at + np_field_list_get(&length, width, UINT32_MAX));
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
 * Messages as lists of their fields, each both written and read. When it is written, nothing is
 * stored in the struct.
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

static void spt_fields(struct np_field_list *w, struct overlay_spt *m)
{
	const bool beacon = m->type == OVERLAY_SPT_BEACON,
		   reply = m->type == OVERLAY_SPT_ROUTE_REPLY;
	size_t bytes;

	NP_FIELD(w, m->hash);
	if (beacon)
		overlay_address_fields(w, &m->address);
	NP_FIELD(w, m->source);
	w->in.bad |= !m->source || m->type > OVERLAY_SPT_ROUTE_REPLY;
	if (!beacon) {
		if (reply)
			NP_FIELD(w, m->next_hop);
		if (m->type != OVERLAY_SPT_GOODBYE)
			NP_FIELD(w, m->wanted);
		w->in.bad |=
			(reply && !m->next_hop) || (m->type != OVERLAY_SPT_GOODBYE && !m->wanted);
		return;
	}
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

/* An address of @size bytes, not null. */
static void logical(struct np_field_list *w, uint8_t size, struct np_overlay_logical *logical)
{
	if (!w->out)
		*logical = (struct np_overlay_logical){.size = size};
	/* The usual size in one move. */
	if (size == OVERLAY_POINT_BYTES)
		np_field_list_bytes(w, logical->bytes, OVERLAY_POINT_BYTES);
	else
		np_field_list_bytes(w, logical->bytes, size);
	w->in.bad |= !w->out && overlay_logical_null(logical);
}

/* All before the extensions: their length, 0 in the long form, and the type of the first. */
static void ol_head(struct np_field_list *w, struct overlay_ol *ol, uint16_t *total, uint8_t *first)
{
	uint8_t mark = OL_FIRST, size = ol->source.size;
	uint8_t mode = (uint8_t)(OL_VERSION << 4 | ol->mode);

	NP_FIELD(w, mark);
	NP_FIELD(w, mode);
	NP_FIELD(w, ol->traffic_class);
	NP_FIELD(w, ol->flow_label);
	NP_FIELD(w, *total);
	NP_FIELD(w, ol->hop_limit);
	NP_FIELD(w, *first);
	NP_FIELD(w, size);
	if (!w->out)
		ol->mode = mode & 0xf;
	logical(w, size, &ol->source);
	logical(w, size, &ol->previous);
	if (ol->mode == OVERLAY_UNICAST)
		logical(w, size, &ol->destination);
}

/* A number of *@width bytes, and before it that width. */
static void length(struct np_field_list *w, uint8_t *width, size_t *bytes)
{
	NP_FIELD(w, *width);
	w->in.bad |= *width < 1 || *width > 4;
	if (w->out || !w->in.bad)
		NP_FIELD_NUMBER(w, *bytes, *width, UINT32_MAX);
}

ssize_t overlay_ol_encode(void *out, size_t room, const struct overlay_ol *ol)
{
	const size_t head = OL_FIXED + ol->source.size * (ol->mode == OVERLAY_UNICAST ? 3u : 2u);
	uint8_t type = ol->extensions ? ol->extension[0].type : 0, width = ol->long_width;
	uint8_t is_long = OVERLAY_EXTENSION_LONG, one = 1;
	struct np_field_list w = {.out = out};
	uint16_t short_total = 0;
	size_t bytes, total = 0; /* total: of all extensions with their headers */

	for (unsigned i = 0; i < ol->extensions; i++) {
		const struct overlay_extension *e = &ol->extension[i];
		const unsigned least = overlay_ol_width(e->bytes),
			       wide = e->width ? e->width : least;

		if (e->bytes > UINT32_MAX || wide < least || wide > 4)
			return -EMSGSIZE;
		total += 2 + wide + e->bytes;
	}
	if (total > UINT16_MAX && !width)
		width = (uint8_t)overlay_ol_width(total);
	bytes = head + total + (width ? 3u + width : 0);
	if (total > UINT32_MAX || width > 4 || (width && width < overlay_ol_width(total)) ||
	    bytes > room)
		return -EMSGSIZE;
	if (width) {
		ol_head(&w, (struct overlay_ol *)(uintptr_t)ol, &short_total, &is_long);
		NP_FIELD(&w, type);
		NP_FIELD(&w, one);
		length(&w, &width, &total);
	} else {
		short_total = (uint16_t)total;
		ol_head(&w, (struct overlay_ol *)(uintptr_t)ol, &short_total, &type);
	}
	for (unsigned i = 0; i < ol->extensions; i++) {
		struct overlay_extension e = ol->extension[i];

		/* Each one says the type of the one after it. */
		type = i + 1 < ol->extensions ? ol->extension[i + 1].type : 0;
		e.width = (uint8_t)(e.width ? e.width : overlay_ol_width(e.bytes));
		NP_FIELD(&w, type);
		length(&w, &e.width, &e.bytes);
		if (e.bytes)
			np_field_list_bytes(&w, (void *)(uintptr_t)e.data, e.bytes);
	}
	return (ssize_t)bytes;
}

int overlay_ol_decode(const void *message, size_t bytes, struct overlay_ol *ol)
{
	const uint8_t *data = message;
	const int64_t wants = overlay_message_bytes(data, bytes);
	struct np_field_list w = {.in = {data, bytes, false}};
	uint8_t type = 0, one = 0;
	uint16_t short_total = 0;
	size_t total = 0;

	/* That has seen the head, the sizes in it and those of the long form. */
	if (wants <= 0 || (uint64_t)wants != bytes || data[0] != OL_FIRST)
		return -EBADMSG;
	*ol = (struct overlay_ol){};
	ol_head(&w, ol, &short_total, &type);
	if (type == OVERLAY_EXTENSION_LONG) {
		w.in.bad |= short_total;
		NP_FIELD(&w, type);
		NP_FIELD(&w, one);
		length(&w, &ol->long_width, &total);
	}
	while (type && !w.in.bad) {
		const bool single =
			type == OVERLAY_EXTENSION_DATA || type == OVERLAY_EXTENSION_ROUTE;
		struct overlay_extension e = {.type = type};

		NP_FIELD(&w, type);
		length(&w, &e.width, &e.bytes);
		e.data = np_field_take(&w.in, e.bytes);
		if (ol->extensions == OVERLAY_EXTENSIONS_MAX || e.type == OVERLAY_EXTENSION_LONG ||
		    (single && overlay_ol_find(ol, e.type)) ||
		    (e.type == OVERLAY_EXTENSION_ROUTE && e.bytes % ol->source.size))
			return -EBADMSG;
		ol->extension[ol->extensions++] = e;
	}
	return w.in.bad || w.in.left ? -EBADMSG : 0;
}
