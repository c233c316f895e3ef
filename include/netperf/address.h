/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address: UDP and TCP endpoints as people write them: HOST:PORT, HOST, [IPV6]:PORT, *:PORT, and
 * ranges HOST:FIRST..LAST and A.B.C.FIRST..LAST; names are resolved (getaddrinfo).
 *
 * Thread-safe. @text must not be NULL.
 */
#ifndef NETPERF_ADDRESS_H
#define NETPERF_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#pragma GCC visibility push(default)

/* Most addresses in one list: what a range may grow to. */
#define NP_ADDRESS_LIST_MAX 4096

/* Room for any np_address_format: a host name, a slash, an uncompressed IPv6 address, a port. */
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
 * An address without a port gets @default_port. Returns 0, -EINVAL (not of that form), -ERANGE
 * (port beyond 65535, or a range of more than NP_ADDRESS_LIST_MAX), -ENOENT (no such host),
 * -ENOMEM; then *@list is as it was.
 */
int np_address_list_parse(struct np_address_list *list, const char *text, uint16_t default_port);

/* Frees the items and empties the list. */
void np_address_list_clear(struct np_address_list *list);

/*
 * The address others reach this host by: not loopback, not link-local, of the interface with the
 * highest MTU; loopback when there is none. Returns 0 or -errno.
 */
int np_address_of_this_host(struct np_address *address, uint16_t port);

/* True when one of this host's interfaces has the address (the wildcard is none). */
bool np_address_is_local(const struct np_address *address);
bool np_address_is_wildcard(const struct np_address *address);
bool np_address_is_loopback(const struct np_address *address);
bool np_address_is_multicast(const struct np_address *address);

/* Same family, address and port; names do not matter. IPv4-mapped IPv6 equals IPv4. */
bool np_address_equal(const struct np_address *a, const struct np_address *b);
bool np_address_same_host(const struct np_address *a, const struct np_address *b);

/* A hash over what np_address_equal compares, keyed by @key against forged collisions. */
uint64_t np_address_hash(const struct np_address *address, uint64_t key);

uint16_t np_address_port(const struct np_address *address);
void np_address_set_port(struct np_address *address, uint16_t port);

/* The MTU of the interface that owns this local address; 1500 when unknown. */
unsigned np_address_mtu(const struct np_address *address);

/*
 * "NAME/IP:PORT", or "/IP:PORT" for a literal; IPv6 in brackets, uncompressed
 * ("/[0:0:0:0:0:0:0:1]:9999"), the wildcard as "0.0.0.0/0.0.0.0:9998", as Java prints them.
 */
char *np_address_format(const struct np_address *address, char out[NP_ADDRESS_TEXT]);

#pragma GCC visibility pop
#endif
