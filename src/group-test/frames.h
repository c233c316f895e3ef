/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * frames: what a tcp connection brings (spec 5.3): a hand-shake with the identity of who connected,
 * then messages, each behind its length in four bytes. Pure. Messages are handed over where they
 * lie; only one that comes in parts is put together in memory of its own.
 */
#ifndef GROUP_TEST_FRAMES_H
#define GROUP_TEST_FRAMES_H

#include "jgroups.h"
#include "transport.h"

#define FRAME_LENGTH_BYTES 4

/* One connection. All but peer and shaken belong to frames.c. */
struct frames {
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
struct frames_input {
	const uint8_t *data;
	size_t bytes;
	np_time at;
};

/* Messages of up to @longest bytes are taken. */
void frames_begin(struct frames *frames, size_t longest);
void frames_end(struct frames *frames);

/*
 * Takes what it can from @input, which moves on: the hand-shake, or up to @room (at least 1)
 * messages; to be called until @input is empty. Returns how many messages there are in @messages,
 * good until the next call and while @input's memory is. Or -errno, when nothing behind it makes
 * sense: -EPROTO (no hand-shake), -EBADMSG (a length of 0 or less), -EMSGSIZE (longer than the
 * longest), -ENOTSUP (an older JGroups: frames_generation), -ENOMEM.
 */
int frames_take(struct frames *frames, struct frames_input *input,
		struct transport_message *messages, unsigned room);

/* True when the end of the connection would cut something off. */
bool frames_unfinished(const struct frames *frames);

/* After -ENOTSUP: who that is. */
const char *frames_generation(const struct frames *frames);

#endif
