/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* receiver_state: the state that the parts of receiver share, for nobody else. */
#ifndef TTCP_CONVERSATION_RECEIVER_STATE_H
#define TTCP_CONVERSATION_RECEIVER_STATE_H

#include "receiver.h"

/* An answer to a START that is held back: members of a group do not all answer at once. */
struct held_answer {
	bool held;
	uint32_t session, run;
	np_time due, received; /* monotonic */
	np_time time;	       /* copied from the START */
	uint16_t stream;
	struct np_address to;
};

/*
 * The last START of a sender of datagrams that has not proved its address: nothing starts before it
 * does, or its DATA arrives.
 */
struct pending_start {
	bool there;
	struct message message;
	struct np_address from;
};

struct receiver {
	struct receiver_plan plan;
	struct receiver_listener listener;
	struct conversation *with; /* with the sender that is served */
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

/* receiver: ends the service of the present sender. */
void receiver_next_sender(struct receiver *r);

/* receiver_start: whether @m may start a run now; starts it; handles START. */
bool receiver_may_begin(const struct receiver *r, const struct message *m);
void receiver_begin(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, np_time at);
void receiver_take_start(struct receiver *r, const struct receiver_source *source,
			 const struct message *m, np_time at);
void receiver_answer_held(struct receiver *r, np_time now);

#endif
