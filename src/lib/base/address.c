// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* address: queries, compares, hashes and formats an address, or finds it in networks. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netperf/address.h>

#include "address_host.h"
#include <netperf/siphash.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IP_BYTES 16
#define V4_AT	 12 /* an IPv4 address is at the end of its mapped form */

/* The host part of an address in one form for both families: IPv4 is mapped into IPv6. */
struct host {
	uint8_t ip[IP_BYTES];
	uint32_t scope; /* the interface of a link-local address, else 0 */
};

static const uint8_t mapped_prefix[V4_AT] = {[10] = 0xFF, [11] = 0xFF};

static const struct sockaddr_in *v4_of(const struct np_address *address)
{
	return (const struct sockaddr_in *)(const void *)&address->storage;
}

static const struct sockaddr_in6 *v6_of(const struct np_address *address)
{
	return (const struct sockaddr_in6 *)(const void *)&address->storage;
}

void address_set(struct np_address *address, int family, const void *ip)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)&address->storage;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)&address->storage;

	address->any.sa_family = (sa_family_t)family;
	address->length = family == AF_INET6 ? sizeof(*v6) : sizeof(*v4);
	if (family == AF_INET6)
		memcpy(&v6->sin6_addr, ip, sizeof(v6->sin6_addr));
	else
		memcpy(&v4->sin_addr, ip, sizeof(v4->sin_addr));
}

void address_set_loopback(struct np_address *address, int family)
{
	const struct in_addr v4 = {.s_addr = htonl(INADDR_LOOPBACK)};

	*address = (struct np_address){.length = 0};
	if (family == AF_INET6)
		address_set(address, AF_INET6, &in6addr_loopback);
	else
		address_set(address, AF_INET, &v4);
}

static struct host host_of(const struct np_address *address)
{
	struct host host = {.scope = 0};

	if (address->any.sa_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = v6_of(address);

		memcpy(host.ip, &v6->sin6_addr, IP_BYTES);
		if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr) ||
		    IN6_IS_ADDR_MC_LINKLOCAL(&v6->sin6_addr))
			host.scope = v6->sin6_scope_id;
	} else {
		memcpy(host.ip, mapped_prefix, V4_AT);
		memcpy(host.ip + V4_AT, &v4_of(address)->sin_addr, IP_BYTES - V4_AT);
	}
	return host;
}

static bool is_v4(const struct host *host)
{
	return !memcmp(host->ip, mapped_prefix, V4_AT);
}

bool np_address_is_wildcard(const struct np_address *address)
{
	static const uint8_t nothing[IP_BYTES];
	const struct host host = host_of(address);
	const size_t from = is_v4(&host) ? V4_AT : 0;

	return !memcmp(host.ip + from, nothing, IP_BYTES - from);
}

bool np_address_is_loopback(const struct np_address *address)
{
	static const uint8_t v6[IP_BYTES] = {[15] = 1};
	const struct host host = host_of(address);

	return is_v4(&host) ? host.ip[V4_AT] == 127 : !memcmp(host.ip, v6, IP_BYTES);
}

bool np_address_is_multicast(const struct np_address *address)
{
	const struct host host = host_of(address);

	return is_v4(&host) ? host.ip[V4_AT] >> 4 == 0xE : host.ip[0] == 0xFF;
}

bool np_address_same_host(const struct np_address *a, const struct np_address *b)
{
	const struct host x = host_of(a), y = host_of(b);

	return !memcmp(x.ip, y.ip, IP_BYTES) && x.scope == y.scope;
}

bool np_address_equal(const struct np_address *a, const struct np_address *b)
{
	return np_address_port(a) == np_address_port(b) && np_address_same_host(a, b);
}

/* The port is at the same place in both families. */
uint16_t np_address_port(const struct np_address *address)
{
	return ntohs(v4_of(address)->sin_port);
}

void np_address_set_port(struct np_address *address, uint16_t port)
{
	((struct sockaddr_in *)(void *)&address->storage)->sin_port = htons(port);
}

uint64_t np_address_hash(const struct np_address *address, uint64_t key)
{
	const struct host host = host_of(address);
	const uint64_t keys[2] = {key, ~key};
	uint64_t words[3];

	memcpy(words, host.ip, IP_BYTES);
	words[0] = le64toh(words[0]);
	words[1] = le64toh(words[1]);
	/* 22 bytes: the address, the scope and the port. */
	words[2] = UINT64_C(22) << 56 | (uint64_t)np_address_port(address) << 32 | host.scope;
	return np_siphash(NP_SIPHASH_1_3, keys, words, 3);
}

static void print_v6(const struct host *host, char *out, size_t room)
{
	char scope[IF_NAMESIZE + 1] = "";

	if (host->scope) {
		scope[0] = '%';
		if (!if_indextoname(host->scope, scope + 1))
			snprintf(scope, sizeof(scope), "%%%u", host->scope);
	}

	const uint8_t *ip = host->ip;

	snprintf(out, room, "[%x:%x:%x:%x:%x:%x:%x:%x%s]", ip[0] << 8 | ip[1], ip[2] << 8 | ip[3],
		 ip[4] << 8 | ip[5], ip[6] << 8 | ip[7], ip[8] << 8 | ip[9], ip[10] << 8 | ip[11],
		 ip[12] << 8 | ip[13], ip[14] << 8 | ip[15], scope);
}

char *np_address_format(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	const struct host host = host_of(address);
	char ip[64];

	if (is_v4(&host))
		inet_ntop(AF_INET, host.ip + V4_AT, ip, sizeof(ip));
	else
		print_v6(&host, ip, sizeof(ip));
	snprintf(out, NP_ADDRESS_TEXT, "%s/%s:%u", address->name, ip, np_address_port(address));
	return out;
}

struct np_address_networks {
	size_t count;
	struct address_network network[];
};

bool address_network_has(const struct address_network *network, const struct np_address *address)
{
	const struct host a = host_of(address), b = host_of(&network->first);
	const unsigned bits = network->bits + (is_v4(&b) ? 8 * V4_AT : 0);
	const unsigned whole = bits / 8, rest = bits % 8;

	return is_v4(&a) == is_v4(&b) && !memcmp(a.ip, b.ip, whole) &&
	       (!rest || (a.ip[whole] ^ b.ip[whole]) >> (8 - rest) == 0);
}

int address_network_read(struct address_network *network, const char *text)
{
	char address[INET6_ADDRSTRLEN + 1] = "";
	const char *slash = strchr(text, '/');
	const size_t length = slash ? (size_t)(slash - text) : strlen(text);
	struct in_addr four;
	struct host first;
	uint64_t bits;
	unsigned most;

	*network = (struct address_network){.bits = 0};
	if (length < sizeof(address))
		snprintf(address, sizeof(address), "%.*s", (int)length, text);
	if (!address[0] || (!inet_pton(AF_INET, address, &four) && !strchr(address, ':')))
		return -ENOENT;
	if (np_address_parse(&network->first, address, 0))
		return -EINVAL;
	first = host_of(&network->first);
	most = is_v4(&first) ? 32 : 128;
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
