/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * console: the text of the original, to the letter. Writes whole blocks to a stream; pure but for
 * that.
 */
#ifndef DATAGRAM_TEST_CONSOLE_H
#define DATAGRAM_TEST_CONSOLE_H

#include "flow.h"
#include "options.h"

#include <stdio.h>

/*
 * Of a listener at @local; @log: the name of its file, NULL prints "null". The empty line at the
 * end is the original's.
 */
void console_listener_banner(FILE *out, const struct options *options,
			     const struct np_address *local, const char *log);

/*
 * Of a publisher at @at, its local IP with the return port; @rate_bytes_per_s: its share of the
 * rate, from which Java's burst, pps / 100, is computed.
 */
void console_publisher_banner(FILE *out, const struct options *options, const struct np_address *at,
			      const struct np_address_list *peers, double rate_bytes_per_s);

/* Which lines a report contains. */
struct console_style {
	bool newest; /* of version 22.06: gaps, ack time, summaries, completion times */
	const struct np_address *listener; /* for "to listener" */
	np_time completed;		   /* CLOCK_REALTIME now; newest only */
};

/*
 * "Tx summary N peers:" with life and now (elapsed, sent, bytes). Version 22.06 adds "for ADDRESS
 * to", duration and completion time; its bursts are left out, since this pacer has none. A line end
 * comes first, to end the line of ticks.
 */
void console_tx_summary(FILE *out, const struct console_style *style, const struct np_address *at,
			size_t peers, const struct np_flow_counts *life,
			const struct np_flow_counts *now);

/*
 * "Lifetime:" or "Now:", as @life says, and a block for each flow. The first report begins with a
 * line end, to end the line of ticks; in version 22.06 both do. In the summary "avg offset" is
 * the mean over out-of-order packets, as elsewhere (the original divides by all packets received).
 */
void console_rx_report(FILE *out, const struct console_style *style, const struct flows *flows,
		       bool life);

/* "/LOCAL receiving data from K publisher(s)." and "Clients have stopped."; newest only. */
void console_receiving(FILE *out, const struct np_address *local, size_t publishers);
void console_stopped(FILE *out);

/*
 * Writes the ticks for packets @before+1 .. @after of a counter to @out, at most @room characters:
 * @small ('o', 'i') every @interval, its capital every tenth time. Returns how many.
 */
size_t console_ticks(char small, uint64_t before, uint64_t after, uint64_t interval, char *out,
		     size_t room);

/*
 * The log, separated by tabs: the original's 15 columns, and ours, which it has no names for:
 * "kind" (@kind: "interval" or "lifetime"), "duplicates", "damaged", "lost before" (packets sent
 * before the listener, which started late, received its first; 0 in intervals), "delay p50 ns" and
 * "delay p99 ns" (one way, over the whole life; "unknown" if the partner's clock is).
 */
void console_log_heading(FILE *out);
void console_log_row(FILE *out, const struct flow *flow, const struct np_flow_counts *counts,
		     const char *kind);

#define LOG_FILE_NAME_BYTES 4352

/*
 * The name of the file: @name; with several listeners @port and a dash precede its last component.
 * "stdout" and "stderr" are kept.
 */
const char *log_file_name(const char *name, uint16_t port, bool several,
			  char out[LOG_FILE_NAME_BYTES]);

struct log_file;

/*
 * Opens for appending. The heading of an empty file is written with its first row. Returns 0 or
 * -errno.
 */
int log_file_open(struct log_file **log_file, const char *name);

/* Writes a row for every flow, about the time since the last report. */
void log_file_interval(struct log_file *log_file, const struct flows *flows);

/* Writes the row of a flow that is over, about its whole life. */
void log_file_life(struct log_file *log_file, const struct flow *flow);

/*
 * With @never_began a file without rows stays as it was, and one that log_file_open made is
 * removed. Returns 0, or -errno if a row could not be written. NULL is allowed.
 */
int log_file_close(struct log_file *log_file, bool never_began);

/* Truncated; 0 when @count is. */
uint64_t console_average(uint64_t sum, uint64_t count);

#endif
