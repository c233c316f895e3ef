/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * address: UDP and TCP endpoints as people write them: HOST:PORT, HOST, [IPV6]:PORT, *:PORT, and
 * ranges HOST:FIRST..LAST and A.B.C.FIRST..LAST, up or down; names are resolved (getaddrinfo).
 *
 * Thread-safe. @text must not be NULL. An IPv4-mapped IPv6 address is that IPv4 address here.
 */
#ifndef NETPERF_ADDRESS_H
#define NETPERF_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Most addresses in one list: what a range may grow to. */
#define NP_ADDRESS_LIST_MAX 4096

/* Room for any np_address_format: name, slash, uncompressed IPv6 address with its scope, port. */
#define NP_ADDRESS_TEXT 328

struct np_address {
	union {
		struct sockaddr any;
		struct sockaddr_storage storage;
	};
	socklen_t length;
	char name[256]; /* the host name it was given by; "" for a literal */
};

struct np_address_list {
	struct np_address *item;
	size_t count;
};

/*
 * Appends what @text holds, addresses separated by white space, in their order, duplicates kept.
 * An address without a port gets @default_port. A name gives its first IPv4 address, else its
 * first IPv6 one; "*" the IPv4 wildcard with the name "0.0.0.0". "localhost" is a name as any
 * other, and 127.0.0.1 where neither /etc/hosts nor a resolver knows it (RFC 6761); who means
 * np_address_of_this_host by it looks at the names. Returns 0, -EINVAL (not of
 * that form), -ERANGE (port beyond 65535, a range beyond 255 or 65535, or a list of more than
 * NP_ADDRESS_LIST_MAX), -ENOENT (no such host), -ENOMEM; then *@list holds what it held.
 */
int np_address_list_parse(struct np_address_list *list, const char *text, uint16_t default_port);

/* The same without asking anybody: every name is -ENOENT. */
int np_address_list_parse_numeric(struct np_address_list *list, const char *text,
				  uint16_t default_port);

/*
 * The one address that @text holds; no range. An IPv6 literal may stand without its brackets where
 * no port follows it. Returns what np_address_list_parse does, -EINVAL for a list too.
 */
int np_address_parse(struct np_address *address, const char *text, uint16_t default_port);

/* Frees the items and empties the list. */
void np_address_list_clear(struct np_address_list *list);

/*
 * The address others reach this host by: not loopback, not link-local, of the running interface
 * with the highest MTU, IPv4 before IPv6; 127.0.0.1 when there is none. Returns 0 or -errno.
 */
int np_address_of_this_host(struct np_address *address, uint16_t port);

/* True when one of this host's interfaces has the address, all of 127/8; not the wildcard. */
bool np_address_is_local(const struct np_address *address);
bool np_address_is_wildcard(const struct np_address *address);
bool np_address_is_loopback(const struct np_address *address);
bool np_address_is_multicast(const struct np_address *address);
/* True when this host would broadcast what is sent there, as its routes are now. */
bool np_address_is_broadcast(const struct np_address *address);

/*
 * Same family, address and port; names do not matter. IPv4-mapped IPv6 equals IPv4; link-local
 * ones of different interfaces differ.
 */
bool np_address_equal(const struct np_address *a, const struct np_address *b);
bool np_address_same_host(const struct np_address *a, const struct np_address *b);

/*
 * A hash over what np_address_equal compares, by SipHash-1-3 under @key: who does not know it
 * cannot forge collisions.
 */
uint64_t np_address_hash(const struct np_address *address, uint64_t key);

uint16_t np_address_port(const struct np_address *address);
void np_address_set_port(struct np_address *address, uint16_t port);

/* The MTU of the interface that owns this local address; 1500 when unknown. */
unsigned np_address_mtu(const struct np_address *address);

/*
 * "NAME/IP:PORT", or "/IP:PORT" for a literal; IPv6 in brackets, uncompressed
 * ("/[0:0:0:0:0:0:0:1]:9999"), "*" as "0.0.0.0/0.0.0.0:9998", as Java prints them.
 */
char *np_address_format(const struct np_address *address, char out[NP_ADDRESS_TEXT]);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
