/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* listener: receives at one local address and counts each publisher's packets. */
#ifndef DATAGRAM_TEST_LISTENER_H
#define DATAGRAM_TEST_LISTENER_H

#include "endpoint.h"
#include "flow.h"
#include "report.h"

#include <netperf/datagram.h>
#include <netperf/flow.h>
#include <netperf/interval.h>
#include <netperf/path.h>

/* Flows that the result lists one by one, outside of a mesh; the others are only in its sums. */
#define LISTENER_CONCLUDED_MAX 64

/* A flow that has ended, or that existed when the listener ended. */
struct listener_flow {
	struct np_address source, printed;
	bool proven, late_start;
	np_time grace; /* how long packets were waited for after its END */
	struct np_flow_counts life;
	struct np_drops_counts dropped; /* by this host, by the kernel's reasons */
	struct np_drops_total sender;	/* by the publisher's */
	uint64_t content_errors;
	struct np_histogram_figures rtt, delay; /* count 0: none */
	np_time delay_bound;
};

/* The listener's result; valid when its thread has ended. */
struct listener_result {
	struct np_address local;
	uint64_t packets;	 /* datagrams except control datagrams */
	uint64_t short_packets;	 /* under 28 bytes */
	uint64_t corrupt;	 /* with another magic */
	uint64_t damaged;	 /* of ours, with a wrong check value */
	uint64_t content_errors; /* packets with wrong content */
	uint64_t stray;		 /* of runs of ours whose flow had ended and been removed */
	uint64_t control_errors;
	uint64_t not_allowed; /* datagrams of hosts that --allow does not name */
	uint64_t refused;     /* packets of sources for which the table had no room */
	uint64_t displaced, displaced_packets; /* flows that were displaced, and their packets */
	struct np_flow_counts total;
	struct np_loss loss;
	struct listener_flow *concluded;
	size_t concluded_count, concluded_room;
	uint64_t unlisted; /* flows that are only in the sums */
	struct np_datagram_stats stats;
	struct np_loss_drops drops;	/* packets dropped because a buffer was full */
	struct np_drops_counts dropped; /* by this host, by the kernel's reasons, of anybody */
	/* Of the flows that have ended. */
	struct np_drops_counts flows_dropped;
	struct np_drops_total flows_sender;
	struct np_path_drops path; /* since the socket was opened */
	struct np_datagram_info info;
	bool nobody_came; /* within --wait */
	int error;	  /* -errno that ended the listener */
};

struct listener {
	struct endpoint *endpoint;
	struct np_datagram *socket;
	struct np_packet *packets; /* of one receive call */
	struct flows *flows;
	struct log_file *log_file;
	uint64_t count;		/* packets since the last silence, as the original counts */
	uint64_t ticked;	/* how many of them have been ticked */
	uint64_t past_controls; /* control datagrams that never arrived, of flows that were removed
				 */
	uint64_t due;		/* the count at which the next report or row is due */
	size_t shortest, longest; /* of the packets received; -packetSize lies between them */
	np_time opened;
	np_time last_packet;
	np_time resumed;	/* when this process ran again after it had been held up */
	bool drained;		/* the last receive found nothing */
	np_time last_end;	/* when the last END arrived or was answered */
	np_time unproven_since; /* start of the second that this many unproven flows were asked in
				 */
	unsigned unproven_asked;
	bool news;	  /* since the last look at all flows one began, or an END or the
			     first packet arrived */
	bool heard;	  /* packets arrived since the last silence */
	bool unreported;  /* packets arrived since the last Lifetime block */
	bool gone;	  /* the first publisher has ended, which is enough for --once */
	bool go;	  /* the publisher may send */
	unsigned reports; /* of those asked for by signals */
	struct np_interval interval;
	int drops_watch;
	struct np_datagram_kernel kernel; /* as of the opening */
	struct np_path_drops path;	  /* as of the opening */
	struct complaints header_complaints, content_complaints;
	struct listener_result result;
};

/* Opens socket and log of @endpoint. Returns 0 or, after a message, the exit status 2. */
int listener_open(struct endpoint *endpoint);

/* Returns 0, or -errno when the log could not be written; see log_file_close. NULL is allowed. */
int listener_free(struct listener *listener, bool never_began);

/* The thread's entry point. */
void *listener_run(void *listener);

/* receive: counts datagrams; those that arrived in one buffer cost little more than one. Hot. */
void receive_packets(struct listener *l, const struct np_packet *packets, size_t count);

/* control: handles one control datagram. */
void control_take(struct listener *l, const struct np_packet *packet);
/* Sends TIME requests to flows of ours that may be asked at @now. */
void control_ask(struct listener *l, np_time now);
/* Reports to the publisher what arrived. */
void control_acknowledge(struct listener *l, struct flow *flow);
/* A host reported that nobody listens at @to. */
void control_refused(struct listener *l, const struct np_address *to, np_time now);

/* reporting: writes the ticks up to now. */
void reporting_ticks(struct listener *l);

/*
 * Ends the line of ticks and returns the stream for a line of version 22.06; NULL when it is not
 * wanted.
 */
FILE *reporting_newest_text(struct listener *l);
/* The table is full: displaces a flow whose address is not proved, if there is any. */
void reporting_displace(struct listener *l);
/* The count has reached l->due: writes the reports and rows that are due. */
void reporting_due(struct listener *l, np_time now);
void reporting_set_due(struct listener *l);
/* Attributes the losses so far. */
struct np_loss reporting_loss(struct listener *l);
/* What this host dropped of the flow, by the last update. */
void reporting_dropped(const struct listener *l, const struct flow *flow,
		       struct np_drops_counts *dropped);
/* Writes a report of all flows; @mark: the next "Now" span starts. */
void reporting_report(struct listener *l, np_time now, bool mark);
/*
 * Handles flows that need no more waiting, the silence of all publishers, and the listener's end.
 */
void reporting_ends(struct listener *l, np_time now);
void reporting_silence(struct listener *l, np_time now);
void reporting_close(struct listener *l);

#endif
