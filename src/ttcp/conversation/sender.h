/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sender: the sender's side of the conversation (START, DATA, ACK, END, REPORT), over a series of
 * runs. A pure state machine: messages and the clock come in as arguments; messages go out by a
 * port, and so do events. It opens nothing and prints nothing.
 *
 * A run: sender_begin; sender_tick and whatever arrives until sender_phase is no longer
 * SENDER_CONTACT; sender_start and sender_push until sender_sent; sender_end, sender_tick and
 * whatever arrives until SENDER_DONE. Every wait has a limit. A forged or malformed message costs
 * nothing else. One thread. Times are monotonic, except those in messages, which are wall-clock
 * times.
 */
#ifndef TTCP_CONVERSATION_SENDER_H
#define TTCP_CONVERSATION_SENDER_H

#include "receivers.h"

#include <netperf/histogram.h>
#include <netperf/pacer.h>
#include <sys/types.h>

/* The pause before sending that users see; also the minimum wait for an answer. */
#define SENDER_PAUSE (3 * NP_SECOND)
/* With no progress for this long the run is over. */
#define SENDER_STALL (MESSAGE_SILENCE_MS * NP_MILLISECOND)

enum sender_phase {
	SENDER_CONTACT, /* sends START until it is answered; then the pause in which clocks are
			   compared */
	SENDER_SENDING, /* a receiver is ready: sends DATA */
	SENDER_ENDING,	/* sends END until all have reported */
	SENDER_DONE,	/* this run is over */
};

struct sender_plan {
	bool repeats; /* datagrams: messages may be lost, so START and END are repeated */
	bool group;
	const struct np_address *to; /* not a group: where messages go; owned by the caller; NULL:
					unknown */
	bool acks;		     /* ACKs are wanted */
	bool classic; /* sends nothing but data and gets no answer: no START, no END */
	bool ping_pong, no_copy;
	bool no_wait;		    /* skip the pauses that only users need */
	np_time wait;		    /* how late a receiver may come */
	uint32_t id;		    /* random */
	unsigned lanes;		    /* streams, 1..MESSAGE_STREAMS_MAX */
	size_t message_bytes;	    /* of DATA */
	unsigned batch;		    /* DATA handed over in one call */
	uint64_t messages;	    /* of each stream; 0: limited only by the duration */
	np_time duration;	    /* 0: none */
	uint32_t runs;		    /* 0: no limit */
	const char *session;	    /* its name; copied */
	np_time ahead;		    /* wall clock minus monotonic clock */
	const unsigned *interrupts; /* owned by the caller: how often the user has asked to stop */
};

/* One of the streams of a run. */
struct sender_lane {
	unsigned index;
	uint8_t *batch; /* owned by the port: the DATA that one call hands over, adjacent to each
			   other */
	size_t filled, gone; /* filled bytes of it, and those of them that were sent */
	uint64_t number;     /* of the next message */
	uint64_t lost;	     /* could not be sent: no datagram went out */
	bool outstanding;    /* ping-pong: the last one was not acknowledged yet */
	bool asked;	     /* a stream: START was sent on this connection */
	bool ready;	     /* START was answered */
	bool closed;	     /* a stream: the receiver sends no more. Set by the caller */
	struct message data; /* the header of the last one; most of it is the same for all */
};

struct sender_event;

/*
 * Where messages and events go: the transport and the user, or a simulated network. All functions
 * return 0 or -errno unless stated otherwise.
 */
struct sender_port {
	void *context;
	/* Sends a complete control message; @to NULL: to the receiver, or to the group. */
	int (*send)(void *context, unsigned lane, const struct np_address *to, const void *message,
		    size_t bytes);
	/*
	 * Sends bytes that are filled but not sent: returns how many were sent or lost
	 * (lane->lost); -errno, -EAGAIN: no room now. Then reads the clock into @now. Hot.
	 */
	ssize_t (*push)(void *context, struct sender_lane *lane, np_time *now);
	np_time (*clock)(void *context);
	/* Streams: closes @lanes, a bit for each, and makes their connections again. */
	int (*reconnect)(void *context, uint64_t lanes);
	/* Streams: nothing more follows on this lane in this run. */
	void (*finish)(void *context, unsigned lane);
	/* Streams: the bytes that the receiver's kernel has not acknowledged. */
	uint64_t (*unacknowledged)(void *context);
	/* Datagrams: whether the receiver's host reported that nobody listens there. */
	bool (*refused)(void *context);
	/*
	 * Fills in what this process used in the run so far, and what this host dropped of its
	 * DATA: cpu, dropped, reasons. NULL: unknown.
	 */
	void (*account)(void *context, struct message_end *end);
	/* How people name who is at @address; NULL: peer_name. Returns @out. */
	char *(*name)(const struct np_address *address, char out[NP_ADDRESS_TEXT]);
	void (*notify)(void *context, const struct sender_event *event);
};

/* Why there was no run, or why it had no end. */
enum sender_fault {
	SENDER_FOREIGN,	    /* another version of ttcp's messages */
	SENDER_BUSY,	    /* busy with another sender */
	SENDER_UNWILLING,   /* the receiver itself reports why */
	SENDER_INTERRUPTED, /* before sending began */
	SENDER_UNANSWERED,
	SENDER_CLOSED,	/* the connection was closed before an answer */
	SENDER_PARTLY,	/* does not answer on all streams */
	SENDER_NO_TTCP, /* what answers is not ttcp */
	SENDER_BROKEN,	/* @error */
};

enum sender_event_kind {
	SENDER_FAILED,	   /* making contact failed: @fault, @error */
	SENDER_LOST,	   /* the receiver was lost before its report: @error */
	SENDER_AGAIN,	   /* a connection was closed before it was answered, and is made again */
	SENDER_SILENT,	   /* a stream's receiver does not answer: assumed to be a classic one */
	SENDER_NOBODY,	   /* no member of the group answers: it is sent to all the same */
	SENDER_ACK,	   /* the first one of its number */
	SENDER_NO_REPORT,  /* no report from @receiver, which had answered */
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

/* What is known of the current run, or of the last one. */
struct sender_run {
	enum sender_phase phase;
	uint64_t number;	    /* 1.. */
	double rate_bits;	    /* a second; 0: as fast as possible */
	struct message_start start; /* as announced */
	bool sending;		    /* the first message was sent, or could have been */
	bool failed;		    /* it ended without the report of one that had answered */
	bool over;		    /* not to a group: the receiver has reported */
	bool silent;		    /* a stream's receiver does not answer, so it is not ours */
	np_time first, last;	    /* before the first message was sent, after the last one */
	np_time deadline;	    /* by the duration */
	struct np_pacer pacer;
};

/* Making contact. */
struct sender_asking {
	np_time begin;
	np_time end;	      /* of the pause */
	np_time limit;	      /* until when an answer is waited for */
	np_time next;	      /* when START is due */
	unsigned sent;	      /* STARTs so far */
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
	unsigned ends_sent;
};

/* Others may read @run and the lanes, and use @receivers. */
struct sender {
	struct sender_plan plan;
	struct sender_port port;
	struct sender_run run;
	struct sender_lane lane[MESSAGE_STREAMS_MAX];
	uint8_t flags; /* of all messages */
	struct receivers receivers;
	struct np_offset offset[RECEIVERS_MAX]; /* of the receivers' clocks */
	struct sender_asking asking;
	struct sender_progress progress;
	uint64_t strays;	/* answers of others than the receiver */
	struct message message; /* buffer for a received message */
};

/* Returns 0 or -ENOMEM. The caller sets the lanes' batches. */
int sender_create(struct sender **sender, const struct sender_plan *plan,
		  const struct sender_port *port);
void sender_free(struct sender *sender); /* NULL is allowed */

/* Starts a run: forgets the one before, except receivers and their clocks. Lanes start empty. */
void sender_begin(struct sender *sender, uint64_t number, double rate_bits);

/* Starts to make contact; a classic run needs none. */
void sender_contact(struct sender *sender, np_time now);

/*
 * Takes what arrived, as datagrams or as complete messages from a stream. Returns -errno of
 * message_decode, or 0: it was valid.
 */
int sender_take(struct sender *sender, const uint8_t *data, size_t length,
		const struct np_address *source, np_time at);

/* A lane broke, or delivered something that is no message: @error. */
void sender_broke(struct sender *sender, int error);

/*
 * Does what is due by time, in contact and at the end: call it when it is due, and when anything
 * arrived.
 */
void sender_tick(struct sender *sender, np_time now);
np_time sender_deadline(const struct sender *sender);

/* Starts DATA. */
void sender_start(struct sender *sender, np_time now);

/*
 * Pushes each lane once, after filling it if it is empty and may send. Returns 1 when anything was
 * sent, 0, or -errno of a lane. *@now: read again after each. Hot.
 */
int sender_push(struct sender *sender, np_time *now);

/* Bytes that are no messages were sent; they count as one. */
void sender_passed(struct sender *sender, np_time now);

/* True when everything that will be sent was sent. */
bool sender_sent(const struct sender *sender, np_time now);

/* Nothing could be sent: the time until which to wait for room or answers, at most @latest. */
np_time sender_rest(struct sender *sender, np_time now, np_time latest);

/* DATA waits for room, and found none for too long. */
bool sender_stalled(struct sender *sender, np_time now);

/* Whether messages, or acknowledgements of their bytes, moved within @limit before @now. */
bool sender_moves(struct sender *sender, np_time now, np_time limit);
void sender_moved(struct sender *sender, np_time now);

/* The messages and bytes sent so far in this run. */
uint64_t sender_messages(const struct sender *sender);

/* Sends END: all DATA was sent; or the run is given up, if receivers are ready. */
void sender_end(struct sender *sender, np_time now);
void sender_abandon(struct sender *sender);

/* Sends END to receivers that wait for a next run, which will not come; repeats it for datagrams.
 */
void sender_bye(struct sender *sender);

/* What is known of a receiver's clock at @now, by the wall clock. */
struct message_clock sender_clock(const struct sender *sender,
				  const struct receivers_receiver *receiver, np_time now);

/* For the parts of the machine: a moment as messages have it. */
static inline np_time sender_wall(const struct sender *s, np_time at)
{
	return at + s->plan.ahead;
}

static inline void sender_notify(const struct sender *s, struct sender_event event)
{
	s->port.notify(s->port.context, &event);
}

/* sender: sends START or END on @lane, to one or (NULL) to all. Returns 0 or -errno. */
int sender_send(struct sender *s, struct sender_lane *lane, enum message_type type,
		const struct receivers_receiver *to);

/* sender_contact: one step; a lane that broke; what an answer means for it. */
void sender_contact_tick(struct sender *s, np_time now);
void sender_contact_broke(struct sender *s, int error);
void sender_contact_answered(struct sender *s, np_time now);

#endif
