/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * addresses: the two kinds of address in an overlay: logical addresses, which name a node, and
 * interface addresses, to which messages for it are sent. Plain values, compared by the functions
 * below and np_overlay_equal. Pure, thread-safe.
 */
#pragma once

#include <netinet/in.h>
#include <netperf/field.h>
#include <netperf/overlay.h>

/* The longest address in an interface address: IPv6 and a port. */
#define OVERLAY_ADDRESS_BYTES 18
/* The lowest six bits of a kind are the type, the others the class: 0 unicast, 1 multicast. */
#define OVERLAY_ADDRESS_IPV4 1

/* Mark, kind, realm (2), and length, before an interface address in a message. */
#define OVERLAY_ADDRESS_HEADER 5

/* How messages travel between nodes. */
enum overlay_kind {
	OVERLAY_UDP,  /* a datagram a message */
	OVERLAY_TCP,  /* connections made when there is something to send, closed when idle */
	OVERLAY_PAIR, /* UDP, and a multicast group for beacons */
};

/*
 * The hash function of HyperCast 4, which makes the names of overlays (in every protocol message)
 * and of address realms (in every interface address), continued from @hash, at first 0.
 */
uint32_t overlay_hash(uint32_t hash, const void *data, size_t bytes);

/* The hash of the realm @realm, the configuration's AddressRealm, of such interfaces. */
uint16_t overlay_hash_realm(const char *realm, enum overlay_kind kind);

/* An interface address of a node. Kinds other than IPv4 are stored as received, but never used. */
struct overlay_address {
	uint8_t kind;
	uint8_t length;			      /* bytes of @bytes; IPv4: 6, address and port */
	uint16_t realm;			      /* overlay_hash_realm */
	uint8_t bytes[OVERLAY_ADDRESS_BYTES]; /* as in messages; 0 beyond @length */
};

/* @ip and @port in host order. */
struct overlay_address overlay_address_ipv4(uint32_t ip, uint16_t port, uint16_t realm);

/* The interface address of an IPv4 endpoint. */
struct overlay_address overlay_address_of(const struct np_address *endpoint, uint16_t realm);

/* True for unicast IPv4 with a nonzero address and port, to which can be sent: *@to. */
bool overlay_address_get_ipv4(const struct overlay_address *address, struct sockaddr_in *to);

/* The same as an endpoint; its length is 0 where that returns false. */
struct np_address overlay_address_endpoint(const struct overlay_address *address);

/* Writes it with its header, and stores nothing in it; or reads one. */
void overlay_address_fields(struct np_field_list *list, struct overlay_address *address);

bool overlay_address_equal(const struct overlay_address *a, const struct overlay_address *b);

/* The coordinates of a node of the Delaunay triangulation, its logical address. 0,0 means none. */
struct overlay_point {
	int32_t x, y;
};

static inline bool overlay_point_equal(struct overlay_point a, struct overlay_point b)
{
	return a.x == b.x && a.y == b.y;
}

static inline bool overlay_point_null(struct overlay_point a)
{
	return !a.x && !a.y;
}

#define OVERLAY_POINT_BYTES  8
#define OVERLAY_NUMBER_BYTES 4

struct np_overlay_logical overlay_logical_point(struct overlay_point point);
/* The spanning tree's: a number, of which smaller ones are preferred; 0 means none. */
struct np_overlay_logical overlay_logical_number(int32_t number);
/* NONE: an IPv4 interface address of at most 11 bytes as a logical address. */
struct np_overlay_logical overlay_logical_address(const struct overlay_address *address);
/* 0,0 when it does not have the size of a point. */
struct overlay_point overlay_logical_get_point(const struct np_overlay_logical *logical);
/* 0 when it does not have the size of a number. */
int32_t overlay_logical_get_number(const struct np_overlay_logical *logical);
/* The interface address in a logical address of NONE; false: it has none. */
bool overlay_logical_get_address(const struct np_overlay_logical *logical,
				 struct overlay_address *address);
/* True when it is all 0, or empty. */
bool overlay_logical_null(const struct np_overlay_logical *logical);

/*
 * Parses a number, of @count 1, or "x,y", of 2; blanks are allowed around the numbers. Returns 0,
 * -EINVAL (malformed), -ERANGE (not a 32-bit integer, or all 0, which HyperCast takes for no
 * address).
 */
int overlay_logical_parse(struct np_overlay_logical *logical, unsigned count, const char *text);
/* @count such integers, separated by commas; they may be 0. */
int overlay_integers_parse(int32_t *value, unsigned count, const char *text);
/* Parses "a.b.c.d:port" and nothing else; both may be 0. 0, -EINVAL, -ERANGE (not of 16 bits). */
int overlay_endpoint_parse(struct np_address *endpoint, const char *text);
