/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * report: what a run shows: the text on stdout, to the letter (2.2.7's for the native protocol,
 * spec, Decisions and 8; 3.0.16's for jgroups3, 6.2, 6.3), the result block of all programs, and
 * the figures as JSON, under the names of netperf-json(5). Pure but for the streams, and for
 * events.c.
 */
#pragma once

#include "../config/settings.h"

/* What a report is of. */
struct report_view {
	const struct options *options;
	const struct settings *settings;
	const struct transport_info *transport; /* NULL before events_begin */
};

static inline bool is_java(const struct report_view *view)
{
	return view->options->member.protocol == PROTOCOL_JGROUPS3;
}

/* Prints the banner of both layouts: date, user, settings; @when is CLOCK_REALTIME. */
void console_banner(FILE *out, const struct report_view *view, np_time when, const char *user);

/*
 * Prints the own address: the GMS block if the file said JGroupsTransport, "-- local_addr is A", or
 * "-- local address is A" (jgroups3, connected).
 */
void console_address(FILE *out, const struct report_view *view);

/*
 * Prints "-- connected to /A", "-- failed to connect to /A", or "-- receiver thread for A
 * terminated"; jgroups3 only.
 */
void console_transport(FILE *out, const struct report_view *view,
		       const struct transport_event *event);

/* Prints the line of a member's event, if it has one; MEMBER_RESULT prints the tables. */
void console_member(FILE *out, const struct report_view *view, const struct member_event *event);

/* Prints only the tables, of a run that may still be in progress, for --log and SIGUSR1. */
void console_result(FILE *out, const struct report_view *view, const struct result *result);

/*
 * Prints "-- received 500 messages (24 ms, 20833.33 msgs/sec, 20.83MB/sec)": @number so far, @count
 * of them in the last @elapsed; the progress line of 3.0.16, and ours for --interval.
 */
void console_progress(FILE *out, const struct report_view *view, uint64_t number, uint64_t count,
		      np_time elapsed);

/*
 * Prints "Transport statistics:" and a line for each counter, for -dump_stats. @only: prefixes of
 * names, JGroups' or ours, separated by commas; NULL: all.
 */
void console_counters(FILE *out, const struct transport_stats *stats, const char *drop_unit,
		      const char *only);

/* result_block.c: prints nothing of a group that did not form. @full: see struct events. */
void result_block(FILE *out, const struct report_view *view, struct np_block_full *full,
		  const struct result *result);

/*
 * events.c turns a member's events into lines on stdout, remarks on stderr, records and rows of the
 * log file. It makes no decisions about the run.
 */

/* Addresses at which no member was found, at most, to be named. */
#define EVENTS_ABSENT 8

/* What has been reported of the current run. */
struct events_progress {
	bool running;
	unsigned run;
	np_time begun, last; /* when it began, and when the last interval ended; by our clock */
	struct np_flow_counts reported; /* what this member had counted by then */
	uint64_t rows;			/* written for this run */
};

struct events {
	struct report_view view;
	const struct np_log *log;
	np_time begun; /* wall clock */
	struct np_report *report;
	FILE *out;		    /* NULL: stdout carries JSON or CSV */
	FILE *text;		    /* @out; NULL also with --report=result and full */
	FILE *block;		    /* @out; NULL also with --report=original and --mesh */
	struct np_block_full *full; /* --report=full: the intervals; else NULL */
	FILE *log_file;		    /* -f; NULL: none */
	bool log_waits;		    /* no run has begun: the file has what it had */
	struct transport *transport;
	struct member *member;
	struct events_progress progress;
	double worst_loss;		       /* of all runs so far, percent */
	struct identity lossiest;	       /* the member at which it was */
	bool lost_members;		       /* in any run */
	struct identity absent[EVENTS_ABSENT]; /* that refused the latest attempt to connect */
	unsigned absents;
	bool spoke; /* output waits to be flushed */
};

/*
 * Opens the log file. Returns 0, or the exit status 2 after a message. Call events_close in any
 * case.
 */
int events_open(struct events *events, const struct np_run *run, const struct settings *settings);

/* Writes the banner, the own address and, once a run that counts begins, the "start" record. */
void events_begin(struct events *events, struct transport *transport);

/* For member_port and transport_listener; @context is the struct events. */
void events_member(void *context, const struct member_event *event);
void events_transport(struct events *events, const struct transport_event *event);

/*
 * Makes the interval report and the status line if they are due. Returns when the next of both is;
 * NP_TIME_NEVER: none.
 */
np_time events_due(struct events *events, np_time now);

/* The group did not form: names the addresses at which no member was found. */
void events_name_absent(const struct events *events);

/* Handles SIGUSR1: prints the tables so far. */
void events_report_now(struct events *events, np_time now);

/* Flushes all output. A reader of stdout that is gone stops the run (np_signals_stop_self). */
void events_flush(struct events *events);

/*
 * Prints the counters of -dump_stats and, unless @status is 2, writes the "summary" record, with
 * what was used since @before.
 */
void events_end(struct events *events, int status, const struct np_usage *before);

/* Returns @status, or 1 in place of 0 after a message that the log could not be written. */
int events_close(struct events *events, int status);
