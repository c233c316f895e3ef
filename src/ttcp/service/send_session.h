/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* send_session: what the parts around the sender's machine share. One thread. */
#ifndef TTCP_SERVICE_SEND_SESSION_H
#define TTCP_SERVICE_SEND_SESSION_H

#include "../conversation/sender.h"
#include "../files/files.h"
#include "../report/record.h"
#include "send.h"

#include <netperf/datagram.h>
#include <netperf/interval.h>
#include <netperf/stream.h>

#define SEND_WAIT_TEXT	 3		  /* the pause before sending that users know */
#define SEND_PAUSE	 (10 * NP_SECOND) /* between runs */
#define SEND_PAUSE_TEXT	 10
#define SEND_LOOK	 (20 * NP_MILLISECOND) /* dots, reports, signals */
#define SEND_ANSWER_ROOM 65536

/* The socket of a stream of a run. */
struct send_lane {
	struct sender_lane *of;
	struct np_stream *stream;     /* TCP */
	struct np_datagram *datagram; /* UDP, multicast */
	struct np_address peer;	      /* TCP: the receiver */
	bool full;		      /* UDP: the last push found no room */
	uint8_t *answer;	      /* TCP: what came, SEND_ANSWER_ROOM bytes */
	size_t answered;	      /* bytes in it: part of a message */
};

/* How the messages of one transport go. All return 0 or -errno, unless it says otherwise. */
struct send_transport {
	bool repeats; /* a message may be lost: START and END are told again */
	/* Before privileges are dropped; what is missing at a failure is said. Exit status. */
	int (*open)(struct send_session *s);
	/* For a word between two runs: the receiver, by lane 0. */
	int (*reach)(struct send_session *s);
	/* Takes the answers that are there. How many messages, or -errno. */
	int (*hear)(struct send_session *s, struct send_lane *lane);
	/* How long hear() may sleep while nothing is there; 0: not at all. 0 or -errno. */
	int (*patience)(struct send_lane *lane, np_time limit);
	void (*disconnect)(struct send_session *s);
	/* The machine's port: sender.h; the context is a struct send_session. */
	int (*connect)(void *context);
	void (*give_up)(void *context, unsigned lane);
	int (*tell)(void *context, unsigned lane, const struct np_address *to, const void *message,
		    size_t bytes);
	ssize_t (*push)(void *context, struct sender_lane *lane, np_time *now);
	void (*finish)(void *context, unsigned lane);
	uint64_t (*unacknowledged)(void *context);
	bool (*refused)(void *context);
};

extern const struct send_transport send_tcp;
extern const struct send_transport send_udp; /* groups, too */

/* What has been told of the run so far, and when it is looked at next. */
struct send_progress {
	np_time look_at;
	uint64_t counted;  /* messages told to the console */
	uint64_t windowed; /* and to the windows */
	struct np_interval interval;
	struct tally_figures marked; /* at the last interval */
	unsigned intervals;
	struct record_refusals refused_before; /* when the run began */
};

/* What became of all runs. */
struct send_sum {
	uint64_t runs, messages, bytes, unsent, send_errors;
	uint64_t alone; /* bytes of runs of one message */
	np_time elapsed, behind;
	struct record_refusals refusals;
};

struct send_session {
	struct session *session;
	const struct send_transport *transport;
	struct sender *sender;
	struct sender_plan plan; /* the machine's */
	struct np_address to;
	const char *name; /* of the receiver as typed, for messages to the user */
	struct send_lane *lane;
	uint8_t *memory;    /* TCP: what the lanes' pointers point into */
	uint64_t raw_bytes; /* of --stdin */
	struct files files;
	struct send_progress progress;
	struct send_sum sum;
	int contact_status; /* why there was no run */
};

static inline const struct options *send_options(const struct send_session *s)
{
	return s->session->options;
}

/* send_events: what the machine tells. */
void send_tell(void *context, const struct sender_event *event);

/* send_loop: contact, DATA, END by the machine. 0, or the exit status after a message. */
int send_contact(struct send_session *s);
int send_messages(struct send_session *s);
int send_end(struct send_session *s);

/* passthrough: --stdin, and all that --classic sends in place of START, END. */
int send_stdin(struct send_session *s);
int send_classic_mark(struct send_session *s, unsigned count);

/* send_result: what is said of a run, during it and at its end; returns the exit status. */
void send_say_start(struct send_session *s);
void send_progress_begin(struct send_session *s, np_time now);
void send_interval(struct send_session *s, np_time now);
int send_conclude(struct send_session *s, int status);
void send_summary(struct send_session *s);

/* send_probe: whether the port answers the other protocol; says so. */
void send_probe(struct send_session *s);

#endif
