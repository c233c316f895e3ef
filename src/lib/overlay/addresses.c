// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* addresses: logical and interface addresses: made, compared, as bytes and as text; their hash. */
#include "addresses.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* An interface address on the wire begins so; then kind, realm, length. */
#define ADDRESS_MARK 0xff
#define IPV4_LENGTH  6

uint32_t overlay_hash(uint32_t hash, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < bytes; i++) {
		const uint32_t t = (hash >> 24 ^ at[i]) & 0xff;

		hash = hash << ((t & 7) + 1) ^ t;
	}
	return hash;
}

uint16_t overlay_hash_realm(const char *realm, enum overlay_kind kind)
{
	static const char *const kinds[] = {
		[OVERLAY_UDP] = "IPv4_UDP",
		[OVERLAY_TCP] = "IPv4_TCP",
		[OVERLAY_PAIR] = "IPv4_UDPxIPv4_UDPMulticast",
	};
	char text[128];
	const int bytes = snprintf(text, sizeof(text), "%.90s%s", realm, kinds[kind]);
	const uint32_t hash = overlay_hash(0, text, (size_t)bytes);
	const uint32_t high = (hash >> 24 ^ hash >> 16) & 0xff, low = (hash >> 8 ^ hash) & 0xff;

	return (uint16_t)(high << 8 | low);
}

struct overlay_address overlay_address_ipv4(uint32_t ip, uint16_t port, uint16_t realm)
{
	struct overlay_address address = {
		.kind = OVERLAY_ADDRESS_IPV4, .length = IPV4_LENGTH, .realm = realm};

	np_field_put32(address.bytes, ip);
	np_field_put16(address.bytes + 4, port);
	return address;
}

struct overlay_address overlay_address_of(const struct np_address *endpoint, uint16_t realm)
{
	const struct sockaddr_in *in = (const void *)&endpoint->storage;

	return overlay_address_ipv4(ntohl(in->sin_addr.s_addr), ntohs(in->sin_port), realm);
}

bool overlay_address_get_ipv4(const struct overlay_address *address, struct sockaddr_in *to)
{
	if (address->kind != OVERLAY_ADDRESS_IPV4 || address->length != IPV4_LENGTH)
		return false;
	*to = (struct sockaddr_in){.sin_family = AF_INET};
	memcpy(&to->sin_addr, address->bytes, 4);
	memcpy(&to->sin_port, address->bytes + 4, 2);
	return to->sin_addr.s_addr && to->sin_port;
}

struct np_address overlay_address_endpoint(const struct overlay_address *address)
{
	struct np_address endpoint = {.length = 0};
	struct sockaddr_in to;

	if (overlay_address_get_ipv4(address, &to)) {
		endpoint.length = sizeof(to);
		memcpy(&endpoint.storage, &to, sizeof(to));
	}
	return endpoint;
}

bool overlay_address_equal(const struct overlay_address *a, const struct overlay_address *b)
{
	return a->kind == b->kind && a->length == b->length && a->realm == b->realm &&
	       !memcmp(a->bytes, b->bytes, a->length);
}

void overlay_address_fields(struct np_field_list *list, struct overlay_address *address)
{
	uint8_t mark = ADDRESS_MARK;

	if (!list->out)
		*address = (struct overlay_address){};
	NP_FIELD(list, mark);
	NP_FIELD(list, address->kind);
	NP_FIELD(list, address->realm);
	NP_FIELD_NUMBER(list, address->length, 1, OVERLAY_ADDRESS_BYTES);
	list->in.bad |= mark != ADDRESS_MARK;
	if (!list->in.bad)
		np_field_list_bytes(list, address->bytes, address->length);
}

struct np_overlay_logical overlay_logical_point(struct overlay_point point)
{
	struct np_overlay_logical logical = {.size = OVERLAY_POINT_BYTES};

	np_field_put32(logical.bytes, (uint32_t)point.x);
	np_field_put32(logical.bytes + 4, (uint32_t)point.y);
	return logical;
}

struct np_overlay_logical overlay_logical_number(int32_t number)
{
	struct np_overlay_logical logical = {.size = OVERLAY_NUMBER_BYTES};

	np_field_put32(logical.bytes, (uint32_t)number);
	return logical;
}

int32_t overlay_logical_get_number(const struct np_overlay_logical *logical)
{
	return logical->size == OVERLAY_NUMBER_BYTES ? (int32_t)np_field_get32(logical->bytes) : 0;
}

struct np_overlay_logical overlay_logical_address(const struct overlay_address *address)
{
	struct np_overlay_logical logical = {.size = NP_OVERLAY_LOGICAL_BYTES};
	struct np_field_list list = {.out = logical.bytes};

	if (address->length <= NP_OVERLAY_LOGICAL_BYTES - OVERLAY_ADDRESS_HEADER)
		overlay_address_fields(&list, (struct overlay_address *)(uintptr_t)address);
	return logical;
}

struct overlay_point overlay_logical_get_point(const struct np_overlay_logical *logical)
{
	if (logical->size != OVERLAY_POINT_BYTES)
		return (struct overlay_point){0, 0};
	return (struct overlay_point){(int32_t)np_field_get32(logical->bytes),
				      (int32_t)np_field_get32(logical->bytes + 4)};
}

bool overlay_logical_get_address(const struct np_overlay_logical *logical,
				 struct overlay_address *address)
{
	struct np_field_list list = {.in = {logical->bytes, NP_OVERLAY_LOGICAL_BYTES, false}};

	overlay_address_fields(&list, address);
	return logical->size == NP_OVERLAY_LOGICAL_BYTES && !list.in.bad;
}

bool np_overlay_equal(const struct np_overlay_logical *a, const struct np_overlay_logical *b)
{
	/* All bytes, for those beyond the size are 0. */
	return a->size == b->size && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

bool overlay_logical_null(const struct np_overlay_logical *logical)
{
	static const uint8_t null[NP_OVERLAY_LOGICAL_BYTES];

	return !memcmp(logical->bytes, null, sizeof(null));
}

int overlay_integers_parse(int32_t *value, unsigned count, const char *text)
{
	bool beyond = false;

	for (unsigned i = 0; i < count; i++) {
		char *end;
		const long long number = strtoll(text, &end, 10);

		if (end == text)
			return -EINVAL;
		while (isspace((unsigned char)*end))
			end++;
		if (*end != (i + 1 < count ? ',' : '\0'))
			return -EINVAL;
		value[i] = (int32_t)number;
		beyond = beyond || number < INT32_MIN || number > INT32_MAX;
		text = end + 1;
	}
	return beyond ? -ERANGE : 0;
}

int overlay_logical_parse(struct np_overlay_logical *logical, unsigned count, const char *text)
{
	int32_t read[2] = {0};
	const int rc = overlay_integers_parse(read, count, text);

	if (rc)
		return rc;
	if (!read[0] && !read[1])
		return -ERANGE;
	*logical = count == 1 ? overlay_logical_number(read[0])
			      : overlay_logical_point((struct overlay_point){read[0], read[1]});
	return 0;
}

int overlay_endpoint_parse(struct np_address *endpoint, const char *text)
{
	int rc;

	/* Neither IPv6, which may hold an IPv4 address, nor a range, be it of one port. */
	if (text[strspn(text, "0123456789.:")] || strstr(text, "..") || !strchr(text, ':'))
		return -EINVAL;
	rc = np_address_parse(endpoint, text, 0, NP_ADDRESS_NUMERIC);
	if (rc)
		return rc == -ERANGE ? rc : -EINVAL;
	return endpoint->any.sa_family == AF_INET ? 0 : -EINVAL;
}

char *np_overlay_format(const struct np_overlay_logical *logical, char out[NP_OVERLAY_LOGICAL_TEXT])
{
	const struct overlay_point point = overlay_logical_get_point(logical);
	struct overlay_address address;
	struct np_address at;

	out[0] = '\0';
	if (logical->size == OVERLAY_POINT_BYTES)
		snprintf(out, NP_OVERLAY_LOGICAL_TEXT, "%d,%d", point.x, point.y);
	else if (logical->size == OVERLAY_NUMBER_BYTES)
		snprintf(out, NP_OVERLAY_LOGICAL_TEXT, "%d", overlay_logical_get_number(logical));
	else if (overlay_logical_get_address(logical, &address) &&
		 (at = overlay_address_endpoint(&address)).length)
		snprintf(out, NP_OVERLAY_LOGICAL_TEXT, "%.21s", np_address_literal(&at).text);
	else
		for (unsigned i = 0; i < logical->size; i++)
			snprintf(out + 2 * i, 3, "%02x", logical->bytes[i]);
	return out;
}
