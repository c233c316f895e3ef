/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * receiver: the receiver's part in the conversation (START, DATA, ACK, END, REPORT), of one sender
 * after the other, with all of a sender's runs. A pure state machine: messages and the clock come
 * in as arguments; answers go out by a port, what is worth telling by a listener. It opens nothing
 * and prints nothing.
 *
 * Nothing hangs: but for the first sender, and a raw stream's partner that lives, every wait has a
 * limit. A forged or malformed message costs a counter. One thread at a time. Times are monotonic,
 * but for those that messages carry: the wall clock's.
 */
#ifndef TTCP_CONVERSATION_RECEIVER_H
#define TTCP_CONVERSATION_RECEIVER_H

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

struct receiver_plan {
	bool datagrams;		    /* messages may be lost, twice, late */
	bool answers;		    /* false: to nobody (-monitor of a group) */
	bool acknowledges;	    /* DATA whose sender asks for it; -monitor does not */
	uint32_t message_bytes;	    /* of DATA that no START announced */
	uint64_t senders;	    /* to serve; 0: no limit */
	np_time wait;		    /* for the first one; 0: no limit */
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

struct receiver;

/* Begins to wait at @now. Returns 0 or -ENOMEM. */
int receiver_create(struct receiver **receiver, const struct receiver_plan *plan,
		    const struct receiver_port *port, const struct receiver_listener *listener,
		    np_time now);
void receiver_free(struct receiver *receiver); /* NULL is allowed */

/* A good message that came at @at. Hot. */
void receiver_take(struct receiver *receiver, const struct receiver_source *source,
		   const struct message *message, np_time at);

/*
 * @count DATA that came together: as @first, but for the numbers, which go up from there. None
 * wants an ACK when there are several. Hot.
 */
void receiver_take_data(struct receiver *receiver, const struct receiver_source *source,
			const struct message *first, unsigned count, np_time at);

/* DATA with a header that is right, before a fill that is not. */
void receiver_take_damaged(struct receiver *receiver, const struct receiver_source *source,
			   const struct message *message, np_time at);

/* A datagram of nobody's, or damaged: -errno of message_decode. */
void receiver_take_unknown(struct receiver *receiver, const struct receiver_source *source,
			   size_t length, int error, np_time at);

/* Raw bytes: @messages reads or datagrams. Begins a run when there is none. */
void receiver_take_raw(struct receiver *receiver, const struct receiver_source *source,
		       uint64_t messages, uint64_t bytes, np_time at);

/* The first @bytes of a stream's DATA, which is not whole yet: the run may begin here. */
void receiver_take_part(struct receiver *receiver, const struct message *message, size_t bytes,
			np_time at);

/* From here on @stream's DATA are only counted: as so many @messages, of @bytes, unread. */
void receiver_begin_unread(struct receiver *receiver, uint16_t stream);
void receiver_take_unread(struct receiver *receiver, uint16_t stream, uint64_t messages,
			  uint64_t bytes, np_time at);

/* Something of the run came, whatever it is. */
void receiver_heard(struct receiver *receiver, np_time at);

/* Whether the run goes on, or went on last, that @message is of. */
bool receiver_serves(const struct receiver *receiver, uint32_t session, uint32_t run);

/* A stream will bring no more: all that there was of a raw one; or, without its END, too early. */
void receiver_end_raw(struct receiver *receiver);
void receiver_cut_off(struct receiver *receiver);

/* What is due by time: call it some fifty times a second, and when receiver_deadline is due. */
void receiver_tick(struct receiver *receiver, np_time now);
np_time receiver_deadline(const struct receiver *receiver);

/* The user ends it. */
void receiver_stop(struct receiver *receiver);

/* True when no sender will be served any more. */
bool receiver_over(const struct receiver *receiver);

/* How many senders have been served. */
uint64_t receiver_served(const struct receiver *receiver);

const struct receiver_run *receiver_run(const struct receiver *receiver);

/*
 * Nothing comes before the answer to the last message has gone, and by one stream: a receive call
 * may sleep by itself.
 */
bool receiver_in_ping_pong(const struct receiver *receiver);

/* The sum of the streams; so far: while the run goes on. */
struct tally_figures receiver_figures(const struct receiver *receiver);
struct tally_figures receiver_figures_so_far(const struct receiver *receiver);

/* Messages that belonged to no run, since this was asked for the last time. */
uint64_t receiver_strays(struct receiver *receiver);

#endif
