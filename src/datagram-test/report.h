/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * report: all that is written: the text of the original, to the letter, and its log (report.c),
 * JSON records (record.c) and the result block (conclude.c); and the outputs, which all threads
 * share, one whole block at a time.
 */
#pragma once

#include "flow.h"
#include "options.h"

#include <pthread.h>
#include <stdio.h>

struct endpoint;
struct np_record;
struct session;

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

/* Limits a message that a flood may cause to a few a second; counts the others. */
struct complaints {
	np_time second; /* when the current second began */
	unsigned logged;
	uint64_t suppressed;
};

/*
 * Whether one more message may be logged at @now; @*missed: how many were suppressed since the last
 * one.
 */
bool complaints_allow(struct complaints *complaints, np_time now, uint64_t *missed);

/* The banners of the listener and of the publisher, if any. */
void report_banners(const struct endpoint *endpoint);

/* Which lines a report contains. */
struct console_style {
	bool newest;	   /* of version 22.06: gaps, ack time, summaries, completion times */
	const char *at;	   /* the endpoint's name; newest only, as is the next */
	np_time completed; /* CLOCK_REALTIME now */
};

/* Those of the user's choice, with the completion time now. */
struct console_style report_style(const struct session *s, const char *at);

/*
 * "Tx summary N peers:" with life and now (elapsed, sent, bytes). Version 22.06 adds "for ADDRESS
 * to", duration and completion time; its bursts are left out, since this pacer has none. A line end
 * comes first, to end the line of ticks.
 */
void console_tx_summary(FILE *out, const struct console_style *style, size_t peers,
			const struct np_flow_counts *life, const struct np_flow_counts *now);

/*
 * "Lifetime:" or "Now:", as @life says, and a block for each flow. The first report begins with a
 * line end, to end the line of ticks; in version 22.06 both do. In the summary "avg offset" is
 * the mean over out-of-order packets, as elsewhere (the original divides by all packets received).
 */
void console_rx_report(FILE *out, const struct console_style *style, const struct flows *flows,
		       bool life);

/*
 * The log, separated by tabs: the original's 15 columns, and ours, which it has no names for:
 * "kind" (@kind: "interval" or "lifetime"), "duplicates", "damaged", "lost before" (packets sent
 * before the listener, which started late, received its first; 0 in intervals), "delay p50 ns" and
 * "delay p99 ns" (one way, over the whole life; "unknown" if the partner's clock is).
 */
void console_log_heading(FILE *out);
void console_log_row(FILE *out, const struct flow *flow, const struct np_flow_counts *counts,
		     const char *kind);

/* The file of -log. */
struct log_file {
	FILE *file; /* NULL: it is not open */
	char name[4352];
	bool empty;		  /* it has no heading yet */
	struct np_status *status; /* for stdout and stderr */
};

/*
 * Opens a @log of zeros for appending to @name; with @several listeners @port and a dash precede
 * its last component. "stdout" and "stderr" are kept. The heading of an empty file is written with
 * its first row. Returns 0 or -errno; log->name is set in any case.
 */
int log_file_open(struct log_file *log, const char *name, uint16_t port, bool several);

/* Writes a row for every flow, about the time since the last report. */
void log_file_interval(struct log_file *log, const struct flows *flows);

/* Writes the row of a flow that is over, about its whole life. */
void log_file_life(struct log_file *log, const struct flow *flow);

/*
 * With @never_began a file without rows stays as it was, and one that log_file_open made is
 * removed. Returns 0, or -errno if a row could not be written. It need not be open.
 */
int log_file_close(struct log_file *log, bool never_began);

/* An "interval": one flow since its last row. */
struct np_record *record_interval(const char *listener, struct flow *flow,
				  const struct np_flow_counts *span);

/* A "transmit": a publisher since its last one, @at after it started. */
struct np_record *record_transmit(const char *publisher, np_time at,
				  const struct np_flow_counts *span);

/* A "start", with the sockets; NULL: records are not wanted. */
struct np_record *record_start(const struct session *s);

/*
 * What became of the packets of the endpoint's flows, of its listener and of those sent to its
 * peers, and where they were lost: fills their results, the one account that the records of
 * netperf-json(5) and the result block give. Those of a peer stay unknown unless it reported.
 */
void attribute(struct endpoint *endpoint);

/* Adds to @sum, which has something if *@any, as it has then. */
void record_add_result(struct np_result *sum, const struct np_result *more, bool *any);

/*
 * A "summary": each listener and publisher, then their sum; NULL: records are not wanted. In any
 * case *@counts are of all flows.
 */
struct np_record *record_summary(const struct session *s, struct np_flow_counts *counts);
