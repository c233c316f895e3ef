/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* address_host: what the files of address share: setting one, networks, and which address of a host
 * others can reach it by. */
#ifndef ADDRESS_HOST_H
#define ADDRESS_HOST_H

#include <net/if.h>
#include <netperf/address.h>

/* Sets family, the 4 or 16 bytes at @ip, and length; the rest stays. */
void address_set(struct np_address *address, int family, const void *ip);

/* 127.0.0.1, or ::1 of AF_INET6. */
void address_set_loopback(struct np_address *address, int family);

/* An address of an interface with IFF_ @flags. */
struct address_candidate {
	struct np_address address;
	unsigned flags;
	unsigned mtu;
};

/* True when other hosts can reach the candidate at all. */
bool address_candidate_fits(const struct address_candidate *candidate);

/* True when @a is preferred to @b, where both are reachable. */
bool address_candidate_before(const struct address_candidate *a, const struct address_candidate *b);

/* A network of addresses. */
struct address_network {
	struct np_address first; /* an address of it */
	unsigned bits;		 /* that all of its addresses have in common */
};

/* "ADDRESS/BITS" or "ADDRESS". Returns 0, -ENOENT (no numeric address), or -EINVAL. */
int address_network_read(struct address_network *network, const char *text);

bool address_network_has(const struct address_network *network, const struct np_address *address);

#endif
