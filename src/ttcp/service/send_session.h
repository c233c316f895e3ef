/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* send_session: the state that the parts around the sender's machine share. One thread. */
#ifndef TTCP_SERVICE_SEND_SESSION_H
#define TTCP_SERVICE_SEND_SESSION_H

#include "../files/files.h"
#include "../framing/answers.h"
#include "../report/record.h"
#include "../transport/transport.h"
#include "send.h"

#include <netperf/interval.h>

#define SEND_WAIT_TEXT	 3		  /* seconds of the pause before sending that users see */
#define SEND_PAUSE	 (10 * NP_SECOND) /* between runs */
#define SEND_PAUSE_TEXT	 10
#define SEND_LOOK	 (20 * NP_MILLISECOND) /* dots, reports, signals */
#define SEND_INTERRUPTED "interrupted before sending began"

/* What has been reported of the run so far, and when to report next. */
struct send_progress {
	np_time look_at;
	uint64_t counted;  /* messages reported to the console */
	uint64_t windowed; /* and to the windows */
	struct np_interval interval;
	struct np_flow_counts marked; /* at the last interval */
	unsigned intervals;
	struct record_refusals refused_before; /* at the start of the run */
	struct np_usage usage;		       /* likewise */
};

/* What this host dropped of the messages of the run, by its kernel's reasons. */
struct send_drops {
	struct np_drops_counts before; /* when the run began */
	struct np_drops_counts run;
	struct np_drops_total lost; /* of these: not sent again, nor given up */
	uint64_t told_before, told_before_perhaps;
};

/* The sum of all runs. */
struct send_sum {
	uint64_t runs, messages, bytes, unsent, send_errors;
	uint64_t alone; /* bytes of runs of one message */
	np_time elapsed, behind;
	struct record_refusals refusals;
	struct np_drops_counts dropped;
};

struct send_session {
	struct session *session;
	struct transport transport;
	struct sender *sender;
	struct sender_plan plan; /* for the machine */
	struct answers answers[MESSAGE_STREAMS_MAX];
	const char *name;   /* of the receiver as typed, for messages to the user */
	uint64_t raw_bytes; /* of --stdin */
	struct files files;
	struct send_progress progress;
	struct send_drops drops;
	struct send_sum sum;
	int contact_status; /* why there was no run */
};

static inline const struct options *send_options(const struct send_session *s)
{
	return s->session->options;
}

/*
 * send_port: connects the machine to the transport. Resolves the receiver, then opens the sockets:
 * returns 0 or, after a message, the exit status.
 */
int send_resolve(struct send_session *s);
int send_open_transport(struct send_session *s);
struct sender_port send_port(struct send_session *s);
/* Sends a datagram that is no message, on lane 0. Returns 0 or -errno. */
int send_bare(struct send_session *s, const void *data, size_t bytes);

/* send_events: the machine's listener. */
void send_tell(void *context, const struct sender_event *event);
/* Logs why there is no run. Returns the exit status: 2, or 1 after a first run. */
int send_fail(const struct send_session *s, const char *reason);

/* send_loop: runs contact, DATA and END. Returns 0, or the exit status after a message. */
int send_contact(struct send_session *s);
int send_messages(struct send_session *s);
int send_end(struct send_session *s);

/* passthrough: --stdin, and everything that --classic sends in place of START and END. */
int send_stdin(struct send_session *s);
int send_classic_mark(struct send_session *s, unsigned count);

/* send_result: reports a run, during it and at its end; returns the exit status. */
void send_say_start(struct send_session *s);
void send_progress_begin(struct send_session *s, np_time now);
void send_interval(struct send_session *s, np_time now);
int send_conclude(struct send_session *s, int status);
void send_summary(struct send_session *s);

/* send_drops: reads the kernel's counts at the start of a run, for its END, and at its end. */
void send_drops_begin(struct send_session *s);
void send_drops_account(struct send_session *s, struct message_end *end);
void send_drops_conclude(struct send_session *s);

/* send_probe: checks whether the port answers the other protocol, and reports it. */
void send_probe(struct send_session *s);

#endif
