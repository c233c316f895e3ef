/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * identity: what a member is known by: an IP address and a port. With udp it is the source of its
 * datagrams, with tcp the address it listens on (announced in the handshake), with mqtt its address
 * towards the broker and a port reserved for it. It is a name, not necessarily a way to reach the
 * member.
 *
 * Pure. Plain bytes, so that memcmp orders them by address and port, and a table can use them as
 * keys.
 */
#pragma once

#include <netperf/netperf.h>

/* A loop over @count items of @array. */
#define for_each(each, array, count)                                                               \
	for (__typeof__((array)[0]) *each = (array); each < (array) + (count); each++)

/* Room for any result of identity_format: the longest IPv6 text in brackets, and the port. */
#define IDENTITY_TEXT 56

struct identity {
	uint8_t ip[16];	 /* IPv4 as ::ffff:a.b.c.d */
	uint8_t port[2]; /* big-endian */
};

/* An address that is neither IPv4 nor IPv6 gives all zeros. A scope is not kept. */
struct identity identity_of(const struct np_address *address);

/* The reverse; the name is "". */
struct np_address identity_address(const struct identity *identity);

bool identity_is_ipv4(const struct identity *identity);

/* "172.16.130.33:33415" or "[fe80::1]:33415". Returns @out. */
char *identity_format(const struct identity *identity, char out[IDENTITY_TEXT]);

/* The same of an identity, and of an address, in room that lasts until the end of the block. */
#define identity_text(identity) identity_format(identity, (char[IDENTITY_TEXT]){})
#define address_text(address)	identity_text(((struct identity[]){identity_of(address)}))

/* Parses what identity_format writes; returns 0 or -EINVAL. */
int identity_parse(const char *text, struct identity *identity);

static inline bool identity_equal(const struct identity *a, const struct identity *b)
{
	return !memcmp(a, b, sizeof(*a));
}
