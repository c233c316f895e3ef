/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* receiver_state: what the parts of receiver share, and nobody else sees. */
#ifndef TTCP_CONVERSATION_RECEIVER_STATE_H
#define TTCP_CONVERSATION_RECEIVER_STATE_H

#include "receiver.h"

/* A START that waits for its answer: members of a group do not all answer at once. */
struct held_answer {
	bool held;
	uint32_t session, run;
	np_time due, received; /* monotonic */
	np_time time;	       /* of the START, copied */
	uint16_t stream;
	struct np_address to;
};

/*
 * The last START of a sender of datagrams that has not proved yet where it is: nothing begins
 * before it does, or its DATA comes.
 */
struct pending_start {
	bool there;
	struct message message;
	struct np_address from;
};

struct receiver {
	struct receiver_plan plan;
	struct receiver_listener listener;
	struct conversation *with; /* whoever is served */
	struct held_answer held;
	struct pending_start pending;
	uint64_t random;
	np_time opened;
	uint64_t strays;
	uint64_t served; /* senders */
	bool over;
};

static inline void receiver_tell(const struct receiver *r, enum receiver_event_kind kind)
{
	const struct receiver_event event = {.kind = kind};

	r->listener.tell(r->listener.context, &event);
}

/* receiver: the sender that is served is done with. */
void receiver_next_sender(struct receiver *r);

/* receiver_start: whether @m may begin a run now; it does; what START means. */
bool receiver_may_begin(const struct receiver *r, const struct message *m);
void receiver_begin(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, np_time at);
void receiver_take_start(struct receiver *r, const struct receiver_source *source,
			 const struct message *m, np_time at);
void receiver_answer_held(struct receiver *r, np_time now);

#endif
