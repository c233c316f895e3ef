/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * session: the state of a whole run, from resolving addresses to the exit status: the endpoints,
 * one for each local address, with a listener and a publisher that each have a thread. What the two
 * threads and the session share while they run is in struct worker and struct peer, the endpoint's
 * go, the session's reports, and the outputs, which are under its lock; all else has one owner, and
 * is read by others when its thread has ended.
 */
#pragma once

#include "flow.h"
#include "options.h"

#include <pthread.h>
#include <stdatomic.h>

/* The phases of a thread, in order: set by the session, and never taken back. */
enum phase {
	PHASE_RUNNING,
	PHASE_CLOSING, /* nothing more is published; packets on their way may still arrive */
	PHASE_LEAVING, /* end at once */
};

/* A thread, and how the session speaks to it. */
struct worker {
	pthread_t thread;
	bool running;
	_Atomic int phase; /* enum phase */
	unsigned reports;  /* the thread's own: of those that signals asked for, the written */
	int wake;	   /* eventfd */
};

/* A peer of an endpoint's publisher. */
struct peer {
	struct np_address address;
	char name[NP_ADDRESS_TEXT];
	/* Written by the listener. */
	_Atomic uint32_t heard; /* odd while the two below are being written */
	_Atomic int64_t send_time;
	_Atomic np_time arrival;
	atomic_int confirmed;  /* a listener of this program is there; int, since riscv64 has no
				  atomic exchange of bytes */
	atomic_bool end_acked; /* set once, after the counts */
	struct wire_counts counts;
	struct wire_copies requests, acks;
	uint64_t came;	       /* packets received there, by its last report */
	_Atomic np_time moved; /* when that last grew, or when it had our END */
	/*
	 * Written by the publisher: the last number sent to the peer, and how many up to it were
	 * given up; @heard as of the last ack.
	 */
	uint64_t last, unsent;
	uint32_t acked;
	bool refused;		       /* its host reported that nobody listens there */
	uint64_t ends;		       /* ENDs sent to the peer */
	struct np_drops_total dropped; /* of those sent to it, by this host */
	struct np_drops_counts before; /* the same in earlier trials of --find-rate */
	struct np_result result;       /* see attribute */
};

/* Limits what a flood may cause to so many a second; counts the others. */
struct limit {
	np_time second; /* when the current one began */
	unsigned allowed;
	uint64_t missed; /* since the last that was allowed */
};

/* The file of -log. */
struct log_file {
	FILE *file; /* NULL: it is not open */
	char name[4352];
	bool never_began;	  /* it has no row, and the run that would have one did not begin */
	struct np_status *status; /* for stdout and stderr */
};

/* Flows that the result lists one by one, outside of a mesh; the others are only in its sums. */
#define LISTENER_FLOWS_MAX 64

struct listener {
	struct endpoint *endpoint;
	struct worker worker;
	struct np_datagram *socket;
	struct np_datagram_info info;
	struct np_packet *packets; /* of one receive call */
	struct flows flows;
	struct log_file log;
	struct np_interval interval;
	int drops_watch;
	struct np_datagram_kernel kernel; /* as of the opening */
	np_time opened;
	uint64_t count;		  /* packets since the last silence, as the original counts */
	uint64_t ticked;	  /* how many of them have been ticked */
	uint64_t due;		  /* the count at which the next report or row may be due */
	uint64_t past_controls;	  /* controls that never arrived, of flows that were removed */
	size_t shortest, longest; /* of the packets received; -packetSize lies between them */
	np_time last_packet;
	np_time resumed; /* when this process ran again after it had been held up */
	bool drained;	 /* the last receive found nothing */
	bool news;	 /* a flow, the first packet or an END came since the last look at flows */
	bool heard;	 /* packets arrived since the last silence */
	bool unreported; /* packets arrived since the last Lifetime block */
	bool gone;	 /* the first publisher has ended, which is enough for --once */
	/* Of requests to unproven flows, and of warnings. */
	struct limit unproven_asks, header_warnings, content_warnings;

	/* What it counted. */
	uint64_t datagrams;	 /* except control datagrams */
	uint64_t short_packets;	 /* under 28 bytes */
	uint64_t corrupt;	 /* with another magic */
	uint64_t damaged;	 /* of ours, with a wrong check value */
	uint64_t content_errors; /* packets with wrong content */
	uint64_t stray;		 /* of runs of ours whose flow had ended and been removed */
	uint64_t control_errors;
	uint64_t not_allowed; /* datagrams of hosts that --allow does not name */
	/* Flows that were displaced, their packets, and those of them that are among @damaged. */
	uint64_t displaced, displaced_packets, displaced_damaged;
	struct flow *flow; /* of those that are over; their memory is freed */
	size_t flow_count, flow_room;
	uint64_t unlisted; /* flows that are only in the sums */
	bool proven;	   /* a publisher has proved its address: the sums are of such only, */
	uint64_t unproven; /* and of those that are over so many are not in them */
	/* Of all flows that are over and in the sums. */
	struct np_flow_counts total;
	struct np_drops_counts total_dropped;
	struct np_drops_total total_sender;
	struct np_loss loss;
	struct np_result result; /* see attribute */
	/* Of the socket. */
	struct np_datagram_stats stats;
	struct np_loss_drops drops;	/* packets dropped because a buffer was full */
	struct np_drops_counts dropped; /* by this host, by the kernel's reasons, of anybody */
	struct np_path_drops path;	/* before UDP; at first as of the opening */
	bool nobody_came;		/* within --wait */
	int error;			/* -errno that ended the listener */
};

struct publisher {
	struct endpoint *endpoint;
	struct worker worker;
	struct np_datagram *socket; /* NULL: this endpoint does not publish */
	struct wire_layout layout;
	double rate_bytes_per_s;  /* its share; 0: unlimited */
	struct np_pacer pacer;	  /* counts bytes as events */
	np_time spin, spin_limit; /* how long before a moment the sleep ends, and at most */
	unsigned batch_rounds;	  /* packets to each peer in a turn */
	unsigned portion;	  /* packets handed over at a time; fewer where that takes long */
	uint64_t random;	  /* the state of random packet sizes */
	np_time begin;		  /* of the thread */
	np_time first;		  /* when the first packet was sent */
	np_time deadline;	  /* from -txDurationMs */
	struct np_interval interval;
	struct np_flow_counts mark;  /* counts as of the last report */
	struct np_flow_counts rowed; /* counts as of the last "transmit" record */
	int drops_watch;
	struct np_datagram_kernel kernel; /* as of the opening */

	/* What it counted. */
	uint64_t rounds;  /* equals the last packet number */
	uint64_t packets; /* sent, over all peers */
	uint64_t bytes;
	uint64_t unsent; /* given up after send errors */
	np_time elapsed; /* from the first packet on; paced, n packets take n intervals */
	struct np_datagram_stats stats;
	uint64_t send_buffer_errors;
	struct np_drops_counts dropped; /* by this host, by the kernel's reasons */
	/* What earlier trials of --find-rate counted of these. */
	struct np_datagram_stats stats_before;
	struct np_drops_counts dropped_before;
};

/* One local address; with --sockets, one of the sockets there. */
struct endpoint {
	struct session *session;
	const struct options *options;
	uint32_t run;	      /* the publisher's */
	struct np_address at; /* the local address; once the listener is open, with its port */
	char name[NP_ADDRESS_TEXT]; /* the same */
	atomic_bool go;		    /* the listener has received something (-polite) */
	size_t peer_count;
	struct peer *peer;
	struct np_flow_counts shown; /* by report_status, under the session's lock */
	np_time shown_at;
	struct listener listener;
	struct publisher publisher;
};

struct addresses {
	struct np_address_list locals;
	struct np_address_list peers;
	struct np_address_list group;	     /* by --group: one, or none */
	struct np_address_networks *allowed; /* by --allow; NULL: all */
};

struct session {
	struct np_run *run;
	const struct options *options;
	const struct np_log *log;
	struct addresses addresses;
	/* The outputs that all threads share, one whole block at a time. */
	pthread_mutex_t lock;
	FILE *text;	/* the original's lines; NULL: none, as when stdout has JSON or CSV */
	FILE *block;	/* the result block, when the threads have ended; NULL: none */
	uint64_t ticks; /* packets between two; 0: none are wanted */
	struct np_status *status; /* NULL: none, as among ticks on a terminal */
	bool newest;		  /* the lines of version 22.06 are wanted */
	bool records;
	struct endpoint *endpoint;
	size_t endpoint_count;
	int finished; /* eventfd: a thread has ended */
	unsigned interrupts;
	atomic_uint reports;   /* how many signals asked for */
	struct np_usage usage; /* at the beginning; then, of the run */
	np_time begun;
	struct np_find find; /* of --find-rate */
};

/* np_tool's open, work and close. */
int session_open(struct np_run *run);
int session_work(struct np_run *run);
int session_close(struct np_run *run, int status);

/* conclude: what the run was worth, when all threads have ended. Returns the exit status. */
int conclude(struct session *s);
/* Warn of what reduces the worth of the figures; return the exit status. */
int conclude_listener(const struct listener *l);
int conclude_publisher(const struct publisher *p);

/* Fills s->addresses. Returns 0, or the exit status 2 after a message. */
int addresses_resolve(struct session *s);

/* The peers of its publisher. Call it before the threads run. Returns 0 or -ENOMEM. */
int endpoint_set_peers(struct endpoint *endpoint, const struct np_address_list *peers);

/* Logs why the local address cannot be used; names the option or address at fault. Returns 2. */
int endpoint_refuse(const struct endpoint *endpoint, int rc);

/* What its sockets have in common. */
struct np_datagram_options endpoint_socket(const struct endpoint *endpoint);

/*
 * The peer with this address, else, if @others, the group or wildcard for which a host at @source
 * may answer; or NULL.
 */
struct peer *endpoint_peer(const struct endpoint *endpoint, const struct np_address *source,
			   bool others);

/*
 * Counts the packets to the address of @socket that its descriptor @fd receives, or those that
 * leave from there. Returns the number of the watch, or -errno, with which np_drops_count knows
 * nothing.
 */
int endpoint_watch_drops(const struct endpoint *endpoint, enum np_drops_direction direction,
			 const struct np_datagram *socket, int fd);

/* Wakes the thread that waits for the eventfd; worker_woken resets it. */
void worker_wake(int fd);
void worker_woken(int fd);

/* Whether a signal asked the thread for a report since the last time. */
static inline bool session_asks(const struct session *s, struct worker *worker)
{
	const unsigned before = worker->reports;

	worker->reports = atomic_load_explicit(&s->reports, memory_order_relaxed);
	return worker->reports != before;
}

/* Called by the listener: stores the newest send time of a peer, and its arrival. Hot. */
static inline void peer_hear(struct peer *peer, int64_t send_time, np_time arrival)
{
	uint32_t heard = atomic_load_explicit(&peer->heard, memory_order_relaxed);

	atomic_store_explicit(&peer->heard, heard + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&peer->send_time, send_time, memory_order_relaxed);
	atomic_store_explicit(&peer->arrival, arrival, memory_order_relaxed);
	atomic_store_explicit(&peer->heard, heard + 2, memory_order_release);
}

/*
 * Called by the publisher: the newest send time heard since the last ack, or WIRE_NO_ACK; and its
 * arrival.
 */
int64_t peer_ack(struct peer *peer, np_time *arrival);

/* Each opens its socket: 0 or, after a message, the exit status 2. */
int listener_open(struct listener *l);
int publisher_open(struct publisher *p);
/* Before a further run, at this rate: forgets the one before. No thread runs. */
void publisher_again(struct publisher *p, double rate_bytes_per_s);
/* After the last trial of --find-rate, else done by the thread: attributes what was lost, and
 * concludes all flows. */
void listener_close(struct listener *l);
/* The entry points of the threads. */
void *listener_run(void *listener);
void *publisher_run(void *publisher);

/* receive: counts datagrams; those that arrived in one buffer cost little more than one. Hot. */
void receive_packets(struct listener *l, const struct np_packet *packets, size_t count);
/* Whether one more, of at most @most a second, is allowed at @now. */
bool limit_allows(struct limit *limit, unsigned most, np_time now);

/* Sends a TIME request to @flow's publisher, if it may be asked at @now. */
void control_ask(struct listener *l, struct flow *flow, np_time now);
/* Reports to the publisher what arrived. */
void control_acknowledge(struct listener *l, struct flow *flow);
/* Writes the ticks up to now. */
void listener_ticks(struct listener *l);
/* The table is full: displaces a flow whose address is not proved, if there is any. */
void listener_displace(struct listener *l);
/* Writes the reports and rows that are due by the count of packets. */
void listener_due(struct listener *l, np_time now);
/* The flow's publisher has proved its address: the sums are of such flows only. */
void listener_prove(struct listener *l);
/* Whether the flow is in the sums: who cannot prove his address spoils no other's. */
static inline bool listener_counts(const struct listener *l, const struct flow *flow)
{
	return flow->proven || !l->proven;
}
/* Attributes the losses so far. */
struct np_loss listener_loss(struct listener *l);
/* What this host dropped of the flow, by the last update. */
struct np_drops_counts listener_dropped(const struct listener *l, const struct flow *flow);

/*
 * report: all that is written: the text of the original, to the letter, and its log (report.c),
 * JSON records (record.c) and the result block (conclude.c); and the outputs, which all threads
 * share, one whole block at a time.
 */

/* Locks the text stream for this thread until report_text_end; NULL: there is no text. */
FILE *report_text_begin(struct session *s);
void report_text_end(struct session *s);

/* Writes to the text, if there is one. */
__attribute__((format(printf, 2, 3))) void report_print(struct session *s, const char *format, ...);

/*
 * Writes the ticks for packets @before + 1 .. @after of a counter, in one write: @small ('o', 'i')
 * for each, its capital for every tenth.
 */
void report_ticks(struct session *s, char small, uint64_t before, uint64_t after);

/*
 * Shows how far the endpoints have come, when that is due: what is sent, until @end, if they
 * publish, else what is received. @life: of this one.
 */
void report_status(struct endpoint *endpoint, np_time now, np_time end,
		   const struct np_flow_counts *life);
/* Whether to call it: then, or for the sum. */
bool report_status_due(const struct endpoint *endpoint, np_time now);

/* The banners of the listener and of the publisher, if any. */
void report_banners(const struct endpoint *endpoint);

/*
 * "Tx summary N peers:" with life and now (elapsed, sent, bytes). Version 22.06 adds "for ADDRESS
 * to", duration and completion time; its bursts are left out, since this pacer has none. A line end
 * comes first, to end the line of ticks.
 */
void console_tx_summary(FILE *out, const struct endpoint *e, const struct np_flow_counts *life,
			const struct np_flow_counts *now);

/*
 * "Lifetime:" or "Now:", as @life says, and a block for each flow. The first report begins with a
 * line end, to end the line of ticks; in version 22.06 both do. In the summary "avg offset" is
 * the mean over out-of-order packets, as elsewhere (the original divides by all packets received).
 */
void console_rx_report(FILE *out, const struct endpoint *e, const struct flows *flows, bool life);

/*
 * The log, separated by tabs: the original's 15 columns, and ours, which it has no names for:
 * "kind" (@kind: "interval" or "lifetime"), "duplicates", "damaged", "lost before" (packets sent
 * before the listener, which started late, received its first; 0 in intervals), "delay p50 ns" and
 * "delay p99 ns" (one way, over the whole life; "unknown" if the partner's clock is).
 */
void console_log_row(FILE *out, const struct flow *flow, const struct np_flow_counts *counts,
		     const char *kind);

/*
 * Opens a @log of zeros for appending to @name; with @several listeners @port and a dash precede
 * its last component. "stdout" and "stderr" are kept. The heading of an empty file is written with
 * its first row. Returns 0 or -errno; log->name is set in any case.
 */
int log_file_open(struct log_file *log, const char *name, uint16_t port, bool several);

/* Writes the row of a flow, about its whole @life, or about the time since the last report. */
void log_file_row(struct log_file *log, const struct flow *flow, bool life);

/*
 * With @never_began a file without rows stays as it was, and one that log_file_open made is
 * removed. Returns 0, or -errno if a row could not be written. It need not be open.
 */
int log_file_close(struct log_file *log, bool never_began);

/*
 * Writes an "interval": what was counted since the flow's last one; a count may be negative: see
 * netperf-json(5). Together the rows of a flow sum to the figures of its life. @last: the flow is
 * over, so a row without any count is left out.
 */
void record_interval(const struct listener *l, struct flow *flow, bool last);

/* A "start", with the sockets; NULL: records are not wanted. */
struct np_record *record_start(const struct session *s);

/*
 * What became of the packets of the endpoint's flows, of its listener and of those sent to its
 * peers, and where they were lost: fills their results, the one account that the records of
 * netperf-json(5) and the result block give. Those of a peer stay unknown unless it reported.
 */
void attribute(struct endpoint *endpoint);

/*
 * A "summary": each listener and publisher, then their sum; NULL: records are not wanted. In any
 * case *@counts are of all flows.
 */
struct np_record *record_summary(const struct session *s, struct np_flow_counts *counts);
