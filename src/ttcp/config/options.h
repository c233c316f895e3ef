/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: what the user of ttcp can ask for, and the checks that span options. */
#ifndef TTCP_CONFIG_OPTIONS_H
#define TTCP_CONFIG_OPTIONS_H

#include <netperf/log.h>
#include <netperf/options.h>
#include <netperf/report.h>
#include <netperf/socket.h>

#define OPTIONS_PORT  5001
#define OPTIONS_GROUP "224.228.19.79"

/* What the program is to do. */
enum options_task {
	TASK_RECEIVE,
	TASK_TRANSMIT,
	TASK_MONITOR, /* receive, answer nobody, a line for each window */
	TASK_DENSITY, /* -s2d: a file becomes another, no network */
	TASK_SMOOTH,  /* -smd */
};

enum options_transport { TRANSPORT_TCP, TRANSPORT_UDP, TRANSPORT_MULTICAST };

struct place_options {
	enum options_transport transport;
	const char *to; /* -t's address as typed; multicast: the group, at both ends; else NULL */
	uint64_t port;
	const char *bind; /* local address, NULL: any */
};

/* What is sent; at a receiver what it takes until a START tells. */
struct load_options {
	uint64_t message_bytes; /* -l, raised to what a header (or classic UDP) needs */
	uint64_t messages;   /* -n, of each stream; 0: no limit but the duration or stdin's end */
	bool messages_given; /* -n was typed: a limit of --stdin, too */
	np_time duration;    /* 0: none */
	uint64_t runs;	     /* sender: runs; receiver: senders to serve; 0: for ever */
	uint64_t
		rate_kbps[3]; /* -R start, end, increment, of all streams together; 0 0 0: greedy */
	uint64_t streams;
	const char *session;
	bool ping_pong;
	bool classic;
	bool no_copy;
	bool from_stdin; /* raw bytes of stdin, TCP */
	bool to_stdout;	 /* raw bytes to stdout: all text goes to stderr then */
};

struct socket_options {
	uint64_t buffer_bytes; /* SO_SNDBUF and SO_RCVBUF; 0: leave */
	bool no_delay;
	const char *congestion;
	struct np_socket_options asked;
	unsigned batch;		 /* index into np_datagram_variants */
	uint64_t batch_messages; /* messages handed over in one call; 0: ours to choose */
};

struct wait_options {
	np_time wait; /* receiver: for the first sender, 0: without end; sender: keep trying to
			 reach a receiver so long, 0: one try (UDP: the three seconds) */
	bool once;    /* ends -monitor after the first sender */
	bool no_wait; /* none of the pauses that only people need */
};

/*
 * Files to write; NULL: not asked for. An empty name is one of the default names: names.h.
 */
struct file_options {
	const char *delay;     /* -d; the sender asks for ACKs then */
	const char *sequence;  /* -s */
	const char *bandwidth; /* -bw */
	np_time window;	       /* -bw's, or the default 500 ms */
	bool window_given;
	const char *log; /* -f */
	bool plot;
};

/* -s2d and -smd. */
struct convert_options {
	uint64_t interval;    /* numbers, or milliseconds */
	const char *receiver; /* -smd's */
	const char *input;
	const char *output; /* NULL: stdout */
	bool lenient;
};

/* The rows whose words are digested into the structs above. */
struct option_words {
	bool receive, udp, monitor, overlay;
	struct np_option_words transmit, multicast, runs, rate, log, sequence, bandwidth;
	struct np_option_words density, smooth;
	const char *overlay_file;
	const char *address; /* the trailing operand */
};

struct options {
	enum options_task task;
	bool overrides; /* some default was overridden: "Overrides:" */
	struct place_options place;
	struct load_options load;
	struct socket_options socket;
	struct wait_options wait;
	struct file_options files;
	struct convert_options convert;
	unsigned detail; /* 1: --report=full */
	double max_loss_percent;
	struct option_words words;
	struct np_report_options report;
	struct np_options_result parsed;
};

extern const struct np_options ttcp_options;

/*
 * Parses and checks the command line. Returns -1 when the run shall go on, else the exit status:
 * 0 after --help and the like, 2 after a message about what is wrong. options_free in any case.
 */
int options_read(struct options *options, int argc, char **argv, struct np_log *log);
void options_free(struct options *options);

/* Whether it is a file to be turned into another, without any network. */
static inline bool options_converts(const struct options *options)
{
	return options->task == TASK_DENSITY || options->task == TASK_SMOOTH;
}

/* The rate of run @run (1..): min(start + (run - 1) * increment, end); 0: greedy. */
uint64_t options_rate_kbps(const struct load_options *load, uint64_t run);

/* "TCP", "UDP", "Multicast": line 1 of a delay file, and in messages. */
const char *options_transport_name(enum options_transport transport);

#endif
