/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * ttcp_end: a sender or a receiver of ttcp, its options and its session, at a clock that the test
 * sets, over a transport that is made up: what it sends and what it says is kept, and its answers
 * and messages come one by one by the test's hand, or by ttcp_network.
 */
#pragma once

#include "../../../src/ttcp/conversation/conversation.h"
#include "../../../src/ttcp/conversation/sender.h"
#include "../address_of.h"

#include <stdlib.h>

/* Fails with the name of the row of a table. */
#define assert_row(row, condition)                                                                 \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("%s: not %s", row, #condition);                                   \
	} while (0)

#define MS	   NP_MILLISECOND
#define STEP	   NP_MILLISECOND
#define LOOK	   (20 * NP_MILLISECOND)
#define EPOCH	   (1000 * NP_SECOND)
#define DATA_BYTES 64
#define DATA_BATCH 4
#define LANES	   2
#define ID	   77

/* The clocks of senders, and of receivers: wall clock minus monotonic clock. */
#define SENDER_AHEAD   (7 * NP_SECOND)
#define RECEIVER_AHEAD (12 * NP_SECOND)

/* What is 0 is usual: one stream, 10 messages unless it has a duration or is classic, one run. */
struct sender_plan {
	bool datagrams, group, acks, classic, ping_pong, no_wait;
	np_time wait, duration;
	uint32_t id;
	unsigned lanes, batch;
	uint64_t messages;
	uint32_t runs;
	const struct np_address *to;
};

struct receiver_plan {
	bool datagrams;
	bool invisible;	  /* the monitor of a group */
	uint64_t senders; /* 0: no limit */
	np_time wait;
	uint64_t secret;
};

struct end {
	struct options options;
	struct np_log log;
	struct session session;
	struct sender *sender; /* or: */
	struct receiver *receiver;
	struct receiver_run *run; /* of that */
	const np_time *clock;
	np_time now; /* unless it has another clock */
	char *text;
	size_t bytes_said;
	FILE *stream;
	struct end *next; /* open */
	struct channel channel[MESSAGE_STREAMS_MAX];
	uint8_t batch[MESSAGE_STREAMS_MAX][DATA_BATCH * DATA_BYTES];
	struct np_address one, two; /* partners of it */
	uint32_t proof;		    /* that the sender was told */

	/* All that it sends goes here, too; @to NULL: to all. NULL: nowhere. */
	void (*carry)(struct end *e, unsigned lane, const struct np_address *to,
		      const void *message, size_t bytes);
	/* The control messages that it sent. */
	unsigned sent[MESSAGE_TRANSACT + 1], sent_on[MESSAGE_STREAMS_MAX], answers;
	unsigned alone; /* of them those to one */
	struct message last;
	size_t bytes;	      /* of that one */
	struct np_address to; /* and to whom */
	np_time last_at;
	uint64_t pushed;
	struct message data; /* the last one pushed */
	unsigned connects, finished;

	/* What the transport does. */
	int refusal;		 /* of what is sent */
	int refused;		 /* what was sent, as it is told later */
	uint64_t left;		 /* unacknowledged */
	uint64_t errors;	 /* that the socket told of */
	unsigned full;		 /* pushes that find no room */
	bool idle;		 /* stream 0 takes nothing, which is no error */
	uint64_t drops, dropped; /* so many more each time it is asked */
};

/* Opens @e, which has all zeros, at a clock that is its own or, unless it is NULL, @clock. */
void end_send(struct end *e, const struct sender_plan *plan, const np_time *clock);
void end_receive(struct end *e, const struct receiver_plan *plan, const np_time *clock);

/* All that are open. Also at exit. */
void ends_close(void);

/* How often it has said @text, to the user or as a warning. */
unsigned end_said(const struct end *e, const char *text);
#define NO_REPORT   "no answer from"
#define JOINED_LATE "joined late"
#define SILENT	    "assumed to be a classic receiver"
#define AGAIN	    "reconnecting"
#define NOBODY	    "sending to the group all the same"
#define LOST	    "lost before its report"

/* A desk, until the next one is made: a sender that has begun to make contact, or a receiver. */
struct end *desk_of_sender(const struct sender_plan *plan);
struct end *desk_of_receiver(const struct receiver_plan *plan);
#define SENDER(...)   desk_of_sender(&(struct sender_plan){__VA_ARGS__})
#define RECEIVER(...) desk_of_receiver(&(struct receiver_plan){__VA_ARGS__})

/* Time passes: what is due then is done then. How often @text has been said then. */
void pass(struct end *d, np_time time);
unsigned said_after(struct end *d, np_time time, const char *text);

/* From ->one where it is not said. */
void take_from(struct end *d, const struct np_address *from, const struct message *m);
void take(struct end *d, const struct message *m);

/* For senders: START_OK on @lane, by a clock 5 s ahead; REPORT. */
enum sender_phase phase(const struct end *d);
enum sender_phase phase_after(struct end *d, np_time time);
struct message answer_of(enum message_type type);
void take_ok(struct end *d, const struct np_address *from, unsigned lane);
void take_report(struct end *d, const struct np_address *from);

/* To where DATA may go: all lanes are answered, the pause is over; to behind them; to END. */
void contact(struct end *d);
void send_all(struct end *d);
void finish(struct end *d);
void run_to_end(struct end *d);

/* What sender_push returns. */
int push_at(struct end *d, np_time now);
int push_now(struct end *d);

/* For receivers; @number: of a DATA, or of the messages that a START or an END counts. */
struct message message_of(enum message_type type, uint64_t number);
struct message start_of(const struct end *d, uint64_t messages);
void take_data(struct end *d, uint64_t number);
void take_of_stream(struct end *d, enum message_type type, unsigned stream, uint64_t number);
void take_end(struct end *d, uint64_t messages);

/* The START @m, and again with the proof that its answer asks for; START until the run has begun.
 */
void prove(struct end *d, struct message *m);
void start(struct end *d, uint64_t messages);
struct np_flow_counts figures_of(const struct end *d);

/* The strays since it was last asked, or a run ended; of them those by @m, which it takes. */
uint64_t strays(struct end *d);
uint64_t strays_after(struct end *d, const struct message *m);

/* How often it was said that a run has begun, or has ended, or that the next sender may come. */
#define BEGUN_TEXT     "Start to receive"
#define FINISHED_TEXT  "Receive: Receive:"
#define LISTENING_TEXT "Wait to receive"
#define BEGUN(d)       end_said(d, BEGUN_TEXT)
#define FINISHED(d)    end_said(d, FINISHED_TEXT)
#define LISTENING(d)   end_said(d, LISTENING_TEXT)
