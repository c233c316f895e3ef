/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * ttcp_sender_desk: a sender whose answers come one by one by a test's hand, at a clock of its own,
 * and whose messages and words are looked at.
 */
#ifndef TTCP_SENDER_DESK_H
#define TTCP_SENDER_DESK_H

#include "ttcp_end.h"

#define LANES 2
#define ID    99

struct desk {
	struct end end;
	struct sender *sender;
	np_time now;
	struct np_address one, two; /* receivers */
	unsigned sent[MESSAGE_REPORT + 1], sent_on[MESSAGE_STREAMS_MAX];
	unsigned alone; /* of them those to one receiver */
	struct message last;
	np_time last_at;
	int refusal; /* of what is sent */
	bool refused;
	unsigned connects, finished;
	uint64_t left; /* unacknowledged */
	bool full;
	bool idle; /* stream 0 takes nothing, which is no error */
	uint64_t pushed;
	struct message data; /* the last one pushed */
};

/* A desk, until the next one is made; its sender has begun to make contact. */
struct desk *desk_of(const struct sender_plan *plan);
struct desk *desk(bool datagrams);
#define DESK(...) desk_of(&(struct sender_plan){__VA_ARGS__})
enum sender_phase phase(const struct desk *d);

/* Time passes: what is due then is done then. */
void pass(struct desk *d, np_time time);
void take_from(struct desk *d, const struct np_address *from, const struct message *m);
struct message answer_of(enum message_type type);

/* START_OK on @lane, by a clock 5 s ahead. */
void take_ok(struct desk *d, const struct np_address *from, unsigned lane);
void take_report(struct desk *d, const struct np_address *from);

/* To where DATA may go: all lanes are answered, the pause is over. */
void contact(struct desk *d);

/* And behind them. */
void send_all(struct desk *d);

/* What sender_push returns. */
int push_at(struct desk *d, np_time now);
int push_now(struct desk *d);

/* From the beginning to where END has been said once. */
void run_to_end(struct desk *d);

/* How often the user was told this. */
#define NO_REPORT     "no answer from"
#define JOINED_LATE   "joined late"
#define SILENT	      "assumed to be a classic receiver"
#define AGAIN	      "reconnecting"
#define NOBODY	      "sending to the group all the same"
#define LOST	      "lost before its report"
#define SAID(d, text) end_said(&(d)->end, text)

#endif
