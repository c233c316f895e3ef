/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* datagrams: the messages in what comes to a receiver by datagrams. Pure; one thread. */
#ifndef TTCP_FRAMING_DATAGRAMS_H
#define TTCP_FRAMING_DATAGRAMS_H

#include "../conversation/receiver.h"

#include <netperf/datagram.h>

struct datagrams {
	struct receiver *receiver;
	uint8_t *pattern;	/* the fill that is right, NP_DATAGRAM_BYTES_MAX bytes */
	struct message message; /* room for what comes */
};

/* 0 or -ENOMEM. */
int datagrams_open(struct datagrams *d);
void datagrams_close(struct datagrams *d);

/* As transport_user.packets. DATA of one buffer that follow each other cost what one does. Hot. */
int datagrams_take(struct datagrams *d, const struct np_packet *packet, unsigned count,
		   bool by_group);

#endif
