/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * receiver: whom a receiver talks with: one sender after the other, each in a conversation of its
 * own; who else asks is told that it is busy. Pure, as a conversation is: it opens nothing and
 * prints nothing.
 *
 * Nothing hangs: but for the first sender, and a raw stream's partner that lives, every wait has a
 * limit. A forged or malformed message costs a counter. One thread at a time.
 */
#ifndef TTCP_CONVERSATION_RECEIVER_H
#define TTCP_CONVERSATION_RECEIVER_H

#include "conversation.h"

struct receiver_plan {
	struct conversation_plan with; /* each sender */
	uint64_t senders;	       /* to serve; 0: no limit */
	np_time wait;		       /* for the first one; 0: no limit */
};

struct receiver;

/* Begins to wait at @now. Returns 0 or -ENOMEM. */
int receiver_create(struct receiver **receiver, const struct receiver_plan *plan,
		    const struct receiver_port *port, const struct receiver_listener *listener,
		    np_time now);
void receiver_free(struct receiver *receiver); /* NULL is allowed */

/* The one that goes on, or went on last. */
struct conversation *receiver_conversation(const struct receiver *receiver);

static inline const struct receiver_run *receiver_run(const struct receiver *receiver)
{
	return conversation_run(receiver_conversation(receiver));
}

/* A good message that came at @at. Hot. */
void receiver_take(struct receiver *receiver, const struct receiver_source *source,
		   const struct message *message, np_time at);

/* As conversation_take_data. Hot. */
void receiver_take_data(struct receiver *receiver, const struct receiver_source *source,
			const struct message *first, unsigned count, np_time at);

/* DATA with a header that is right, before a fill that is not. */
void receiver_take_damaged(struct receiver *receiver, const struct receiver_source *source,
			   const struct message *message, np_time at);

/* A datagram of nobody's, or damaged: -errno of message_decode. */
void receiver_take_unknown(struct receiver *receiver, const struct receiver_source *source,
			   size_t length, int error, np_time at);

/* Raw bytes: @messages reads or datagrams. Begins a run when there is none. */
void receiver_take_raw(struct receiver *receiver, const struct receiver_source *source,
		       uint64_t messages, uint64_t bytes, np_time at);

/* Whether the run goes on, or went on last, that is of @session. */
bool receiver_serves(const struct receiver *receiver, uint32_t session, uint32_t run);

/* What is due by time: call it some fifty times a second, and when receiver_deadline is due. */
void receiver_tick(struct receiver *receiver, np_time now);
np_time receiver_deadline(const struct receiver *receiver);

/* The user ends it. */
void receiver_stop(struct receiver *receiver);

/* True when no sender will be served any more. */
bool receiver_over(const struct receiver *receiver);

/* How many senders have been served. */
uint64_t receiver_served(const struct receiver *receiver);

/*
 * Nothing comes before the answer to the last message has gone, and by one stream: a receive call
 * may sleep by itself.
 */
bool receiver_in_ping_pong(const struct receiver *receiver);

/* Messages that belonged to no run, since this was asked for the last time. */
uint64_t receiver_strays(struct receiver *receiver);

#endif
