/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* session_state: what a sender and a receiver have in common: outputs, signals, the clock. */
#ifndef TTCP_SESSION_STATE_H
#define TTCP_SESSION_STATE_H

#include "config/options.h"
#include "report/console.h"

#include <netperf/signals.h>
#include <netperf/usage.h>

struct opener;

struct session {
	const struct options *options;
	const struct np_log *log;
	struct np_signals *signals;
	struct np_report *report;
	struct console console;
	bool records;  /* somebody wants JSON or CSV */
	np_time begun; /* monotonic */
	np_time ahead; /* the wall clock's, of the monotonic one; read once: no step disturbs */
	unsigned interrupts;
	bool report_asked; /* SIGUSR1 */
	struct np_usage usage;
	struct opener *opener; /* of later files; NULL: this process opens them itself */
};

/* A moment as messages and files have it: wall-clock ns. */
static inline np_time session_wall(const struct session *s, np_time t)
{
	return t + s->ahead;
}

/* Takes the signals that came. Returns whether the user wants the run to end. */
bool session_look(struct session *s);

/* Sleeps until @when. Returns false when the user wants the run to end before. */
bool session_sleep(struct session *s, np_time when);

/*
 * Warns when a run with @messages took too little time for its rate to mean much, or had too few of
 * them: the text's rate, the original's arithmetic, is @too_high (1: double) then.
 */
void session_warn_rate(const struct session *s, np_time elapsed, uint64_t messages,
		       double too_high);

/* Where an interval is told. */
struct session_rows {
	bool text;
	bool records;
};

/* Where the one at the end of a run is, which makes their sum whole. */
struct session_rows session_rest(const struct session *s);

/* Writes and frees a record; NULL: nothing. */
void session_write(struct session *s, struct np_record *record);

/* Says why a socket for @place could not be made, and which option it was, if it was one. */
void session_blame(const struct session *s, const char *place, int error);

/*
 * Where to send, or what to bind to, from what the user typed; NULL for @text: the wildcard, IPv6
 * where there is such. Returns 0 or the exit status 2 after a message.
 */
int session_resolve(const struct session *s, const char *text, uint64_t port, int family,
		    struct np_address *address);

/* The receiver of -t alike, refused when it is a broadcast address. */
int session_resolve_host(const struct session *s, struct np_address *host);

/* The group of -m alike, refused when it is none. */
int session_resolve_group(const struct session *s, struct np_address *group);

#endif
