/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * events: turns a member's events into lines on stdout, remarks on stderr, records and rows of the
 * log file. It makes no decisions about the run. The caller holds the run's lock.
 */
#ifndef GROUP_TEST_REPORT_EVENTS_H
#define GROUP_TEST_REPORT_EVENTS_H

#include "../config/options.h"
#include "../config/settings.h"
#include "console.h"

#include <netperf/process.h>
#include <netperf/report.h>
#include <netperf/result.h>

/* Addresses at which no member was found, at most, to be named. */
#define EVENTS_ABSENT 8

/* What has been reported of the current run. */
struct events_progress {
	bool running;
	unsigned run;
	np_time begun, last; /* when it began, and when the last interval ended; by our clock */
	struct np_flow_counts told; /* what this member had counted by then */
	uint64_t rows;		    /* written for this run */
};

struct events {
	const struct options *options;
	const struct settings *settings; /* NULL before events_begin */
	const struct np_log *log;
	np_time begun; /* wall clock */
	struct np_report *report;
	FILE *out;		    /* NULL: stdout carries JSON or CSV */
	FILE *text;		    /* @out; NULL also with --report=result and full */
	FILE *block;		    /* @out; NULL also with --report=original and --mesh */
	struct np_block_full *full; /* --report=full: the intervals; else NULL */
	FILE *log_file;		    /* -f; NULL: none */
	bool log_waits;		    /* no run has begun: the file has what it had */
	struct console_style style;
	struct transport *transport;
	struct member *member;
	struct events_progress progress;
	uint64_t waiting; /* number of members in the line that was held back until the transport's;
			     0: none */
	double worst_loss;		       /* of all runs so far, percent */
	struct identity lossiest;	       /* the member at which it was */
	bool lost_members;		       /* in any run */
	struct identity absent[EVENTS_ABSENT]; /* that refused the latest attempt to connect */
	unsigned absents;
	bool spoke; /* output waits to be flushed */
};

/*
 * Opens the report and the log file. Returns 0, or the exit status 2 after a message. Call
 * events_close in any case.
 */
int events_open(struct events *events, const struct options *options, const struct np_log *log);

/* Writes the banner, the own address and the "start" record, once the transport is open. */
void events_begin(struct events *events, const struct settings *settings,
		  struct transport *transport);

/* The transport is another one, and this member's address, before the group has formed. */
void events_reopened(struct events *events, struct transport *transport);

/* For member_listener and transport_listener; @context is the struct events. */
void events_member(void *context, const struct member_event *event);
void events_transport(struct events *events, const struct transport_event *event);

/* When the next interval report is due; NP_TIME_NEVER: none. Then call events_interval. */
np_time events_deadline(const struct events *events);
void events_interval(struct events *events, np_time now);

/* The group did not form: names the addresses at which no member was found. */
void events_name_absent(const struct events *events);

/* Handles SIGUSR1: prints the tables so far. */
void events_report_now(struct events *events, np_time now);

/* Prints what was held back; true when events_flush, which needs no lock, has something to do. */
bool events_settle(struct events *events);

/* Flushes all output. A reader of stdout that is gone stops the run (np_signals_stop_self). */
void events_flush(struct events *events);

/* Prints the counters of -dump_stats and writes the "summary" record. */
void events_end(struct events *events, const struct np_usage *usage);

/* Returns @status, or 1 in place of 0 after a message that a result could not be written. */
int events_close(struct events *events, int status);

#endif
