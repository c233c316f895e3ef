/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * member: one member's part in the group's life: join, get ready, run, count, report the results,
 * leave. A pure state machine: messages, transport events and the clock come in as arguments;
 * messages go out by a port, and events are reported by a callback. Two protocols behind one
 * interface: native.c (wire/message.h) and java.c (wire/jgroups.h, a group with Java members).
 *
 * It never hangs: every wait, except that for the first members, has a limit in member_limits, and
 * ends by naming who caused it.
 */
#pragma once

#include "../transport/transport.h"

#define MEMBERS_MAX 256
#define LANES_MAX   64

enum member_protocol { PROTOCOL_NATIVE, PROTOCOL_JGROUPS3 };

/* The limit of each wait; all but the first start again when something moves. */
struct member_limits {
	np_time join;	/* from the start until all members are there; 0: no limit */
	np_time ready;	/* from then until all are ready, 10 s */
	np_time silent; /* a member that should send but was silent for this long is given up, 5 s
			 */
	np_time settle; /* after a sender's last message, for messages still on their way, 500 ms */
	np_time grant;	/* a receiver that grants nothing although it is asked is given up, 5 s */
	np_time report; /* for the members' results, once everything was sent, 10 s */
	np_time linger; /* at the end, so that others receive the last messages, 1 s */
};

/* In groups up to this size, the messages between members take no noticeable time. */
#define MEMBERS_QUICK 32

/* In groups of more than 32, waits for a member to send or accept something last n/32 as long. */
static inline np_time member_limit_wide(np_time limit, unsigned members)
{
	return members > MEMBERS_QUICK ? limit * members / MEMBERS_QUICK : limit;
}

/* The limits above for a group of @members; 0: as few as any, since Java's do not widen. */
struct member_limits member_limits(np_time join, unsigned members);

struct member_plan {
	enum member_protocol protocol;
	struct identity self;
	bool sender;
	unsigned members, senders; /* num_members, num_senders */
	uint64_t messages;	   /* num_msgs, of each sender; 0: --duration decides */
	uint64_t payload;	   /* msg_size */
	np_time duration;	   /* of a run; 0: until everything is sent */
	uint64_t runs;		   /* --repeat, at least 1 */
	uint64_t warmup;	   /* messages before a run that are not counted */
	np_time warm_up;	   /* native: or time before the first run; 0: none */
	uint64_t log_interval;	   /* for MEMBER_SENT, MEMBER_RECEIVED; 0: none */
	bool log_doubling;	   /* instead: at 1000, and whenever the number has doubled */
	np_time processing_delay;  /* after each message received; 0: none */
	uint64_t lanes; /* 1..LANES_MAX: of --threads, which share one sequence of numbers */
	np_time pause;	/* between the messages of a lane; 0: as fast as they are accepted */
	double rate;	/* or messages a second, of all lanes together; 0: none */
	/*
	 * Native: each receiver grants each sender how far it may send, so that what is on the way
	 * fits the receiver's window. @window_bytes: this member's window, in whole messages.
	 */
	bool credit;
	size_t window_bytes;
	uint64_t drop_most; /* see struct result */
	/*
	 * jgroups3: every member has a connection; while it lives nothing is lost, and silence does
	 * not count
	 */
	bool connected;
	uint64_t instance; /* random, not 0 */
	uint8_t host[16];  /* boot id */
	np_time realtime;  /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	struct member_limits limits;
};

/* The bytes that a protocol puts before the payload of DATA, and its longest control message. */
size_t member_header_bytes(enum member_protocol protocol);
size_t member_control_bytes(const struct member_plan *plan);

struct member_event;

/* Where messages go, whom events are reported to, and what the member is told of its host. */
struct member_port {
	struct transport *transport;
	/* An unpredictable random number, not 0. */
	uint64_t (*draw)(struct transport *transport);
	/* What the process has used so far, to compute the run's share; NULL: unknown. */
	void (*host)(struct transport *transport, struct result_host *host);
	/*
	 * Fills in what this host dropped of DATA since the run began: in @own, and in its rows,
	 * one for each of @result's senders; @own NULL: a run begins. True: some of what this
	 * member sent still waits here and may be dropped yet. NULL: unknown.
	 */
	bool (*drops)(struct transport *transport, const struct result *result,
		      struct result_member *own);
	void (*notify)(void *context, const struct member_event *event);
	void *context;
};

enum member_event_kind {
	MEMBER_WAITING,	 /* for @number members to join (at the first tick) */
	MEMBER_JOINED,	 /* @who; @number are present */
	MEMBER_READY,	 /* all @number of them are */
	MEMBER_WARMING,	 /* with @number messages, or for @elapsed */
	MEMBER_SENDING,	 /* starts; @number messages, 0: unknown */
	MEMBER_SENT,	 /* @number so far, by @lane (at every log_interval of that lane) */
	MEMBER_RECEIVED, /* native: @number so far from @who (at every log_interval of it) */
	MEMBER_PROGRESS, /* jgroups3: @number so far from all, @elapsed since the last report */
	MEMBER_SENT_ALL, /* the sender now asks @number members for results */
	MEMBER_HELD_UP,	 /* @who has accepted no message for @elapsed (once per hold-up) */
	MEMBER_GIVEN_UP, /* @who, because of @text */
	MEMBER_REFUSED,	 /* @who wanted to join; @text is the reason */
	MEMBER_MET,	 /* @who uses @text, another protocol */
	MEMBER_UNLIKE,	 /* jgroups3: a setting of @who differs from this member's: @text */
	MEMBER_UNSENT,	 /* this host refuses to send messages: @text (once for each error) */
	MEMBER_CUT,	 /* the member stops sending before the end of the run: @text */
	MEMBER_LOCAL,	 /* a receiver has counted everything: @result, so far only its own */
	MEMBER_REPORTED, /* all live members have reported */
	MEMBER_RESULT,	 /* the final result of the run */
};

struct member_event {
	enum member_event_kind kind;
	const struct identity *who; /* NULL if no member is concerned */
	uint64_t number;
	unsigned lane;
	np_time elapsed;
	const char *text;
	const struct result *result; /* valid during the call */
};

struct member;

/*
 * Allocates everything that the runs need and starts at @now; the first tick sends the first
 * message. The plan is possible, except that it may have no sender: -EINVAL with @fault. Returns 0,
 * or -ENOMEM.
 */
int member_create(struct member **member, const struct member_plan *plan,
		  const struct member_port *port, np_time now, struct np_fault *fault);
void member_free(struct member *member); /* NULL is allowed */

/* Takes messages that arrived. Hot for DATA. Bad ones are counted. */
void member_deliver(struct member *member, const struct transport_delivery *delivery);

/*
 * How many DATA messages it accepts now; UINT_MAX: any number. Deliver no more than that, except
 * for the rest of a batch.
 */
unsigned member_room(const struct member *member);

/*
 * The transport reports on a way to or from a member: LOST and ENDED show at once that it is dead.
 */
void member_transport_event(struct member *member, const struct transport_event *event,
			    np_time now);

/*
 * Repeats messages, checks time-outs, changes phases. Call it in every iteration and when
 * member_deadline is due.
 */
void member_tick(struct member *member, np_time now);
np_time member_deadline(const struct member *member);

/*
 * Sends up to @most DATA messages of @lane (0..lanes-1), fewer when pace, credit or transport
 * prevent it. Returns how many were sent. Numbers are assigned in the order of calls.
 */
unsigned member_pump(struct member *member, unsigned lane, unsigned most, np_time now);

/*
 * When @lane may send next: now or earlier means that only the transport or the credit prevents it;
 * NP_TIME_NEVER: not before the phase changes.
 */
np_time member_pump_due(const struct member *member, unsigned lane);

/*
 * The user ends the run: stops sending, tells the others, and concludes the result as it is. A
 * second call skips the lingering.
 */
void member_stop(struct member *member, np_time now);

/*
 * The run is to end for all members at about the same time: this one sends no more, tells how much
 * that was, and goes on until all is counted. As member_stop if the run has not begun.
 */
void member_wind_up(struct member *member, np_time now);

/*
 * The transport has failed, because of @why: the result is what is known by now, members that did
 * not finish are named, and the member is finished. Before there is a group it is a failure to form
 * one.
 */
void member_cut_off(struct member *member, const char *why, np_time now);

/* How it stands with the member. */
struct member_outcome {
	bool finished;	    /* the last message was sent: the member can be freed */
	bool failed;	    /* the group did not form */
	bool lost;	    /* members, or messages of its own */
	bool interrupted;   /* by the user */
	bool unmeasured;    /* interrupted in a group, before a run that counts, with none lost */
	uint64_t malformed; /* bad messages: unknown types, wrong lengths, other tags, strangers */
	/* Failed or unmeasured: names the members present and the number missing, or says why. */
	struct np_fault fault;
};

const struct member_outcome *member_outcome(const struct member *member);

/*
 * The exit status: 0 as asked, 1 members were lost or did not report (the caller adds losses beyond
 * max-loss), 2 the group never formed, or the member is unmeasured.
 */
int member_status(const struct member *member);

/* The latest run's result so far. */
const struct result *member_result(const struct member *member);

/*
 * The same, including what this member has counted in the current run until now, as if it had
 * reported: for a report in between. Takes as long as computing the percentiles of all senders.
 */
const struct result *member_look(struct member *member);
