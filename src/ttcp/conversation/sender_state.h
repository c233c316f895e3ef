/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sender_state: the state that the parts of the sender's machine share, for nobody else. */
#ifndef TTCP_CONVERSATION_SENDER_STATE_H
#define TTCP_CONVERSATION_SENDER_STATE_H

#include "sender.h"

#include <netperf/delay.h>

struct sender_asking {
	np_time begin;
	np_time end;   /* of the pause */
	np_time limit; /* until when an answer is waited for */
	np_time next;  /* when START is due */
	unsigned told;
	unsigned group_asked; /* seconds after which START was sent to the group again */
	unsigned answers;     /* START_OKs in this run */
	int verdict;	      /* the worst one among them */
	bool foreign;	      /* somebody answers in another version */
	/* Datagrams: when it first asked for a proof of the address; 0: never. */
	np_time challenged;
	np_time proof_sent; /* by the wall clock; 0: not yet */
	bool proven;	    /* a START with the proof was answered */
	/* When connections that are closed before START is answered are made again: */
	np_time retry_next, retry_last;
	int closed_by; /* -errno of the last one; 0: it was closed normally */
	bool retried;
};

/* The progress of the end, and of DATA that waits. */
struct sender_progress {
	np_time moved;
	uint64_t unacknowledged;  /* bytes that the receivers' kernels had not acknowledged at the
				     last check */
	np_time drained;	  /* and when that last decreased */
	np_time alive, alive_gap; /* when a receiver last reported that messages arrive; and the
				     time since the report before */
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
	struct np_offset offset[RECEIVERS_MAX]; /* of the receivers' clocks */
	struct sender_asking asking;
	struct sender_progress progress;
	struct message message; /* buffer for a received message */
};

static inline np_time sender_wall(const struct sender *s, np_time at)
{
	return at + s->plan.ahead;
}

static inline void sender_report(const struct sender *s, const struct sender_event *event)
{
	s->listener.tell(s->listener.context, event);
}

/* sender_tell: sends START or END on @lane, to one or (NULL) to all. Returns 0 or -errno. */
int sender_tell(struct sender *s, struct sender_lane *lane, enum message_type type,
		const struct receivers_receiver *to);

/* sender_contact: one step, and what an answer means for it. */
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
