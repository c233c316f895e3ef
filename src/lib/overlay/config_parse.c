// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* config_parse: the texts of values: counts, lists of integers, IPv4 addresses with a port. */
#include "config_take.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netperf/units.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* Decimal only: HyperCast knows no other numbers. */
int overlay_parse_count(const char *text, uint32_t min, uint32_t max, uint32_t *value)
{
	uint64_t read;
	int rc;

	if (!*text || text[strspn(text, "0123456789")])
		return -EINVAL;
	rc = np_units_parse_count(text, min, max, &read);
	if (!rc)
		*value = (uint32_t)read;
	return rc;
}

int overlay_parse_endpoint(const char *text, struct overlay_endpoint *endpoint)
{
	const char *colon = strchr(text, ':');
	char host[INET_ADDRSTRLEN];
	struct in_addr ip;
	uint32_t port;
	int rc;

	if (!colon || (size_t)(colon - text) >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, (size_t)(colon - text));
	host[colon - text] = '\0';
	if (inet_pton(AF_INET, host, &ip) != 1)
		return -EINVAL;
	rc = overlay_parse_count(colon + 1, 0, UINT16_MAX, &port);
	if (!rc)
		*endpoint = (struct overlay_endpoint){ntohl(ip.s_addr), (uint16_t)port};
	return rc;
}

/* Returns what follows the number, or NULL with *@rc. */
static const char *integer(const char *text, int32_t *value, int *rc)
{
	const char *digits;
	uint32_t read;
	char copy[16];
	size_t length;
	bool minus;

	*rc = -EINVAL;
	text += strspn(text, BLANKS);
	minus = *text == '-';
	digits = text + minus;
	length = strspn(digits, "0123456789");
	if (length >= sizeof(copy))
		return NULL;
	memcpy(copy, digits, length);
	copy[length] = '\0';
	*rc = overlay_parse_count(copy, 0, (uint32_t)INT32_MAX + minus, &read);
	if (*rc)
		return NULL;
	*value = (int32_t)(minus ? -(int64_t)read : (int64_t)read);
	digits += length;
	return digits + strspn(digits, BLANKS);
}

int overlay_parse_integers(const char *text, int32_t *value, unsigned count)
{
	int rc = 0;

	for (unsigned i = 0; i < count; i++) {
		text = integer(text, &value[i], &rc);
		if (!text)
			return rc;
		if (*text++ != (i + 1 < count ? ',' : '\0'))
			return -EINVAL;
	}
	return 0;
}
