/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sender_state: what the parts of the sender's machine share, and nobody else sees. */
#ifndef TTCP_CONVERSATION_SENDER_STATE_H
#define TTCP_CONVERSATION_SENDER_STATE_H

#include "sender.h"

#include <netperf/offset.h>

struct sender_asking {
	np_time begin;
	np_time end;   /* of the pause */
	np_time limit; /* of the waiting for an answer */
	np_time next;  /* START */
	unsigned told;
	unsigned group_asked; /* seconds after which START went to the group again */
	unsigned answers;     /* START_OKs of this run */
	int verdict;	      /* worst that one of them said */
	bool foreign;	      /* somebody answers in another version */
	/* Connections that are closed before START is answered are made again: */
	np_time retry_next, retry_last;
	int closed_by; /* -errno of the last one; 0: it just ended */
	bool retried;
};

/* How the end, and what DATA waits for, comes about. */
struct sender_progress {
	np_time moved;
	uint64_t unacknowledged;  /* what the receivers' kernels had not yet, at last sight */
	np_time drained;	  /* and when that became less */
	np_time alive, alive_gap; /* a receiver told that messages come; and the time before that */
	np_time end_begin, end_next;
	unsigned end_told;
};

struct sender {
	struct sender_plan plan;
	struct sender_port port;
	struct sender_listener listener;
	struct sender_run run;
	struct sender_lane lane[MESSAGE_STREAMS_MAX];
	uint8_t flags; /* of all messages */
	struct receivers receivers;
	struct np_offset offset[RECEIVERS_MAX]; /* of the clocks of the receivers's */
	struct sender_asking asking;
	struct sender_progress progress;
	struct message message; /* room for what comes */
};

static inline np_time sender_wall(const struct sender *s, np_time at)
{
	return at + s->plan.ahead;
}

static inline void sender_report(const struct sender *s, const struct sender_event *event)
{
	s->listener.tell(s->listener.context, event);
}

/* sender_tell: START or END on @lane, to one or (NULL) to all. 0 or -errno. */
int sender_tell(struct sender *s, struct sender_lane *lane, enum message_type type,
		const struct receivers_receiver *to);

/* sender_contact: one turn of it, and what an answer means for it. */
void sender_contact_tick(struct sender *s, np_time now);
np_time sender_contact_deadline(const struct sender *s);
void sender_contact_broke(struct sender *s, int error);
void sender_contact_answered(struct sender *s, np_time now);

/* sender_data: at its end. */
void sender_note_missed(struct sender *s, np_time now);

/* sender_end: alike. */
void sender_end_tick(struct sender *s, np_time now);
np_time sender_end_deadline(const struct sender *s);
void sender_end_broke(struct sender *s, int error);

#endif
