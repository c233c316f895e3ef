// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* address_parse: parses text into a list of addresses. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netperf/address.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS	   " \t\n\v\f\r"
#define DIGITS	   "0123456789"
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "._-"
#define PORT_MAX   65535
#define BYTE_MAX   255
#define HOST_MAX   (sizeof(((struct np_address *)0)->name) - 1)

/* The start and end of a part of the text; begin is NULL when it is missing. */
struct part {
	const char *begin;
	const char *end;
};

/* How hosts are found. */
struct rules {
	int family; /* AF_UNSPEC: IPv4 before IPv6 */
	bool resolve;
};

/* The parts of HOST:PORT..LAST, of which only HOST is required. */
struct parts {
	struct part host;
	struct part port;
	struct part last;
};

static size_t length_of(const struct part *part)
{
	return (size_t)(part->end - part->begin);
}

/* Parses decimal digits, up to @max. */
static int parse_number(const struct part *part, unsigned max, unsigned *number)
{
	const size_t length = length_of(part);
	bool too_large = false;

	*number = 0;
	if (!length)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		const char c = part->begin[i];

		if (c < '0' || c > '9')
			return -EINVAL;
		if (!too_large)
			*number = *number * 10 + (unsigned)(c - '0');
		too_large |= *number > max;
	}
	return too_large ? -ERANGE : 0;
}

/* An IPv6 address without brackets has no port, and other addresses have one colon at most. */
static bool is_bare_v6(const struct part *text)
{
	const char *colon = memchr(text->begin, ':', length_of(text));

	return colon && *text->begin != '[' &&
	       memchr(colon + 1, ':', (size_t)(text->end - colon - 1));
}

static int take_apart(struct part text, struct parts *parts)
{
	const char *dots = memmem(text.begin, length_of(&text), "..", 2);
	const char *colon;

	memset(parts, 0, sizeof(*parts));
	if (is_bare_v6(&text)) {
		parts->host = text;
		return 0;
	}
	if (dots) {
		parts->last = (struct part){dots + 2, text.end};
		text.end = dots;
	}
	parts->host = text;
	if (length_of(&text) && *text.begin == '[') {
		colon = memchr(text.begin, ']', length_of(&text));
		if (!colon || (++colon != text.end && *colon != ':'))
			return -EINVAL;
	} else {
		colon = memchr(text.begin, ':', length_of(&text));
	}
	if (colon && colon != text.end) {
		parts->host.end = colon;
		parts->port = (struct part){colon + 1, text.end};
	}
	return length_of(&parts->host) ? 0 : -EINVAL;
}

static void set_v4(struct np_address *address, const void *ip)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)&address->storage;

	v4->sin_family = AF_INET;
	memcpy(&v4->sin_addr, ip, sizeof(v4->sin_addr));
	address->length = sizeof(*v4);
}

/* Stores what getaddrinfo found; an IPv4-mapped address as IPv4. */
static void set_found(struct np_address *address, const struct addrinfo *found)
{
	const struct sockaddr_in6 *v6 = (const void *)found->ai_addr;

	if (found->ai_family == AF_INET) {
		set_v4(address, &((const struct sockaddr_in *)(const void *)v6)->sin_addr);
	} else if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		set_v4(address, &v6->sin6_addr.s6_addr[12]);
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

/* The first IPv4 address, else the first of all. */
static const struct addrinfo *choose(const struct addrinfo *found)
{
	for (const struct addrinfo *at = found; at; at = at->ai_next) {
		if (at->ai_family == AF_INET)
			return at;
	}
	return found;
}

static int look_up(struct np_address *address, const char *host, int family, int flags)
{
	const struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = flags,
	};
	struct addrinfo *found = NULL;
	const int rc = error_of(getaddrinfo(host, NULL, &hints, &found));

	if (rc)
		return rc;
	set_found(address, choose(found));
	freeaddrinfo(found);
	return 0;
}

/* Parses IPV6 or [IPV6], optionally with a scope after %. */
static int parse_v6(struct np_address *address, char *host)
{
	const size_t length = strlen(host);
	char *scope = strchr(host, '%');
	struct in6_addr ip;
	int rc = -EINVAL;

	if (*host == '[') {
		host[length - 1] = '\0';
		host++;
	}
	if (scope)
		*scope = '\0';
	if (inet_pton(AF_INET6, host, &ip) != 1)
		return rc;
	if (scope)
		*scope = '%';
	/* The address was valid by itself: only the scope can fail. */
	rc = look_up(address, host, AF_INET6, AI_NUMERICHOST);
	return rc == -ENOENT ? -EINVAL : rc;
}

static void set_v6(struct np_address *address, const struct in6_addr *ip)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)&address->storage;

	v6->sin6_family = AF_INET6;
	v6->sin6_addr = *ip;
	address->length = sizeof(*v6);
}

static void set_loopback(struct np_address *address, int family)
{
	if (family == AF_INET6)
		set_v6(address, &in6addr_loopback);
	else
		set_v4(address, &(struct in_addr){.s_addr = htonl(INADDR_LOOPBACK)});
}

static int parse_name(struct np_address *address, const char *name, const struct rules *rules)
{
	struct in_addr shorthand;

	/* getaddrinfo would take "127.1", "9999" or "0x7f000001" for addresses. */
	if (name[strspn(name, NAME_CHARS)] || !name[strspn(name, DIGITS ".")] ||
	    inet_aton(name, &shorthand))
		return -EINVAL;

	int rc = rules->resolve ? look_up(address, name, rules->family, 0) : -ENOENT;

	/* RFC 6761, 6.3: this name is the loopback's even if no resolver or /etc/hosts knows it. */
	if (rules->resolve && rc == -ENOENT && !strcasecmp(name, "localhost")) {
		set_loopback(address, rules->family);
		rc = 0;
	}
	if (!rc)
		snprintf(address->name, sizeof(address->name), "%s", name);
	return rc;
}

/* The wildcard is IPv4's unless IPv6 is asked for. */
static int parse_wildcard(struct np_address *address, int family)
{
	snprintf(address->name, sizeof(address->name), family == AF_INET6 ? "::" : "0.0.0.0");
	if (family == AF_INET6)
		set_v6(address, &in6addr_any);
	else
		set_v4(address, &(struct in_addr){.s_addr = htonl(INADDR_ANY)});
	return 0;
}

static int parse_any_host(struct np_address *address, char *host, const struct rules *rules)
{
	struct in_addr v4;

	if (strchr(host, ':'))
		return parse_v6(address, host);
	if (!strcmp(host, "*"))
		return parse_wildcard(address, rules->family);
	if (inet_pton(AF_INET, host, &v4) != 1)
		return parse_name(address, host, rules);
	set_v4(address, &v4);
	return 0;
}

static int parse_host(struct np_address *address, const struct part *part,
		      const struct rules *rules)
{
	char host[HOST_MAX + 1];
	int rc;

	memset(address, 0, sizeof(*address));
	if (length_of(part) > HOST_MAX)
		return -EINVAL;
	memcpy(host, part->begin, length_of(part));
	host[length_of(part)] = '\0';
	rc = parse_any_host(address, host, rules);
	if (!rc && rules->family != AF_UNSPEC && address->any.sa_family != rules->family)
		rc = -EAFNOSUPPORT;
	return rc;
}

/* Makes room for @more items at the end of @list. */
static int reserve(struct np_address_list *list, size_t more)
{
	if (more > NP_ADDRESS_LIST_MAX - list->count)
		return -ERANGE;

	void *item = reallocarray(list->item, list->count + more, sizeof(*list->item));

	if (!item)
		return -ENOMEM;
	list->item = item;
	return 0;
}

static size_t range_size(unsigned first, unsigned last)
{
	return (first < last ? last - first : first - last) + 1;
}

static unsigned range_next(unsigned at, unsigned last)
{
	return at < last ? at + 1 : at - 1;
}

static int add_ports(struct np_address_list *list, const struct part *host, unsigned first,
		     unsigned last, const struct rules *rules)
{
	const size_t size = range_size(first, last);
	struct np_address address;
	int rc = reserve(list, size);

	if (!rc)
		rc = parse_host(&address, host, rules);
	if (rc)
		return rc;
	for (size_t i = 0; i < size; i++, first = range_next(first, last)) {
		np_address_set_port(&address, (uint16_t)first);
		list->item[list->count++] = address;
	}
	return 0;
}

/*
 * Adds the hosts from @part, whose last number is the first, up to the one with @last in its place.
 */
static int add_hosts(struct np_address_list *list, const struct part *part, unsigned last,
		     uint16_t port, const struct rules *rules)
{
	const char *dot = memrchr(part->begin, '.', length_of(part));
	unsigned first;

	if (!dot)
		return -EINVAL;

	const struct part number = {dot + 1, part->end};
	const int prefix = (int)(number.begin - part->begin);
	int rc = parse_number(&number, BYTE_MAX, &first);

	if (!rc && (size_t)prefix > HOST_MAX)
		rc = -EINVAL;

	const size_t size = range_size(first, last);

	for (size_t i = 0; i < size && !rc; i++, first = range_next(first, last)) {
		char text[HOST_MAX + 8];
		const int length =
			snprintf(text, sizeof(text), "%.*s%u", prefix, part->begin, first);
		const struct part host = {text, text + length};

		rc = add_ports(list, &host, port, port, rules);
	}
	return rc;
}

static int add_address(struct np_address_list *list, struct part text, uint16_t default_port,
		       const struct rules *rules)
{
	unsigned first = default_port, last;
	struct parts parts;
	int rc = take_apart(text, &parts);

	if (!rc && parts.port.begin)
		rc = parse_number(&parts.port, PORT_MAX, &first);
	last = first;
	if (!rc && parts.last.begin)
		rc = parse_number(&parts.last, parts.port.begin ? PORT_MAX : BYTE_MAX, &last);
	if (rc)
		return rc;
	if (parts.last.begin && !parts.port.begin)
		return add_hosts(list, &parts.host, last, default_port, rules);
	return add_ports(list, &parts.host, first, last, rules);
}

static int parse_list(struct np_address_list *list, const char *text, uint16_t default_port,
		      const struct rules *rules)
{
	const size_t before = list->count;
	int rc = 0;

	text += strspn(text, BLANKS);
	if (!*text)
		return -EINVAL;
	while (*text && !rc) {
		const struct part part = {text, text + strcspn(text, BLANKS)};

		rc = add_address(list, part, default_port, rules);
		text = part.end + strspn(part.end, BLANKS);
	}
	if (rc)
		list->count = before;
	return rc;
}

int np_address_list_parse(struct np_address_list *list, const char *text, uint16_t default_port,
			  int family)
{
	return parse_list(list, text, default_port, &(struct rules){family, true});
}

int np_address_list_parse_numeric(struct np_address_list *list, const char *text,
				  uint16_t default_port)
{
	return parse_list(list, text, default_port, &(struct rules){AF_UNSPEC, false});
}

int np_address_parse_family(struct np_address *address, const char *text, uint16_t default_port,
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

int np_address_parse(struct np_address *address, const char *text, uint16_t default_port)
{
	return np_address_parse_family(address, text, default_port, AF_UNSPEC);
}

void np_address_list_clear(struct np_address_list *list)
{
	free(list->item);
	*list = (struct np_address_list){0};
}
