/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sender: the sender's part in the conversation (START, DATA, ACK, END, REPORT), over a series of
 * runs. A pure state machine: messages and the clock come in as arguments; messages go out by a
 * port, what is worth telling by a listener. It opens nothing and prints nothing.
 *
 * A run: sender_begin; sender_tick and what comes until sender_phase is no longer SENDER_CONTACT;
 * sender_start and sender_push until sender_sent; sender_end, sender_tick and what comes until
 * SENDER_DONE. Every wait has a limit. A forged or malformed message costs nothing else. One
 * thread. Times are monotonic, but for those that messages carry: the wall clock's.
 */
#ifndef TTCP_CONVERSATION_SENDER_H
#define TTCP_CONVERSATION_SENDER_H

#include "peer_name.h"
#include "receivers.h"

#include <netperf/pacer.h>
#include <sys/types.h>

#define SENDER_PAUSE (3 * NP_SECOND) /* before sending, that users know; for an answer at least */
#define SENDER_STALL (MESSAGE_SILENCE_MS * NP_MILLISECOND) /* nothing moves: it is over */

enum sender_phase {
	SENDER_CONTACT, /* START, until it is answered; the pause in which clocks are compared */
	SENDER_SENDING, /* a receiver is ready: DATA */
	SENDER_ENDING,	/* END, until all have reported */
	SENDER_DONE,	/* with this run */
};

struct sender_plan {
	bool repeats; /* datagrams: a message may be lost, START and END are told again */
	bool group;
	bool acks;    /* wanted */
	bool classic; /* nothing is told, nothing answered: no START, no END */
	bool ping_pong, no_copy;
	bool no_wait;	       /* none of the pauses that only people need */
	np_time wait;	       /* a receiver may come so late */
	uint32_t id;	       /* random */
	unsigned lanes;	       /* streams, 1..MESSAGE_STREAMS_MAX */
	size_t message_bytes;  /* of DATA */
	unsigned batch;	       /* DATA that are handed over in one call */
	uint64_t messages;     /* of each stream; 0: no limit but the duration */
	np_time duration;      /* 0: none */
	uint32_t runs;	       /* 0: for ever */
	const char *session;   /* its name; copied */
	np_time ahead;	       /* the wall clock's, of the monotonic one */
	const unsigned *stops; /* how often the user has asked for the end so far; the caller's */
};

/* One of the streams of a run. */
struct sender_lane {
	unsigned index;
	uint8_t *batch; /* the port's: DATA handed over in one call, filled, behind each other */
	size_t filled, gone; /* bytes of it, and of them those that went */
	uint64_t number;     /* of the next message */
	uint64_t lost;	     /* could not be sent: no datagram went */
	bool outstanding;    /* ping-pong: the last one is not acknowledged yet */
	bool asked;	     /* a stream: START went on this connection */
	bool ready;	     /* START was answered */
	bool closed;	     /* a stream: the receiver sends no more. The caller's to set */
	struct message data; /* the header of the last one; most of it is that of all */
};

/* Where messages go: the transport, or a made-up network. All return 0 or -errno but as said. */
struct sender_port {
	void *context;
	/* A control message, whole; @to NULL: the receiver, or the group. */
	int (*tell)(void *context, unsigned lane, const struct np_address *to, const void *message,
		    size_t bytes);
	/*
	 * What is filled and not gone: how many bytes of it go, or could not and are lost
	 * (lane->lost); -errno, -EAGAIN: no room now. Then it reads the clock into @now. Hot.
	 */
	ssize_t (*push)(void *context, struct sender_lane *lane, np_time *now);
	np_time (*clock)(void *context);
	/* Streams: those that are given up are connected again, for START. NULL: datagrams. */
	int (*connect)(void *context);
	void (*give_up)(void *context, unsigned lane);
	/* Streams: no more follows on this lane in this run. */
	void (*finish)(void *context, unsigned lane);
	/* Streams: the bytes that the receiver's kernel does not have yet. */
	uint64_t (*unacknowledged)(void *context);
	/* Datagrams: whether the receiver's host said that nobody is there. */
	bool (*refused)(void *context);
	/* How people name who is at @address; NULL: peer_name. Returns @out. */
	char *(*name)(void *context, const struct np_address *address, char out[NP_ADDRESS_TEXT]);
};

/* Why there was no run, or no end of it. */
enum sender_fault {
	SENDER_FOREIGN,	    /* another version of ttcp's messages */
	SENDER_BUSY,	    /* with another sender */
	SENDER_UNWILLING,   /* the receiver says why itself */
	SENDER_INTERRUPTED, /* before a receiver answered */
	SENDER_UNANSWERED,
	SENDER_CLOSED,	/* the connection, before an answer */
	SENDER_PARTLY,	/* does not answer on all streams */
	SENDER_NO_TTCP, /* what answers there */
	SENDER_BROKEN,	/* @error */
};

enum sender_event_kind {
	SENDER_FAILED,	   /* to make contact: @fault, @error */
	SENDER_LOST,	   /* the receiver, before its report: @error */
	SENDER_AGAIN,	   /* a connection was closed before it was answered, is made again */
	SENDER_SILENT,	   /* a stream's receiver answers nothing: taken for a classic one */
	SENDER_ACK,	   /* the first of its number */
	SENDER_NO_REPORT,  /* from @receiver, NULL: from nobody */
	SENDER_JOINED_LATE /* @receiver */
};

struct sender_event {
	enum sender_event_kind kind;
	enum sender_fault fault;
	int error; /* -errno */
	const struct receivers_receiver *receiver;
	const struct message *ack;
	np_time acked; /* by the wall clock */
};

struct sender_listener {
	void *context;
	void (*tell)(void *context, const struct sender_event *event);
};

/* What there is to know of the run that goes on, or of the last one. */
struct sender_run {
	enum sender_phase phase;
	uint64_t number; /* 1.. */
	uint64_t rate_kbps;
	struct message_start start; /* what it is announced by */
	bool sending;		    /* the first message went, or could have */
	bool failed;		    /* it ended without all reports */
	bool silent;		    /* a stream's receiver of another kind, that answers nothing */
	np_time first, last;	    /* before the first message went, behind the last one */
	np_time deadline;	    /* of the duration */
	struct np_pacer pacer;
};

struct sender;

/* Returns 0 or -ENOMEM. The lanes' batches are the caller's to set. */
int sender_create(struct sender **sender, const struct sender_plan *plan,
		  const struct sender_port *port, const struct sender_listener *listener);
void sender_free(struct sender *sender); /* NULL is allowed */

struct sender_lane *sender_lane(struct sender *sender, unsigned index);
const struct sender_run *sender_run(const struct sender *sender);
struct receivers *sender_receivers(struct sender *sender);

/* A run: forgets the one before, but for the receivers and their clocks. Lanes begin empty. */
void sender_begin(struct sender *sender, uint64_t number, uint64_t rate_kbps);

/* Contact begins; a classic run's is made at once. */
void sender_contact(struct sender *sender, np_time now);

/* What came, by datagrams or whole out of a stream. -errno of message_decode, 0: it was good. */
int sender_take(struct sender *sender, const uint8_t *data, size_t length,
		const struct np_address *source, np_time at);

/* A lane broke, or brought what is no message: @error. */
void sender_broke(struct sender *sender, int error);

/* What is due by time, in contact and at the end: call it when it is, and when anything came. */
void sender_tick(struct sender *sender, np_time now);
np_time sender_deadline(const struct sender *sender);

/* DATA begin. */
void sender_start(struct sender *sender, np_time now);

/*
 * Pushes each lane once, filled when it is empty and may send. Returns 1 when anything went, 0, or
 * -errno of a lane. *@now: read again behind each. Hot.
 */
int sender_push(struct sender *sender, np_time *now);

/* Bytes that are no messages went, and count as one. */
void sender_passed(struct sender *sender, np_time now);

/* True when all went that will. */
bool sender_sent(const struct sender *sender, np_time now);

/* When nothing went: until when to wait for room or answers, at most to @latest. */
np_time sender_rest(struct sender *sender, np_time now, np_time latest);

/* DATA waits for room, and none was found for too long. */
bool sender_stalled(struct sender *sender, np_time now);

/* Whether messages, or acknowledgements of their bytes, moved within @limit before @now. */
bool sender_moves(struct sender *sender, np_time now, np_time limit);
void sender_moved(struct sender *sender, np_time now);

/* The messages and bytes that went so far in this run. */
uint64_t sender_messages(const struct sender *sender);

/* END: all DATA went; or the run is given up, as far as receivers are ready. */
void sender_end(struct sender *sender, np_time now);
void sender_abandon(struct sender *sender);

/* Tells receivers that wait for the next run that none will come; as often as datagrams need. */
void sender_bye(struct sender *sender);

/* What is known of a receiver's clock at @now, by the wall clock. */
struct message_clock sender_clock(const struct sender *sender,
				  const struct receivers_receiver *receiver, np_time now);

#endif
