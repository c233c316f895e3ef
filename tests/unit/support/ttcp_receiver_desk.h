/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * ttcp_receiver_desk: a receiver whose messages come one by one by a test's hand, at a clock of its
 * own, and whose answers and words are looked at.
 */
#ifndef TTCP_RECEIVER_DESK_H
#define TTCP_RECEIVER_DESK_H

#include "ttcp_end.h"

#define ID 77

struct desk {
	struct end end;
	struct receiver *receiver;
	struct conversation *with; /* of it */
	struct receiver_run *run;  /* of that */
	np_time now;
	struct np_address sender, other;
	unsigned answers;     /* so far */
	size_t bytes;	      /* of the last one */
	struct message last;  /* of them */
	struct np_address to; /* and to whom */
	uint32_t proof;	      /* that the sender was told */
};

/* A desk, until the next one is made. */
struct desk *desk_of(const struct receiver_plan *plan);
struct desk *desk(bool datagrams);
struct np_flow_counts figures_of(const struct desk *d);
struct message message_of(enum message_type type, uint64_t number);
void take_from(struct desk *d, const struct np_address *from, const struct message *m);
void take(struct desk *d, const struct message *m);
void take_data(struct desk *d, uint64_t number);

/* @number: of a DATA, or of the messages that an END counts. */
void take_of_stream(struct desk *d, enum message_type type, unsigned stream, uint64_t number);
void take_end(struct desk *d, uint64_t messages);
struct message start_of(const struct desk *d, uint64_t messages);

/* The START @m, and again with the proof that its answer asks for. */
void prove(struct desk *d, struct message *m);

/* START until the run has begun. */
void start(struct desk *d, uint64_t messages);

/* Time passes, in the service's steps. */
void pass(struct desk *d, np_time time);

/* Takes @m; returns the strays counted from it. */
uint64_t strays_after(struct desk *d, const struct message *m);

/* The strays since it was last asked, or a run ended. */
uint64_t strays(struct desk *d);

/* How often it was said that a run has begun, or has ended, or that the next sender may come. */
#define SAID(d, text) end_said(&(d)->end, text)
#define BEGUN(d)      SAID(d, "Start to receive")
#define FINISHED(d)   SAID(d, "Receive: Receive:")
#define LISTENING(d)  SAID(d, "Wait to receive")

#endif
