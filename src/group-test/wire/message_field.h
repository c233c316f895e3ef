/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * message_field: the fields of control messages one after the other: each function moves on by
 * what it wrote or read. The caller has looked that there is room. All integers are big-endian.
 */
#ifndef GROUP_TEST_WIRE_MESSAGE_FIELD_H
#define GROUP_TEST_WIRE_MESSAGE_FIELD_H

#include "identity.h"

#include <netperf/field.h>

/* On the wire of the native protocol: 16 bytes of address, 2 of port. */
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

static inline void field_get(const uint8_t **at, void *to, size_t bytes)
{
	memcpy(to, *at, bytes);
	*at += bytes;
}

static inline uint8_t field_get8(const uint8_t **at)
{
	return *(*at)++;
}

static inline uint16_t field_get16(const uint8_t **at)
{
	*at += 2;
	return np_field_get16(*at - 2);
}

static inline uint32_t field_get32(const uint8_t **at)
{
	*at += 4;
	return np_field_get32(*at - 4);
}

static inline uint64_t field_get64(const uint8_t **at)
{
	*at += 8;
	return np_field_get64(*at - 8);
}

static inline struct identity field_get_identity(const uint8_t **at)
{
	struct identity identity;

	field_get(at, identity.ip, 16);
	field_get(at, identity.port, 2);
	return identity;
}

#endif
