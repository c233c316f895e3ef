/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: what the user of ttcp can ask for, and the checks that span options. */
#pragma once

#include <netperf/netperf.h>
#include <sched.h>

#define OPTIONS_GROUP	   "224.228.19.79"
#define OPTIONS_PROPERTIES "RunServerSocket.xml"
#define OPTIONS_CLIENTS	   1024 /* the most at the same time */

/* What the program must do. */
enum options_task {
	TASK_RECEIVE,
	TASK_TRANSMIT,
	TASK_MONITOR, /* receive, answer nobody, print a line for each window */
	TASK_DENSITY, /* -s2d: converts a file, without a network */
	TASK_SMOOTH,  /* -smd */
};

enum options_transport { TRANSPORT_TCP, TRANSPORT_UDP, TRANSPORT_MULTICAST, TRANSPORT_OVERLAY };

struct place_options {
	enum options_transport transport;
	/*
	 * The address of -t as typed; multicast: the group, at both ends; overlay: NULL means all
	 * nodes; else NULL.
	 */
	const char *to;
	const char *properties; /* the configuration file of the overlay */
	uint64_t port;
	uint64_t source_port; /* of a sender's first stream; 0: the kernel chooses */
	const char *bind;     /* local address; NULL: any */
	const char *allow;    /* a receiver's senders; NULL: all */
	bool reverse;	      /* the other end is asked to send, and this one receives */
	bool both_ways;	      /* that, too, while this one sends */
	bool no_reverse;      /* a receiver refuses it */
	bool served;	      /* a receiver's connections and sockets are given to it */
	bool shared;	      /* a sender's sockets have a receiver's port, as who asked expects */
};

/* What is sent; at a receiver what it assumes until a START tells. */
struct load_options {
	uint64_t message_bytes; /* -l, raised to the minimum for a header (or for classic UDP) */
	uint64_t messages;     /* -n, for each stream; 0: limited only by the duration or the end of
				  stdin */
	uint64_t total_bytes;  /* of all streams; 0: not given, else it decides on ->messages */
	np_time duration;      /* 0: none */
	np_time warm_up;       /* before it; 0: none */
	uint64_t runs;	       /* sender: runs; receiver: senders to serve; 0: no limit */
	uint64_t rate_kbps[3]; /* -R start, end, increment, of all streams together; 0 0 0: as fast
				  as possible */
	struct np_rate rate;   /* --rate; 0: not given */
	double rate_bits;      /* the same in bits a second */
	uint64_t burst;	       /* messages sent back to back; 0: those that are due */
	uint64_t streams;
	bool find; /* --find-rate: the rate is the highest to try, and there is a duration */
	double find_percent; /* of loss, at most */
	uint64_t clients;    /* a receiver's senders at the same time; 0: one after the other */
	const char *session;
	bool ping_pong;
	bool rr, crr;
	bool transacts;				/* one of them */
	uint64_t request_bytes, response_bytes; /* of these */
	bool latency;				/* --latency-under-load */
	bool trips;				/* of its round trips, not of the load */
	bool classic;
	bool no_copy;
	bool from_stdin; /* passes the bytes of stdin on, TCP */
	bool to_stdout;	 /* passes what is received on to stdout; all text goes to stderr then */
};

enum no_delay { NO_DELAY_AUTO, NO_DELAY_YES, NO_DELAY_NO };

/* Who keeps the rate of a TCP sender. */
enum pacing { PACING_USER, PACING_KERNEL };

struct socket_options {
	uint64_t buffer_bytes; /* SO_SNDBUF and SO_RCVBUF; 0: unchanged */
	unsigned no_delay;     /* enum no_delay */
	const char *congestion;
	uint64_t mss;	 /* TCP_MAXSEG; 0: unchanged */
	unsigned pacing; /* enum pacing */
	bool mptcp, zero_copy;
	bool dont_fragment;
	struct np_socket_options asked;
	unsigned batch;		 /* index into np_datagram_variants */
	uint64_t batch_messages; /* messages handed over in one call; 0: the program chooses */
};

/* Threads that send or receive the streams of TCP. */
struct thread_options {
	uint64_t most;	 /* 0: as many as there are processors */
	const char *pin; /* --affinity; NULL: they run where the kernel puts them */
	cpu_set_t on;	 /* its processors, or those of the program */
	unsigned first;	 /* the place of the first one; others of the program come before it */
};

struct wait_options {
	np_time wait; /* receiver: for the first sender, 0: no limit; sender: how long to keep
			 trying to reach a receiver, 0: one try (UDP: the three seconds) */
	np_time max_duration;	 /* of a run that a receiver takes part in; 0: no limit */
	struct np_rate max_rate; /* likewise */
	double max_rate_bits;	 /* the same in bits a second */
	bool once;		 /* -monitor ends after the first sender */
	bool no_wait;		 /* skip the pauses that only users need */
};

/* Files to write; NULL: not asked for. An empty name means a default name: files.h. */
struct file_options {
	const char *delay;     /* -d; makes the sender ask for ACKs */
	const char *sequence;  /* -s */
	const char *bandwidth; /* -bw */
	np_time window;	       /* of -bw, or the default of 500 ms */
	const char *log;       /* -f */
};

/* The rows whose words are interpreted into the structs above. */
struct option_words {
	bool receive, udp, monitor, overlay, print_config;
	struct np_option_words transmit, multicast, runs, rate, log, sequence, bandwidth;
	struct np_option_words density, smooth; /* INTERVAL [RECEIVER] INPUT [OUTPUT] */
	uint64_t interval;			/* of these: numbers, or milliseconds */
	bool lenient;
	const char *overlay_file;
	const char *address; /* the operand at the end */
};

struct options {
	enum options_task task;
	bool overrides; /* a default was overridden: print "Overrides:" */
	struct place_options place;
	struct load_options load;
	struct socket_options socket;
	struct thread_options threads;
	struct wait_options wait;
	struct file_options files;
	unsigned drops;	 /* enum np_drops_mode */
	bool per_stream; /* a receiver reports each stream, too */
	double max_loss_percent;
	bool require_report;
	struct np_mesh_options mesh;
	struct option_words words;
	struct np_report_options report;
	const struct np_options_result *given; /* what was on the command line */
};

extern const struct np_options ttcp_options;

/*
 * options_check: from what was typed to what it means, and whether it can be meant. Returns -1 when
 * the run may start, else the exit status: 0 after --print-config, 2 after a message.
 */
int options_check(struct np_run *run);

/* Whether the task only converts a file, without a network. */
static inline bool options_converts(const struct options *options)
{
	return options->task == TASK_DENSITY || options->task == TASK_SMOOTH;
}

/*
 * The rate of run @run (1..) in bits a second: of -R min(start + (run - 1) * increment, end); 0: as
 * fast as possible.
 */
double options_rate_bits(const struct load_options *load, uint64_t run);

/* Whether there is a rate. */
static inline bool options_paced(const struct load_options *load)
{
	return load->rate_bits > 0 || load->rate_kbps[0];
}

/* threads: reads a list of processors, as 0,2-3, all of which are in @all. Returns 0 or -EINVAL. */
int threads_parse(const char *text, const cpu_set_t *all, cpu_set_t *set);

/* How many threads are to send or receive @streams of TCP: at least one, at most one for each. */
unsigned threads_count(const struct options *o, unsigned streams);

/* Puts the calling thread, the @index-th of these, on its processor, if there is --affinity. */
void threads_pin(const struct options *o, unsigned index, const struct np_log *log);

/* The words for each transport; ends with a NULL name. */
struct options_transport_words {
	const char *name;    /* "TCP Transmit:", also line 1 of a delay file */
	const char *packets; /* "Start to send TCP packets" */
	const char *adjust;  /* "Unicast Receive: nbuf adjusted to" */
	const char *title;   /* of the result block */
};
extern const struct options_transport_words options_transports[];

/* What a run can be, for the scopes of the options. */
#define MODE_OF_TASK(task)   (1u << (task))
#define MODE_OVER(transport) (1u << (8 + (transport)))
enum {
	MODE_SENDER = MODE_OF_TASK(TASK_TRANSMIT),
	MODE_RECEIVER = MODE_OF_TASK(TASK_RECEIVE),
	MODE_MONITOR = MODE_OF_TASK(TASK_MONITOR),
	MODE_NETWORK = MODE_SENDER | MODE_RECEIVER | MODE_MONITOR,
	MODE_CONVERSION = MODE_OF_TASK(TASK_DENSITY) | MODE_OF_TASK(TASK_SMOOTH),
	MODE_TCP = MODE_OVER(TRANSPORT_TCP),
	MODE_UDP = MODE_OVER(TRANSPORT_UDP),
	MODE_MULTICAST = MODE_OVER(TRANSPORT_MULTICAST),
	MODE_OVERLAY = MODE_OVER(TRANSPORT_OVERLAY),
	MODE_IP = MODE_TCP | MODE_UDP | MODE_MULTICAST,
	MODE_MESH = 1u << 16,
	MODE_PACED = 1u << 17,
	MODE_REVERSE = 1u << 18,
	MODE_TRANSACTIONS = 1u << 19,
	MODE_ADDRESSED = 1u << 20, /* in an overlay: to one receiver */
};
