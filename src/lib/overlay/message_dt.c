// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message_dt: the messages of the Delaunay triangulation protocol. */
#include "message.h"

#include "message_address.h"

#define PAIRS 24 /* where they begin */

static uint8_t *put_point(uint8_t *at, struct overlay_point point)
{
	np_field_put32(at, (uint32_t)point.x);
	np_field_put32(at + 4, (uint32_t)point.y);
	return at + OVERLAY_POINT_BYTES;
}

static struct overlay_point get_point(const uint8_t *at)
{
	return (struct overlay_point){(int32_t)np_field_get32(at), (int32_t)np_field_get32(at + 4)};
}

static uint8_t *put_pair(uint8_t *at, const struct overlay_pair *pair)
{
	if (!overlay_point_null(pair->point))
		at = put_address(at, &pair->address);
	return put_point(at, pair->point);
}

/* Returns the bytes of the pair, or -EBADMSG. */
static int get_pair(const uint8_t *at, size_t bytes, struct overlay_pair *pair)
{
	static const uint8_t null[OVERLAY_POINT_BYTES];
	int address;

	*pair = (struct overlay_pair){0};
	if (bytes < sizeof(null))
		return -EBADMSG;
	if (!memcmp(at, null, sizeof(null)))
		return sizeof(null);
	address = get_address(at, bytes - OVERLAY_POINT_BYTES, &pair->address);
	if (address < 0)
		return address;
	pair->point = get_point(at + address);
	return overlay_point_null(pair->point) ? -EBADMSG : address + OVERLAY_POINT_BYTES;
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
	int a, b;

	if (bytes < OVERLAY_DT_MIN || bytes > OVERLAY_DT_MAX ||
	    data[0] >> 4 != OVERLAY_MESSAGE_DT || bytes != (size_t)3 + np_field_get16(data + 1))
		return -EBADMSG;
	dt->rendezvous = data[0] & 0xf;
	dt->type = data[3];
	dt->hash = np_field_get32(data + 4);
	dt->source = get_point(data + 8);
	dt->destination = get_point(data + 16);
	a = get_pair(data + PAIRS, bytes - PAIRS, &dt->a);
	if (a < 0)
		return a;
	b = get_pair(data + PAIRS + a, bytes - PAIRS - (size_t)a, &dt->b);
	if (b < 0)
		return b;
	return bytes == PAIRS + (size_t)a + (size_t)b ? 0 : -EBADMSG;
}
