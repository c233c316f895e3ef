/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* conversation_state: the state that the parts of conversation share, for nobody else. */
#ifndef TTCP_CONVERSATION_CONVERSATION_STATE_H
#define TTCP_CONVERSATION_CONVERSATION_STATE_H

#include "conversation.h"

/* The sender, over all its runs. */
struct served_sender {
	uint32_t id;
	bool bye;		 /* it will not return */
	bool proven;		 /* its address is proved */
	uint64_t came, answered; /* bytes from and to an unproven one */
	np_time beat;		 /* when it was last told that messages arrive */
	uint64_t beaten;	 /* the number of messages then */
	struct message newest;	 /* the header of a DATA of this run */
	np_time heard, end_heard;
	np_time ended_at; /* when all streams had reported END; 0: not yet */
	np_time reported;
};

struct conversation {
	struct conversation_plan plan;
	struct receiver_port port;
	struct receiver_listener listener;
	struct receiver_run run;
	struct served_sender sender;
	struct tally *tally[MESSAGE_STREAMS_MAX];
	bool ended[MESSAGE_STREAMS_MAX];
};

static inline np_time conversation_wall(const struct conversation *c, np_time at)
{
	return at + c->plan.ahead;
}

static inline void conversation_tell(const struct conversation *c, enum receiver_event_kind kind)
{
	const struct receiver_event event = {.kind = kind};

	c->listener.tell(c->listener.context, &event);
}

/* Counts @count messages at @at. Hot. */
static inline void conversation_count(struct conversation *c, uint64_t count, np_time at)
{
	if (!c->run.messages)
		c->run.first = at;
	c->run.messages += count;
}

/* conversation_answer */
void conversation_answer_data(struct conversation *c, const struct receiver_source *to,
			      const struct message *m, np_time at);
void conversation_answer_report(struct conversation *c, const struct receiver_source *to);

/* Tells the sender now and then that messages arrive, or that they are waited for after END. */
void conversation_beat(struct conversation *c, np_time now);
void conversation_ask_for_time(struct conversation *c, const struct receiver_source *source,
			       const struct message *m, np_time at);

/* All streams of the run have reported END. */
bool conversation_all_ended(const struct conversation *c);

#endif
