/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* lanes: the sockets of a sender, one for each stream. */
#ifndef TTCP_TRANSPORT_LANES_H
#define TTCP_TRANSPORT_LANES_H

#include "transport.h"

#include <netperf/datagram.h>
#include <netperf/stream.h>

struct lane {
	struct sender_lane *of;
	struct np_stream *stream;     /* TCP */
	struct np_datagram *datagram; /* UDP, multicast */
	struct np_address peer;	      /* TCP: the receiver */
	bool full;		      /* UDP: the last push found no room */
	uint8_t *answer;	      /* TCP: what came */
	size_t answered;	      /* bytes in it: part of a message */
};

struct lanes {
	unsigned count;
	uint8_t *memory; /* TCP: what the lanes' pointers point into */
	struct lane lane[MESSAGE_STREAMS_MAX];
};

/* As many as the plan has streams. Returns NULL, after a message, when out of memory. */
struct lanes *lanes_create(struct transport *t);

static inline struct lanes *lanes_of(const struct transport *t)
{
	return t->sockets;
}

/* transport_face.wait */
int lanes_wait(struct transport *t, np_time deadline, bool writable);

#endif
