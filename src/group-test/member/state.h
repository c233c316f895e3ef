/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * state: what the parts of a member share. Each calls only those below it: member.c has the face,
 * native.c (native.h) and java.c (java.h) are the protocols behind struct member_protocol_table,
 * sending.c the pump, processing.c the backlog, progress.c the result as it grows, outcome.c who
 * is given up, port.c what goes out, peers.c the table.
 */
#ifndef GROUP_TEST_MEMBER_STATE_H
#define GROUP_TEST_MEMBER_STATE_H

#include "../wire/jgroups.h"
#include "../wire/message.h"
#include "backlog.h"
#include "member.h"
#include "tally.h"

#include <netperf/offset.h>

/* How far apart looks at the time-outs are. */
#define MEMBER_LOOK (20 * NP_MILLISECOND)

/* A member that was not called for so long accuses nobody of that time. */
#define MEMBER_STALL NP_SECOND

/* What comes from a peer that sends. Numbers are of its stream: WARMUP first, then DATA. */
struct peer_flow {
	struct tally *tally; /* NULL: it does not send */
	unsigned column;     /* among the senders */
	uint64_t highest;    /* that came, or that a PROBE named */
	uint64_t granted;    /* how far it may send, as told last */
	uint64_t told;	     /* messages in the latest MEMBER_RECEIVED */
	uint64_t seen;	     /* distinct messages at @news */
	unsigned waiting;    /* of its messages in the backlog */
	np_time news;	     /* of the latest distinct message, or when its end became known */
	struct np_offset clock;
	np_time ask; /* when its clock is asked for next */
	unsigned asked;
};

/* How far a peer lets us send. */
struct peer_credit {
	uint64_t limit;
	bool told; /* that it holds us up */
};

/* Native: what its HELLO and its latest STATE said. */
struct peer_card {
	uint64_t instance; /* that has answered at its address; 0: none has yet */
	uint64_t former;   /* of the one that had its identity before, or 0 */
	uint64_t newcomer; /* instance that came in its place when it was gone, or 0 */
	np_time begun;
	uint8_t host[16];
	enum message_phase phase;
	uint8_t run;
	uint32_t tag;
	np_time entered; /* when that phase was heard of */
	uint64_t moves;
	np_time moved; /* when its run was last heard to go on */
	bool interrupted;
	np_time refused; /* when it was last told that it is given up */
	bool parted;	 /* it has given this member up, and its results are here */
	np_time ended;	 /* when somebody said that it is gone; 0: nobody has */
	uint64_t setting[SETTINGS];
	enum message_refusal refusal; /* why it refuses this member; 0: it never did */
	np_time refuses;	      /* since when */
	np_time denied;		      /* when it last said so */
};

/* Native: an instance that says HELLO from an address, and has not answered at it yet. */
struct peer_proof {
	uint64_t instance;
	struct message_hello hello;
	uint64_t cookie; /* that was sent to the address; 0: none */
	np_time asked;
	uint64_t proved; /* instance that has answered, where another one was before */
};

/* jgroups3: what has been heard of it. */
struct peer_java {
	bool joined, started, final;
	bool unlike;		  /* told of: its messages have another size */
	int64_t num_msgs;	  /* that it will send */
	struct jgroups_info info; /* its RESULTS, once it has reported */
	np_time data;		  /* when its latest DATA came; 0: none yet */
	np_time pause;		  /* the longest one between two of them */
	bool paced;		  /* two have come */
};

enum peer_role {
	PEER_HEARD,   /* of no group yet, or (jgroups3) not joined */
	PEER_MEMBER,  /* of the group */
	PEER_REFUSED, /* told so */
};

struct peer {
	enum peer_role role;
	bool sender, self;
	uint8_t paced;	/* lanes of it that pause behind each message */
	bool known;	/* it has said who it is, and proved it where the protocol lets it */
	bool gone;	/* given up: nothing waits for it */
	bool reported;	/* this run */
	unsigned place; /* in the result */
	enum result_outcome outcome;
	np_time outcome_after;
	char why[96];
	np_time heard;
	struct peer_card card;
	struct peer_proof proof;
	struct peer_java java;
	struct peer_flow flow;
	struct peer_credit credit;
};

/* What the port has refused since it last took something; want of room is no refusal. */
struct refusals {
	np_time since; /* 0: the latest try went */
	int error;     /* of the latest one, -errno */
};

struct sending_lane {
	uint64_t left; /* DATA in this run; UINT64_MAX: no end */
	uint64_t sent, told;
	np_time due; /* paced: of the next message */
};

struct sending {
	bool on;	 /* between the begin of a run and the last message */
	bool finished;	 /* the last one has been sent */
	uint64_t next;	 /* number in the stream */
	uint64_t credit; /* how far it may go */
	uint64_t sent;	 /* DATA in this run */
	np_time begun;	 /* first DATA; 0: not yet */
	np_time ends;	 /* by --duration; NP_TIME_NEVER */
	np_time starved; /* since when there is no credit; 0: there is */
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
	void *state; /* the protocol's own */

	np_time now, due;
	np_time begun;	/* the member's life */
	np_time formed; /* the group; 0: not yet */
	np_time ticked; /* the latest tick */
	bool dirty;	/* look at once */
	uint64_t malformed;
	uint64_t moves; /* parts of the run that have come */

	/* Identities apart, since each delivery looks for one. */
	struct identity who[MEMBERS_MAX];
	struct peer peer[MEMBERS_MAX];
	unsigned peers;
	unsigned hint; /* who was looked for last */

	struct tally **tally; /* for the group's senders */
	unsigned tallies;
	unsigned run;
	struct backlog backlog;
	struct sending sending;
	struct refusals refused; /* of what goes to all, DATA apart */
	int told_error;		 /* of refusals, the latest that was told */
	struct outcome outcome;
	struct result result;
	struct result_host host_begin;
};

struct member_protocol_table {
	size_t header_bytes;
	bool numbered;
	bool parts_late; /* who is given up still gets the last words, if it can take them */
	size_t (*control_bytes)(const struct member_plan *plan);
	int (*create)(struct member *m, struct np_fault *fault); /* sets @m->state, or -errno */
	void (*deliver)(struct member *m, const struct transport_delivery *delivery);
	void (*event)(struct member *m, const struct transport_event *event);
	/* One of the backlog's, at m->now. */
	void (*process)(struct member *m, struct peer *peer, const struct backlog_message *message);
	void (*tick)(struct member *m); /* at m->now; arms the next */
	void (*stop)(struct member *m, bool again);
	void (*cut_off)(struct member *m, const char *why);
	/* Writes the heads of @slots->count messages, @first in the stream. Hot. */
	void (*write)(struct member *m, const struct transport_slots *slots, uint64_t first);
	/* Sends up to @most WARMUP messages by itself; NULL: they are written as DATA is. */
	unsigned (*warm)(struct member *m, unsigned most);
};

extern const struct member_protocol_table member_native;
extern const struct member_protocol_table member_jgroups;

/*
 * peers.c: the table. member_find: NULL when unknown. member_add: a full table forgets who is not
 * known, or refused, and was heard least lately; NULL when it is full of others.
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

/* The next look is at @when at the latest. */
static inline void member_arm(struct member *m, np_time when)
{
	if (when < m->due)
		m->due = when;
}

/* "A, B and 2 more" into @out. */
void member_list(const struct member *m, bool (*chosen)(const struct peer *peer), char *out,
		 size_t room);

/* port.c. Tells @event of @peer (NULL: nobody). */
void member_tell(struct member *m, struct member_event event, const struct peer *peer);

/* Sends to all. 0, or -errno as of the port: what is refused is told, and remembered. */
int member_send(struct member *m, const void *message, size_t bytes);

/* The latest try of @refusals ended with @rc: tells a new error, forgets an old one. */
void member_note(struct member *m, struct refusals *refusals, int rc);

/* When to try again what ended with @rc, and what is repeated @every so often. */
static inline np_time member_next_try(const struct member *m, int rc, np_time every)
{
	return m->now + (rc ? MEMBER_LOOK : every);
}

/*
 * outcome.c. @peer is out of the group: nothing waits for it, the others go on. The reason is kept,
 * told, and makes the status 1.
 */
__attribute__((format(printf, 4, 5))) void member_give_up(struct member *m, struct peer *peer,
							  enum result_outcome outcome,
							  const char *why, ...);

/* The group does not form: status 2. The object and reason are as of np_fault_set. */
__attribute__((format(printf, 3, 4))) void member_fail(struct member *m, const char *object,
						       const char *reason, ...);

/* Who has not reported is given up for @why. */
void member_lose_others(struct member *m, const char *why);

/* processing.c. True when @message waits for its turn; false: process it now. */
bool member_delay(struct member *m, struct peer *peer, struct backlog_message message);
void member_process(struct member *m); /* what is due of the backlog */

/* How many messages behind the one that was told of is the next to be told of; 0: none. */
static inline uint64_t member_log_step(const struct member *m, uint64_t told)
{
	return m->plan.log_doubling ? (told ? told : 1000) : m->plan.log_interval;
}

/* sending.c: a run's start; what --duration ends. */
void sending_begin(struct member *m);
void sending_look(struct member *m);
void sending_end(struct member *m);

/* Nobody hears what is sent, or it cannot be sent: the run goes on without, the status is 1. */
void sending_cut(struct member *m, const char *why);

/* progress.c: the group of all PEER_MEMBERs, with a tally for each sender, in the table's order. */
void member_result_form(struct member *m);
void member_result_begin(struct member *m); /* a run */
/* Own counts, as they are. */
void member_result_count(struct member *m, struct peer *self);
/* The members at their places, or all that joined when there is no group; then the refused. */
void member_result_update(struct member *m);
/* What is known by now of all, as @kind. */
void member_result_tell(struct member *m, enum member_event_kind kind);

#endif
