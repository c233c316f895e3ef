/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * session_state: a whole run of the program over a network; and what a sender and a receiver share:
 * outputs, signals, the clock.
 */
#pragma once

#include "../report/report.h"

/* What has been reported of the current run so far. */
struct session_progress {
	uint64_t run;
	np_time begun;
	struct np_interval interval;
	struct np_flow_counts marked; /* at the last interval */
	unsigned intervals;
	struct np_usage usage, used; /* when the run began; of the session, before */
	struct np_block_tcp tcp;
	struct np_stream_tcp tcp_begun, tcp_marked; /* when the run, and the interval, began */
};

/* What this host dropped of the messages of the current run, by its kernel's reasons. */
struct session_dropped {
	struct np_drops_counts now, before; /* when last counted, when the run began */
	struct np_drops_counts run;	    /* between the two */
	struct np_drops_counts all;	    /* in all runs that are over */
};

struct session {
	const struct options *options;
	const struct np_log *log;
	struct np_signals *signals; /* once its sockets are open */
	struct np_report *report;   /* NULL: no records are asked for, or it writes none */
	struct session *of; /* whose run it is a part of, in a thread of its own; NULL: nobody's */
	unsigned started;   /* atomic, of the whole: 1: a part has written the start record */
	const char *client; /* whom a part of a receiver serves; NULL: everybody */
	const char *direction;	   /* of its records; NULL: from who began to the other end */
	struct np_record *summary; /* kept for that of ->of */
	/* Whose node, and thread, that part uses, too; NULL: it has its own. */
	struct transport *shares;
	struct console console;
	struct np_block_full *full;		   /* what --report=full adds; NULL: nothing */
	np_time (*clock)(const struct session *s); /* a test's; NULL: np_clock_now */
	np_time begun;				   /* monotonic */
	np_time ahead; /* wall clock minus monotonic clock; read once, so that steps do not disturb
			*/
	unsigned interrupts;
	bool report_asked; /* SIGUSR1 */
	struct np_usage usage;
	/* What this host drops of messages; NULL: not counted over this transport. */
	struct np_drops *drops;
	int drops_watch; /* which of its watches is this session's, or all, or all that it sent */
	bool partner_warns; /* the other end warns of this run's rate, on the same stderr */
	struct session_progress progress;
	struct session_dropped dropped;
	uint64_t runs; /* that are over */
};

/* The monotonic clock. */
static inline np_time session_now(const struct session *s)
{
	return s->clock ? s->clock(s) : np_clock_now();
}

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
 * Counts what this host has dropped of the messages from or to @peer (NULL: anybody). A run
 * starts when the caller sets dropped.before to what is now.
 */
void session_count_drops(struct session *s, const struct np_address *peer);

/* Writes and frees a record; NULL: nothing. Any thread. */
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

/*
 * mesh: runs between the ranks that a launcher starts, with one report, by rank 0; privileges are
 * dropped. Returns the exit status.
 */
int mesh_run(struct np_run *run, struct session *s);
