/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* addresses: resolves and checks the addresses that the user gave. */
#ifndef DATAGRAM_TEST_ADDRESSES_H
#define DATAGRAM_TEST_ADDRESSES_H

#include "options.h"

#include <netperf/address.h>

struct addresses {
	struct np_address_list locals;
	struct np_address_list peers;
	struct np_address group;
	bool has_group;
};

/* Returns 0, or the exit status 2 after a message. Call addresses_free in any case. */
int addresses_resolve(struct addresses *addresses, const struct options *options,
		      const struct np_log *log);
void addresses_free(struct addresses *addresses);

#endif
