/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * events: what the user hears of a run: the member's events become lines on stdout, remarks on
 * stderr, records and rows of the log file. Decides nothing about the run. Whoever calls has the
 * run's lock.
 */
#ifndef GROUP_TEST_REPORT_EVENTS_H
#define GROUP_TEST_REPORT_EVENTS_H

#include "../config/configuration.h"
#include "console.h"

#include <netperf/report.h>
#include <netperf/usage.h>

/* What has been told of the running run. */
struct events_progress {
	bool running;
	unsigned run;
	np_time begun, last;	  /* since when, and when the last interval ended; by our clock */
	uint64_t messages, bytes; /* own, at that moment */
	uint64_t rows;		  /* told of the run */
};

struct events {
	const struct options *options;
	const struct settings *settings;
	const struct np_log *log;
	struct np_report *report;
	FILE *text;	/* NULL: stdout carries something else */
	FILE *log_file; /* -f; NULL: none */
	struct console_style style;
	struct transport *transport;
	struct member *member;
	struct events_progress progress;
	uint64_t waiting;  /* members, of the line that waits for the transport's; 0: none */
	double worst_loss; /* of all runs so far, percent */
	bool lost_members; /* in one of them */
	bool spoke;	   /* something waits to be flushed */
};

/*
 * Opens the report and the log file. Returns 0, or the exit status 2 after a message. events_close
 * in any case.
 */
int events_open(struct events *events, const struct options *options, const struct np_log *log);

/* The banner, own address and the "start" record, when the transport is open. */
void events_begin(struct events *events, const struct configuration *configuration,
		  struct transport *transport);

/* For member_listener and transport_listener; @context is the struct events. */
void events_member(void *context, const struct member_event *event);
void events_transport(struct events *events, const struct transport_event *event);

/* When the next interval report is due; NP_TIME_NEVER: none. Then events_interval. */
np_time events_deadline(const struct events *events);
void events_interval(struct events *events, np_time now);

/* SIGUSR1: the tables so far. */
void events_report_now(struct events *events, np_time now);

/* Says what was held back; true when events_flush has something to do, which needs no lock. */
bool events_settle(struct events *events);

/* What has been said reaches its readers. False: stdout's reader has gone. */
bool events_flush(struct events *events);

/* The counters of -dump_stats and the "summary" record. */
void events_end(struct events *events, const struct np_usage *usage, int status);

/* Returns @status, or 1 in place of 0 after a message that a result was not written. */
int events_close(struct events *events, int status);

#endif
