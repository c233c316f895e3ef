/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* answers: the messages in what comes back to a sender. Pure; one thread. */
#ifndef TTCP_FRAMING_ANSWERS_H
#define TTCP_FRAMING_ANSWERS_H

#include "../conversation/sender.h"

#include <netperf/datagram.h>

/* Begin of one that has come in part by a stream. */
struct answers {
	size_t carried;
	uint8_t carry[MESSAGE_CONTROL_MAX];
};

/*
 * Bytes of a stream in their order, behind MESSAGE_CONTROL_MAX bytes of room: how many messages, or
 * -errno of what is none.
 */
int answers_take(struct answers *a, struct sender *sender, const struct np_address *peer,
		 uint8_t *data, size_t length, np_time at);

/* As transport_user.packets. */
int answers_take_packets(struct sender *sender, const struct np_packet *packet, unsigned count);

#endif
