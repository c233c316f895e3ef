/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* answers: finds the messages in what a sender receives. Pure; one thread. */
#ifndef TTCP_FRAMING_ANSWERS_H
#define TTCP_FRAMING_ANSWERS_H

#include "../conversation/sender.h"

#include <netperf/datagram.h>

/* The start of an incomplete message of a stream. */
struct answers {
	size_t carried;
	uint8_t carry[MESSAGE_CONTROL_MAX];
};

/*
 * Takes the next bytes of a stream, with MESSAGE_CONTROL_MAX bytes of room before them. Returns how
 * many messages there were, or -errno of something that is no message.
 */
int answers_take(struct answers *a, struct sender *sender, const struct np_address *peer,
		 uint8_t *data, size_t length, np_time at);

/* Like transport_user.packets. */
int answers_take_packets(struct sender *sender, const struct np_packet *packet, unsigned count);

#endif
