/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * message_field: writes the fields of control messages one after the other, big-endian. Each
 * function returns where the next field goes; the caller makes sure that there is room. For reading
 * see np_field_cursor.
 */
#ifndef GROUP_TEST_WIRE_MESSAGE_FIELD_H
#define GROUP_TEST_WIRE_MESSAGE_FIELD_H

#include "identity.h"

#include <netperf/field.h>

/* In messages of the native protocol: 16 bytes of address, 2 of port. */
#define IDENTITY_BYTES 18

static inline uint8_t *field_put(uint8_t *at, const void *from, size_t bytes)
{
	memcpy(at, from, bytes);
	return at + bytes;
}

static inline uint8_t *field_put8(uint8_t *at, uint8_t value)
{
	*at = value;
	return at + 1;
}

static inline uint8_t *field_put16(uint8_t *at, uint16_t value)
{
	np_field_put16(at, value);
	return at + 2;
}

static inline uint8_t *field_put32(uint8_t *at, uint32_t value)
{
	np_field_put32(at, value);
	return at + 4;
}

static inline uint8_t *field_put64(uint8_t *at, uint64_t value)
{
	np_field_put64(at, value);
	return at + 8;
}

static inline uint8_t *field_put_identity(uint8_t *at, const struct identity *identity)
{
	return field_put(field_put(at, identity->ip, 16), identity->port, 2);
}

static inline struct identity field_take_identity(struct np_field_cursor *cursor)
{
	struct identity identity;

	np_field_take_bytes(cursor, identity.ip, sizeof(identity.ip));
	np_field_take_bytes(cursor, identity.port, sizeof(identity.port));
	return identity;
}

#endif
