// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* address_network: networks, and lists of them. */
#include "address_network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct np_address_networks {
	size_t count;
	struct address_network network[];
};

/* An IPv4 address in IPv6 is that IPv4 address. */
static const uint8_t *octets(const struct np_address *address, unsigned *bits)
{
	const struct sockaddr_in *four = (const void *)&address->storage;
	const struct sockaddr_in6 *six = (const void *)&address->storage;

	*bits = 32;
	if (address->any.sa_family == AF_INET)
		return (const void *)&four->sin_addr;
	if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		return six->sin6_addr.s6_addr + 12;
	*bits = 128;
	return six->sin6_addr.s6_addr;
}

bool address_network_has(const struct address_network *network, const struct np_address *address)
{
	unsigned bits, bits_there;
	const uint8_t *a = octets(address, &bits), *b = octets(&network->first, &bits_there);
	const unsigned whole = network->bits / 8, rest = network->bits % 8;

	return bits == bits_there && !memcmp(a, b, whole) &&
	       (!rest || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

int address_network_read(struct address_network *network, const char *text)
{
	char address[INET6_ADDRSTRLEN + 1] = "";
	const char *slash = strchr(text, '/');
	const size_t length = slash ? (size_t)(slash - text) : strlen(text);
	struct in_addr four;
	uint64_t bits;
	unsigned most;

	*network = (struct address_network){.bits = 0};
	if (length < sizeof(address))
		snprintf(address, sizeof(address), "%.*s", (int)length, text);
	if (!address[0] || (!inet_pton(AF_INET, address, &four) && !strchr(address, ':')))
		return -ENOENT;
	if (np_address_parse(&network->first, address, 0))
		return -EINVAL;
	octets(&network->first, &most);
	network->bits = most;
	if (slash && np_units_parse_count(slash + 1, 0, most, &bits))
		return -EINVAL;
	if (slash)
		network->bits = (unsigned)bits;
	return 0;
}

int np_address_networks_parse(struct np_address_networks **networks, const char *text)
{
	char one[INET6_ADDRSTRLEN + sizeof("/128")];
	struct np_address_networks *n;
	size_t count = 1;
	int rc = 0;

	for (const char *at = text; *at; at++)
		count += *at == ',';
	n = calloc(1, sizeof(*n) + count * sizeof(*n->network));
	*networks = NULL;
	if (!n)
		return -ENOMEM;
	for (; n->count < count && !rc; n->count++) {
		const size_t length = strcspn(text, ",");

		rc = length >= sizeof(one) ? -EINVAL : 0;
		if (!rc) {
			memcpy(one, text, length);
			one[length] = '\0';
			rc = address_network_read(&n->network[n->count], one);
		}
		text += length + 1;
	}
	if (rc) {
		free(n);
		return rc == -ENOENT ? -EINVAL : rc;
	}
	*networks = n;
	return 0;
}

bool np_address_networks_have(const struct np_address_networks *networks,
			      const struct np_address *address)
{
	for (size_t i = 0; networks && i < networks->count; i++) {
		if (address_network_has(&networks->network[i], address))
			return true;
	}
	return !networks;
}

void np_address_networks_free(struct np_address_networks *networks)
{
	free(networks);
}
