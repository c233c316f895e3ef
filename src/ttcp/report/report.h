/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * report: what a run was, for people and programs.
 *
 * receivers: those that a sender knows, by their answers: START-OK, ACK, REPORT; and the sum of the
 * ACKs; and the names of partners in text, files and records. Pure; one thread at a time.
 *
 * record: the figures as JSON, under the names of netperf-json(5); and what became of a run's
 * messages and where the lost were lost: one account for text and records.
 *
 * figures: the numbers of the console text as HyperCast's ttcp computes them: milliseconds, 1000
 * bytes per KB, and 32-bit floating point, to the last digit. Whole milliseconds from 10 ms on,
 * with fractions below. Pure.
 *
 * console: the text of HyperCast's ttcp, to the letter where it is known. Without a stream nothing
 * is written. One thread at a time.
 */
#pragma once

#include "../config/options.h"
#include "../wire/message.h"

/* The most receivers; answers of others are ignored. */
#define RECEIVERS_MAX 256

struct receivers_receiver {
	struct np_address address;
	char name[NP_ADDRESS_TEXT];	/* "10.0.0.2:5001", "[fd00::2]:5001": peer_name */
	bool ready;			/* it answered START in this run */
	bool joined_late;		/* unknown before the first DATA */
	struct message_start_ok answer; /* its last START_OK that was ready */
	struct np_offset offset;	/* of its clock, by what was exchanged with it */
	struct np_offset clock;		/* the best estimate, when the run is over */
	uint64_t acks;			/* distinct messages acknowledged in this run */
	struct np_flow *acked;		/* NULL until the first ACK */
	bool reported;
	struct message_report report; /* of this run */
};

/* Starts as {0}, but for the histogram. */
struct receivers {
	struct receivers_receiver receiver[RECEIVERS_MAX]; /* in the order of their first answers */
	size_t count;
	uint64_t acks;	  /* of all, distinct ones */
	__int128 rtt_sum; /* of the acks, in ns */
	struct np_histogram *rtt;
	size_t message_bytes; /* of the run's messages; set by the owner */
	/* Formats the name of the receiver at @address; NULL: peer_name. Set by the owner. */
	char *(*name)(const struct np_address *address, char out[NP_ADDRESS_TEXT]);
};

/* "10.0.0.2:5001", "[fd00::2]:5001", with "%eth0" where the address needs a scope. Returns @out. */
char *peer_name(const struct np_address *address, char out[NP_ADDRESS_TEXT]);

/* Forgets who has answered so far, in this run and before. */
void receivers_forget(struct receivers *receivers);

/* A new run: keeps receivers and their clocks, resets counts and reports. */
void receivers_begin(struct receivers *receivers);

/*
 * The receiver at @address, added if it is new; NULL when there is no room. Pointers stay
 * valid until they are forgotten.
 */
struct receivers_receiver *receivers_at(struct receivers *receivers,
					const struct np_address *address);

/*
 * An ACK of message @number, which was sent at @sent, arrived at @acked, both by the sender's
 * clock. Returns whether it counts: it is the first of this number and receiver, and not from the
 * future.
 */
bool receivers_ack(struct receivers *receivers, struct receivers_receiver *receiver,
		   uint64_t number, np_time sent, np_time acked);

/* How many are ready, and how many of those have reported. */
#define receivers_ready(receivers)    receivers_number(receivers, false)
#define receivers_reported(receivers) receivers_number(receivers, true)
size_t receivers_number(const struct receivers *receivers, bool reported);

/* The one that reported of this run; NULL: none did, or several, who have no clock in common. */
const struct receivers_receiver *receivers_only(const struct receivers *receivers);

struct transport;

/* The options, and the sockets of @t (NULL: none); @peer: a receiver's sender, or NULL. */
struct np_record *record_start(const struct options *options, const struct transport *t,
			       const struct np_address *peer);

/*
 * An interval of @side "transmit" or "receive", with one @client of many or (NULL) not, that ends
 * @at after the start of the run. @delays: one way, corrected; NULL: unknown.
 */
struct np_record *record_interval(const char *side, const char *client, uint64_t run, np_time at,
				  const struct np_flow_counts *figures,
				  const struct np_histogram_figures *delays);

/* Adds TCP's own figures, if they are known. */
void record_tcp(struct np_record *record, const struct np_block_tcp *tcp);

/* A stream of a run. */
struct record_stream {
	struct np_flow_counts counts;
	struct np_histogram_figures delays; /* raw */
};

/* --rr, --crr: what a run's messages are. */
struct record_transactions {
	uint64_t request_bytes, response_bytes; /* 0: they are no transactions */
	bool connects;				/* --crr */
	uint64_t broken; /* at a sender: begun, and without a response in the end */
	struct np_histogram_figures connect; /* there: how long it took */
};

/* One run, or all of them, at a receiver. */
struct record_receive {
	uint64_t run;
	struct message_report report;  /* its clock and drops are those of the run so far */
	struct message_account sender; /* in a sum its cpu is known if it is in all */
	struct np_loss where;	       /* the lost were lost, by the counters of the socket */
	struct np_path_drops path;     /* before this host's UDP; may be all unknown */
	np_time grace; /* how long it waited after END, over datagrams; 0: not at all */
	bool raw;      /* no numbers, no delays */
	const struct np_drops_counts *dropped; /* by this host; NULL: over streams */
	struct np_headers headers;
	struct np_block_tcp tcp;
	const struct record_stream *stream; /* of one run; NULL: not asked for */
	unsigned streams;
	struct record_transactions transactions;
};

/* UDP: what this host had no room for. */
struct record_refusals {
	bool known;
	uint64_t errors;  /* the kernel's SndbufErrors, of all programs of this host */
	uint64_t retried; /* those of them that this program was told of, and sent again */
};

/* One run, or all of them, at a sender. */
struct record_transmit {
	uint64_t run;
	/*
	 * Its own, without loss and order: n paced messages take n intervals; the head is those
	 * that were alone in their runs.
	 */
	struct np_flow_counts figures;
	bool acks_wanted;
	uint64_t send_errors;
	int send_error;	   /* -errno of the latest; 0: none, or not known */
	unsigned path_mtu; /* of datagrams, as found by now; 0: unknown */
	double rate_bits;  /* a second, as asked for; 0: as fast as possible */
	np_time behind;	   /* at worst, in a paced run */
	struct record_refusals refusals;
	const struct receivers *receivers;
	bool group;			       /* what is sent goes to all of them */
	const struct np_drops_counts *dropped; /* by this host; NULL: over streams */
	struct np_drops_total lost_here;       /* of these, in the last run */
	struct np_block_tcp tcp;
	struct record_transactions transactions;
};

/* "packet", "buffer"; NULL: unknown. @unit: enum message_drop_unit. */
const char *record_drop_unit(uint8_t unit);

/*
 * What became of messages with numbers, at a receiver; and at a sender, as @receiver reported. What
 * a receiver's socket dropped may be copies of what came, or ENDs: then its account is no proof.
 */
struct np_result record_attribute_receive(const struct record_receive *result);
struct np_result record_attribute_report(const struct record_transmit *sent,
					 const struct receivers_receiver *receiver);

/* @type: "run" for one of several, "summary" for all. */
struct np_record *record_receive(const char *type, const struct record_receive *result);
struct np_record *record_transmit(const char *type, const struct record_transmit *result);

/* Shorter runs show fractions of a millisecond, and a warning that they do not mean much. */
#define FIGURES_SHORT (10 * NP_MILLISECOND)
#define FIGURES_MEANT (100 * NP_MILLISECOND)
#define FIGURES_TEXT  64

/* As text. */
struct figures_rate {
	char ms[FIGURES_TEXT];		    /* "31"; shorter "3.412345"; when no time passed "1" */
	char kilobytes_per_s[FIGURES_TEXT]; /* 1000 bytes */
	char kilobits_per_s[FIGURES_TEXT];  /* 1000 bits */
};

struct figures_rate figures_rate(uint64_t bytes, np_time elapsed);

/* @sum / @count in ms; 0 when @count is. */
float figures_mean_ms(__int128 sum, uint64_t count);

/* "16912.516": plain decimals, or "Infinity". Returns @out, of FIGURES_TEXT bytes. */
#define figures_print_float(value, out)                                                            \
	np_decimal(value, NP_DECIMAL_FLOAT | NP_DECIMAL_PLAIN, out, FIGURES_TEXT)

/*
 * Write a whole number, and @t in ms, exactly, without trailing zeros: "0", "31", "-3.412345", in
 * some tens of nanoseconds. Return its end, where no 0 is written.
 */
char *figures_put_count(uint64_t number, char *out);
char *figures_put_ms(np_time t, char *out);

struct console {
	FILE *out;   /* the original's lines; NULL: none */
	FILE *block; /* the result block; NULL: none */
	bool events; /* on stderr */
	/* One of several clients, whose intervals go to the same stream, each with its name. */
	FILE *rows;
	bool dots;
	const struct options *options;
	uint64_t counted;	  /* messages of this run */
	unsigned column;	  /* dots on this line */
	struct np_status *status; /* NULL: none is shown */
};

/* @out NULL: nothing will be written. The options stay with the caller. */
void console_init(struct console *console, FILE *out, const struct options *options);

/* Prints a line, after the end of the line of dots. */
__attribute__((format(printf, 2, 3))) void console_say(struct console *console, const char *format,
						       ...);

/* "Waiting 10sec before next transmission..." */
void console_waiting(struct console *console, unsigned seconds, const char *before);

/*
 * Starts a run: prints "counter K", and "TCP Transmit: buflen= 512  nbuf= 1024 port= 5001" or the
 * like; before the first one "Overlay TTCP", "send to", "record delay to:", "Overrides:". @self:
 * "This node's logical address is:X,Y", and of a sender "Send to X,Y"; NULL: not in an overlay, or
 * said already.
 */
void console_run(struct console *console, uint64_t run, const char *self);

/* "eventOccurred: NAME", on stderr as the original has it. */
void console_event(const struct console *console, const char *name);

/* "10.0.0.2" of "10.0.0.2:5001", "fd00::2" of "[fd00::2]:5001", and a name before them. Returns
 * @out. */
char *console_host(const char *address, char out[NP_ADDRESS_TEXT]);

/* TCP: "Transmit connection: Socket[addr=/IP,port=5001,localport=N].", or "Receive connection". */
void console_connected(struct console *console, const struct np_address *peer,
		       const struct np_address *local);

/* Sender: prints "Start to send TCP packets". */
void console_sending(struct console *console, const char *to);

/* Receiver: prints "Wait to receive udp packets:". */
void console_listening(struct console *console);

/*
 * Receiver, after START: prints "Unicast Receive: nbuf adjusted to N", "Start to receive udp
 * packets:", and the bandwidth check interval. @start NULL: raw or classic, nothing is adjusted.
 */
void console_receiving(struct console *console, const struct message_start *start);

/* Prints the dots of a run that has had @count messages, in one write. */
void console_count(struct console *console, uint64_t count);

/*
 * Sender: prints "finished." or the UDP sender's "ACK Receiver stopped."; @last_ack: all ACKs
 * arrived.
 */
void console_finished(struct console *console, bool acks_wanted, bool last_ack);

/* Prints "Transmit: N packets in MS milli-seconds = ...", and the line about ACKs; to @out, too. */
#define CONSOLE_RESULT 1024
void console_transmitted(struct console *console, const struct record_transmit *result,
			 char out[CONSOLE_RESULT]);

/*
 * Prints "Receive: Receive: N packets, ..." and "average delay="; before them, if some are missing,
 * "Receive: Receiving finishes but not all packets received.". Writes the first two to @out, too.
 */
void console_received(struct console *console, const struct record_receive *result,
		      char out[CONSOLE_RESULT]);

/* A line every --interval: @at since the begin; @waiting: nothing came, and no END. */
void console_interval(struct console *console, const char *client, np_time at,
		      const struct np_flow_counts *now, bool waiting);
