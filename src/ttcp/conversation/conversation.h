/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * conversation: a receiver's side of the conversation (START, DATA, ACK, END, REPORT) with one
 * sender, over all its runs. A pure state machine: messages and the clock come in as arguments;
 * answers and events go out by a port. It opens nothing, prints nothing, and knows of no other
 * conversation: its owner decides which sender it serves, and may have one conversation at a time,
 * as receiver.h does, or many.
 *
 * A forged or malformed message only increments a counter. One thread at a time for each. Times are
 * monotonic, except those in messages, which are wall-clock times.
 */
#ifndef TTCP_CONVERSATION_CONVERSATION_H
#define TTCP_CONVERSATION_CONVERSATION_H

#include "../wire/message.h"

#include <netperf/address.h>
#include <netperf/flow.h>

enum receiver_phase {
	RECEIVER_IDLE,	    /* no sender yet */
	RECEIVER_RECEIVING, /* a run is in progress */
	RECEIVER_REPORTED,  /* the run is over; END may be repeated, the next run may start */
};

/* Where a message came from, and how an answer gets there. */
struct receiver_source {
	const struct np_address *address;
	void *channel; /* the connection that it came by, for the port; NULL: none */
	bool by_group; /* it was sent to all members */
	size_t bytes;  /* its length; 0: nothing was received just now */
};

struct conversation_plan {
	bool datagrams;		/* messages may be lost, duplicated, late */
	bool answers;		/* false: answers nobody (-monitor of a group) */
	bool acknowledges;	/* acknowledges DATA whose sender asks for it; -monitor does not */
	uint32_t message_bytes; /* of DATA that no START announced */
	np_time ahead;		/* wall clock minus monotonic clock */
	struct message_secret secret; /* random; also determines how long members of a group wait
				       before they answer */
};

enum receiver_event_kind {
	RECEIVER_LISTENING, /* waits for another sender; nothing more comes from the one before */
	RECEIVER_BEGUN,	    /* a run started; @source: of the message that started it */
	RECEIVER_STREAMS,   /* the run has more streams than assumed: START was lost */
	RECEIVER_ENDED,	    /* all streams have reported END; messages may still be on their way */
	RECEIVER_FINISHED,  /* the run is over, with @status; @limit: of silence */
	RECEIVER_DISPLACED, /* a run is dropped: its sender never proved its address, and another
			       one did */
	RECEIVER_DESERTED,  /* the same of a raw stream that was silent for too long */
	RECEIVER_UNWILLING, /* the sender wants acknowledgements, which the plan refuses */
	RECEIVER_FOREIGN,   /* a sender uses another version of ttcp's messages */
	RECEIVER_LEFT,	    /* the sender did not return for its next run */
	RECEIVER_ALONE,	    /* no sender came within the plan's wait */
	RECEIVER_NO_MEMORY, /* no memory for the run; it is over */
};

struct receiver_event {
	enum receiver_event_kind kind;
	const struct receiver_source *source;
	enum message_status status;
	np_time limit;
};

/* DATA that arrived; recorders want each one. */
struct receiver_data {
	bool numbered; /* else raw: only @count, @bytes and @at are known */
	uint16_t stream;
	uint64_t number, count; /* @count messages from @number on */
	uint64_t bytes;		/* of all of them */
	np_time sent, at;	/* by the wall clock; monotonic */
};

/* Where answers and events go: the transport and the user, or a simulated network. */
struct receiver_port {
	void *context;
	/* Sends a complete answer; if it is lost, the partner has to ask again. */
	void (*answer)(void *context, const struct receiver_source *to, const void *message,
		       size_t bytes);
	/* The time at which an answer is sent. */
	np_time (*clock)(void *context);
	/*
	 * Fills in what this host's kernel dropped during the run: drop_unit, host_drops(_most),
	 * dropped.
	 */
	void (*account)(void *context, struct message_report *report);
	void (*notify)(void *context, const struct receiver_event *event);
	/* NULL: nobody records. Hot. */
	void (*data)(void *context, const struct receiver_data *data);
};

/* The current run, or the last one. */
struct receiver_run {
	enum receiver_phase phase;
	uint32_t number;
	uint8_t flags; /* of its START */
	bool started;  /* START was received in this run */
	bool raw;      /* bytes or datagrams that are not ttcp's */
	bool unread;   /* its messages were not looked at: --no-copy */
	unsigned streams;
	struct message_start start;
	struct message_clock clock;
	struct np_address sender;	      /* of its first stream */
	uint64_t messages;		      /* all that arrived */
	np_time begun, first;		      /* arrival of the first of them */
	bool ended;			      /* all streams have reported END */
	np_time grace;			      /* how long messages were waited for after that */
	np_time ended_at;		      /* arrival of the END with which they had */
	uint64_t ends_missed;		      /* before those that were received, at most */
	struct np_drops_total sender_dropped; /* by the sender's host, as its last END has it */
	struct message_cpu sender_cpu;	      /* as its last END of version 2 has it */
	struct message_reasons sender_reasons;
	struct message_report report;
};

/* At most so many ENDs can have arrived behind the one of ended_at until @waited later. */
uint64_t receiver_run_ends_behind(const struct receiver_run *run, np_time waited);

/* The sender, over all its runs. */
struct served_sender {
	uint32_t id;		    /* 0: none */
	bool bye;		    /* it will not return */
	bool proven;		    /* its address is proved */
	uint64_t came, answered;    /* bytes from and to an unproven one */
	np_time progress_at;	    /* when it was last told that messages arrive */
	uint64_t progress_messages; /* the number of messages then */
	struct message newest;	    /* the header of a DATA of this run */
	np_time heard, end_heard;   /* when anything, or an END, last arrived */
	np_time ended_at;	    /* when all streams had reported END; 0: not yet */
	np_time reported;
};

/* A stream's counts: those delays that came after the last cut are in its flow. */
struct conversation_stream {
	struct np_flow *flow; /* NULL: the stream was never used */
	struct np_delay *before;
	bool ended; /* END was received */
};

/* Others than its owner and its own functions may read @run. */
struct conversation {
	struct conversation_plan plan;
	struct receiver_port port;
	struct receiver_run run;
	struct served_sender sender;
	struct conversation_stream stream[MESSAGE_STREAMS_MAX];
};

/* Returns 0 or -ENOMEM; call conversation_close in any case. */
int conversation_open(struct conversation *conversation, const struct conversation_plan *plan,
		      const struct receiver_port *port);
void conversation_close(struct conversation *conversation);

/*
 * Starts a run by its START or, when that was lost, by DATA or END; NULL: by raw bytes. Ends a run
 * in progress. Returns 0 or -ENOMEM, which is also reported.
 */
int conversation_begin(struct conversation *conversation, const struct receiver_source *source,
		       const struct message *message, np_time at);

/* Reports an event that needs no details. */
void conversation_notify(const struct conversation *conversation, enum receiver_event_kind kind);

/* Ends for good: later messages belong to another conversation. */
void conversation_forget(struct conversation *conversation);

/* Whether it is with @source's host. */
bool conversation_with(const struct conversation *conversation,
		       const struct receiver_source *source);

/* Whether @proof is the number that was only sent to @source, or @source is a connection. */
bool conversation_proves(const struct conversation *conversation,
			 const struct receiver_source *source, uint32_t session, uint32_t proof);

/* Whether @message is of the current or the last run; whether it starts the sender's next run. */
bool conversation_has(const struct conversation *conversation, const struct message *message);
bool conversation_follows(const struct conversation *conversation, const struct message *message);

/*
 * Take a message of a run that conversation_has. START: a repeated one, which the caller answers.
 * False: it is of an unknown stream, or DATA after the end.
 */
void conversation_take_start(struct conversation *conversation,
			     const struct receiver_source *source, const struct message *message,
			     np_time at);
bool conversation_take_end(struct conversation *conversation, const struct receiver_source *source,
			   const struct message *message, np_time at);

/*
 * Takes @count DATA that arrived together: like @first, but with consecutive numbers. None of
 * several asks for an ACK. Hot.
 */
bool conversation_take_data(struct conversation *conversation, const struct receiver_source *source,
			    const struct message *first, unsigned count, np_time at);

/* Takes DATA with a valid header but a damaged fill. */
bool conversation_take_damaged(struct conversation *conversation,
			       const struct receiver_source *source, const struct message *message,
			       np_time at);

/*
 * Takes bytes without numbers: @messages reads or datagrams of a raw run, whose stream is 0, or
 * messages of a stream that is not read. May be none: the sender is alive.
 */
void conversation_take_raw(struct conversation *conversation, uint16_t stream, uint64_t messages,
			   uint64_t bytes, np_time at);

/* Takes the first @bytes of an incomplete DATA of a stream: the run may start here. */
void conversation_take_part(struct conversation *conversation, const struct message *message,
			    size_t bytes, np_time at);

/* From now on @stream's DATA are only counted, without being read. */
void conversation_begin_unread(struct conversation *conversation, uint16_t stream);

/* Ends the run with @status, and reports it; cut off: the sender will not return. */
void conversation_finish(struct conversation *conversation, enum message_status status);
void conversation_cut_off(struct conversation *conversation);

/* Does what is due by time during a run: call it some fifty times a second. */
void conversation_tick(struct conversation *conversation, np_time now);

/* Whether the sender has more runs to come. */
bool conversation_more_runs(const struct conversation *conversation);

/* After a report: whether nothing more will come; *@left: although more runs were announced. */
bool conversation_over(const struct conversation *conversation, np_time now, bool *left);

/*
 * Answers a START, of this sender or of another. An unproven sender gets no more bytes than came
 * from it.
 */
void conversation_answer_start(struct conversation *conversation, const struct receiver_source *to,
			       const struct message *start, uint8_t verdict, np_time received);

/* The sum of the streams; so far: during the run. */
struct np_flow_counts conversation_figures(const struct conversation *conversation);
struct np_flow_counts conversation_figures_so_far(const struct conversation *conversation);

/* The delays since the last cut, corrected; false: there are none, or the clocks are unknown. */
bool conversation_cut_delays(struct conversation *conversation,
			     struct np_histogram_figures *delays);

/*
 * receiver: decides which sender is served: one after the other, each in its own conversation;
 * others are told that it is busy. Pure, like a conversation. It never hangs: every wait has a
 * limit, except for the first sender and for a raw stream's partner that is alive.
 */
struct receiver_plan {
	struct conversation_plan with; /* with each sender */
	uint64_t senders;	       /* to serve; 0: no limit */
	np_time wait;		       /* for the first sender; 0: no limit */
	bool patient; /* a raw stream may be silent for as long as it likes, whoever asks */
};

/* A raw stream that was silent for this long gives way to another sender. */
#define RECEIVER_RAW_SILENCE (20 * NP_SECOND)

/* An answer to a START that is held back: members of a group do not all answer at once. */
struct held_answer {
	bool held;
	np_time due, received; /* monotonic */
	struct message start;
	struct np_address to;
};

/*
 * The last START of a sender of datagrams that has not proved its address: nothing starts before it
 * does, or its DATA arrives.
 */
struct pending_start {
	bool there;
	struct message message;
	struct np_address from;
};

/* Others may read @with's run, @served and @over. */
struct receiver {
	struct receiver_plan plan;
	struct conversation with; /* the sender that is served, or was last */
	struct held_answer held;
	struct pending_start pending;
	uint64_t random;
	np_time opened;
	uint64_t strays; /* messages that belonged to no run */
	uint64_t served; /* senders so far */
	bool over;	 /* no more senders will be served */
};

/* Starts to wait at @now. Returns 0 or -ENOMEM. */
int receiver_create(struct receiver **receiver, const struct receiver_plan *plan,
		    const struct receiver_port *port, np_time now);
void receiver_free(struct receiver *receiver); /* NULL is allowed */

static inline const struct receiver_run *receiver_run(const struct receiver *receiver)
{
	return &receiver->with.run;
}

/* Takes a valid message that arrived at @at. Hot. */
void receiver_take(struct receiver *receiver, const struct receiver_source *source,
		   const struct message *message, np_time at);

/* Like conversation_take_data. Hot. */
void receiver_take_data(struct receiver *receiver, const struct receiver_source *source,
			const struct message *first, unsigned count, np_time at);

/* Takes DATA with a valid header but a damaged fill. */
void receiver_take_damaged(struct receiver *receiver, const struct receiver_source *source,
			   const struct message *message, np_time at);

/* Takes a datagram that is not ttcp's, or damaged: -errno of message_decode. */
void receiver_take_unknown(struct receiver *receiver, const struct receiver_source *source,
			   size_t length, int error, np_time at);

/* Takes raw bytes: @messages reads or datagrams. Starts a run if there is none. */
void receiver_take_raw(struct receiver *receiver, const struct receiver_source *source,
		       uint64_t messages, uint64_t bytes, np_time at);

/* Whether a raw stream may begin now. Drops one that has been silent for too long. */
bool receiver_may_begin_raw(struct receiver *receiver, np_time at);

/* Whether the current or last run is that of @session. */
bool receiver_serves(const struct receiver *receiver, uint32_t session, uint32_t run);

/*
 * Does what is due by time: call it some fifty times a second, and when receiver_deadline is due.
 */
void receiver_tick(struct receiver *receiver, np_time now);
np_time receiver_deadline(const struct receiver *receiver);

/* The user ends it. */
void receiver_stop(struct receiver *receiver);

/*
 * In ping-pong with one stream nothing comes before the last answer was sent: so a receive call may
 * sleep by itself.
 */
bool receiver_in_ping_pong(const struct receiver *receiver);

/* Messages that belonged to no run, since the last call. */
uint64_t receiver_strays(struct receiver *receiver);

#endif
