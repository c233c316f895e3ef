/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp_framing: splits what a tcp connection brings (spec 5.3): a handshake with the identity of the
 * connecting member, then messages, each after its length in four bytes. Pure. Messages are
 * returned where they are in the input; only one that arrives in parts is assembled in separate
 * memory.
 */
#ifndef GROUP_TEST_TRANSPORT_TCP_FRAMING_H
#define GROUP_TEST_TRANSPORT_TCP_FRAMING_H

#include "../wire/jgroups.h"
#include "transport.h"

#define FRAME_LENGTH_BYTES 4

/* One connection. All fields but peer and shaken belong to tcp_framing.c. */
struct tcp_framing {
	struct identity peer; /* as announced, once the handshake is complete */
	bool shaken;
	bool begun; /* a message has begun */
	size_t longest;
	uint8_t head[JGROUPS_HANDSHAKE_MAX]; /* of an incomplete handshake or length */
	size_t head_bytes;
	uint8_t *part; /* of an incomplete message: its first TRANSPORT_HEAD bytes */
	size_t length; /* of the whole message; 0: none */
	size_t came;   /* bytes of it so far */
};

/* The received bytes that were not processed yet. */
struct tcp_framing_input {
	const uint8_t *data;
	size_t bytes;
	np_time at;
};

/* Starts a connection; messages of up to @longest bytes are accepted. */
void tcp_framing_begin(struct tcp_framing *framing, size_t longest);
void tcp_framing_end(struct tcp_framing *framing);

/*
 * Processes what it can of @input, and advances it: the handshake, or up to @room (at least 1)
 * messages; to be called until @input is empty. Returns the number of messages in @messages, valid
 * until the next call and while @input's memory is. Or -errno, after which nothing makes sense:
 * -EPROTO (no handshake), -EBADMSG (a length of 0 or less), -EMSGSIZE (longer than the longest),
 * -ENOTSUP (an older JGroups: tcp_framing_generation), -ENOMEM.
 */
int tcp_framing_take(struct tcp_framing *framing, struct tcp_framing_input *input,
		     struct transport_message *messages, unsigned room);

/* True when the end of the connection would truncate something. */
bool tcp_framing_unfinished(const struct tcp_framing *framing);

/* After -ENOTSUP: the version of that JGroups. */
const char *tcp_framing_generation(const struct tcp_framing *framing);

#endif
