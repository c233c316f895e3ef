/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * service: runs ttcp -t, and ttcp -r and -monitor: the state that the parts of each share. One
 * thread for each session.
 */
#ifndef TTCP_SERVICE_SERVICE_H
#define TTCP_SERVICE_SERVICE_H

#include "../conversation/conversation.h"
#include "../conversation/sender.h"
#include "../files/files.h"
#include "../transport/transport.h"

#include <netperf/path.h>

#define SEND_WAIT_TEXT	 3		  /* seconds of the pause before sending that users see */
#define SEND_PAUSE	 (10 * NP_SECOND) /* between runs */
#define SEND_PAUSE_TEXT	 10
#define SEND_LOOK	 (20 * NP_MILLISECOND) /* dots, reports, signals */
#define SEND_INTERRUPTED "interrupted before sending began"

/* What this host dropped of the messages of the run. */
struct send_drops {
	struct np_drops_total lost;		     /* neither sent again, nor given up */
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
	np_time look_at;		       /* when to report next */
	uint64_t windowed;		       /* messages reported to the windows */
	struct record_refusals refused_before; /* at the start of the run */
	struct send_drops drops;
	struct record_transmit sum; /* of the runs that are over */
	int contact_status;	    /* why there was no run */
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
void send_progress_begin(struct send_session *s, np_time now);
/* @rest: the last one. */
void send_interval(struct send_session *s, np_time now, bool rest);
int send_conclude(struct send_session *s, int status);
void send_summary(struct send_session *s);
/* Fills in what this process used, and what this host dropped, in the run so far. */
void send_account(void *context, struct message_end *end);

/* What this host dropped during the run, by its kernel's counters. */
struct receive_drops {
	const char *unit;	   /* NULL: what is dropped is sent again */
	uint64_t before, at_end;   /* the socket's count: when the run began, when all told END */
	uint64_t ends_behind;	   /* ENDs that may have been dropped before at_end was read */
	uint64_t dropped;	   /* during the run, with those of wrong checksum */
	struct np_loss_drops full; /* of them */
	bool of_others;		   /* among the dropped may be messages of others */
	bool kernel_known;
	struct np_datagram_kernel kernel;	/* all programs' counters, when the run began */
	struct np_path_drops path_before, path; /* before this host's UDP, alike */
};

/* Whose messages this host dropped, in session.dropped. */
struct receive_reasons {
	struct np_address sender;
	struct np_drops_total by_sender; /* by the sender's host */
};

struct connection;

struct receive_session {
	struct session *session;
	struct transport transport;
	struct receiver *receiver;
	struct connection *first; /* carries the run's first stream; NULL: there is none */
	uint8_t *pattern;	  /* the correct fill of the longest datagram */
	struct message message;	  /* buffer for a received datagram */
	struct np_address_networks *allowed; /* NULL: everybody */
	uint64_t not_allowed;		     /* datagrams or connections of others */
	struct files files;
	bool windows; /* wanted */
	struct receive_drops drops;
	struct receive_reasons reasons;
	struct record_receive sum; /* of the runs that are over */
	np_time look_at;
	bool over;    /* nothing more can be done */
	bool patient; /* a receive call sleeps until something is there */
	bool failed;  /* the sender broke off, or our output failed; already reported */
	bool cut_off; /* it broke off in this run */
	int status;
};

static inline const struct options *receive_options(const struct receive_session *r)
{
	return r->session->options;
}

/* Opens sockets and files; call receive_close in any case. Returns the exit status. */
int receive_open(struct receive_session **receive, struct session *session);

/* Serves senders until the last one, or until a stop. Returns the exit status. */
int receive_run(struct receive_session *receive);

/* Closes everything; NULL is allowed. Returns @status, or a worse one. */
int receive_close(struct receive_session *receive, int status);

/* Whether --allow lets @source in; counts those that it does not. */
bool receive_allows(struct receive_session *r, const struct np_address *source);

/* receive_stream: implements the functions of transport_user for connections. */
int receive_stream_opened(void *context, struct channel *channel);
size_t receive_stream_wants(void *context, const struct channel *channel, bool *unread);
int receive_stream_bytes(void *context, struct channel *channel, uint8_t *data, size_t length,
			 np_time at);
bool receive_stream_ended(void *context, struct channel *channel);
void receive_stream_closed(void *context, struct channel *channel);
/* The connection for messages about the whole run; NULL: it is gone. */
struct channel *receive_stream_first(const struct receive_session *r);
/* Lets the receive call of the run's only stream sleep by itself. */
void receive_stream_choose_timeout(struct receive_session *r);

/*
 * receive_result: reads the kernel's counters at the start of a run, after END, and for its report
 * (receiver_port.account); reports it, during it and at its end.
 */
void receive_result_begin(struct receive_session *r);
void receive_drops_ended(struct receive_session *r);
void receive_drops_account(void *context, struct message_report *report);
void receive_progress_look(struct receive_session *r, np_time now);
void receive_conclude(struct receive_session *r);
void receive_summary(struct receive_session *r);

/*
 * mesh: runs between the ranks that a launcher starts, with one report, by rank 0; privileges are
 * dropped. Returns the exit status.
 */
int mesh_run(struct np_run *run, struct session *s);

#endif
