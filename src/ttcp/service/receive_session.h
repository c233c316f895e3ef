/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* receive_session: runs ttcp -r and -monitor; and the state that its parts share. One thread. */
#ifndef TTCP_SERVICE_RECEIVE_SESSION_H
#define TTCP_SERVICE_RECEIVE_SESSION_H

#include "../conversation/receiver.h"
#include "../files/files.h"
#include "../report/record.h"
#include "../transport/transport.h"

#include <netperf/interval.h>
#include <netperf/path.h>

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

/* What this host dropped of the messages of the run's sender, by its kernel's reasons. */
struct receive_reasons {
	struct np_address sender;      /* whose messages these are */
	struct np_drops_counts before; /* before the run */
	struct np_drops_counts run;
	struct np_drops_total by_sender; /* by the sender's host */
};

/* What has been reported of the run so far. */
struct receive_progress {
	uint64_t counted; /* messages reported to the console */
	struct np_interval interval;
	bool first;		      /* the intervals began with the first message */
	struct np_flow_counts marked; /* at the last interval */
	unsigned intervals;
	struct np_usage usage; /* when the run began */
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
	struct receive_progress progress;
	uint64_t runs;			/* so far */
	struct record_receive sum;	/* of them */
	struct np_drops_counts dropped; /* in all of them, by this host */
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
void receive_record_start(struct receive_session *r);
void receive_progress_look(struct receive_session *r, np_time now);
void receive_conclude(struct receive_session *r);
void receive_summary(struct receive_session *r);

#endif
