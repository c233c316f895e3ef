/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console: the text of the original, to the letter, and what --report=full adds. Writes whole
 * blocks to a stream; pure but for that.
 */
#ifndef DATAGRAM_TEST_CONSOLE_H
#define DATAGRAM_TEST_CONSOLE_H

#include "flow.h"

#include <stdio.h>

struct console_listener {
	const struct np_address *local;
	uint64_t packet_bytes, buffer_packets, report_packets, process_bytes, log_packets;
	const char *log; /* NULL prints "null" */
};

struct console_publisher {
	const struct np_address *at; /* local IP with the return port */
	const struct np_address_list *peers;
	uint64_t packet_bytes, buffer_packets, report_packets, process_bytes;
	double rate_mb_per_s; /* 0: "no limit" and "no packet burst limit" */
	uint64_t burst;	      /* as Java computes it: pps / 100 */
};

void console_listener_banner(FILE *out, const struct console_listener *about);
void console_publisher_banner(FILE *out, const struct console_publisher *about);

/* "Tx summary N peers:" with life and now (figures: elapsed, packets, bytes). */
void console_tx_summary(FILE *out, size_t peers, const struct flow_figures *life,
			const struct flow_figures *now);

/* Which lines a report has. */
struct console_style {
	bool full; /* --report=full: gaps, ack time, summaries, completion times, our own lines */
	const struct np_address *listener; /* for "to listener" */
};

/* "Lifetime:" or "Now:" and a block a flow; @life says which figures. */
void console_rx_report(FILE *out, const struct console_style *style, const struct flows *flows,
		       bool life);

/* "/LOCAL receiving data from K publisher(s)." and "Clients have stopped."; full only. */
void console_receiving(FILE *out, const struct np_address *local, size_t publishers);
void console_stopped(FILE *out);

/*
 * The ticks for packets @before+1 .. @after of a counter: @small ('o', 'i') every @interval, the
 * capital every tenth; to @out, at most @room characters. Returns how many.
 */
size_t console_ticks(char small, uint64_t before, uint64_t after, uint64_t interval, char *out,
		     size_t room);

/* The 15 names of the log's heading and a row of figures; @kind: "interval" or "lifetime". */
void console_log_heading(FILE *out);
void console_log_row(FILE *out, const struct flow *flow, const struct flow_figures *figures,
		     const char *kind);

#endif
