// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* address: parses text into addresses or networks of them; compares, hashes and prints one. */
#include "address_host.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netperf/field.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>

#define IP_BYTES   16
#define V4_AT	   12 /* an IPv4 address is at the end of its mapped form */
#define BLANKS	   " \t\n\v\f\r"
#define DIGITS	   "0123456789"
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "._-"
#define PORT_MAX   65535
#define BYTE_MAX   255
#define HOST_MAX   (sizeof(((struct np_address *)0)->name) - 1)

/* The host part of an address in one form for both families: IPv4 is mapped into IPv6. */
struct host {
	struct in6_addr ip;
	uint32_t scope; /* the interface of a link-local address, else 0 */
};

static const struct sockaddr_in *v4_of(const struct np_address *address)
{
	return (const struct sockaddr_in *)(const void *)&address->storage;
}

/* Sets family, the 4 or 16 bytes at @ip, and length; the rest stays. */
static void set(struct np_address *address, int family, const void *ip)
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

static struct host host_of(const struct np_address *address)
{
	struct host host = {.ip.s6_addr = {[10] = 0xFF, [11] = 0xFF}};

	if (address->any.sa_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const void *)&address->storage;

		host.ip = v6->sin6_addr;
		if (IN6_IS_ADDR_LINKLOCAL(&host.ip) || IN6_IS_ADDR_MC_LINKLOCAL(&host.ip))
			host.scope = v6->sin6_scope_id;
	} else {
		memcpy(&host.ip.s6_addr[V4_AT], &v4_of(address)->sin_addr, IP_BYTES - V4_AT);
	}
	return host;
}

static bool is_v4(const struct host *host)
{
	return IN6_IS_ADDR_V4MAPPED(&host->ip);
}

bool np_address_is_wildcard(const struct np_address *address)
{
	const struct host host = host_of(address);

	return is_v4(&host) ? !host.ip.s6_addr32[3] : IN6_IS_ADDR_UNSPECIFIED(&host.ip);
}

bool np_address_is_loopback(const struct np_address *address)
{
	const struct host host = host_of(address);

	return is_v4(&host) ? host.ip.s6_addr[V4_AT] == 127 : IN6_IS_ADDR_LOOPBACK(&host.ip);
}

bool np_address_is_multicast(const struct np_address *address)
{
	const struct host host = host_of(address);

	return is_v4(&host) ? host.ip.s6_addr[V4_AT] >> 4 == 0xE : IN6_IS_ADDR_MULTICAST(&host.ip);
}

bool np_address_same_host(const struct np_address *a, const struct np_address *b)
{
	const struct host x = host_of(a), y = host_of(b);

	return IN6_ARE_ADDR_EQUAL(&x.ip, &y.ip) && x.scope == y.scope;
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

/* For hot code, without a copy: whether it is IPv4 or IPv4-mapped, and then its @bits. */
static bool v4_bits(const struct np_address *address, uint32_t *bits)
{
	const struct sockaddr_in6 *v6 = (const void *)&address->storage;

	if (address->any.sa_family != AF_INET6) {
		*bits = v4_of(address)->sin_addr.s_addr;
		return true;
	}
	*bits = v6->sin6_addr.s6_addr32[V4_AT / sizeof(*bits)];
	return IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
}

uint64_t np_address_hash(const struct np_address *address, uint64_t key)
{
	const uint64_t keys[2] = {key, ~key};
	const uint64_t port = (uint64_t)np_address_port(address) << 32;
	uint64_t words[3];
	struct host host;
	uint32_t v4;

	/* 6 bytes: the address and the port. Or 22: between them the scope, too. */
	if (v4_bits(address, &v4)) {
		words[0] = UINT64_C(6) << 56 | port | le32toh(v4);
		return np_siphash(NP_SIPHASH_1_3, keys, words, 1);
	}
	host = host_of(address);
	memcpy(words, &host.ip, IP_BYTES);
	words[0] = le64toh(words[0]);
	words[1] = le64toh(words[1]);
	words[2] = UINT64_C(22) << 56 | port | host.scope;
	return np_siphash(NP_SIPHASH_1_3, keys, words, 3);
}

struct np_address_text np_address_literal(const struct np_address *address)
{
	const struct host host = host_of(address);
	const uint8_t *ip = host.ip.s6_addr;
	char v4[INET_ADDRSTRLEN], scope[IF_NAMESIZE + 1] = "";
	struct np_address_text out;

	if (is_v4(&host)) {
		snprintf(out.text, sizeof(out.text), "%s:%u",
			 inet_ntop(AF_INET, ip + V4_AT, v4, sizeof(v4)), np_address_port(address));
		return out;
	}
	if (host.scope && !if_indextoname(host.scope, scope))
		snprintf(scope, sizeof(scope), "%u", host.scope);
	snprintf(out.text, sizeof(out.text), "[");
	for (size_t i = 0; i < IP_BYTES; i += 2)
		np_text_append(out.text, sizeof(out.text), "%s%x", i ? ":" : "",
			       ip[i] << 8 | ip[i + 1]);
	np_text_append(out.text, sizeof(out.text), "%s%s]:%u", host.scope ? "%" : "", scope,
		       np_address_port(address));
	return out;
}

struct np_address_text np_address_format(const struct np_address *address)
{
	const struct np_address_text literal = np_address_literal(address);
	struct np_address_text out;

	snprintf(out.text, sizeof(out.text), "%s/%.64s", address->name, literal.text);
	return out;
}

/* Decimal digits, up to @max. */
static int parse_number(const char *text, unsigned max, unsigned *number)
{
	uint64_t value = 0;
	int rc = text[strspn(text, DIGITS)] ? -EINVAL : np_units_parse_count(text, 0, max, &value);

	*number = (unsigned)value;
	return rc;
}

/* Takes the first IPv4 address, else the first of all; an IPv4-mapped address as IPv4. */
static int look_up(struct np_address *address, const char *host, int family, int flags)
{
	const struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = flags,
	};
	struct addrinfo *found = NULL;
	const struct addrinfo *at;
	const struct sockaddr_in6 *v6;
	const int rc = getaddrinfo(host, NULL, &hints, &found);

	if (rc == EAI_MEMORY || (rc == EAI_SYSTEM && errno == ENOMEM))
		return -ENOMEM;
	if (rc || !found)
		return rc ? -ENOENT : -EINVAL;
	for (at = found; at && at->ai_family != AF_INET; at = at->ai_next)
		;
	at = at ? at : found;
	v6 = (const void *)at->ai_addr;
	if (at->ai_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		set(address, AF_INET, &v6->sin6_addr.s6_addr[V4_AT]);
	} else {
		address->length = at->ai_addrlen;
		memcpy(&address->storage, at->ai_addr, at->ai_addrlen);
	}
	freeaddrinfo(found);
	return 0;
}

/* Parses IPV6 or [IPV6], optionally with a scope after %. */
static int parse_v6(struct np_address *address, const char *text)
{
	const size_t brackets = *text == '[';
	char host[HOST_MAX + 1], *scope;
	int rc;

	snprintf(host, sizeof(host), "%.*s", (int)(strlen(text) - 2 * brackets), text + brackets);
	rc = look_up(address, host, AF_INET6, AI_NUMERICHOST);
	if (rc != -ENOENT)
		return rc;
	scope = strchr(host, '%');
	if (scope)
		*scope = '\0';
	return scope && scope[1] && !look_up(address, host, AF_INET6, AI_NUMERICHOST) ? -ENODEV
										      : -EINVAL;
}

static int parse_host(struct np_address *address, const char *host, int family)
{
	struct in_addr v4;
	int rc = 0;

	memset(address, 0, sizeof(*address));
	if (strlen(host) > HOST_MAX)
		return -EINVAL;
	if (strchr(host, ':')) {
		rc = parse_v6(address, host);
	} else if (!strcmp(host, "*")) {
		/* The wildcard is IPv4's unless IPv6 is asked for. */
		snprintf(address->name, sizeof(address->name),
			 family == AF_INET6 ? "::" : "0.0.0.0");
		set(address, family == AF_INET6 ? AF_INET6 : AF_INET, &in6addr_any);
	} else if (inet_pton(AF_INET, host, &v4) == 1) {
		set(address, AF_INET, &v4);
	} else if (host[strspn(host, NAME_CHARS)] || !host[strspn(host, DIGITS ".")] ||
		   inet_aton(host, &v4)) {
		/* getaddrinfo would take "127.1", "9999" or "0x7f000001" for addresses. */
		rc = -EINVAL;
	} else if (family == NP_ADDRESS_NUMERIC) {
		rc = -ENOENT;
	} else {
		rc = look_up(address, host, family, 0);
		/* RFC 6761, 6.3: the loopback, even if no resolver or /etc/hosts knows it. */
		if (rc == -ENOENT && !strcasecmp(host, "localhost"))
			rc = look_up(address, family == AF_INET6 ? "::1" : "127.0.0.1", family,
				     AI_NUMERICHOST);
		if (!rc)
			memcpy(address->name, host, strlen(host) + 1); /* at most HOST_MAX */
	}
	if (!rc && family > AF_UNSPEC && address->any.sa_family != family)
		rc = -EAFNOSUPPORT;
	return rc;
}

/* Cuts HOST:PORT..LAST into its parts, of which only the first is required. */
static int take_apart(char *text, char **port, char **last)
{
	char *dots = strstr(text, ".."), *colon = strchr(text, ':');

	*port = *last = NULL;
	/* An IPv6 address without brackets has no port, and others have one colon at most. */
	if (*text != '[' && colon && strchr(colon + 1, ':'))
		return 0;
	if (dots) {
		*dots = '\0';
		*last = dots + 2;
	}
	colon = strchr(text, *text == '[' ? ']' : ':');
	if (*text == '[' && (!colon || (*++colon && *colon != ':')))
		return -EINVAL;
	if (colon && *colon) {
		*colon = '\0';
		*port = colon + 1;
	}
	return *text ? 0 : -EINVAL;
}

/* HOST, HOST:PORT, HOST:FIRST..LAST, or HOST.FIRST..LAST at the default port. */
static int add_address(struct np_address_list *list, char *text, uint16_t default_port, int family)
{
	unsigned number = default_port, end = 0;
	struct np_address address, *item;
	char *port, *last, *dot, host[HOST_MAX + 8];
	int rc = take_apart(text, &port, &last);
	const bool hosts = last && !port;
	size_t size;

	if (!rc && port)
		rc = parse_number(port, PORT_MAX, &number);
	if (!rc && last)
		rc = parse_number(last, port ? PORT_MAX : BYTE_MAX, &end);
	if (!rc && hosts) {
		dot = strrchr(text, '.');
		rc = dot ? parse_number(dot + 1, BYTE_MAX, &number) : -EINVAL;
		if (dot)
			*dot = '\0';
	}
	if (rc)
		return rc;
	if (!last)
		end = number;
	size = (end > number ? end - number : number - end) + (size_t)1;
	if (size > NP_ADDRESS_LIST_MAX - list->count)
		return -ERANGE;
	item = reallocarray(list->item, list->count + size, sizeof(*item));
	if (!item)
		return -ENOMEM;
	list->item = item;
	for (size_t i = 0; i < size && !rc; i++, number += number < end ? 1 : -1u) {
		snprintf(host, sizeof(host), "%s.%u", text, number);
		/* A name is resolved once. */
		if (hosts || !i)
			rc = parse_host(&address, hosts ? host : text, family);
		np_address_set_port(&address, hosts ? default_port : (uint16_t)number);
		if (!rc)
			list->item[list->count++] = address;
	}
	return rc;
}

int np_address_list_parse(struct np_address_list *list, const char *text, uint16_t default_port,
			  int family)
{
	const size_t before = list->count;
	char *copy = strdup(text), *rest, *word;
	int rc = copy ? 0 : -ENOMEM;

	if (!rc && !text[strspn(text, BLANKS)])
		rc = -EINVAL;
	for (word = rc ? NULL : strtok_r(copy, BLANKS, &rest); word && !rc;
	     word = strtok_r(NULL, BLANKS, &rest))
		rc = add_address(list, word, default_port, family);
	free(copy);
	if (rc)
		list->count = before;
	return rc;
}

int np_address_parse(struct np_address *address, const char *text, uint16_t default_port,
		     int family)
{
	struct np_address_list list = {0};
	int rc = np_address_list_parse(&list, text, default_port, family);

	if (!rc && list.count != 1)
		rc = -EINVAL;
	if (!rc)
		*address = list.item[0];
	np_address_list_clear(&list);
	return rc;
}

void np_address_list_clear(struct np_address_list *list)
{
	free(list->item);
	*list = (struct np_address_list){0};
}

/* An array; the last one has no first address. */
struct np_address_networks {
	struct address_network network;
};

bool address_network_has(const struct address_network *network, const struct np_address *address)
{
	const struct host a = host_of(address), b = host_of(&network->first);
	const unsigned bits = network->bits + (is_v4(&b) ? 8 * V4_AT : 0);
	const unsigned whole = bits / 8, rest = bits % 8;

	return is_v4(&a) == is_v4(&b) && !memcmp(&a.ip, &b.ip, whole) &&
	       (!rest || (a.ip.s6_addr[whole] ^ b.ip.s6_addr[whole]) >> (8 - rest) == 0);
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
	if (np_address_parse(&network->first, address, 0, AF_UNSPEC))
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
	char *copy = strdup(text), *rest = copy, *one;
	/* A network takes a character and a comma at least. */
	struct np_address_networks *n = calloc(strlen(text) / 2 + 2, sizeof(*n));
	int rc = copy && n ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && (one = strsep(&rest, ",")); i++)
		rc = address_network_read(&n[i].network, one);
	free(copy);
	if (rc) {
		free(n);
		n = NULL;
	}
	*networks = n;
	return rc == -ENOENT ? -EINVAL : rc;
}

bool np_address_networks_have(const struct np_address_networks *networks,
			      const struct np_address *address)
{
	const struct np_address_networks *n = networks;

	while (n && n->network.first.length && !address_network_has(&n->network, address))
		n++;
	return !n || n->network.first.length;
}

void np_address_networks_free(struct np_address_networks *networks)
{
	free(networks);
}
