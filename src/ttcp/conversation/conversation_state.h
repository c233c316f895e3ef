/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* conversation_state: what the parts of conversation share, and nobody else sees. */
#ifndef TTCP_CONVERSATION_CONVERSATION_STATE_H
#define TTCP_CONVERSATION_CONVERSATION_STATE_H

#include "conversation.h"

/* The sender, over all its runs. */
struct served_sender {
	uint32_t id;
	bool bye;		 /* it will not come again */
	bool proven;		 /* it is where it says it is */
	uint64_t came, answered; /* bytes from and to one that is not proven */
	np_time beat;		 /* told it that messages come */
	uint64_t beaten;	 /* so many had come then */
	struct message newest;	 /* the header of a DATA of this run */
	np_time heard, end_heard;
	np_time ended_at; /* all streams had told END; 0: not yet */
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

/* @count messages at @at. Hot. */
static inline void conversation_count(struct conversation *c, uint64_t count, np_time at)
{
	if (!c->run.messages)
		c->run.first = at;
	c->run.messages += count;
}

/* conversation_answer: sends an answer. One not proven is sent no more than came from it. */
void conversation_answer(struct conversation *c, const struct receiver_source *to,
			 const void *message, size_t bytes);
void conversation_answer_data(struct conversation *c, const struct receiver_source *to,
			      const struct message *m, np_time at);
void conversation_answer_report(struct conversation *c, const struct receiver_source *to);

/* Tells the sender now and then that messages come; and that they are waited for, behind END. */
void conversation_beat(struct conversation *c, np_time now);
void conversation_ask_for_patience(struct conversation *c, const struct receiver_source *source,
				   const struct message *m, np_time at);

/* All streams of the run told their end. */
bool conversation_all_ended(const struct conversation *c);

#endif
