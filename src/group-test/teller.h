/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * teller: what the user hears of a run: the member's events become lines on stdout, remarks on
 * stderr, records and rows of the log file. Decides nothing about the run. Whoever calls has the
 * run's lock.
 */
#ifndef GROUP_TEST_TELLER_H
#define GROUP_TEST_TELLER_H

#include "configuration.h"
#include "console.h"

#include <netperf/report.h>
#include <netperf/usage.h>

/* What has been told of the running run. */
struct teller_progress {
	bool running;
	unsigned run;
	np_time begun, last;	  /* since when, and when the last interval ended; by our clock */
	uint64_t messages, bytes; /* own, at that moment */
	uint64_t rows;		  /* told of the run */
};

struct teller {
	const struct options *options;
	const struct settings *settings;
	const struct np_log *log;
	struct np_report *report;
	FILE *text;    /* NULL: stdout carries something else */
	FILE *journal; /* -f; NULL: none */
	struct console_style style;
	struct transport *transport;
	struct member *member;
	struct teller_progress progress;
	uint64_t waiting;  /* members, of the line that waits for the transport's; 0: none */
	double worst_loss; /* of all runs so far, percent */
	bool lost_members; /* in one of them */
	bool spoke;	   /* something waits to be flushed */
};

/*
 * Opens the report and the log file. Returns 0, or the exit status 2 after a message. teller_close
 * in any case.
 */
int teller_open(struct teller *teller, const struct options *options, const struct np_log *log);

/* The banner, own address and the "start" record, when the transport is open. */
void teller_begin(struct teller *teller, const struct configuration *configuration,
		  struct transport *transport);

/* For member_listener and transport_listener; @context is the teller. */
void teller_member(void *context, const struct member_event *event);
void teller_transport(struct teller *teller, const struct transport_event *event);

/* When the next interval report is due; NP_TIME_NEVER: none. Then teller_interval. */
np_time teller_deadline(const struct teller *teller);
void teller_interval(struct teller *teller, np_time now);

/* SIGUSR1: the tables so far. */
void teller_report_now(struct teller *teller, np_time now);

/* Says what was held back; true when teller_flush has something to do, which needs no lock. */
bool teller_settle(struct teller *teller);

/* What has been said reaches its readers. False: stdout's reader has gone. */
bool teller_flush(struct teller *teller);

/* The counters of -dump_stats and the "summary" record. */
void teller_end(struct teller *teller, const struct np_usage *usage, int status);

/* Returns @status, or 1 in place of 0 after a message that a result was not written. */
int teller_close(struct teller *teller, int status);

#endif
