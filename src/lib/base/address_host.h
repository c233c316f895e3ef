/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* address_host: networks of addresses, in which this host may have one. */
#pragma once

#include <netperf/address.h>

struct address_network {
	struct np_address first; /* an address of it */
	unsigned bits;		 /* that all of its addresses have in common */
};

/* "ADDRESS/BITS" or "ADDRESS". Returns 0, -ENOENT (no numeric address), or -EINVAL. */
int address_network_read(struct address_network *network, const char *text);

bool address_network_has(const struct address_network *network, const struct np_address *address);
