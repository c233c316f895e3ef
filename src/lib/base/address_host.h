/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* address_host: networks of addresses, in which this host may have one; its interfaces. */
#pragma once

#include <net/if.h>
#include <netperf/address.h>

struct address_network {
	struct np_address first; /* an address of it */
	unsigned bits;		 /* that all of its addresses have in common */
};

/* "ADDRESS/BITS" or "ADDRESS". Returns 0, -ENOENT (no numeric address), or -EINVAL. */
int address_network_read(struct address_network *network, const char *text);

bool address_network_has(const struct address_network *network, const struct np_address *address);

/*
 * The address of this host that @text stands for: an address of it, the name of an interface, or a
 * network ("10.1.0.0/16", "fd00::/64") that it has an address in, on an interface that is up. Of
 * several ones IPv4 before IPv6, then the first; of an interface link-local ones never; of a
 * network, these and loopback only if @text is one of theirs. Those of another @family than
 * AF_UNSPEC do not count. NULL: as np_address_of_this_host. *@interfaces: how many have such an
 * address. Returns 0, -ENODEV (no such interface, or it has no address), -EADDRNOTAVAIL (no address
 * of this host), -EINVAL (a prefix that is none), or -errno.
 */
int address_of_network(struct np_address *address, const char *text, int family, uint16_t port,
		       unsigned *interfaces);

/* The name of the interface that has @address, lo for all of 127/8; "" when none has it. */
void address_interface(const struct np_address *address, char name[IFNAMSIZ]);
