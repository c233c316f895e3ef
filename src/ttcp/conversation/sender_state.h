/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sender_state: what the parts of a sender share. One thread. */
#ifndef TTCP_CONVERSATION_SENDER_STATE_H
#define TTCP_CONVERSATION_SENDER_STATE_H

#include "../files/files.h"
#include "../report/record.h"
#include "receivers.h"
#include "sender.h"

#include <netperf/datagram.h>
#include <netperf/interval.h>
#include <netperf/offset.h>
#include <netperf/pacer.h>
#include <netperf/stream.h>

#define SENDER_WAIT	   (3 * NP_SECOND) /* the pause before sending that users know */
#define SENDER_WAIT_TEXT   3
#define SENDER_PAUSE	   (10 * NP_SECOND) /* between runs */
#define SENDER_PAUSE_TEXT  10
#define SENDER_STALL	   (MESSAGE_SILENCE_MS * NP_MILLISECOND) /* nothing moves: it is over */
#define SENDER_ANSWER_ROOM 65536

/* One of the streams of a run. */
struct lane {
	unsigned index;
	struct np_stream *stream;     /* TCP */
	struct np_datagram *datagram; /* UDP, multicast */
	struct np_address peer;	      /* TCP: the receiver */
	uint8_t *batch;	     /* the messages that are handed over in one call, behind each other */
	size_t filled, gone; /* bytes of it, and of them those that went */
	struct message data; /* the header of the last one; most of it is that of all */
	uint64_t number;     /* of the next message */
	uint64_t lost;	     /* could not be sent: no datagram went */
	bool outstanding;    /* ping-pong: the last one is not acknowledged yet */
	bool full;	     /* UDP: the last push found no room */
	bool asked;	     /* TCP: START went on this connection */
	bool ready;	     /* START was answered */
	bool closed;	     /* the receiver sends no more */
	uint8_t *answer;     /* TCP: what came, SENDER_ANSWER_ROOM bytes */
	size_t answered;     /* bytes in it: part of a message */
};

/* How the messages of one transport go. All return 0 or -errno, unless it says otherwise. */
struct sender_transport {
	bool repeats; /* a message may be lost: START and END are told again */
	/* Before privileges are dropped; what is missing at a failure is said. Exit status. */
	int (*open)(struct sender *s);
	/* A run begins; or streams that have no connection any more get one. */
	int (*connect)(struct sender *s);
	/* The connection of a lane is of no use. */
	void (*give_up)(struct lane *lane);
	/* For a word between two runs: the receiver, by lane 0. */
	int (*reach)(struct sender *s);
	/* A control message, whole; @to NULL: the receiver, or the group. */
	int (*tell)(struct sender *s, struct lane *lane, const struct np_address *to,
		    const void *message, size_t bytes);
	/*
	 * One turn of what is filled and not gone: how many bytes of it go, or could not and are
	 * lost; or -errno, -EAGAIN: no room now. The caller moves lane->gone.
	 */
	ssize_t (*push)(struct sender *s, struct lane *lane);
	/* Takes the answers that are there. How many messages, or -errno. */
	int (*hear)(struct sender *s, struct lane *lane);
	/* How long hear() may sleep while nothing is there; 0: not at all. 0 or -errno. */
	int (*patience)(struct lane *lane, np_time limit);
	/* No more follows on this lane in this run. */
	void (*finish)(struct lane *lane);
	void (*disconnect)(struct sender *s);
};

extern const struct sender_transport sender_tcp;
extern const struct sender_transport sender_udp; /* groups, too */

/* What became of all runs. */
struct sender_sum {
	uint64_t runs, messages, bytes, unsent, send_errors;
	uint64_t alone; /* bytes of runs of one message */
	np_time elapsed, behind;
	struct record_refusals refusals;
};

struct sender {
	struct session *session;
	const struct sender_transport *transport;
	struct np_address to;
	const char *name; /* of the receiver as typed, for messages to the user */
	uint32_t id;
	bool group;
	bool acks;    /* wanted */
	bool classic; /* nothing is told, nothing answered: no START, no END */
	bool silent;  /* TCP: a receiver of another kind, that answers nothing */
	uint64_t run;
	struct lane *lane;
	unsigned lanes;
	uint8_t *memory; /* TCP: what the lanes' pointers point into */
	size_t message_bytes;
	unsigned batch_messages;
	struct message_start start; /* of the run, with the best clock */
	struct receivers receivers;
	struct np_offset offset[RECEIVERS_MAX]; /* of the clocks of the receivers */
	unsigned answers;			/* START-OKs of this run */
	unsigned group_asked; /* seconds after which START went to the group again */
	uint8_t flags;	      /* of all messages */
	bool sending;	      /* the first message of the run went */
	bool end_told;	      /* END of this run went to all */
	int verdict;	      /* worst that a START-OK said */
	bool other_version;
	struct np_pacer pacer;
	np_time due;	  /* ping-pong, pacing: nothing goes before */
	np_time deadline; /* of --duration */
	np_time first, last, moved;
	uint64_t unacknowledged;  /* TCP: what the receivers' kernels had not yet, at last sight */
	np_time drained;	  /* and when that became less */
	np_time alive, alive_gap; /* a receiver told that messages come; and the time before that */
	np_time look_at;
	uint64_t counted;  /* messages told to the console so far */
	uint64_t windowed; /* and to the windows */
	uint64_t errors_before;
	struct record_refusals refused_before; /* when the run began */
	uint64_t raw_bytes;		       /* of --stdin */
	struct np_interval interval;
	struct tally_figures marked; /* at the last interval report */
	unsigned intervals;	     /* reported of this run */
	struct files files;
	struct sender_sum sum;
	struct message message; /* room for what comes */
};

static inline const struct options *sender_options(const struct sender *s)
{
	return s->session->options;
}

/* The messages and bytes that went so far in this run. */
uint64_t sender_messages(const struct sender *s);
uint64_t sender_bytes(const struct sender *s);

/* sender_contact: START until it is answered, and the clocks compared. 0, exit status, see there.
 */
int sender_contact(struct sender *s);

/* Whether messages, or acknowledgements of their bytes, moved within @limit before @now. */
bool sender_moves(struct sender *s, np_time now, np_time limit);

/* sender_blast: the messages of a run. 0, or the exit status after a message. */
int sender_blast(struct sender *s);

/* Tells receivers that wait for the next run that none will come; once, as far as they hear. */
void sender_bye(struct sender *s);

/* sender_end: END until all have reported. 0, or the exit status after a message. */
int sender_end(struct sender *s);

/* sender_raw: --stdin, and all that --classic sends in place of START, END. */
int sender_stdin(struct sender *s);
int sender_classic_mark(struct sender *s, unsigned count);

/* sender_answers: a message that arrived at monotonic @at from @source. */
void sender_take(struct sender *s, const uint8_t *data, size_t length,
		 const struct np_address *source, np_time at);

/* Sends START or END on @lane, to one or (NULL) to all. 0 or -errno. */
int sender_tell(struct sender *s, struct lane *lane, enum message_type type,
		const struct receivers_receiver *to);

/*
 * Sleeps until @until, a wish to stop, or anything comes, or with @writable a lane has room for
 * what it still has; then takes what came. How many messages, or -errno of a lane.
 */
int sender_wait(struct sender *s, np_time until, bool writable);

/* What is known of a receiver's clock now. */
struct message_clock sender_clock(const struct sender *s, const struct receivers_receiver *receiver,
				  np_time now);

/* Takes what is there on all lanes: how many messages, or -errno. */
int sender_hear(struct sender *s);

/* What the kernel says now; not known over TCP, where nothing is dropped. */
struct record_refusals sender_refusals(const struct sender *s);

/* sender_result: what is said of a run, during it and at its end; returns the exit status. */
void sender_say_start(struct sender *s);
void sender_interval(struct sender *s, np_time now);
int sender_conclude(struct sender *s, int status);
void sender_summary(struct sender *s);

/* sender_probe: whether the port answers the other protocol; says so. */
void sender_probe(struct sender *s);

#endif
