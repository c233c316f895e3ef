// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* address_parse: parses text into a list of addresses. */
#include "address_host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS	   " \t\n\v\f\r"
#define DIGITS	   "0123456789"
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "._-"
#define PORT_MAX   65535
#define BYTE_MAX   255
#define HOST_MAX   (sizeof(((struct np_address *)0)->name) - 1)

/* In place of a family: any, but no name is resolved. */
#define NUMERIC (-1)

/* The parts of HOST:PORT..LAST, of which only HOST is required. */
struct parts {
	char *host, *port, *last;
};

/* Decimal digits, up to @max. */
static int parse_number(const char *text, unsigned max, unsigned *number)
{
	uint64_t value = 0;
	int rc = text[strspn(text, DIGITS)] ? -EINVAL : np_units_parse_count(text, 0, max, &value);

	*number = (unsigned)value;
	return rc;
}

/* Cuts @text into its parts. */
static int take_apart(char *text, struct parts *parts)
{
	char *dots = strstr(text, ".."), *colon = strchr(text, ':');

	*parts = (struct parts){.host = text};
	/* An IPv6 address without brackets has no port, and other addresses have one colon at most.
	 */
	if (*text != '[' && colon && strchr(colon + 1, ':'))
		return 0;
	if (dots) {
		*dots = '\0';
		parts->last = dots + 2;
	}
	if (*text == '[') {
		colon = strchr(text, ']');
		if (!colon || (*++colon && *colon != ':'))
			return -EINVAL;
	} else {
		colon = strchr(text, ':');
	}
	if (colon && *colon) {
		*colon = '\0';
		parts->port = colon + 1;
	}
	return *text ? 0 : -EINVAL;
}

/* Stores what getaddrinfo found; an IPv4-mapped address as IPv4. */
static void set_found(struct np_address *address, const struct addrinfo *found)
{
	const struct sockaddr_in6 *v6 = (const void *)found->ai_addr;

	if (found->ai_family == AF_INET) {
		address_set(address, AF_INET,
			    &((const struct sockaddr_in *)(const void *)v6)->sin_addr);
	} else if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		address_set(address, AF_INET, &v6->sin6_addr.s6_addr[12]);
	} else {
		memcpy(&address->storage, v6, sizeof(*v6));
		address->length = sizeof(*v6);
	}
}

static int error_of(int gai)
{
	switch (gai) {
	case 0: return 0;
	case EAI_MEMORY: return -ENOMEM;
	case EAI_SYSTEM: return errno == ENOMEM ? -ENOMEM : -ENOENT;
	default: return -ENOENT;
	}
}

/* Takes the first IPv4 address, else the first of all. */
static int look_up(struct np_address *address, const char *host, int family, int flags)
{
	const struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = flags,
	};
	struct addrinfo *found = NULL;
	const struct addrinfo *at;
	const int rc = error_of(getaddrinfo(host, NULL, &hints, &found));

	if (rc || !found)
		return rc ? rc : -EINVAL;
	for (at = found; at && at->ai_family != AF_INET; at = at->ai_next)
		;
	set_found(address, at ? at : found);
	freeaddrinfo(found);
	return 0;
}

/* Parses IPV6 or [IPV6], optionally with a scope after %. */
static int parse_v6(struct np_address *address, const char *text)
{
	char host[HOST_MAX + 1], *scope;
	const size_t brackets = *text == '[';
	struct in6_addr ip;
	bool valid;
	int rc;

	snprintf(host, sizeof(host), "%.*s", (int)(strlen(text) - 2 * brackets), text + brackets);
	scope = strchr(host, '%');
	if (scope)
		*scope = '\0';
	valid = inet_pton(AF_INET6, host, &ip) == 1;
	if (scope)
		*scope = '%';
	/* The address was valid by itself: only the scope can fail. */
	rc = valid ? look_up(address, host, AF_INET6, AI_NUMERICHOST) : -EINVAL;
	return rc == -ENOENT ? -EINVAL : rc;
}

static int parse_name(struct np_address *address, const char *name, int family)
{
	struct in_addr shorthand;
	int rc = -ENOENT;

	/* getaddrinfo would take "127.1", "9999" or "0x7f000001" for addresses. */
	if (name[strspn(name, NAME_CHARS)] || !name[strspn(name, DIGITS ".")] ||
	    inet_aton(name, &shorthand))
		return -EINVAL;
	if (family != NUMERIC)
		rc = look_up(address, name, family, 0);
	/* RFC 6761, 6.3: this name is the loopback's even if no resolver or /etc/hosts knows it. */
	if (rc == -ENOENT && family != NUMERIC && !strcasecmp(name, "localhost")) {
		address_set_loopback(address, family);
		rc = 0;
	}
	if (!rc)
		snprintf(address->name, sizeof(address->name), "%s", name);
	return rc;
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
		address_set(address, family == AF_INET6 ? AF_INET6 : AF_INET, &in6addr_any);
	} else if (inet_pton(AF_INET, host, &v4) == 1) {
		address_set(address, AF_INET, &v4);
	} else {
		rc = parse_name(address, host, family);
	}
	if (!rc && family > AF_UNSPEC && address->any.sa_family != family)
		rc = -EAFNOSUPPORT;
	return rc;
}

static size_t range_size(unsigned first, unsigned last)
{
	return (first < last ? last - first : first - last) + 1;
}

static unsigned range_next(unsigned at, unsigned last)
{
	return at < last ? at + 1 : at - 1;
}

static int add_ports(struct np_address_list *list, const char *host, unsigned first, unsigned last,
		     int family)
{
	const size_t size = range_size(first, last);
	struct np_address address, *item;
	int rc;

	if (size > NP_ADDRESS_LIST_MAX - list->count)
		return -ERANGE;
	item = reallocarray(list->item, list->count + size, sizeof(*item));
	if (!item)
		return -ENOMEM;
	list->item = item;
	rc = parse_host(&address, host, family);
	if (rc)
		return rc;
	for (size_t i = 0; i < size; i++, first = range_next(first, last)) {
		np_address_set_port(&address, (uint16_t)first);
		list->item[list->count++] = address;
	}
	return 0;
}

/* Adds the hosts from @host up to the one with @last in place of its last number. */
static int add_hosts(struct np_address_list *list, char *host, unsigned last, uint16_t port,
		     int family)
{
	char *dot = strrchr(host, '.'), text[HOST_MAX + 8];
	unsigned first;
	size_t size;
	int rc;

	if (!dot)
		return -EINVAL;
	rc = parse_number(dot + 1, BYTE_MAX, &first);
	*dot = '\0';
	if (!rc && strlen(host) >= HOST_MAX)
		rc = -EINVAL;
	size = range_size(first, last);
	for (size_t i = 0; i < size && !rc; i++, first = range_next(first, last)) {
		snprintf(text, sizeof(text), "%s.%u", host, first);
		rc = add_ports(list, text, port, port, family);
	}
	return rc;
}

static int add_address(struct np_address_list *list, char *text, uint16_t default_port, int family)
{
	unsigned first = default_port, last;
	struct parts parts;
	int rc = take_apart(text, &parts);

	if (!rc && parts.port)
		rc = parse_number(parts.port, PORT_MAX, &first);
	last = first;
	if (!rc && parts.last)
		rc = parse_number(parts.last, parts.port ? PORT_MAX : BYTE_MAX, &last);
	if (rc)
		return rc;
	if (parts.last && !parts.port)
		return add_hosts(list, parts.host, last, default_port, family);
	return add_ports(list, parts.host, first, last, family);
}

static int parse_list(struct np_address_list *list, const char *text, uint16_t default_port,
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

int np_address_list_parse(struct np_address_list *list, const char *text, uint16_t default_port,
			  int family)
{
	return parse_list(list, text, default_port, family);
}

int np_address_list_parse_numeric(struct np_address_list *list, const char *text,
				  uint16_t default_port)
{
	return parse_list(list, text, default_port, NUMERIC);
}

int np_address_parse_family(struct np_address *address, const char *text, uint16_t default_port,
			    int family)
{
	struct np_address_list list = {0};
	int rc = parse_list(&list, text, default_port, family);

	if (!rc && list.count != 1)
		rc = -EINVAL;
	if (!rc)
		*address = list.item[0];
	np_address_list_clear(&list);
	return rc;
}

int np_address_parse(struct np_address *address, const char *text, uint16_t default_port)
{
	return np_address_parse_family(address, text, default_port, AF_UNSPEC);
}

void np_address_list_clear(struct np_address_list *list)
{
	free(list->item);
	*list = (struct np_address_list){0};
}
