/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * state: the state that the parts of a member share. Each calls only those listed after it:
 * native.c (native.h) and java.c (java.h) are the protocols behind struct member_protocol_table,
 * sending.c sends DATA, progress.c holds the growing result, member.c, the interface, holds the
 * table of members, those that are given up, what waits and what goes out.
 */
#ifndef GROUP_TEST_MEMBER_STATE_H
#define GROUP_TEST_MEMBER_STATE_H

#include "../wire/jgroups.h"
#include "../wire/message.h"
#include "member.h"

#include <netperf/delay.h>
#include <netperf/flow.h>
#include <netperf/pacer.h>

/* How often time-outs are checked. */
#define MEMBER_LOOK (20 * NP_MILLISECOND)

/* A member that was not called for this long blames nobody for that time. */
#define MEMBER_STALL NP_SECOND

/*
 * The most DATA messages that have arrived and wait to be processed under processing_delay: one is
 * processed per delay, while control messages are answered at once. While they are full the
 * transport is not read.
 */
#define BACKLOG_MESSAGES 65536

struct backlog_message {
	unsigned peer; /* index in the member's table */
	uint8_t type;  /* of the protocol */
	uint64_t number;
	uint64_t bytes; /* payload */
	np_time sent;	/* by the sender's clock */
};

struct backlog {
	struct backlog_message *message; /* a ring; NULL: there is no delay */
	unsigned first, count;
	np_time next; /* when the next one will be processed */
};

/*
 * A tally: what has arrived from one sender in one run, by message number or only counted, as a row
 * of the result. Pure: the clock is an argument. One thread at a time.
 */
struct tally_plan {
	bool numbered;	   /* native; else messages are only counted (jgroups3) */
	uint64_t expected; /* as announced; 0: unknown (--duration) */
};

/* Read only, but for the flow's clock (np_flow_set_clock, before the run) and np_flow_stray. */
struct tally {
	struct tally_plan plan;
	struct np_flow *flow;
	uint64_t sent; /* as the sender reports */
	bool ended;    /* the sender's count is known */
};

/* Returns 0 or -ENOMEM. */
int tally_create(struct tally **tally, const struct tally_plan *plan);
void tally_free(struct tally *tally); /* NULL is allowed */

/* Resets everything but the plan and the clock, for the next run. */
void tally_clear(struct tally *tally);

/*
 * Hot. Counts a message of @payload bytes with number @number (from 1), sent at @sent by its
 * sender's clock, which arrived at @at. Without numbers, @number and @sent are ignored.
 */
void tally_count(struct tally *tally, uint64_t number, np_time sent, np_time at, uint64_t payload);

/*
 * The sender reports that it has sent @sent messages and is done. Impossible numbers are ignored.
 */
void tally_end(struct tally *tally, uint64_t sent);

/* The sender's count is known and all of it has arrived (without numbers: as many as announced). */
bool tally_complete(const struct tally *tally);

/* Fills in all of @row but its sender. */
void tally_row(const struct tally *tally, struct result_row *row);

/* What arrives from a sending peer. Numbers are those of its stream: WARMUP first, then DATA. */
struct peer_flow {
	struct tally *tally; /* NULL: it does not send */
	unsigned column;     /* its column among the senders */
	uint64_t highest;    /* the highest that arrived, or that a PROBE named */
	uint64_t granted;    /* how far it may send, by the last GRANT */
	uint64_t reported;   /* messages reported in the latest MEMBER_RECEIVED */
	uint64_t seen;	     /* distinct messages at @news */
	unsigned waiting;    /* its messages in the backlog */
	np_time news;	     /* when the latest distinct message arrived, or its end became known */
	struct np_offset clock;
	np_time ask; /* when to ask for its clock next */
	unsigned asked;
};

/* How far a peer lets this member send. */
struct peer_credit {
	uint64_t limit;
	np_time granted; /* when that last rose */
	bool reported;	 /* it was reported to hold this member up */
};

/* Native: the content of its HELLO and its latest STATE. */
struct peer_native {
	uint64_t instance; /* the instance that answered at its address; 0: none yet */
	uint64_t former;   /* the instance that had its identity before, or 0 */
	uint64_t newcomer; /* the instance that took its place when it was gone, or 0 */
	np_time begun;
	uint8_t host[16];
	enum message_phase phase;
	uint8_t run;
	uint32_t tag;
	np_time entered; /* when it announced that phase */
	uint64_t moves;
	np_time moved; /* when its run last made progress, as far as heard */
	bool interrupted;
	np_time refused; /* when it was last told that it is given up, or refused again */
	np_time ended;	 /* when somebody reported that it is gone; 0: nobody did */
	uint64_t setting[SETTINGS];
	enum message_refusal refusal; /* why it refuses this member; 0: it does not */
	np_time denied;		      /* when it last did so */
};

/* Native: an instance that sent HELLO from an address, but has not answered there yet. */
struct peer_proof {
	uint64_t instance;
	struct message_hello hello;
	uint64_t cookie; /* the number sent to the address; 0: none */
	np_time asked;
	uint64_t proved; /* the instance that answered, where another one was before */
};

/* jgroups3: what is known of it. */
struct peer_java {
	bool joined, started, final;
	bool unlike;		  /* reported already: its messages have another size */
	int64_t num_msgs;	  /* how many it will send */
	struct jgroups_info info; /* its RESULTS, once it has reported */
	np_time data;		  /* when its latest DATA arrived; 0: none yet */
	np_time pause;		  /* the longest one between two DATA */
	bool paced;		  /* two DATA have arrived */
};

enum peer_role {
	PEER_HEARD,   /* in no group yet, or (jgroups3) not joined */
	PEER_MEMBER,  /* of the group */
	PEER_REFUSED, /* it was told so */
};

struct peer {
	enum peer_role role;
	bool sender, self;
	uint8_t paced; /* how many of its lanes pause after each message */
	bool known; /* it has announced itself, and proved its address if the protocol allows that
		     */
	bool gone;  /* given up: nothing waits for it */
	bool reported;	/* for this run */
	unsigned place; /* its index in the result */
	enum result_outcome outcome;
	np_time outcome_after;
	char why[96];
	np_time heard;
	struct peer_native native;
	struct peer_proof proof;
	struct peer_java java;
	struct peer_flow flow;
	struct peer_credit credit;
};

/* What the port has refused since it last accepted something; lack of room is no refusal. */
struct refusals {
	np_time since; /* 0: the latest attempt succeeded */
	int error;     /* of the latest one, -errno */
};

struct sending_lane {
	uint64_t left; /* DATA left in this run; UINT64_MAX: no limit */
	uint64_t sent, reported;
	np_time due; /* when paced: of the next message */
};

struct sending {
	bool on;	       /* from the start of a run to the last message */
	bool finished;	       /* the last message was sent */
	uint64_t next;	       /* next number in the stream */
	uint64_t credit;       /* the highest number that may be sent */
	uint64_t sent;	       /* DATA in this run */
	np_time begun;	       /* when the first DATA was sent; 0: not yet */
	np_time last;	       /* when the latest was */
	uint64_t first;	       /* how many went at @begun */
	np_time ends;	       /* by --duration; NP_TIME_NEVER */
	struct np_pacer pacer; /* with a rate, from @begun on */
	np_time starved;       /* since when there is no credit; 0: there is */
	struct refusals refused;
	struct sending_lane lane[LANES_MAX];
};

struct outcome {
	bool finished, failed, lost, interrupted;
	struct np_fault fault;
};

struct member {
	const struct member_protocol_table *protocol;
	struct member_plan plan;
	struct member_port port;
	struct member_listener listener;
	void *state; /* of the protocol */

	np_time now, due;
	np_time begun;	/* start of the member's life */
	np_time formed; /* when the group formed; 0: not yet */
	np_time ticked; /* the latest tick */
	bool dirty;	/* check at once */
	uint64_t malformed;
	uint64_t moves; /* progress reports of the run that arrived */

	/* Identities in an array of their own, since each delivery searches it. */
	struct identity who[MEMBERS_MAX];
	struct peer peer[MEMBERS_MAX];
	unsigned peers;
	unsigned hint; /* the result of the last search */

	struct tally **tally; /* for the group's senders */
	unsigned tallies;
	unsigned run;
	struct backlog backlog;
	struct sending sending;
	struct refusals refused;   /* of messages to all except DATA */
	int reported_error;	   /* the latest refusal that was reported */
	unsigned kept_out;	   /* refusals reported to the user */
	struct identity foreigner; /* the first one with another protocol, */
	char foreign[80];	   /* which is this one; empty: none was met */
	struct outcome outcome;
	struct result result;
	struct result_host host_begin;
	bool drops_open; /* what it sent may be dropped yet */
};

struct member_protocol_table {
	size_t header_bytes;
	bool numbered;
	bool parts_late; /* a member that is given up still gets the last messages, if it can
			    receive them */
	size_t (*control_bytes)(const struct member_plan *plan);
	int (*create)(struct member *m, struct np_fault *fault); /* sets @m->state, or -errno */
	void (*deliver)(struct member *m, const struct transport_delivery *delivery);
	void (*event)(struct member *m, const struct transport_event *event);
	/* Processes a message of the backlog, at m->now. */
	void (*process)(struct member *m, struct peer *peer, const struct backlog_message *message);
	void (*tick)(struct member *m); /* at m->now; sets the next deadline */
	void (*stop)(struct member *m, bool again);
	/* False: the run has not begun. NULL: is not possible. */
	bool (*wind_up)(struct member *m);
	void (*cut_off)(struct member *m, const char *why);
	/* Writes the heads of @slots->count messages; @first is the number of the first. Hot. */
	void (*write)(struct member *m, const struct transport_slots *slots, uint64_t first);
	/* Sends up to @most WARMUP messages itself; NULL: they are written like DATA. */
	unsigned (*warm)(struct member *m, unsigned most);
};

extern const struct member_protocol_table member_native;
extern const struct member_protocol_table member_jgroups;

/*
 * The table. member_find: NULL when unknown. member_add: from a full table it removes the
 * peer that was heard least recently, among those that are not known or refused; NULL when there is
 * none.
 */
struct peer *member_find(struct member *m, const struct identity *who);
struct peer *member_add(struct member *m, const struct identity *who);
void member_remove(struct member *m, struct peer *peer);
const struct identity *member_who(const struct member *m, const struct peer *peer);
struct peer *member_self(struct member *m); /* NULL: not heard yet */

static inline bool peer_counts(const struct peer *peer)
{
	return peer->role == PEER_MEMBER && !peer->gone;
}

unsigned member_alive(const struct member *m);

/* Sets the next check to @when at the latest. */
static inline void member_arm(struct member *m, np_time when)
{
	if (when < m->due)
		m->due = when;
}

/* Writes "A, B and 2 more" to @out. */
void member_list(const struct member *m, bool (*chosen)(const struct peer *peer), char *out,
		 size_t room);

/* Reports @event, about @peer (NULL: nobody). */
void member_notify(struct member *m, struct member_event event, const struct peer *peer);
void member_notify_number(struct member *m, enum member_event_kind kind, uint64_t number,
			  const struct peer *peer);
void member_notify_text(struct member *m, enum member_event_kind kind, const char *text,
			const struct peer *peer);

/* Sends to all. Returns 0, or -errno of the port: a refusal is reported, and remembered. */
int member_send(struct member *m, const void *message, size_t bytes);

/* Reports that this host refuses to send, once for the same @error. */
void member_notify_unsent(struct member *m, int error);

/* The latest attempt of @refusals ended with @rc: reports a new error, forgets an old one. */
void member_note(struct member *m, struct refusals *refusals, int rc);

/* When to repeat what ended with @rc, and is normally repeated @every so often. */
static inline np_time member_next_try(const struct member *m, int rc, np_time every)
{
	return m->now + (rc ? MEMBER_LOOK : every);
}

/*
 * Removes @peer from the group: nothing waits for it, the others go on. The reason is
 * kept and reported, and makes the status 1.
 */
__attribute__((format(printf, 4, 5))) void member_give_up(struct member *m, struct peer *peer,
							  enum result_outcome outcome,
							  const char *why, ...);

/* The group does not form: status 2. Object and reason as for np_fault_set. */
__attribute__((format(printf, 3, 4))) void member_fail(struct member *m, const char *object,
						       const char *reason, ...);

/* Keeps @peer out of the group; the first few are reported to the user. */
void member_refuse(struct member *m, struct peer *peer, const char *why);

/* Counts a message of @who in another protocol, @what; the first one is named. */
void member_meet(struct member *m, const struct identity *who, const char *what);

/* Gives up all that have not reported, because of @why. */
void member_lose_others(struct member *m, const char *why);

/* True when @message has to wait; false: process it now. */
bool member_delay(struct member *m, struct peer *peer, struct backlog_message message);
void member_process(struct member *m); /* messages of the backlog that are due */

/*
 * The warm-up is a run of its own, before those that are counted: what is sent in it is WARMUP,
 * which nobody counts.
 */
static inline bool member_warms(const struct member *m)
{
	return m->plan.warm_up && !m->run;
}

/* How many messages after the last report the next one follows; 0: none. */
static inline uint64_t member_log_step(const struct member *m, uint64_t reported)
{
	return m->plan.log_doubling ? (reported ? reported : 1000) : m->plan.log_interval;
}

/* sending.c: starts a run; ends it by --duration. */
void sending_begin(struct member *m);
void sending_look(struct member *m);
void sending_end(struct member *m);

/*
 * Nobody receives what is sent, or it cannot be sent: the run goes on without, and the status is 1.
 */
void sending_cut(struct member *m, const char *why);

/* progress.c: the group of all PEER_MEMBERs, with a tally for each sender, in the table's order. */
void member_result_form(struct member *m);
void member_result_begin(struct member *m); /* a run */
/* Adds own counts as they are, or once the run is over. */
void member_result_count(struct member *m, struct peer *self, enum drops_moment moment);
/* Looks again at what this host dropped, while what was sent may be dropped yet. */
void member_result_drops(struct member *m, struct peer *self, enum drops_moment moment);
/*
 * Adds the members at their places, or all that joined when there is no group; then the refused
 * ones.
 */
void member_result_update(struct member *m);
/* Reports what is known of all by now, as @kind. */
void member_result_notify(struct member *m, enum member_event_kind kind);

#endif
