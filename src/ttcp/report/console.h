/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * console: the text of HyperCast's ttcp, to the letter where it is known. Without a stream nothing
 * is written. One thread at a time.
 */
#ifndef TTCP_REPORT_CONSOLE_H
#define TTCP_REPORT_CONSOLE_H

#include "../config/options.h"
#include "figures.h"
#include "record.h"

#include <stdio.h>

struct console {
	FILE *out;   /* the original's lines; NULL: none */
	FILE *block; /* the result block; NULL: none */
	bool events; /* on stderr */
	bool dots;
	bool transmit;
	bool original; /* the original's lines alone */
	enum options_transport transport;
	uint64_t counted; /* messages of this run */
	unsigned column;  /* dots on this line */
};

/* @out NULL: nothing will be written. */
void console_init(struct console *console, FILE *out, const struct options *options);

/* Prints "Overlay TTCP", "send to", "record delay to:", "Overrides:". */
void console_begin(struct console *console, const struct options *options);

/*
 * Starts a run: prints "counter K", and "TCP Transmit: buflen= 512  nbuf= 1024 port= 5001" or the
 * like.
 */
void console_run(struct console *console, const struct options *options, uint64_t run);

/*
 * Overlay: "This node's logical address is:X,Y", and of a sender "Send to X,Y" (@to NULL: all) and,
 * unless @seconds is 0, "Waiting 5sec before overlay network becomes stable...".
 */
void console_place(struct console *console, const char *self, const char *to, unsigned seconds);

/* "eventOccurred: NAME", on stderr as the original has it. */
void console_event(const struct console *console, const char *name);

/*
 * -monitor: the neighbours of this node in the overlay, one by one, and behind them how many.
 * @child: what this node sends to all goes there.
 */
void console_neighbour(struct console *console, const char *logical, const char *address,
		       bool child);
void console_neighbours(struct console *console, const char *self, unsigned count);

/* "/10.0.0.2", "box/10.0.0.2", "/fd00:0:0:0:0:0:0:2": like Java's InetAddress. Returns @out. */
char *console_java_address(const struct np_address *address, char out[NP_ADDRESS_TEXT]);

/* TCP: "Transmit connection: Socket[addr=/IP,port=5001,localport=N].", or "Receive connection". */
void console_connected(struct console *console, const struct np_address *peer,
		       const struct np_address *local);

/*
 * Sender: prints "Start to send TCP packets", and "Waiting 3sec before transmiting..." unless
 * @seconds is 0.
 */
void console_sending(struct console *console, const char *to, unsigned seconds);

/* Receiver: prints "Wait to receive udp packets:". */
void console_listening(struct console *console);

/*
 * Receiver, after START: prints "Unicast Receive: nbuf adjusted to N", "Start to receive udp
 * packets:", and the bandwidth check interval. @start NULL: raw or classic, nothing is adjusted.
 */
void console_receiving(struct console *console, const struct options *options,
		       const struct message_start *start);

/* Prints the dots for @count more messages, in one write. */
void console_count(struct console *console, uint64_t count);

/*
 * Sender: prints "finished." or the UDP sender's "ACK Receiver stopped."; @last_ack: all ACKs
 * arrived.
 */
void console_finished(struct console *console, bool acks_wanted, bool last_ack);

/* "Waiting 5sec before leaving overlay network...", a receiver's "Waiting 5sec before finish...".
 */
void console_leaving(struct console *console, unsigned seconds);

/* Prints "Transmit: N packets in MS milli-seconds = ...", and the line about ACKs. */
void console_transmitted(struct console *console, const struct record_transmit *result);

/*
 * Prints "Receive: Receive: N packets, ..." and "average delay="; before them, if some are missing,
 * "Receive: Receiving finishes but not all packets received.".
 */
void console_received(struct console *console, const struct record_receive *result);

/* Writes only the two result lines to @out of @room bytes, for the log; returns @out. */
char *console_transmit_text(enum options_transport transport, const struct record_transmit *result,
			    char *out, size_t room);
char *console_receive_text(const struct record_receive *result, char *out, size_t room);

/* A line every --interval: @at since the begin; @waiting: nothing came, and no END. */
void console_interval(struct console *console, np_time at, const struct np_flow_counts *now,
		      bool waiting);

/* -monitor: prints a line for a window. */
void console_window(struct console *console, const struct window_row *row);

/* Prints "Waiting 10sec before next transmission..." */
void console_pause(struct console *console, unsigned seconds);

#endif
