// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* place: a count and ports, 2 bytes each, big-endian, then the address as text. */
#include "place.h"

#include <errno.h>
#include <string.h>

static uint8_t *put16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
	return at + 2;
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

size_t place_write(const struct np_address *address, const uint16_t *ports, size_t count,
		   uint8_t *out)
{
	char text[NP_ADDRESS_TEXT];
	const char *literal;
	uint8_t *at = put16(out, count);
	size_t length;

	for (size_t i = 0; i < count; i++)
		at = put16(at, ports[i]);
	/* "HOST/ADDR:PORT" */
	literal = strrchr(np_address_format(address, text), '/') + 1;
	length = strlen(literal);
	memcpy(at, literal, length);
	return (size_t)(at - out) + length;
}

/* A single literal address; names are not looked up. */
static int read_address(const uint8_t *data, size_t bytes, struct np_address *address)
{
	struct np_address_list list = {0};
	char text[NP_ADDRESS_TEXT] = "";
	int rc;

	if (!bytes || bytes >= sizeof(text))
		return -EBADMSG;
	memcpy(text, data, bytes);
	rc = np_address_list_parse_numeric(&list, text, 0);
	if (!rc && list.count == 1)
		*address = list.item[0];
	rc = rc || list.count != 1 ? -EBADMSG : 0;
	np_address_list_clear(&list);
	return rc;
}

int place_read(const void *data, size_t bytes, size_t index, struct np_address *address)
{
	const uint8_t *at = data;
	size_t count, head;
	int rc;

	if (bytes < 2)
		return -EBADMSG;
	count = get16(at);
	head = 2 + 2 * count;
	if (bytes <= head)
		return -EBADMSG;
	if (index >= count || !get16(at + 2 + 2 * index))
		return -ENOENT;
	rc = read_address(at + head, bytes - head, address);
	if (!rc)
		np_address_set_port(address, get16(at + 2 + 2 * index));
	return rc;
}
