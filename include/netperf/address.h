/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * address: UDP and TCP endpoints as users write them: HOST:PORT, HOST, [IPV6]:PORT, IPV6,
 * *:PORT, and ranges HOST:FIRST..LAST and A.B.C.FIRST..LAST, ascending or descending; names are
 * resolved (getaddrinfo). An IPv4-mapped IPv6 address becomes that IPv4 address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* The most addresses in one list, and so the limit of a range. */
#define NP_ADDRESS_LIST_MAX 4096

struct np_address {
	union {
		struct sockaddr any;
		struct sockaddr_storage storage;
	};
	socklen_t length;
	char name[256]; /* the host name as given; "" for a literal address */
};

struct np_address_list {
	struct np_address *item;
	size_t count;
};

/*
 * Appends the addresses in @text, separated by white space, in their order; duplicates are kept. An
 * address without a port gets @default_port. @family: AF_INET, AF_INET6, or AF_UNSPEC for both. A
 * name gives an address of it, of both the first IPv4 address, else the first IPv6 address; "*"
 * gives its wildcard, of both IPv4's, with the name "0.0.0.0"; a literal address of the other
 * family gives -EAFNOSUPPORT. NP_ADDRESS_NUMERIC: of both, but without a resolver, so that every
 * name gives -ENOENT. "localhost" is resolved like any other name, and is 127.0.0.1 where neither
 * /etc/hosts nor a resolver knows it (RFC 6761); a caller that means np_address_of_this_host by it
 * checks for that name. Returns 0, -EINVAL (malformed), -ERANGE (a port beyond 65535, a range
 * beyond 255 or 65535, or a list of more than NP_ADDRESS_LIST_MAX), -ENOENT (no such host),
 * -ENODEV (no such interface after "%"), or -ENOMEM; on failure *@list is unchanged.
 */
#define NP_ADDRESS_NUMERIC (-1)
int np_address_list_parse(struct np_address_list *list, const char *text, uint16_t default_port,
			  int family);

/* Parses the one address in @text. Returns as the function for lists does, -EINVAL for several. */
int np_address_parse(struct np_address *address, const char *text, uint16_t default_port,
		     int family);

void np_address_list_clear(struct np_address_list *list);

/*
 * The address of @family (AF_UNSPEC: any) by which others reach this host: neither loopback nor
 * link-local, of the running interface with the highest MTU, IPv4 before IPv6. When there is none:
 * 127.0.0.1, or ::1 of AF_INET6. Returns 0 or -errno.
 */
int np_address_of_this_host(struct np_address *address, int family, uint16_t port);

struct np_address_networks;

/*
 * The networks in @text, separated by commas: "10.1.0.0/16,fd00::/64,192.0.2.7". Returns 0, -EINVAL
 * or -ENOMEM; on failure *@networks is NULL.
 */
int np_address_networks_parse(struct np_address_networks **networks, const char *text);

/* Whether @address is in one of them; NULL: every address is. */
bool np_address_networks_have(const struct np_address_networks *networks,
			      const struct np_address *address);
void np_address_networks_free(struct np_address_networks *networks);

/* Whether an interface of this host has the address, or it is of 127/8; not for the wildcard. */
bool np_address_is_local(const struct np_address *address);

/*
 * The address of this host, without a port, from which it would send to @to by its routes; @device:
 * by that interface, NULL: any. Sends nothing. Returns 0 or -errno.
 */
int np_address_toward(const struct np_address *to, const char *device, struct np_address *local);

bool np_address_is_wildcard(const struct np_address *address);
bool np_address_is_loopback(const struct np_address *address);
bool np_address_is_multicast(const struct np_address *address);
/* True when this host would send to that address by broadcast, by its present routes. */
bool np_address_is_broadcast(const struct np_address *address);

/*
 * True for the same family, address and port; names do not matter. IPv4-mapped IPv6 equals IPv4;
 * link-local addresses of different interfaces differ.
 */
bool np_address_equal(const struct np_address *a, const struct np_address *b);
bool np_address_same_host(const struct np_address *a, const struct np_address *b);

/*
 * A hash over what np_address_equal compares, by SipHash-1-3 under @key: without the key nobody can
 * construct collisions.
 */
uint64_t np_address_hash(const struct np_address *address, uint64_t key);

uint16_t np_address_port(const struct np_address *address);
void np_address_set_port(struct np_address *address, uint16_t port);

/*
 * "NAME/IP:PORT", or "/IP:PORT" for a literal; IPv6 in brackets, uncompressed
 * ("/[0:0:0:0:0:0:0:1]:9999"), "*" as "0.0.0.0/0.0.0.0:9998", as Java prints them. As an
 * argument, f(np_address_format(a).text), it lives until f returns.
 */
#define NP_ADDRESS_TEXT 328
struct np_address_text {
	char text[NP_ADDRESS_TEXT];
};
struct np_address_text np_address_format(const struct np_address *address);

/* The same without the name and the slash: "IP:PORT". */
struct np_address_text np_address_literal(const struct np_address *address);
