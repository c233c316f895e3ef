/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* endpoints: the addresses of a run, from the words of the user, and the checks of them. */
#ifndef DATAGRAM_TEST_ENDPOINTS_H
#define DATAGRAM_TEST_ENDPOINTS_H

#include "options.h"

#include <netperf/address.h>

struct endpoints {
	struct np_address_list locals;
	struct np_address_list peers;
	struct np_address group;
	bool has_group;
};

/* Returns 0, or the exit status 2 after a message. endpoints_free in any case. */
int endpoints_resolve(struct endpoints *endpoints, const struct options *options,
		      const struct np_log *log);
void endpoints_free(struct endpoints *endpoints);

#endif
