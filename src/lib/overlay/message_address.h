/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* message_address: encodes and decodes interface addresses in messages. */
#ifndef OVERLAY_MESSAGE_ADDRESS_H
#define OVERLAY_MESSAGE_ADDRESS_H

#include "addresses.h"

#include <errno.h>
#include <netperf/field.h>
#include <string.h>

/* The first byte of an interface address; then kind, realm, length. */
#define ADDRESS_MARK   0xff
#define ADDRESS_HEADER 5

/* Returns what follows it. */
static inline uint8_t *put_address(uint8_t *at, const struct overlay_address *address)
{
	at[0] = ADDRESS_MARK;
	at[1] = address->kind;
	np_field_put16(at + 2, address->realm);
	at[4] = address->length;
	memcpy(at + ADDRESS_HEADER, address->bytes, address->length);
	return at + ADDRESS_HEADER + address->length;
}

/* Returns its length, at most @bytes, or -EBADMSG. */
static inline int get_address(const uint8_t *at, size_t bytes, struct overlay_address *address)
{
	*address = (struct overlay_address){0};
	if (bytes < ADDRESS_HEADER || at[0] != ADDRESS_MARK || at[4] > OVERLAY_ADDRESS_BYTES ||
	    bytes < (size_t)ADDRESS_HEADER + at[4])
		return -EBADMSG;
	address->kind = at[1];
	address->realm = np_field_get16(at + 2);
	address->length = at[4];
	memcpy(address->bytes, at + ADDRESS_HEADER, address->length);
	return ADDRESS_HEADER + address->length;
}

#endif
