/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sender: ttcp -t: the sender's side of the conversation (START, DATA, ACK, END, REPORT), over a
 * series of runs, and all that belongs to it. It decides by the messages and times that it is
 * given, and acts through its transport, its session and its files only: a test replaces these, and
 * the session's clock. Nothing of it is shared with another sender.
 *
 * A run: sender_begin; sender_contact; sender_tick and whatever arrives until its phase is no
 * longer SENDER_CONTACT; sender_start and sender_push until sender_sent; sender_end, sender_tick
 * and whatever arrives until SENDER_DONE. Every wait has a limit. A forged or malformed message
 * costs nothing else. One thread, but see parts. Times are monotonic, except those in messages,
 * which are wall-clock times.
 */
#pragma once

#include "../files/files.h"
#include "../transport/transport.h"

#include <pthread.h>

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

/* One of the streams of a run. */
struct sender_lane {
	size_t filled, gone; /* filled bytes of its batch, and those of them that were sent */
	uint64_t number;     /* of the next message */
	uint64_t lost;	     /* could not be sent: no datagram went out */
	bool outstanding;    /* ping-pong: the last one was not acknowledged yet; or TRANSACT */
	bool asked;	     /* a stream: START was sent on this connection */
	bool ready;	     /* START was answered */
	size_t carried;	     /* the start of an incomplete message of a stream */
	uint8_t carry[MESSAGE_CONTROL_MAX];
};

/* What is known of the current run, or of the last one. */
struct sender_run {
	enum sender_phase phase;
	const char *why; /* there was no run; NULL: nobody answered, or the user stopped it */
	uint64_t number; /* 1.. */
	struct message_start start; /* as announced */
	bool sending;		    /* the first message was sent, or could have been */
	bool failed;		    /* it ended without the report of one that had answered */
	bool over;		    /* not to a group: the receiver has reported */
	bool silent;		    /* a stream's receiver does not answer, so it is not ours */
	np_time first, last;	    /* before the first message was sent, after the last one */
	np_time deadline;	    /* by the duration */
	struct np_pacer pacer;
	unsigned turn;		       /* the lane whose turn it is at a rate */
	uint64_t burst_left;	       /* messages of a burst that are still to be sent */
	uint64_t strays;	       /* answers of others than the receiver */
	uint64_t windowed;	       /* messages reported to the windows */
	struct record_transmit result; /* filled in as it becomes known */
};

/* Making contact. */
struct sender_asking {
	np_time since;	      /* by the wall clock: answers to what was sent before are ignored */
	np_time begin;	      /* also of the pause */
	np_time limit;	      /* until when an answer is waited for */
	np_time next;	      /* when START is due */
	unsigned sent;	      /* STARTs so far */
	unsigned group_asked; /* seconds after which START was sent to the group again */
	unsigned answers;     /* START_OKs in this run */
	int verdict;	      /* the worst one among them */
	char beyond[MESSAGE_LIMIT_TEXT]; /* why, if it says so; else "" */
	bool foreign;			 /* somebody answers in another version */
	/* Datagrams: when it first asked for a proof of the address; 0: never. */
	np_time challenged;
	np_time proof_sent; /* by the wall clock; 0: not yet */
	bool proven;	    /* a START with the proof was answered */
	/* When connections that are closed before START is answered are made again: */
	np_time retry_next, retry_last;
	int closed_by; /* -errno of the last one; 0: it was closed normally */
};

/* The progress of the end, and of DATA that waits. */
struct sender_progress {
	np_time moved;
	uint64_t unacknowledged;  /* bytes that the receivers' kernels had not acknowledged at the
				     last check */
	np_time drained;	  /* and when that last decreased */
	np_time alive, alive_gap; /* when a receiver last reported that messages arrive; and the
				     time since the report before */
	np_time heard;		  /* anything from a receiver */
	np_time end_begin, end_next;
	unsigned ends_sent;
};

struct sender {
	struct session *session;
	const struct options *options;
	const struct load_options *load; /* of them */
	struct transport transport;
	const char *name; /* of the receiver as typed, for messages to the user */
	uint32_t id;	  /* random */
	bool acks;	  /* ACKs are wanted */
	bool classic;	  /* sends nothing but data and gets no answer: no START, no END */
	uint8_t flags;	  /* of all messages */
	bool bye;	  /* no run follows, whatever was announced */
	struct sender_run run;
	struct sender_lane lane[MESSAGE_STREAMS_MAX];
	struct receivers receivers;
	struct sender_asking asking;
	struct sender_progress progress;
	struct files files;
	uint64_t raw_bytes;		/* of --stdin */
	np_time look_at;		/* when to report next */
	struct transport_kernel before; /* when the run began */
	struct record_transmit sum;	/* of the runs that are over */
	struct side *beside;		/* --bidir: what receives meanwhile; NULL: nothing */
	unsigned threads;		/* of this run */
	struct sender_part *parts;	/* what other threads send now */
	unsigned part_count;
	struct sender_part *part;		  /* it is one of these; NULL: it decides */
	struct np_histogram_figures idle, loaded; /* --latency-under-load */
	uint64_t idle_lost, loaded_lost;	  /* of these trips, those without an answer */
	struct np_find find;			  /* --find-rate */
};

/*
 * A thread that sends some lanes of a stream sender, by a copy of that: it only fills and pushes
 * them. All else is the sender's, which adds them to its own at the end of the load.
 */
struct sender_part {
	struct sender sender;
	struct session session;
	unsigned index; /* 1..; the sender itself is 0 */
	pthread_t thread;
	bool runs; /* it was not joined yet */
	int rc;
	/* Atomic: the messages sent so far; how often the user, or the receiver, stopped it. */
	uint64_t sent;
	unsigned stops;
};

/* parts: sends what is to be sent, by as many threads as there are to be. Returns 0 or -errno. */
int send_load(struct sender *s);

/* Does dots, reports and signals: call it some fifty times a second. */
void send_look(struct sender *s, np_time now);

/*
 * Sleeps until @until, a request to stop, or until something arrives or a lane of @writable has
 * room; then takes what arrived. Returns how many messages, or -errno of a lane.
 */
int send_wait(struct sender *s, np_time until, uint64_t writable);

/* The load ended with @rc. Returns that; 0: the receiver has reported, and takes no more. */
int send_broke(struct sender *s, int rc);

/* transaction: all of them, between START and END. Returns 0 or -errno of what broke first. */
int transactions_run(struct sender *s);

/* Datagrams: messages may be lost, so START and END are repeated. */
static inline bool sender_repeats(const struct sender *s)
{
	return s->transport.face->datagrams;
}

/*
 * Over the transport of @face: what comes by it is taken. Returns 0 or -errno; call sender_free in
 * any case. Opening the transport sets its lanes; send_open gives each its DATA.
 */
int sender_create(struct sender **sender, struct session *session,
		  const struct transport_face *face);
void sender_free(struct sender *sender); /* NULL is allowed */

/* What START, and REVERSE, say of a load. */
struct message_start sender_announcement(const struct load_options *load, double rate_bits);

/* Starts a run: forgets the one before, except receivers and their clocks. Lanes start empty. */
void sender_begin(struct sender *s, uint64_t number, double rate_bits);

/* Starts to make contact; a classic run needs none. */
void sender_contact(struct sender *s, np_time now);

/*
 * Takes what arrived, as datagrams or as complete messages from a stream. Returns -errno of
 * message_decode, or 0: it was valid.
 */
int sender_take(struct sender *s, const uint8_t *data, size_t length,
		const struct np_address *source, np_time at);

/* A lane broke, or delivered something that is no message: @error. */
void sender_broke(struct sender *s, int error);

/*
 * Does what is due by time, in contact and at the end: call it when it is due, and when anything
 * arrived.
 */
void sender_tick(struct sender *s, np_time now);
np_time sender_deadline(const struct sender *s);

/* Starts DATA, of a warm-up or of what is measured. */
void sender_start(struct sender *s, np_time now);

/*
 * Pushes each lane once, after filling it if it is empty and may send. Returns 1 when anything was
 * sent, 0, or -errno of a lane. *@now: read again after each. Hot.
 */
int sender_push(struct sender *s, np_time *now);

/* True when everything that will be sent was sent. */
bool sender_sent(const struct sender *s, np_time now);

/* Nothing could be sent: the time until which to wait for room or answers, at most @latest. */
np_time sender_rest(struct sender *s, np_time now, np_time latest);

/* DATA waits for room, and found none for too long. */
bool sender_stalled(struct sender *s, np_time now);

/* Whether messages, or acknowledgements of their bytes, moved within @limit before @now. */
bool sender_moves(struct sender *s, np_time now, np_time limit);

/* The messages and bytes sent so far in this run. */
uint64_t sender_messages(const struct sender *s);

/* Sends END: all DATA was sent; or the run is given up, if receivers are ready. */
void sender_end(struct sender *s, np_time now);
void sender_abandon(struct sender *s);

/*
 * Sends END to receivers that wait for a next run, which will not come; repeats it for datagrams.
 */
void sender_bye(struct sender *s);

/* What is known of a receiver's clock at @now, by the wall clock. */
struct np_offset sender_clock(const struct sender *s, const struct receivers_receiver *receiver,
			      np_time now);

/* Sends START or END on @lane, to one or (NULL) to all. Returns 0 or -errno. */
int sender_send(struct sender *s, unsigned lane, enum message_type type,
		const struct receivers_receiver *to);

/*
 * Sends a datagram, on lane 0 to the receiver unless told otherwise: one for which there is no room
 * now is lost. Returns 0 or -errno.
 */
int sender_send_datagram(struct sender *s, unsigned lane, const struct np_address *to,
			 const void *data, size_t bytes);

/* Connects all lanes that are not; stops at the first that cannot. Returns 0 or -errno. */
int sender_connect(struct sender *s);

/* Whether START was answered on all lanes, or by a member of the group. */
bool sender_all_ready(const struct sender *s);

/* account: warns after a run; judges it: returns the exit status after a message, or 0. */
void send_warn(const struct sender *s, const struct record_transmit *result);
int send_judge(const struct sender *s, const struct record_transmit *result);

/*
 * account: whether the sender's processor was the limit of a greedy run of small messages on
 * streams: it was busy nearly all the time, and neither the receiver's window nor the send buffer
 * held it up.
 */
bool account_processor_limits(const struct load_options *load, const struct np_usage *usage,
			      np_time elapsed, const struct np_block_tcp *tcp);

/*
 * The warm-up is over: what follows is measured, and contact is made again, without a pause, so
 * that the receiver knows, and nothing is left on the way.
 */
void sender_warmed_up(struct sender *s, np_time now);

static inline bool sender_warms_up(const struct sender *s)
{
	return s->flags & MESSAGE_WARM_UP;
}

/* account: at the start of a run; for the END; at its end. */
void send_account_begin(struct sender *s);
struct message_account send_account(struct sender *s);
void send_account_end(struct sender *s);

/* block: prints the result block of a run, with what --report=full says beside its figures. */
void block_transmit(const struct sender *s);

/*
 * side: ->beside, which began with the run, ends after it: returns its exit status; meanwhile
 * signals are passed on to it.
 */
int side_end_with(struct sender *s);
void side_look(struct side *side, struct session *s);

/* result: reports a run, during it and at its end. */
void send_begin(struct sender *s);
void send_interval(struct sender *s, np_time now, bool rest); /* @rest: the last one */
void send_status(struct sender *s, np_time now); /* shows how far it has come, when that is due */
int send_conclude(struct sender *s, int status); /* returns the exit status */
int send_summary(struct sender *s);		 /* likewise */

/* --find-rate: reports a run as a trial. Whether there is to be another one. */
bool send_trial(struct sender *s);

/*
 * send: runs ttcp -t. Opens what needs a privilege, and creates the files of the first run. Returns
 * 0 or, after a message, the exit status; call send_close in any case.
 */
int send_open(struct sender **sender, struct session *session);

/* Runs all runs, with ->beside, if that is open; returns the worse exit status of both. */
int send_run(struct sender *s);

/* Returns @status, or 1 when a file could not be written. NULL is allowed. */
int send_close(struct sender *sender, int status);
