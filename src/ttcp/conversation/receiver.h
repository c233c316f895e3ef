/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * receiver: decides which sender is served: one after the other, each in its own conversation;
 * others are told that it is busy. Pure, like a conversation: it opens nothing and prints nothing.
 *
 * It never hangs: every wait has a limit, except for the first sender and for a raw stream's
 * partner that is alive. A forged or malformed message only increments a counter. One thread at a
 * time.
 */
#ifndef TTCP_CONVERSATION_RECEIVER_H
#define TTCP_CONVERSATION_RECEIVER_H

#include "conversation.h"

struct receiver_plan {
	struct conversation_plan with; /* with each sender */
	uint64_t senders;	       /* to serve; 0: no limit */
	np_time wait;		       /* for the first sender; 0: no limit */
	bool patient; /* a raw stream may be silent for as long as it likes, whoever asks */
};

/* A raw stream that was silent for this long gives way to another sender. */
#define RECEIVER_RAW_SILENCE (20 * NP_SECOND)

/* An answer to a START that is held back: members of a group do not all answer at once. */
struct held_answer {
	bool held;
	np_time due, received; /* monotonic */
	struct message start;
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

/* Others may read @with's run, @served and @over. */
struct receiver {
	struct receiver_plan plan;
	struct conversation with; /* the sender that is served, or was last */
	struct held_answer held;
	struct pending_start pending;
	uint64_t random;
	np_time opened;
	uint64_t strays; /* messages that belonged to no run */
	uint64_t served; /* senders so far */
	bool over;	 /* no more senders will be served */
};

/* Starts to wait at @now. Returns 0 or -ENOMEM. */
int receiver_create(struct receiver **receiver, const struct receiver_plan *plan,
		    const struct receiver_port *port, np_time now);
void receiver_free(struct receiver *receiver); /* NULL is allowed */

static inline const struct receiver_run *receiver_run(const struct receiver *receiver)
{
	return &receiver->with.run;
}

/* Takes a valid message that arrived at @at. Hot. */
void receiver_take(struct receiver *receiver, const struct receiver_source *source,
		   const struct message *message, np_time at);

/* Like conversation_take_data. Hot. */
void receiver_take_data(struct receiver *receiver, const struct receiver_source *source,
			const struct message *first, unsigned count, np_time at);

/* Takes DATA with a valid header but a damaged fill. */
void receiver_take_damaged(struct receiver *receiver, const struct receiver_source *source,
			   const struct message *message, np_time at);

/* Takes a datagram that is not ttcp's, or damaged: -errno of message_decode. */
void receiver_take_unknown(struct receiver *receiver, const struct receiver_source *source,
			   size_t length, int error, np_time at);

/* Takes raw bytes: @messages reads or datagrams. Starts a run if there is none. */
void receiver_take_raw(struct receiver *receiver, const struct receiver_source *source,
		       uint64_t messages, uint64_t bytes, np_time at);

/* Whether a raw stream may begin now. Drops one that has been silent for too long. */
bool receiver_may_begin_raw(struct receiver *receiver, np_time at);

/* Whether the current or last run is that of @session. */
bool receiver_serves(const struct receiver *receiver, uint32_t session, uint32_t run);

/*
 * Does what is due by time: call it some fifty times a second, and when receiver_deadline is due.
 */
void receiver_tick(struct receiver *receiver, np_time now);
np_time receiver_deadline(const struct receiver *receiver);

/* The user ends it. */
void receiver_stop(struct receiver *receiver);

/*
 * In ping-pong with one stream nothing comes before the last answer was sent: so a receive call may
 * sleep by itself.
 */
bool receiver_in_ping_pong(const struct receiver *receiver);

/* Messages that belonged to no run, since the last call. */
uint64_t receiver_strays(struct receiver *receiver);

#endif
