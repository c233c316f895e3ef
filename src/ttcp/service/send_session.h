/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* send_session: runs ttcp -t; and the state that its parts share. One thread. */
#ifndef TTCP_SERVICE_SEND_SESSION_H
#define TTCP_SERVICE_SEND_SESSION_H

#include "../conversation/sender.h"
#include "../files/files.h"
#include "../report/record.h"
#include "../transport/transport.h"

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
	struct np_drops_total lost;		     /* of these: not sent again, nor given up */
	uint64_t known_before, known_before_perhaps; /* see transport_counts.known_dropped */
};

/* The start of an incomplete message of a stream. */
struct send_carry {
	size_t bytes;
	uint8_t data[MESSAGE_CONTROL_MAX];
};

struct send_session {
	struct session *session;
	struct transport transport;
	struct sender *sender;
	struct sender_plan plan; /* for the machine */
	struct send_carry carry[MESSAGE_STREAMS_MAX];
	const char *name;   /* of the receiver as typed, for messages to the user */
	uint64_t raw_bytes; /* of --stdin */
	struct files files;
	struct send_progress progress;
	struct send_drops drops;
	uint64_t runs;			/* so far */
	struct record_transmit sum;	/* of them */
	struct np_drops_counts dropped; /* in all of them, by this host */
	int contact_status;		/* why there was no run */
};

static inline const struct options *send_options(const struct send_session *s)
{
	return s->session->options;
}

/* The current run, or the last one. */
static inline const struct sender_run *send_run_of(const struct send_session *s)
{
	return &s->sender->run;
}

/*
 * Opens what needs a privilege, and creates the files of the first run. Returns 0 or, after a
 * message, the exit status; call send_close in any case.
 */
int send_open(struct send_session **send, struct session *session);

/* Runs all runs; returns the exit status. */
int send_run(struct send_session *send);

/* Returns @status, or 1 when a file could not be written. NULL is allowed. */
int send_close(struct send_session *send, int status);

/* Logs why there is no run. Returns the exit status: 2, or 1 after a first run. */
int send_fail(const struct send_session *s, const char *reason);

/*
 * send_port: connects the machine to the transport. Resolves the receiver, then opens the sockets:
 * returns 0 or, after a message, the exit status.
 */
int send_resolve(struct send_session *s);
int send_open_transport(struct send_session *s);
struct sender_port send_port(struct send_session *s);
/* Sends a datagram, on lane 0 to the receiver unless told otherwise. Returns 0 or -errno. */
int send_datagram(struct send_session *s, unsigned lane, const struct np_address *to,
		  const void *data, size_t bytes);
/* Connects all lanes that are not; stops at the first that cannot. Returns 0 or -errno. */
int send_connect(struct send_session *s);

/* passthrough: --stdin, and everything that --classic sends in place of START and END. */
int send_stdin(struct send_session *s);
int send_classic_mark(struct send_session *s, unsigned count);

/* send_result: reports a run, during it and at its end; returns the exit status. */
void send_record_start(struct send_session *s);
void send_progress_begin(struct send_session *s, np_time now);
void send_interval(struct send_session *s, np_time now);
int send_conclude(struct send_session *s, int status);
void send_summary(struct send_session *s);
/* Fills in what this process used, and what this host dropped, in the run so far. */
void send_account(void *context, struct message_end *end);

#endif
