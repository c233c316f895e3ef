// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* place: a count and ports, 2 bytes each, big-endian, then the address as text. */
#include "mesh.h"

#include <errno.h>
#include <netperf/field.h>
#include <string.h>

size_t place_write(const struct np_address *address, const uint16_t *ports, size_t count,
		   uint8_t *out)
{
	char text[NP_ADDRESS_TEXT];
	const char *literal;
	uint8_t *at = out + 2 + 2 * count;
	size_t length;

	np_field_put16(out, (uint16_t)count);
	for (size_t i = 0; i < count; i++)
		np_field_put16(out + 2 + 2 * i, ports[i]);
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
	count = np_field_get16(at);
	head = 2 + 2 * count;
	if (bytes <= head)
		return -EBADMSG;
	if (index >= count || !np_field_get16(at + 2 + 2 * index))
		return -ENOENT;
	rc = read_address(at + head, bytes - head, address);
	if (!rc)
		np_address_set_port(address, np_field_get16(at + 2 + 2 * index));
	return rc;
}
