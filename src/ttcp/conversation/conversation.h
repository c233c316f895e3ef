/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * conversation: a receiver's part in the conversation (START, DATA, ACK, END, REPORT) with one
 * sender, over all its runs. A pure state machine: messages and the clock come in as arguments;
 * answers go out by a port, what is worth telling by a listener. It opens nothing, prints nothing,
 * and knows of no other conversation: whom to talk with is for its owner to say, who may have one
 * at a time, as receiver.h does, or many.
 *
 * A forged or malformed message costs a counter. One thread at a time for each. Times are
 * monotonic, but for those that messages carry: the wall clock's.
 */
#ifndef TTCP_CONVERSATION_CONVERSATION_H
#define TTCP_CONVERSATION_CONVERSATION_H

#include "../wire/message.h"
#include "../wire/proof.h"
#include "tally.h"

#include <netperf/address.h>

enum receiver_phase {
	RECEIVER_IDLE,	    /* no sender yet */
	RECEIVER_RECEIVING, /* a run goes on */
	RECEIVER_REPORTED,  /* it is over; END may be repeated, the next run may begin */
};

/* Where a message came from, and how an answer gets there. */
struct receiver_source {
	const struct np_address *address;
	void *way;     /* the connection that it came by, the port's; NULL: none */
	bool by_group; /* it went to all members */
	size_t bytes;  /* of it; 0: nothing came just now */
};

struct conversation_plan {
	bool datagrams;		    /* messages may be lost, twice, late */
	bool answers;		    /* false: to nobody (-monitor of a group) */
	bool acknowledges;	    /* DATA whose sender asks for it; -monitor does not */
	uint32_t message_bytes;	    /* of DATA that no START announced */
	np_time ahead;		    /* the wall clock's, of the monotonic one */
	struct proof_secret secret; /* random; the waits of a group's members follow from it, too */
};

/* Where answers go: the transport, or a made-up network. */
struct receiver_port {
	void *context;
	/* An answer, whole; who asked has to ask again if it does not come. */
	void (*answer)(void *context, const struct receiver_source *to, const void *message,
		       size_t bytes);
	/* The moment that an answer goes. */
	np_time (*clock)(void *context);
	/* Fills in what this host's kernel dropped during the run: drop_unit, host_drops(_most). */
	void (*account)(void *context, struct message_report *report);
};

enum receiver_event_kind {
	RECEIVER_LISTENING, /* for another sender; nothing more comes of the one before */
	RECEIVER_BEGUN,	    /* a run; @source: of what began it */
	RECEIVER_STREAMS,   /* the run has more streams than was thought: START was lost */
	RECEIVER_ENDED,	    /* all streams told END; messages may still be on their way */
	RECEIVER_FINISHED,  /* the run, by @status; @limit: of silence */
	RECEIVER_MADE_WAY,  /* a run is dropped: its sender never proved where it is, another did */
	RECEIVER_UNWILLING, /* the sender wants acknowledgements, which the plan refuses */
	RECEIVER_FOREIGN,   /* a sender speaks another version of ttcp's messages */
	RECEIVER_LEFT,	    /* the sender did not come back for its next run */
	RECEIVER_ALONE,	    /* no sender came within the plan's wait */
	RECEIVER_NO_MEMORY, /* for the run; it is over */
};

struct receiver_event {
	enum receiver_event_kind kind;
	const struct receiver_source *source;
	enum message_status status;
	np_time limit;
};

/* DATA that came; whoever records them wants them one by one. */
struct receiver_data {
	bool numbered; /* else raw: only @count, @bytes and @at are known */
	uint16_t stream;
	uint64_t number, count; /* from @number on */
	uint64_t bytes;		/* of all */
	np_time sent, at;	/* by the wall clock; monotonic */
};

struct receiver_listener {
	void *context;
	void (*tell)(void *context, const struct receiver_event *event);
	/* NULL: nobody records. Hot. */
	void (*data)(void *context, const struct receiver_data *data);
};

/* The run that goes on, or the last one. */
struct receiver_run {
	enum receiver_phase phase;
	uint32_t number;
	uint8_t flags; /* of its START */
	bool started;  /* START came in this run */
	bool raw;      /* bytes or datagrams of another kind */
	bool unread;   /* its messages were not looked at: --no-copy */
	unsigned streams;
	struct message_start start;
	struct message_clock clock;
	struct np_address sender; /* its first stream's */
	uint64_t messages;	  /* all that came */
	np_time begun, first;	  /* the first of them */
	bool ended;		  /* all streams told END */
	np_time grace;		  /* waited behind that */
	uint64_t ends_missed;	  /* so many ENDs at most came before those that were heard */
	struct message_report report;
};

struct conversation;

/* Returns 0 or -ENOMEM. */
int conversation_create(struct conversation **conversation, const struct conversation_plan *plan,
			const struct receiver_port *port, const struct receiver_listener *listener);
void conversation_free(struct conversation *conversation); /* NULL is allowed */

/*
 * A run begins by its START, or when that was lost by DATA or END; NULL: of raw bytes. One that
 * goes on is over. Returns 0 or -ENOMEM, which is told, too.
 */
int conversation_begin(struct conversation *conversation, const struct receiver_source *source,
		       const struct message *message, np_time at);

/* It is over for good: what comes is of somebody else. */
void conversation_forget(struct conversation *conversation);

const struct receiver_run *conversation_run(const struct conversation *conversation);

/* The sender's number; 0: nobody's. */
uint32_t conversation_session(const struct conversation *conversation);

/* Whether it is with @source's host; and that has proved that it is there. */
bool conversation_with(const struct conversation *conversation,
		       const struct receiver_source *source);
bool conversation_proven(const struct conversation *conversation);

/* Whether @proof is the number that only who hears at @source was told, or it is a connection. */
bool conversation_proves(const struct conversation *conversation,
			 const struct receiver_source *source, uint32_t session, uint32_t proof);

/* Whether @message is of the run that goes on, or went on last; or begins the sender's next one. */
bool conversation_has(const struct conversation *conversation, const struct message *message);
bool conversation_follows(const struct conversation *conversation, const struct message *message);

/*
 * A message of a run that conversation_has. START: heard again; the caller answers. False: it is of
 * no stream that there is, or DATA behind the end.
 */
void conversation_take_start(struct conversation *conversation,
			     const struct receiver_source *source, const struct message *message,
			     np_time at);
bool conversation_take_end(struct conversation *conversation, const struct receiver_source *source,
			   const struct message *message, np_time at);

/*
 * @count DATA that came together: as @first, but for the numbers, which go up from there. None
 * wants an ACK when there are several. Hot.
 */
bool conversation_take_data(struct conversation *conversation, const struct receiver_source *source,
			    const struct message *first, unsigned count, np_time at);

/* DATA with a header that is right, before a fill that is not; or something of it, damaged. */
bool conversation_take_damaged(struct conversation *conversation,
			       const struct receiver_source *source, const struct message *message,
			       np_time at);
void conversation_damaged(struct conversation *conversation, np_time at);

/* Raw bytes of a run of them: @messages reads or datagrams. */
void conversation_take_raw(struct conversation *conversation, uint64_t messages, uint64_t bytes,
			   np_time at);

/* The first @bytes of a stream's DATA, which is not whole yet: the run may begin here. */
void conversation_take_part(struct conversation *conversation, const struct message *message,
			    size_t bytes, np_time at);

/* From here on @stream's DATA are only counted: as so many @messages, of @bytes, unread. */
void conversation_begin_unread(struct conversation *conversation, uint16_t stream);
void conversation_take_unread(struct conversation *conversation, uint16_t stream, uint64_t messages,
			      uint64_t bytes, np_time at);

/* Something of the run came, whatever it is; or of one that has ended. */
void conversation_heard(struct conversation *conversation, np_time at);
void conversation_heard_end(struct conversation *conversation, np_time at);

/* The run is over by @status, is reported and told of; the sender will not come again. */
void conversation_finish(struct conversation *conversation, enum message_status status);
void conversation_cut_off(struct conversation *conversation);

/* What is due by time, in a run: call it some fifty times a second. */
void conversation_tick(struct conversation *conversation, np_time now);

/* Whether the sender has more runs to come. */
bool conversation_more_runs(const struct conversation *conversation);

/* Behind a report: whether nothing more will come; *@left: though there were to be more runs. */
bool conversation_over(const struct conversation *conversation, np_time now, bool *left);

/* To a START, of this sender or of another. One not proven is sent no more than came from it. */
void conversation_answer_start(struct conversation *conversation, const struct receiver_source *to,
			       const struct message *start, uint8_t verdict, np_time received);

/* The sum of the streams; so far: while the run goes on. */
struct np_flow_counts conversation_figures(const struct conversation *conversation);
struct np_flow_counts conversation_figures_so_far(const struct conversation *conversation);

#endif
