/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* receiver_state: what the parts of the receiver's machine share, and nobody else sees. */
#ifndef TTCP_CONVERSATION_RECEIVER_STATE_H
#define TTCP_CONVERSATION_RECEIVER_STATE_H

#include "receiver.h"

/* A START that waits for its answer. */
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

/* The sender that is served, over all its runs. */
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

struct receiver {
	struct receiver_plan plan;
	struct receiver_port port;
	struct receiver_listener listener;
	struct receiver_run run;
	struct served_sender sender;
	struct tally *tally[MESSAGE_STREAMS_MAX];
	bool ended[MESSAGE_STREAMS_MAX];
	struct held_answer held;
	struct pending_start pending;
	uint64_t random;
	np_time opened;
	uint64_t strays;
	uint64_t served; /* senders */
	bool over;
};

static inline np_time receiver_wall(const struct receiver *r, np_time at)
{
	return at + r->plan.ahead;
}

static inline void receiver_tell(const struct receiver *r, enum receiver_event_kind kind)
{
	const struct receiver_event event = {.kind = kind};

	r->listener.tell(r->listener.context, &event);
}

/* @count messages at @at. Hot. */
static inline void receiver_count(struct receiver *r, uint64_t count, np_time at)
{
	if (!r->run.messages)
		r->run.first = at;
	r->run.messages += count;
}

/* receiver: whether the sender that is served has more runs; and it is done with. */
bool receiver_more_runs(const struct receiver *r);
void receiver_next_sender(struct receiver *r);

/*
 * receiver_answer: sends an answer. One who is not proven is sent no more bytes than came from it.
 */
void receiver_answer(struct receiver *r, const struct receiver_source *to, const void *message,
		     size_t bytes);
void receiver_answer_start(struct receiver *r, const struct receiver_source *to,
			   const struct message *m, uint8_t verdict, np_time received);
void receiver_answer_data(struct receiver *r, const struct receiver_source *to,
			  const struct message *m, np_time at);
void receiver_answer_report(struct receiver *r, const struct receiver_source *to);

/* Members of a group do not all answer at once. */
void receiver_hold_answer(struct receiver *r, const struct receiver_source *to,
			  const struct message *m, np_time at);
void receiver_answer_held(struct receiver *r, np_time now);

/* Tells the sender now and then that messages come; and that they are waited for, behind END. */
void receiver_beat(struct receiver *r, np_time now);
void receiver_ask_for_patience(struct receiver *r, const struct receiver_source *source,
			       const struct message *m, np_time at);

bool receiver_of_the_sender(const struct receiver *r, const struct receiver_source *source);

/* receiver_start: what START means. */
bool receiver_may_begin(const struct receiver *r, const struct message *m);
void receiver_begin_by(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, np_time at);
bool receiver_proves(const struct receiver *r, const struct receiver_source *source,
		     uint32_t session, uint32_t proof);
bool receiver_of_this_run(const struct receiver *r, const struct message *m);
void receiver_count_came(struct receiver *r, const struct receiver_source *source, unsigned count);
void receiver_take_start(struct receiver *r, const struct receiver_source *source,
			 const struct message *m, np_time at);

/* receiver_run: the beginning and the end of a run. */
void receiver_begin(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, np_time at);
void receiver_finish(struct receiver *r, enum message_status status);

/* How long after the END of all streams messages may still be on their way. */
np_time receiver_grace(const struct receiver *r);

/* How long nothing may come of this run. */
np_time receiver_silence(const struct receiver *r);

/* All streams of the run told their end. */
bool receiver_all_ended(const struct receiver *r);

#endif
