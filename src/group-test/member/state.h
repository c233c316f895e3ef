/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * state: a member's state, and what its parts do for each other. Each calls those after it:
 * native.c, --protocol=native (message.h describes the conversation), handles what arrives, says
 * what is repeated, and goes from phase to phase; membership.c finds out who is at an address,
 * admits others or keeps them out, and makes a group of them; ending.c ends a run and the member's
 * life; java.c is --protocol=jgroups3 (section 4 of the specification): where Java would wait
 * forever, this member continues after a limit with what it has, and its own messages release the
 * Java members that wait for it; sending.c sends DATA within pace and credit; counting.c counts
 * what arrives and holds the growing result; member.c, the interface, holds the table of members,
 * those that are given up, and what is reported.
 */
#pragma once

#include "../wire/jgroups.h"
#include "../wire/message.h"
#include "member.h"

#define HELLO_EVERY (250 * NP_MILLISECOND)
#define STATE_EVERY (500 * NP_MILLISECOND)
/* Of a sender that is done, of one that leaves, and to one that is given up: others wait for it. */
#define STATE_SOON (50 * NP_MILLISECOND)

/* Receivers grant at most this much ahead of what was sent. */
#define WINDOW_MAX (1 << 19)

/* How often time-outs are checked, and what could not be sent is tried again. */
#define MEMBER_LOOK (20 * NP_MILLISECOND)

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

/* What arrives from a sending peer. Numbers are those of its stream: WARMUP first, then DATA. */
struct peer_stream {
	struct np_flow *flow; /* counts its DATA, with or (jgroups3) without numbers; NULL: it
				 does not send */
	unsigned column;      /* its column among the senders */
	uint64_t highest;     /* the highest that arrived, or that a PROBE named */
	uint64_t granted;     /* how far it may send, by the last GRANT */
	uint64_t reported;    /* messages reported in the latest MEMBER_RECEIVED */
	uint64_t seen;	      /* distinct messages at @news */
	uint64_t sent;	      /* DATA in this run, once it has @ended */
	bool ended;
	unsigned waiting; /* its messages in the backlog */
	np_time news;	  /* when the latest distinct message arrived, or its end became known */
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
	struct message_hello hello;
	enum message_phase phase;
	uint8_t run;
	uint32_t tag;
	uint64_t moves;
	np_time moved; /* when it announced that phase, or its run last made progress */
	bool interrupted;
	np_time refused; /* when it was last told that it is given up, or refused again */
	bool parted;	 /* it has given up this member, and its results are here */
	np_time ended;	 /* when somebody reported that it is gone; 0: nobody did */
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
	bool started, final;
	bool unlike;		  /* reported already: its messages have another size */
	struct jgroups_info info; /* its RESULTS, once it has reported */
	np_time data;		  /* when its latest DATA arrived; 0: none yet */
	np_time pause;		  /* the longest one between two DATA */
	bool paced;		  /* two DATA have arrived */
};

enum peer_role {
	PEER_STRANGER, /* it has not announced itself, or not proved its address */
	PEER_HEARD,    /* in no group yet */
	PEER_MEMBER,   /* of the group */
	PEER_REFUSED,  /* it was told so */
};

struct peer {
	enum peer_role role;
	bool sender, self;
	uint8_t paced;	/* how many of its lanes pause after each message */
	bool gone;	/* given up: nothing waits for it */
	bool reported;	/* for this run */
	unsigned place; /* its index in the result */
	enum result_outcome outcome;
	np_time outcome_after;
	char why[96];
	np_time heard;
	struct peer_native native;
	struct peer_proof proof;
	struct peer_java java;
	struct peer_stream stream;
	struct peer_credit credit;
};

/* What the transport has refused since it last accepted something; lack of room is no refusal. */
struct refusals {
	np_time since; /* 0: the latest attempt succeeded */
	int error;     /* of the latest one, -errno */
};

struct sending_lane {
	uint64_t left; /* DATA left in this run, of UINT64_MAX without a limit */
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
	np_time probe_next;
	struct refusals refused;
	struct sending_lane lane[LANES_MAX];
};

/* What only the native protocol needs. */
struct native {
	uint32_t tag;
	uint64_t window; /* messages that each sender may have on the way to this member */
	struct message_hello hello; /* how this member introduces itself */
	np_time newest;		    /* when a new member was last heard */
	np_time hello_next;	    /* NP_TIME_NEVER: none is needed */
	np_time hello_last;
	np_time state_next;
	unsigned announced; /* STATEs sent in this phase */
	np_time left;	    /* when this member started to leave */

	size_t results_bytes; /* of the latest run that was counted */
	unsigned results_run;
	np_time results_last;
	bool results_wanted;
	uint8_t results[MESSAGE_CONTROL_MAX];
	size_t drops_bytes; /* of the same run; 0: this host's drops are not known */
	np_time drops_next; /* when to look at them again; NP_TIME_NEVER */
	uint8_t drops[MESSAGE_DROPS_MAX];

	uint8_t out[MESSAGE_CONTROL_MAX];
	union native_body {
		struct message_state state;
		struct message_clock clock;
		struct message_refuse refuse;
		struct message_table table;
		struct message_hello hello;
		struct message_proof proof;
	} body; /* its body, or that of one that is written */
};

/* What only jgroups3 needs. */
struct java {
	np_time discover_next, start_next, results_next;
	bool answer; /* somebody asked who is there */

	/* Received from all senders. */
	uint64_t expected, received;
	uint64_t reported; /* messages reported in the latest MEMBER_PROGRESS */
	np_time reported_at;

	/* Of those that are sent three times; NP_TIME_NEVER: not yet. */
	np_time final_next, ok_next;
	unsigned finals, oks;
	bool ok_heard;
	bool short_final; /* another member's table lacks members */
	np_time table;

	struct jgroups_message in, out;
	uint8_t *wire; /* room for the longest control message */
};

struct member {
	const struct member_protocol_table *protocol;
	struct member_plan plan;
	struct member_port port;

	/* For jgroups3: READY until all have sent START, LEAVING once all have reported. */
	enum message_phase phase;
	np_time moved; /* when something last moved in this phase */
	np_time now, due;
	np_time begun;	/* start of the member's life */
	np_time formed; /* when the group formed; 0: not yet */
	np_time ticked; /* the latest tick */
	bool dirty;	/* check at once */
	uint64_t moves; /* progress reports of the run that arrived */

	/* Identities in an array of their own, since each delivery searches it. */
	struct identity who[MEMBERS_MAX];
	struct peer peer[MEMBERS_MAX];
	unsigned peers;
	unsigned hint; /* the result of the last search */

	struct np_flow *flow[MEMBERS_MAX]; /* for the group's senders */
	unsigned run;
	struct backlog backlog;
	struct sending sending;
	struct refusals refused;   /* of messages to all except DATA */
	int reported_error;	   /* the latest refusal that was reported */
	unsigned kept_out;	   /* refusals reported to the user */
	struct identity foreigner; /* the first one with another protocol, */
	char foreign[80];	   /* which is this one; empty: none was met */
	struct member_outcome outcome;
	struct result result;
	/* What it points to; @row: as many as members times senders. */
	struct result_member result_member[MEMBERS_MAX];
	struct identity result_sender[MEMBERS_MAX];
	struct result_row *row;
	struct native native;
	struct java java;
	struct result_host host_begin;
	bool drops_open; /* what it sent may be dropped yet */
};

struct member_protocol_table {
	size_t header_bytes;
	bool numbered;
	/* A member that is given up still gets the last messages, if it can receive them. */
	bool parts_late;
	int (*create)(struct member *m); /* 0 or -ENOMEM */
	void (*deliver)(struct member *m, const struct transport_delivery *delivery);
	/* TRANSPORT_FOREIGN and _UNSENT are reported for it. @peer: of the event; NULL: unknown. */
	void (*event)(struct member *m, const struct transport_event *event, struct peer *peer);
	/* The way to @peer is gone. True: it was about to leave, and has all that it needs. */
	bool (*parts)(struct member *m, struct peer *peer);
	/* Processes a message of the backlog, at m->now. */
	void (*process)(struct member *m, struct peer *peer, const struct backlog_message *message);
	void (*tick)(struct member *m);	 /* at m->now; sets the next deadline */
	void (*count)(struct member *m); /* freezes this member's counts of the run */
	void (*leave)(struct member *m); /* at once, because its user stopped it */
	/* Writes what prevents the group from forming, as far as it is known. */
	void (*remark)(const struct member *m, char *out, size_t room);
	/* Writes the heads of @slots->count messages; @first is the number of the first. Hot. */
	void (*write)(struct member *m, const struct transport_slots *slots, uint64_t first);
	/* Sends up to @most WARMUP messages itself; NULL: they are written like DATA. */
	unsigned (*warm)(struct member *m, unsigned most);
};

extern const struct member_protocol_table member_native;
extern const struct member_protocol_table member_jgroups;

/*
 * member.c: the table. member_find: NULL when unknown. member_add: from a full table it removes the
 * peer that was heard least recently, among those that are not known or refused; NULL when there is
 * none.
 */
struct peer *member_find(struct member *m, const struct identity *who);
struct peer *member_add(struct member *m, const struct identity *who);
void member_remove(struct member *m, struct peer *peer);
struct peer *member_self(struct member *m); /* NULL: not heard yet */

static inline const struct identity *member_who(const struct member *m, const struct peer *peer)
{
	return &m->who[peer - m->peer];
}

/* A loop over all peers of @m; none may join or leave meanwhile. */
#define for_each_peer(each, m) for_each(each, (m)->peer, (m)->peers)

/* A member of the group that is not given up. */
static inline bool peer_counts(const struct peer *peer)
{
	return peer->role == PEER_MEMBER && !peer->gone;
}

static inline bool is_other(const struct peer *peer)
{
	return peer_counts(peer) && !peer->self;
}

/* Heard, present, and without a group so far. */
static inline bool peer_present(const struct peer *peer)
{
	return peer->role == PEER_HEARD && peer->native.phase != PHASE_LEAVING;
}

/* How many peers are @chosen; writes "A, B and 2 more" of them to @out. */
unsigned member_count(const struct member *m, bool (*chosen)(const struct peer *peer));
void member_list(const struct member *m, bool (*chosen)(const struct peer *peer), char *out,
		 size_t room);

/* Time has passed; it never goes back. */
static inline void member_advance(struct member *m, np_time now)
{
	if (now > m->now)
		m->now = now;
}

static inline void member_enter(struct member *m, enum message_phase phase)
{
	m->phase = phase;
	m->moved = m->now;
	m->dirty = true;
}

/* Sets the next check to @when at the latest. */
static inline void member_arm(struct member *m, np_time when)
{
	m->due = np_clock_sooner(m->due, when);
}

/* True when *@next has come, which then becomes @every later; NP_TIME_NEVER: never. */
static inline bool member_due(struct member *m, np_time *next, np_time every)
{
	const bool due = m->now >= *next;

	if (due)
		*next = every == NP_TIME_NEVER ? every : m->now + every;
	member_arm(m, *next);
	return due;
}

/* Reports an event about @peer (NULL: nobody); the rest initializes it. */
#define member_notify(m, peer, ...) member_report(m, peer, (struct member_event){__VA_ARGS__})
void member_report(struct member *m, const struct peer *peer, struct member_event event);

/* Sends to all. Returns 0, or -errno of the transport: a refusal is reported, and remembered. */
int member_send(struct member *m, const void *message, size_t bytes);

/* The latest attempt of @refusals ended with @rc: reports a new error, forgets an old one. */
void member_note(struct member *m, struct refusals *refusals, int rc);

/*
 * Removes @peer from the group: nothing waits for it, the others go on. The reason is
 * kept and reported, and makes the status 1.
 */
__attribute__((format(printf, 4, 5))) void member_give_up(struct member *m, struct peer *peer,
							  enum result_outcome outcome,
							  const char *why, ...);

/*
 * The way to or from @peer is gone, which shows at once that it is dead, unless it parts. @error:
 * 0: it closed the way.
 */
void member_lost(struct member *m, struct peer *peer, int error);

/* The group does not form: status 2. Object and reason as for np_fault_set. */
__attribute__((format(printf, 3, 4))) void member_fail(struct member *m, const char *object,
						       const char *reason, ...);

/* Keeps @peer out of the group, if it is not yet; the first few are reported to the user. */
void member_refuse(struct member *m, struct peer *peer, const char *why);

/* Counts a message of @who in another protocol, @what; the first one is named. */
void member_meet(struct member *m, const struct identity *who, const char *what);

/*
 * The warm-up is a run of its own, before those that are counted: what is sent in it is WARMUP,
 * which nobody counts.
 */
static inline bool member_warms(const struct member *m)
{
	return m->plan.warm_up && !m->run;
}

/*
 * True when the next report of @number messages is due, where each of @lanes has a share of
 * log_interval: *@reported is then the number that it says.
 */
static inline bool member_log_due(const struct member *m, uint64_t number, uint64_t lanes,
				  uint64_t *reported)
{
	uint64_t step = m->plan.log_interval;

	if (m->plan.log_doubling)
		step = *reported ? *reported : 1000;
	else if (lanes > 1 && step)
		step = step > lanes ? step / lanes : 1;
	if (!step || number - *reported < step)
		return false;
	*reported += step;
	return true;
}

/* counting.c. True when @message has to wait; false: process it now. */
bool member_delay(struct member *m, struct peer *peer, struct backlog_message message);
void member_process(struct member *m); /* messages of the backlog that are due */

/* The group of all PEER_MEMBERs, with a flow for each sender, in the table's order. */
void member_result_form(struct member *m);
void member_result_begin(struct member *m); /* a run */
/* Sets how many streams @row's messages form: a sender with a pause announced it when it joined. */
static inline void counting_pace(const struct peer *sender, struct result_row *row)
{
	row->paced = sender->paced;
	row->streams = sender->paced ? sender->paced : 1;
}

/* Adds own counts as they are, or once the run is over. */
void member_result_count(struct member *m);
/* Then: looks at what this host dropped; again, while what was sent may be dropped yet. */
void member_result_drops(struct member *m);
/* Adds the members at their places, then the refused ones. */
void member_result_update(struct member *m);
/* Reports what is known of all by now, as @kind. */
void member_result_notify(struct member *m, enum member_event_kind kind);

/* sending.c: starts and ends a run. */
void sending_begin(struct member *m);
void sending_end(struct member *m);

/* Credit, of native. What @sender may send; @asked: it has asked. */
void credit_grant(struct member *m, struct peer *sender, bool asked);
void credit_begin(struct member *m); /* the first grants of a run */
void credit_granted(struct member *m, struct peer *receiver, uint64_t number);
void credit_tick(struct member *m); /* asks for grants, and gives up receivers that do not answer */

/* The head of a message in this run, from this member. */
static inline struct message_head native_head(const struct member *m)
{
	return (struct message_head){.run = (uint8_t)m->run,
				     .number = m->plan.instance,
				     .time = m->now,
				     .tag = m->native.tag};
}

/* True when @peer has reached @phase of this run, or a later one. */
static inline bool has_reached(const struct member *m, const struct peer *peer,
			       enum message_phase phase)
{
	return peer->native.tag == m->native.tag &&
	       (peer->native.run > m->run ||
		(peer->native.run == m->run && peer->native.phase >= phase));
}

/* All DATA of one that has told how much that is. */
static inline bool has_all(const struct peer_stream *stream)
{
	return stream->ended && np_flow_received(stream->flow) >= stream->sent;
}

/*
 * native.c. Sends a message of this run to @who, NULL: to all. @body: of message_encode, or of
 * GRANT and PROBE the number, a uint64_t. Returns 0 or the transport's -errno.
 */
int native_send(struct member *m, const struct identity *who, enum message_type type,
		const void *body);
void phase_enter(struct member *m, enum message_phase phase); /* and announces it at once */
void phase_begin_run(struct member *m);			      /* the run m->run, from PHASE_READY */
void hello_soon(struct member *m); /* somebody may not know this member */
/* Refuses @peer, because of the next; the rest initializes the message. */
#define hello_refuse(m, peer, ...)                                                                 \
	hello_send_refusal(                                                                        \
		m, (struct message_refuse){.to = *member_who(m, peer), .why = __VA_ARGS__})
void hello_send_refusal(struct member *m, struct message_refuse body);
void clock_form(const struct member *m,
		struct peer *peer); /* for a new group: by what is known so far */

/*
 * membership.c. Asks who is at the address of @peer, where an instance is to be proved; checks
 * whether somebody who is gone by hearsay is.
 */
void proof_ask(struct member *m, struct peer *peer);
void proof_tick(struct member *m);

/* False: malformed. */
bool join_hello(struct member *m, const struct identity *who, const struct message_head *head,
		const struct message_hello *hello);
bool join_proof(struct member *m, const struct transport_delivery *delivery,
		const struct message_head *head, const struct message_proof *proof);

/*
 * A refusal by @peer, while this member's group is not complete: it ends this member if @peer has
 * proved its address, has this member's settings, and is not about to leave.
 */
void join_refused(struct member *m, struct peer *peer, enum message_refusal why);
void join_remark(const struct member *m, char *out, size_t room);

/* For both protocols, while there is no group: forgets the silent ones; fails when it is time. */
void form_forget_silent(struct member *m);
void form_limit(struct member *m);
/* Whether as many of the PEER_MEMBERs send as are to; if not, there is no group, and why is set. */
bool form_has_senders(struct member *m);
void join_tick(struct member *m);  /* PHASE_JOINING */
void ready_tick(struct member *m); /* PHASE_READY */

/* ending.c */
void end_state(struct member *m, struct peer *peer, const struct message_head *head,
	       const struct message_state *state);
/* RESULTS, or only DROPS, have arrived. */
void end_table(struct member *m, struct peer *peer, const struct result_member *told, bool drops);
/* @peer reports that it gave this member up. */
void end_given_up(struct member *m, struct peer *peer);
void end_silence(struct member *m);	 /* gives up members that are silent or have left */
void end_run_tick(struct member *m);	 /* PHASE_RUNNING, PHASE_SENT: is everything counted? */
void end_report_tick(struct member *m);	 /* PHASE_COUNTED */
void end_leave_tick(struct member *m);	 /* PHASE_LEAVING */
void end_results_tick(struct member *m); /* sends RESULTS and DROPS to those that wait */
void end_count(struct member *m);
