/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * addresses: the two kinds of address of an overlay: logical ones, which name a node, and interface
 * addresses, to which a message for it is sent. Plain values, compared by the functions below.
 * Pure, thread-safe.
 */
#ifndef OVERLAY_ADDRESSES_H
#define OVERLAY_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest address within an interface address: IPv6 and a port. */
#define OVERLAY_ADDRESS_BYTES 18
/* The lowest six bits of a kind are the type, the others the class: 0 unicast, 1 multicast. */
#define OVERLAY_ADDRESS_IPV4 1

/* Wherever a node can be sent to. Kinds other than IPv4 are kept as they came, and never used. */
struct overlay_address {
	uint8_t kind;
	uint8_t length;			      /* bytes of @bytes; IPv4: 6, address and port */
	uint16_t realm;			      /* overlay_hash_realm */
	uint8_t bytes[OVERLAY_ADDRESS_BYTES]; /* as on the wire; 0 beyond @length */
};

/* @ip and @port in host order. */
struct overlay_address overlay_address_ipv4(uint32_t ip, uint16_t port, uint16_t realm);

/* True when it is unicast IPv4 with an address and a port that are not 0; gives them then. */
bool overlay_address_get_ipv4(const struct overlay_address *address, uint32_t *ip, uint16_t *port);
bool overlay_address_equal(const struct overlay_address *a, const struct overlay_address *b);

/* Coordinates of a node of the Delaunay triangulation, its logical address. 0,0 is none. */
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

/* Longest logical address on the wire: the protocol NONE's, an interface address padded by 0. */
#define OVERLAY_LOGICAL_BYTES 16
#define OVERLAY_POINT_BYTES   8
#define OVERLAY_NUMBER_BYTES  4
/* Room for any overlay_logical_format. */
#define OVERLAY_LOGICAL_TEXT 36

/* A logical address of whatever protocol, as payloads carry it. */
struct overlay_logical {
	_Alignas(8) uint8_t bytes[OVERLAY_LOGICAL_BYTES]; /* 0 beyond @size */
	uint8_t size;					  /* 8 Delaunay, 4 spanning tree, 16 NONE */
};

struct overlay_logical overlay_logical_point(struct overlay_point point);
/* The spanning tree's: a number, the smaller the better; 0 is none. */
struct overlay_logical overlay_logical_number(int32_t number);
/* NONE: an interface address of at most 11 bytes, IPv4, as a logical one. */
struct overlay_logical overlay_logical_address(const struct overlay_address *address);
/* 0,0 when it has not the size of a point. */
struct overlay_point overlay_logical_get_point(const struct overlay_logical *logical);
/* 0 when it has not the size of a number. */
int32_t overlay_logical_get_number(const struct overlay_logical *logical);
/* The interface address in a logical one of NONE; false: there is none in it. */
bool overlay_logical_get_address(const struct overlay_logical *logical,
				 struct overlay_address *address);
bool overlay_logical_equal(const struct overlay_logical *a, const struct overlay_logical *b);
/* True when all of it is 0, or it has no size. */
bool overlay_logical_null(const struct overlay_logical *logical);

/*
 * "x,y" of a point, blanks around the numbers allowed. Returns 0, -EINVAL (not of that form),
 * -ERANGE (not a 32-bit integer, or 0,0, which HyperCast takes for no address).
 */
int overlay_point_parse(struct overlay_point *point, const char *text);
/* The same of a number of the spanning tree. */
int overlay_number_parse(int32_t *number, const char *text);

/* "x,y" of a point, "a.b.c.d:port" of NONE, a number of the spanning tree, else hex digits. */
char *overlay_logical_format(const struct overlay_logical *logical, char out[OVERLAY_LOGICAL_TEXT]);

#endif
