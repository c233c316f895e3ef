/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * session_state: a whole run of the program over a network; and what a sender and a receiver share:
 * outputs, signals, the clock.
 */
#ifndef TTCP_SESSION_SESSION_STATE_H
#define TTCP_SESSION_SESSION_STATE_H

#include "../config/options.h"
#include "../report/console.h"

#include <netperf/drops.h>
#include <netperf/process.h>
#include <netperf/result.h>
#include <netperf/signals.h>

struct session {
	const struct options *options;
	const struct np_log *log;
	struct np_signals *signals; /* once its sockets are open */
	struct np_report *report;   /* NULL: an edge of a mesh, which writes none */
	struct console console;
	struct np_block_full *full; /* what --report=full adds; NULL: nothing */
	bool records;		    /* JSON or CSV was asked for */
	np_time begun;		    /* monotonic */
	np_time ahead; /* wall clock minus monotonic clock; read once, so that steps do not disturb
			*/
	unsigned interrupts;
	bool report_asked; /* SIGUSR1 */
	struct np_usage usage;
	/* What this host drops of messages; NULL: not counted over this transport. */
	struct np_drops *drops;
	int drops_watch;    /* which of its watches is this session's, or NP_DROPS_ALL */
	bool partner_warns; /* the other end warns of this run's rate, on the same stderr */
};

/* The monotonic clock, for the ports of the machines. */
np_time session_clock(void *context);

/* Counts these packets, of DATA messages. Returns the number of the watch, or -errno. */
int session_watch_drops(struct np_drops *drops, struct np_drops_packets packets);

/* A moment as messages and files have it: wall-clock ns. */
static inline np_time session_wall(const struct session *s, np_time t)
{
	return t + s->ahead;
}

/* Reads signals. Returns whether the user wants the run to end. */
bool session_look(struct session *s);

/* Sleeps until @when. Returns false when the user wants the run to end first. */
bool session_sleep(struct session *s, np_time when);

/*
 * Warns when a run with @messages was too short for its rate to mean much, or had too few of them:
 * then the text's rate, by the original's arithmetic, is @too_high (1: double). Not if the partner
 * warns.
 */
void session_warn_rate(const struct session *s, np_time elapsed, uint64_t messages,
		       double too_high);

/* Adds an interval that ends @at after the start of the run to --report=full. */
void session_row(const struct session *s, np_time at, const struct np_flow_counts *part,
		 struct np_count lost, const struct np_histogram_figures *delays);

/* Where an interval is reported. */
struct session_rows {
	bool text;
	bool records;
};

/* Where the last interval of a run is reported, which completes their sum. */
struct session_rows session_rest(const struct session *s);

/* Writes and frees a record; NULL: nothing. */
void session_write(struct session *s, struct np_record *record);

/* Logs that the host to send to says that nobody receives there. */
void session_blame_refusal(const struct session *s);

/* Logs why a socket for @place could not be made, and which option is at fault, if any. */
void session_blame(const struct session *s, const char *place, int error);

/*
 * Resolves where to send, or what to bind to, from what the user typed; NULL for @text: the
 * wildcard, IPv6 if available. Returns 0 or the exit status 2 after a message.
 */
int session_resolve(const struct session *s, const char *text, uint64_t port, int family,
		    struct np_address *address);

/* The same for the receiver of -t; refuses a broadcast address. */
int session_resolve_host(const struct session *s, struct np_address *host);

/* The same for the group of -m; refuses an address that is not a group. */
int session_resolve_group(const struct session *s, struct np_address *group);

#endif
