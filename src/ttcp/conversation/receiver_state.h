/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* receiver_state: what the parts of a receiver share. One thread. */
#ifndef TTCP_CONVERSATION_RECEIVER_STATE_H
#define TTCP_CONVERSATION_RECEIVER_STATE_H

#include "../files/files.h"
#include "../report/record.h"
#include "../wire/proof.h"
#include "receiver.h"
#include "tally.h"

#include <netperf/datagram.h>
#include <netperf/interval.h>
#include <netperf/path.h>
#include <netperf/stream.h>

#define RECEIVER_LOOK (20 * NP_MILLISECOND) /* what is due by time */

enum receiver_phase {
	RECEIVER_IDLE,	    /* no sender yet */
	RECEIVER_RECEIVING, /* a run goes on */
	RECEIVER_REPORTED,  /* it is over; END may be repeated, the next run may begin */
};

struct connection;

/* Where a message came from, and how an answer gets there. */
struct source {
	const struct np_address *address;
	struct connection *connection; /* TCP */
	bool by_group;		       /* it went to all members */
	size_t bytes;		       /* of it; 0: nothing came just now */
};

/* How messages of one transport come. */
struct receiver_transport {
	bool datagrams; /* messages may be lost, twice, late */
	/* Before privileges are dropped. Returns 0 or, after a message, the exit status. */
	int (*open)(struct receiver *r);
	/* Takes what is there. Messages, or -errno. */
	int (*take)(struct receiver *r);
	/* Sleeps until something may be there (1), @deadline or a signal (0); or -errno. */
	int (*wait)(struct receiver *r, np_time deadline);
	/* An answer, whole; 0 or -errno. */
	int (*answer)(struct receiver *r, const struct source *to, const void *message,
		      size_t bytes);
	/* What the kernel found no room for, in drop_unit; -ENOTSUP: it does not tell. */
	int (*dropped)(struct receiver *r, uint64_t *drops);
	const char *(*drop_unit)(const struct receiver *r);
	/* Where messages come in, unconnected; NULL: what the host drops before is sent again. */
	const struct np_address *(*place)(const struct receiver *r);
	/* The sender is done with. */
	void (*settle)(struct receiver *r);
	/* Where @source's messages come in, when it is connected. */
	const struct np_address *(*local)(const struct source *source);
	/* Describes the sockets of the run. */
	void (*describe)(struct receiver *r, struct np_record *start);
	void (*close)(struct receiver *r);
};

extern const struct receiver_transport receiver_tcp;
extern const struct receiver_transport receiver_udp; /* groups, too */

/* A START that waits for its answer. */
struct held_answer {
	bool held;
	uint32_t session, run;
	np_time due, received; /* monotonic */
	np_time time;	       /* of the START, copied */
	uint16_t stream;
	struct np_address to;
};

/*
 * The last START of a sender of datagrams that has not proved yet where it is: nothing begins
 * before it does, or its DATA comes.
 */
struct pending_start {
	bool there;
	struct message message;
	struct np_address from;
};

/* What became of all runs. */
struct receiver_sum {
	uint64_t runs;
	struct tally_figures figures;
	struct record_loss loss;
	struct np_path_drops path;
	/* Of the last one: */
	struct np_histogram_figures delays;
	np_time grace;
	bool raw;
};

struct receiver {
	struct session *session;
	const struct receiver_transport *transport;
	void *sockets; /* the transport's */
	bool answers;  /* -monitor of a group: to nobody */
	enum receiver_phase phase;
	uint32_t id, run; /* of the sender that is served */
	uint8_t flags;	  /* of its START */
	bool started;	  /* START came in this run */
	bool raw;	  /* bytes or datagrams of another kind */
	bool unread;	  /* --no-copy: its messages were not looked at */
	bool bye;	  /* the sender will not come again */
	struct message_start start;
	struct message_clock clock;
	struct np_address sender; /* its first stream's */
	struct tally *tally[MESSAGE_STREAMS_MAX];
	bool ended[MESSAGE_STREAMS_MAX];
	unsigned streams;
	struct held_answer held;
	struct pending_start pending;
	struct proof_secret secret;
	bool proven;			  /* the sender is where it says it is */
	uint64_t came, answered;	  /* bytes from and to one that is not proven */
	np_time beat;			  /* told the sender that messages come */
	uint64_t beaten;		  /* so many had come then */
	struct message newest;		  /* the header of a DATA of this run */
	np_time opened, heard, end_heard; /* monotonic */
	np_time ended_at;		  /* all streams had told their END; 0: not yet */
	np_time grace;			  /* waited behind that */
	np_time reported;
	struct message_report report;
	uint64_t messages; /* of this run, all that came */
	uint64_t counted;  /* of them told to the console */
	uint64_t stray;
	uint64_t served;	 /* senders */
	uint64_t dropped_before; /* by the kernel, before the run; and during it: */
	uint64_t dropped;	 /* with the damaged ones */
	uint64_t damaged; /* of wrong checksum, of this host: so many of the dropped at most */
	uint64_t dropped_at_end;		/* when all streams had told their END */
	struct np_path_drops path_before, path; /* before this host's UDP, alike */
	uint64_t ends_missed; /* so many ENDs at most came before those that were heard */
	uint64_t checksums_before;
	bool checksums_known;
	uint64_t marks; /* classic: markers behind the data */
	np_time begun;	/* the run */
	np_time look_at;
	bool rested; /* nothing was there, and it stayed awake: there may be now */
	struct np_interval interval;
	struct tally_figures marked; /* at the last interval report of the run */
	unsigned intervals;	     /* reported of it */
	struct files files;
	bool windows;	  /* wanted */
	uint8_t *pattern; /* the fill that is right, NP_DATAGRAM_BYTES_MAX bytes; datagrams */
	struct receiver_sum sum;
	int status;
	bool over;
	struct message message; /* room for what comes */
};

static inline const struct options *receiver_options(const struct receiver *r)
{
	return r->session->options;
}

/* Whether the sender that is served has more runs. */
bool receiver_more_runs(const struct receiver *r);

/*
 * Nothing comes before the answer to the last message has gone, and by one socket: the receive call
 * itself may sleep, so that a message costs two system calls. It looks about in between.
 */
static inline bool receiver_in_ping_pong(const struct receiver *r)
{
	return r->phase == RECEIVER_RECEIVING && r->flags & MESSAGE_PING_PONG && r->streams == 1;
}

/* It has gone, after its last run or before: waits for the next one, or it is over. */
void receiver_next_sender(struct receiver *r);

/* receiver_take: a good message that arrived at monotonic @at. Hot. */
void receiver_take(struct receiver *r, const struct source *source, const struct message *m,
		   np_time at);

/*
 * A run of @count DATA that came together: as @first, but for the numbers, which go up from there.
 * None wants an ACK when there are several. Hot.
 */
void receiver_take_data(struct receiver *r, const struct source *source,
			const struct message *first, unsigned count, np_time at);

/* DATA with a header that is right, before a fill that is not. */
void receiver_take_damaged(struct receiver *r, const struct source *source, const struct message *m,
			   np_time at);

/* A datagram of nobody's, or damaged: -errno of message_decode. */
void receiver_take_odd(struct receiver *r, const struct source *source, size_t length, int error,
		       np_time at);

/* Tells the sender now and then that messages come. */
void receiver_beat(struct receiver *r, np_time now);

/* @count messages at @at. The rows of the intervals begin with the first one. Hot. */
static inline void receiver_count(struct receiver *r, uint64_t count, np_time at)
{
	if (!r->messages && count)
		np_interval_start(&r->interval, at, r->interval.period);
	r->messages += count;
}

/* How long after the END of all streams messages may still be on their way. */
np_time receiver_grace(const struct receiver *r);

/* How long nothing may come of this run. */
np_time receiver_silence(const struct receiver *r);

/* Raw bytes: @messages reads or datagrams. Begins a run when there is none. */
void receiver_take_raw(struct receiver *r, const struct source *source, uint64_t messages,
		       uint64_t bytes, np_time at);

/*
 * Sends an answer; who asked has to ask again if it does not come. One who is not proven is sent no
 * more bytes than came from it.
 */
void receiver_answer(struct receiver *r, const struct source *to, const void *message,
		     size_t bytes);

/* The answer to the START of @m, or what came of it before. */
void receiver_answer_start(struct receiver *r, const struct source *to, const struct message *m,
			   uint8_t verdict, np_time received);
void receiver_answer_held(struct receiver *r, np_time now);

/* receiver_run: the begin and the end of a run. */
void receiver_begin(struct receiver *r, const struct source *source, const struct message *m,
		    np_time at);
void receiver_finish(struct receiver *r, enum message_status status);
void receiver_answer_report(struct receiver *r, const struct source *to);

/* All streams of the run told their end. */
bool receiver_all_ended(const struct receiver *r);

/* The sum of the streams, and their delays; so far: while the run goes on. */
struct tally_figures receiver_figures(const struct receiver *r);
struct tally_figures receiver_figures_so_far(const struct receiver *r);

/* receiver_result: what is said of a run, during it and at its end. */
void receiver_say_start(struct receiver *r);
void receiver_interval(struct receiver *r, np_time now);
void receiver_conclude(struct receiver *r);
void receiver_summary(struct receiver *r);

#endif
