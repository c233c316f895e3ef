/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * conversation: a receiver's side of the conversation (START, DATA, ACK, END, REPORT) with the
 * sender that it serves, over all its runs, and all that belongs to it: its files, what it counts.
 *
 * It decides by the messages and times that it is given, and acts through its transport, its
 * session and its files only: a test replaces these, and the session's clock. A forged or malformed
 * message only increments a counter. One thread at a time. Times are monotonic, except those in
 * messages, which are wall-clock times.
 */
#pragma once

#include "../files/files.h"
#include "../transport/transport.h"

/* A run may last so much longer than --max-duration, and be so far ahead of --max-rate. */
#define RECEIVER_LENIENT (10 * NP_SECOND)

enum receiver_phase {
	RECEIVER_IDLE,	    /* no sender yet */
	RECEIVER_RECEIVING, /* a run is in progress */
	RECEIVER_REPORTED,  /* the run is over; END may be repeated, the next run may start */
};

/* Where a message came from, and how an answer gets there. */
struct source {
	const struct np_address *address;
	struct channel *channel;	/* the connection that it came by; NULL: none */
	bool by_group;			/* it was sent to all members */
	size_t bytes;			/* its length; 0: nothing was received just now */
	const struct np_packet *packet; /* a datagram; NULL: none */
};

/* The current run, or the last one. */
struct receiver_run {
	enum receiver_phase phase;
	uint32_t number;
	uint8_t flags; /* of its START */
	bool started;  /* START was received in this run */
	bool raw;      /* bytes or datagrams that are not ttcp's */
	bool unread;   /* its messages were not looked at: --no-copy */
	bool warming;  /* what came is not measured, until the next START */
	unsigned streams;
	uint64_t ended; /* a bit for each of which END was received */
	struct message_start start;
	struct np_address sender; /* of its first stream */
	uint64_t messages;	  /* all that arrived */
	np_time begun, first;	  /* arrival of the first of them */
	np_time ended_at; /* arrival of the END with which all streams had ended; 0: not yet */
	uint64_t dropped_by_end;      /* by the socket, until then */
	uint64_t ends_behind;	      /* ENDs that may have been dropped before that was read */
	uint64_t ends_missed;	      /* before those that were received, at most */
	struct record_receive result; /* filled in as it becomes known */
	struct message_report report; /* the same for each END, whatever is known later */
};

/* The sender, over all its runs. */
struct served_sender {
	uint32_t id;		    /* 0: none */
	bool bye;		    /* it will not return */
	bool proven;		    /* its address is proved */
	uint64_t came, answered;    /* bytes from and to an unproven one */
	np_time progress_at;	    /* when it was last told that messages arrive */
	uint64_t progress_messages; /* the number of messages then */
	np_time newest;		    /* when the last DATA was sent, by its clock */
	np_time heard;		    /* when anything last arrived */
	np_time end_heard;	    /* when the run was reported, or an END arrived after that */
};

/* A stream's counts: those delays that came after the last cut are in its flow. */
struct receiver_stream {
	struct np_flow *flow; /* NULL: the stream was never used */
	struct np_histogram *before;
};

/* A START that is kept. */
struct kept_start {
	bool there;
	struct message message;
	struct np_address from;
	np_time received, due; /* when it is to be answered; monotonic */
};

/* --clients: who is served now. */
struct clients {
	unsigned count;
	struct client *client[2 * OPTIONS_CLIENTS]; /* each in both ways */
};

struct receiver {
	struct session *session;
	struct transport transport;
	const char *name;	 /* of its sender, for messages: "sender", or which of several */
	uint32_t id;		 /* --reverse: the session that it asks for */
	struct reverse *reverse; /* who asks this end to send; NULL: nobody */
	struct clients *clients; /* --clients: who is served; NULL: one after the other */
	uint32_t reversed;	 /* the session of who was sent to last; 0: nobody */
	int sent_watch;		 /* of drops of what is sent to who asks; 0: none yet */
	uint32_t refused;	 /* the last one that asked, or sent, too much; 0: none */
	uint64_t senders;	 /* to serve; 0: no limit */
	/* What was sent to all who asked, and are gone. */
	struct {
		uint64_t runs;
		struct record_transmit sum;
		struct np_drops_counts dropped;
	} sent;
	/* Members of a group do not all answer at once: the answer to this one is held back. */
	struct kept_start held;
	/*
	 * The last one of a sender of datagrams that has not proved its address: nothing starts
	 * before it does, or its DATA arrives.
	 */
	struct kept_start pending;
	np_time opened;
	uint64_t served; /* senders so far */
	bool over;	 /* no more senders will, or can, be served */
	/* For its sockets: */
	uint8_t *pattern;		     /* the correct fill of the longest datagram */
	struct message message[2];	     /* buffers: for a datagram, and one to compare with */
	struct np_address_networks *allowed; /* NULL: everybody */
	uint64_t not_allowed;		     /* datagrams or connections of others */
	np_time look_at;
	/* With the sender that is served, or was last: */
	bool answers;		      /* false: answers nobody (-monitor of a group) */
	struct message_secret secret; /* random */
	struct receiver_run run;
	struct served_sender sender;
	struct receiver_stream stream[MESSAGE_STREAMS_MAX];
	struct channel *first; /* carries the run's first stream; NULL: there is none */
	struct files files;
	bool records;			/* messages are, one by one, or windows of them */
	struct transport_kernel before; /* when the run began */
	struct np_address dropped_of;	/* whose messages session.dropped has */
	struct record_receive sum;	/* of the runs that are over */
	struct record_stream each[MESSAGE_STREAMS_MAX]; /* --per-stream: the last run's */
	struct transactions *transactions;		/* NULL: the run has none */
	uint64_t strays; /* messages that belonged to no run, since the last report */
	bool cut_off;	 /* it broke off in this run */
	int status;
};

/*
 * Resets the counts of stream @i, which is made if need be. @messages: announced, 0: unknown.
 * @late: START was not received, so the first number is unknown. Returns 0 or -ENOMEM.
 */
int conversation_begin_stream(struct receiver *r, unsigned i, uint64_t messages, bool late);

/* Whether it is with @source's host. */
bool conversation_with(const struct receiver *r, const struct source *source);

/* Whether @m, a START or END, has the number that was only sent to @source; connections need none.
 */
bool conversation_proves(const struct receiver *r, const struct source *source,
			 const struct message *m);

/* Whether the current or last run is that of @session; and not raw, and of @message. */
bool conversation_serves(const struct receiver *r, uint32_t session, uint32_t run);
bool conversation_has(const struct receiver *r, const struct message *message);

/*
 * Takes bytes without numbers: @messages reads or datagrams of a raw run, whose stream is 0, or
 * messages of a stream that is not read. May be none: the sender is alive.
 */
void conversation_take_raw(struct receiver *r, uint16_t stream, uint64_t messages, uint64_t bytes,
			   np_time at);

/* Takes transactions of a stream: requests of @bytes each, of which the last came at @at. */
void conversation_take_transactions(struct receiver *r, uint16_t stream, uint64_t count,
				    uint64_t bytes, np_time at);

/* transaction: no more come by @channel, or (NULL) by any; forgets, frees all. NULL is allowed. */
void transactions_finish(struct receiver *r, const struct channel *channel);
void transactions_count(struct receiver *r); /* what was done so far */
void transactions_reset(struct transactions *all);
void transactions_free(struct transactions *all);

/* Takes a TRANSACT. False: it is not for this connection. */
bool transactions_take(struct receiver *r, const struct source *source, const struct message *m);

/* The request of a connection for one transaction has come: sends the response. */
void transactions_answer(struct receiver *r, struct channel *channel, np_time at);

/* Does what is due: begins, counts, gives back connections that have come to their END. */
void transactions_step(struct receiver *r);

/* Takes the first @bytes of an incomplete DATA of a stream: the run may start here. */
void conversation_take_part(struct receiver *r, const struct message *message, size_t bytes,
			    np_time at);

/* Ends the run with @status, and reports it. */
void conversation_finish(struct receiver *r, enum message_status status);

/* Ends it in the middle, and with it the service of its sender; NULL: @why was said already. */
void conversation_break_off(struct receiver *r, const char *why);

/* Does what is due by time during a run: call it some fifty times a second. */
void conversation_tick(struct receiver *r, np_time now);

/*
 * Answers a START, of this sender or of another. An unproven sender gets no more bytes than came
 * from it.
 */
void conversation_answer_start(struct receiver *r, const struct source *to,
			       const struct message *start, uint8_t verdict, np_time received);

/* The sum of the streams. */
struct np_flow_counts conversation_figures(const struct receiver *r);

/* The delays since the last cut, corrected; false: there are none, or the clocks are unknown. */
bool conversation_cut_delays(struct receiver *r, struct np_histogram_figures *delays);

/*
 * receiver: ttcp -r and -monitor: decides which sender is served, one after the other; others are
 * told that it is busy. It never hangs: every wait has a limit, except for the first sender and for
 * a raw stream's partner that is alive.
 */

/*
 * Over the transport of @face: what comes by it is taken. Starts to wait now. Returns 0 or -ENOMEM;
 * call receiver_free in any case.
 */
int receiver_create(struct receiver **receiver, struct session *session,
		    const struct transport_face *face);
void receiver_free(struct receiver *receiver); /* NULL is allowed */

/* Takes a valid message that arrived at @at. Hot. */
void receiver_take(struct receiver *r, const struct source *source, const struct message *message,
		   np_time at);

/*
 * Takes @count DATA that arrived together: like @first, but with consecutive numbers. None of
 * several asks for an ACK. @damaged: one with a valid header but a damaged fill. Hot.
 */
void receiver_take_data(struct receiver *r, const struct source *source,
			const struct message *first, unsigned count, bool damaged, np_time at);

/* Takes a datagram that is not ttcp's, or damaged: -errno of message_decode. */
void receiver_take_unknown(struct receiver *r, const struct source *source, int error, np_time at);

/* Takes raw bytes: @messages reads or datagrams. Starts a run if there is none. */
void receiver_take_raw(struct receiver *r, const struct source *source, uint64_t messages,
		       uint64_t bytes, np_time at);

/* Whether a raw stream may begin now. Drops one that has been silent for too long. */
bool receiver_may_begin_raw(struct receiver *r, np_time at);

/*
 * Does what is due by time: call it some fifty times a second, and when receiver_deadline is due.
 */
void receiver_tick(struct receiver *r, np_time now);
np_time receiver_deadline(const struct receiver *r);

/*
 * clients: serves many senders at once, each by a receiver of its own. Takes what comes first by a
 * connection, or a datagram: @m, NULL: it is none of our messages. Returns the receiver that the
 * connection is to be given to; NULL: it was answered, or nobody is to have it. The
 * receiver's sum is of all runs that are over.
 */
struct receiver *clients_take(struct receiver *r, const struct source *source,
			      const struct message *m, np_time at);

static inline bool clients_busy(const struct receiver *r)
{
	return r->clients && r->clients->count;
}

/*
 * The run was broken off: what its sender still sends is discarded until it closes. Left unread it
 * would reset the connection, and the report would be lost on its way.
 */
static inline bool receiver_drains(const struct receiver *r)
{
	return r->run.phase == RECEIVER_REPORTED && r->run.report.status == MESSAGE_INTERRUPTED &&
	       r->first && !r->run.raw;
}

/* Nobody more is or can be served. */
static inline bool receiver_over(const struct receiver *r)
{
	return r->over && !r->reverse && !clients_busy(r) && !receiver_drains(r);
}

/* reverse: asks the other end to send. Returns 0 or, after a message, the exit status. */
int reverse_call(struct receiver *r, bool both_ways);

/*
 * Takes a REVERSE. False: it is refused, and was answered. From then on others are excluded: a
 * sender that does not belong to who asked.
 */
bool reverse_take(struct receiver *r, const struct source *source, const struct message *m,
		  np_time at);
/* Whether it can be granted to nobody; says so. */
bool reverse_refuses(struct receiver *r, const struct source *source, const struct message *m);
bool reverse_excludes(const struct receiver *r, const struct source *source,
		      const struct message *m);

/* A connection is closed, that perhaps was such a one. */
void reverse_lost(struct receiver *r, const struct channel *channel);

/* Does what is due while r->reverse is there: begins to send, ends. */
void reverse_step(struct receiver *r);

/*
 * Before @m may begin something: a sender that blocks the place without need is dropped. True: one
 * that had not proved its address was, or will be when the sender of @m proves its own.
 */
bool receiver_displace(struct receiver *r, const struct source *source, const struct message *m);

/*
 * Whether the START or REVERSE @m asks for more than the user allows; says so. Without a proof of
 * the address, which it will have to bring, it does not, so that nobody fills the log.
 */
bool receiver_refuses(struct receiver *r, const struct source *source, const struct message *m);

/* The user ends it. */
void receiver_stop(struct receiver *r);

/* receive: runs ttcp -r and -monitor. As send_open and so on are for ttcp -t. */
int receive_open(struct receiver **receiver, struct session *session);
int receive_run(struct receiver *r);
int receive_close(struct receiver *receiver, int status);

/* Does what is due by time while a sender waits and receives. */
void receiver_step(struct transport *t);

/* receive_stream: takes what arrives, and finds the messages of connections. */
extern const struct transport_user receiver_user;
/* Of messages that are not looked at, the receive call wakes only for the last byte; 0: for any. */
size_t receive_stream_least(const struct receiver *r);

/* block: prints the result block of a run, with what --report=full says beside its figures. */
void block_receive(const struct receiver *r);

/* account: warns after a run; and says which of the options' limits a run would be beyond. */
void receive_warn(struct receiver *r);
enum message_limit receive_limit(const struct options *o, const struct message_start *start);

/*
 * account, of TCP's own figures: reads them, which are known if all of the run's @connections are
 * there; those since @begun; adds to those of a run the counts of the runs @before.
 */
void account_tcp(const struct transport *t, uint64_t connections);
struct np_block_tcp account_tcp_since(const struct session *s, const struct np_stream_tcp *begun);
void account_tcp_add(struct np_block_tcp *sum, const struct np_block_tcp *before);

/* result: what is measured begins only now. */
void receive_warmed_up(struct receiver *r);

/*
 * account: at the start of a run, and @again after its warm-up, of which nothing counts; at its
 * end, for its report.
 */
void receive_account_begin(struct receiver *r, bool again);
void receive_account(struct receiver *r);

/*
 * result: reports a run: at its start, during it, at its end; and all runs. Opens the files of the
 * streams that are known: at its start, and again when there are more.
 */
void receive_open_files(struct receiver *r);
void receive_begin(struct receiver *r, const struct source *source);
void receive_look(struct receiver *r, np_time now);
/* @silence: that it may have at most. */
void receive_finish(struct receiver *r, enum message_status status, np_time silence);
void receive_summary(struct receiver *r);
/* To the runs before it, or (@beside) of others, which may have been at the same time. */
void receive_add(struct record_receive *sum, const struct record_receive *result, bool beside);
