/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* datagrams: finds the messages in what a receiver gets by datagrams. Pure; one thread. */
#ifndef TTCP_FRAMING_DATAGRAMS_H
#define TTCP_FRAMING_DATAGRAMS_H

#include "../conversation/receiver.h"

#include <netperf/datagram.h>

struct datagrams {
	struct receiver *receiver;
	uint8_t *pattern;	/* the correct fill, NP_DATAGRAM_BYTES_MAX bytes */
	struct message message; /* buffer for a received message */
};

/* Returns 0 or -ENOMEM. */
int datagrams_open(struct datagrams *d, size_t longest);
void datagrams_close(struct datagrams *d);

/* Like transport_user.packets. Consecutive DATA of one buffer cost as much as one. Hot. */
int datagrams_take(struct datagrams *d, const struct np_packet *packet, unsigned count,
		   bool by_group);

#endif
