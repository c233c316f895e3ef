/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp_framing: what a tcp connection brings (spec 5.3): a hand-shake with the identity of who
 * connected, then messages, each behind its length in four bytes. Pure. Messages are handed over
 * where they lie; only one that comes in parts is put together in memory of its own.
 */
#ifndef GROUP_TEST_TRANSPORT_TCP_FRAMING_H
#define GROUP_TEST_TRANSPORT_TCP_FRAMING_H

#include "../wire/jgroups.h"
#include "transport.h"

#define FRAME_LENGTH_BYTES 4

/* One connection. All but peer and shaken belong to frames.c. */
struct tcp_framing {
	struct identity peer; /* as announced, once shaken */
	bool shaken;
	bool begun; /* a message has begun */
	size_t longest;
	uint8_t head[JGROUPS_HANDSHAKE_MAX]; /* of a hand-shake or a length that is not whole yet */
	size_t head_bytes;
	uint8_t *part; /* of a message that is not whole yet: its first TRANSPORT_HEAD bytes */
	size_t length; /* the whole message's; 0: none */
	size_t came;   /* of it */
};

/* What has been received and not been taken. */
struct tcp_framing_input {
	const uint8_t *data;
	size_t bytes;
	np_time at;
};

/* Messages of up to @longest bytes are taken. */
void tcp_framing_begin(struct tcp_framing *framing, size_t longest);
void tcp_framing_end(struct tcp_framing *framing);

/*
 * Takes what it can from @input, which moves on: the hand-shake, or up to @room (at least 1)
 * messages; to be called until @input is empty. Returns how many messages there are in @messages,
 * good until the next call and while @input's memory is. Or -errno, when nothing behind it makes
 * sense: -EPROTO (no hand-shake), -EBADMSG (a length of 0 or less), -EMSGSIZE (longer than the
 * longest), -ENOTSUP (an older JGroups: tcp_framing_generation), -ENOMEM.
 */
int tcp_framing_take(struct tcp_framing *framing, struct tcp_framing_input *input,
		     struct transport_message *messages, unsigned room);

/* True when the end of the connection would cut something off. */
bool tcp_framing_unfinished(const struct tcp_framing *framing);

/* After -ENOTSUP: who that is. */
const char *tcp_framing_generation(const struct tcp_framing *framing);

#endif
