// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* identity: converts identities from and to socket addresses and text. */
#include "identity.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

struct identity identity_of(const struct np_address *address)
{
	struct identity id = {};

	if (address->any.sa_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)&address->storage;

		memcpy(id.ip, mapped, sizeof(mapped));
		memcpy(id.ip + 12, &in->sin_addr, 4);
		memcpy(id.port, &in->sin_port, 2);
	} else if (address->any.sa_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const void *)&address->storage;

		memcpy(id.ip, &in->sin6_addr, 16);
		memcpy(id.port, &in->sin6_port, 2);
	}
	return id;
}

bool identity_is_ipv4(const struct identity *identity)
{
	return !memcmp(identity->ip, mapped, sizeof(mapped));
}

struct np_address identity_address(const struct identity *identity)
{
	struct np_address address = {};

	if (identity_is_ipv4(identity)) {
		struct sockaddr_in *in = (void *)&address.storage;

		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, identity->ip + 12, 4);
		memcpy(&in->sin_port, identity->port, 2);
		address.length = sizeof(*in);
	} else {
		struct sockaddr_in6 *in = (void *)&address.storage;

		in->sin6_family = AF_INET6;
		memcpy(&in->sin6_addr, identity->ip, 16);
		memcpy(&in->sin6_port, identity->port, 2);
		address.length = sizeof(*in);
	}
	return address;
}

char *identity_format(const struct identity *identity, char out[IDENTITY_TEXT])
{
	unsigned port = (unsigned)identity->port[0] << 8 | identity->port[1];
	char ip[INET6_ADDRSTRLEN];

	if (identity_is_ipv4(identity)) {
		inet_ntop(AF_INET, identity->ip + 12, ip, sizeof(ip));
		snprintf(out, IDENTITY_TEXT, "%s:%u", ip, port);
	} else {
		inet_ntop(AF_INET6, identity->ip, ip, sizeof(ip));
		snprintf(out, IDENTITY_TEXT, "[%s]:%u", ip, port);
	}
	return out;
}

int identity_parse(const char *text, struct identity *identity)
{
	const char *colon = strrchr(text, ':');
	const size_t length = colon ? (size_t)(colon - text) : 0;
	const bool bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
	char host[INET6_ADDRSTRLEN];
	uint64_t port;

	if (!colon || np_units_parse_count(colon + 1, 0, UINT16_MAX, &port) ||
	    length - 2 * bracketed >= sizeof(host))
		return -EINVAL;
	snprintf(host, sizeof(host), "%.*s", (int)length - 2 * bracketed, text + bracketed);
	memcpy(identity->ip, mapped, sizeof(mapped));
	if (inet_pton(bracketed ? AF_INET6 : AF_INET, host, identity->ip + (bracketed ? 0 : 12)) !=
	    1)
		return -EINVAL;
	identity->port[0] = (uint8_t)(port >> 8);
	identity->port[1] = (uint8_t)port;
	return 0;
}
