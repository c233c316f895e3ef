/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * member: one member's part in the group's life: join, get ready, run, count, tell the results,
 * leave. A pure state machine: messages, transport events and the clock come in as arguments;
 * messages go out by a port, what is worth telling by a callback. Two protocols behind one face:
 * native.c (wire/message.h) and java.c (wire/jgroups.h, a group with Java members).
 *
 * Nothing hangs: every wait but that for the first members has a limit in member_limits, and ends
 * with who is to blame. One thread at a time; whoever has several locks around every call.
 */
#ifndef GROUP_TEST_MEMBER_MEMBER_H
#define GROUP_TEST_MEMBER_MEMBER_H

#include "../transport/transport.h"
#include "../wire/identity.h"
#include "../wire/result.h"

#include <netperf/clock.h>
#include <netperf/fault.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMBERS_MAX 256
#define LANES_MAX   64

enum member_protocol { PROTOCOL_NATIVE, PROTOCOL_JGROUPS3 };

/* How long each wait lasts at most; all but the first begin anew when something moves. */
struct member_limits {
	np_time join;	/* from the begin until all members are there; 0: no limit */
	np_time ready;	/* from there until all are ready, 10 s */
	np_time silent; /* nothing heard of a member that should talk: it is given up, 5 s */
	np_time settle; /* after a sender's last message, for those still on their way, 500 ms */
	np_time grant;	/* a receiver that grants nothing although it is asked: given up, 5 s */
	np_time report; /* for the members' results, once all have been sent to, 10 s */
	np_time linger; /* at the end, so that others hear the last words, 1 s */
};

/* The limits above, with @join as it is. */
struct member_limits member_limits_default(np_time join);

/* What so many members tell each other takes no time to speak of, wherever they run. */
#define MEMBERS_QUICK 32

/* Of more than 32 members: the waits that are for one to say or take something last n/32 as long.
 */
static inline np_time member_limit_wide(np_time limit, unsigned members)
{
	return members > MEMBERS_QUICK ? limit * members / MEMBERS_QUICK : limit;
}
void member_limits_widen(struct member_limits *limits, unsigned members);

struct member_plan {
	enum member_protocol protocol;
	struct identity self;
	bool sender;
	unsigned members, senders; /* num_members, num_senders */
	uint64_t messages;	   /* num_msgs, of each sender; 0: as many as --duration lets */
	uint64_t payload;	   /* msg_size */
	np_time duration;	   /* of a run; 0: until all are sent */
	unsigned runs;		   /* --repeat, at least 1 */
	uint64_t warmup;	   /* messages before a run that are not counted */
	uint64_t log_interval;	   /* for MEMBER_SENT, MEMBER_RECEIVED; 0: none */
	bool log_doubling;	   /* instead: at 1000, and each time that it doubles */
	np_time processing_delay;  /* after each message received; 0: none */
	unsigned lanes;		   /* 1..LANES_MAX: sending threads, which share one numbering */
	np_time pause; /* between the messages of a lane; 0: as fast as they are taken */
	/*
	 * Native: each receiver grants each sender how far it may send, so that what is on the way
	 * fits the receiver's window. @window_bytes: this member's, of whole messages.
	 */
	bool credit;
	size_t window_bytes;
	/* jgroups3: a connection to each, and while it lives nothing is lost: silence is none. */
	bool connected;
	uint64_t instance; /* random, not 0 */
	uint8_t host[16];  /* boot id */
	np_time realtime;  /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	struct member_limits limits;
};

/* The bytes that a protocol puts before the payload of DATA, and its longest control message. */
size_t member_header_bytes(enum member_protocol protocol);
size_t member_control_bytes(const struct member_plan *plan);

/* Where messages go: transport_send and its kin, or a made-up network. Same contracts. */
struct member_port {
	void *context;
	int (*send)(void *context, const void *message, size_t bytes);
	int (*send_to)(void *context, const struct identity *who, const void *message,
		       size_t bytes);
	unsigned (*reserve)(void *context, unsigned wanted, struct transport_slots *slots);
	/* How many were taken, or -errno: this host refuses them, and not for want of room. */
	int (*commit)(void *context, unsigned count);
	void (*drop)(void *context, const struct identity *who);
	/* transport_trust; NULL: there is one way only. */
	void (*trust)(void *context, const struct identity *who, unsigned way);
	/* A random number that nobody can guess, not 0. */
	uint64_t (*draw)(void *context);
	/* What the process has taken so far, for the run's share of it; NULL: not known. */
	void (*host)(void *context, struct result_host *host);
};

enum member_event_kind {
	MEMBER_WAITING,	 /* @number members to join */
	MEMBER_JOINED,	 /* @who; @number are there */
	MEMBER_READY,	 /* all are; @number of them */
	MEMBER_WARMING,	 /* @number messages */
	MEMBER_SENDING,	 /* begins; @number messages, 0: unknown */
	MEMBER_SENT,	 /* @number so far, by @lane (every log_interval of that lane) */
	MEMBER_RECEIVED, /* native: @number so far from @who (every log_interval of it) */
	MEMBER_PROGRESS, /* jgroups3: @number so far from all, @elapsed since the last one */
	MEMBER_SENT_ALL, /* the sender asks for results now, of @number members */
	MEMBER_HELD_UP,	 /* @who takes no more, for @elapsed by now (once for each hold-up) */
	MEMBER_GIVEN_UP, /* @who, for @text */
	MEMBER_REFUSED,	 /* @who wanted to join; @text says why not */
	MEMBER_MET,	 /* @who speaks @text, another protocol */
	MEMBER_UNLIKE,	 /* jgroups3: @who has another setting than this member: @text */
	MEMBER_UNSENT,	 /* this host refuses what the member sends: @text (once for each error) */
	MEMBER_CUT,	 /* the member stops sending before the run's end: @text */
	MEMBER_LOCAL,	 /* a receiver has counted all: @result, so far of myself only */
	MEMBER_REPORTED, /* all that are alive have reported */
	MEMBER_RESULT,	 /* the run's result, final */
};

struct member_event {
	enum member_event_kind kind;
	const struct identity *who; /* NULL where nobody is meant */
	uint64_t number;
	unsigned lane;
	np_time elapsed;
	const char *text;
	const struct result *result; /* good during the call */
};

struct member_listener {
	void *context;
	void (*tell)(void *context, const struct member_event *event);
};

struct member;

/*
 * Allocates all that the runs need and begins at @now; the first tick sends the first message.
 * Returns 0, -ENOMEM, or -EINVAL with @fault for what the protocol cannot do (jgroups3: duration,
 * runs, credit) and what is out of range.
 */
int member_create(struct member **member, const struct member_plan *plan,
		  const struct member_port *port, const struct member_listener *listener,
		  np_time now, struct np_fault *fault);
void member_free(struct member *member); /* NULL is allowed */

/* Messages came. Hot for DATA. Bad ones cost a count. */
void member_deliver(struct member *member, const struct transport_delivery *delivery);

/*
 * How many DATA messages it can take now; UINT_MAX: any number. Deliver no more than that, but for
 * the rest of a batch that came in one.
 */
unsigned member_room(const struct member *member);

/* The transport tells of a way to or from a member: LOST and ENDED name the dead at once. */
void member_transport_event(struct member *member, const struct transport_event *event,
			    np_time now);

/* Repeats, time-outs, changes of phase. Call it at every turn and when member_deadline is due. */
void member_tick(struct member *member, np_time now);
np_time member_deadline(const struct member *member);

/*
 * A sender sends: up to @most DATA messages of @lane (0..lanes-1), fewer when its pace, the credit
 * or the transport say so. Returns how many went. Numbers are given out in the order of calls.
 */
unsigned member_pump(struct member *member, unsigned lane, unsigned most, np_time now);

/*
 * When @lane may send next: now or earlier means that only the transport or the credit hold it up;
 * NP_TIME_NEVER: not before the phase changes.
 */
np_time member_pump_due(const struct member *member, unsigned lane);

/* The user ends it: stop sending, tell the others, result as it is. Again: without lingering. */
void member_stop(struct member *member, np_time now);

/*
 * The transport can do no more, for @why: what is known by now is the result, who was not heard out
 * is named, and the member is finished. Without a group yet it is a failure to form one.
 */
void member_cut_off(struct member *member, const char *why, np_time now);

/* True when the last word is said: free it. */
bool member_finished(const struct member *member);

/*
 * What became of it, for the exit status: 0 all as asked, 1 members were lost or did not report,
 * or messages were lost beyond max-loss (the caller's to add), 2 the group never formed; then
 * @fault says who is there and how many are missing, or what else it was.
 */
int member_status(const struct member *member, struct np_fault *fault);

/* The latest run's result so far. */
const struct result *member_result(const struct member *member);

/*
 * The same with what this member has counted in the running run until now, as if it had reported:
 * for a look in between. Takes as long as percentiles of all senders do.
 */
const struct result *member_look(struct member *member);

/* Bad messages: unknown types, wrong lengths, other tags, from nobody we know. */
uint64_t member_malformed(const struct member *member);

#endif
