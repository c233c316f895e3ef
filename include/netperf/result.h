/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * result: what became of the messages or packets of a run and where they were lost, and the result
 * block that every program prints of it. One attribution: lost = lost_sender_host + lost_path +
 * lost_receiver_host + lost_unattributed.
 */
#pragma once

#include <netperf/datagram.h>
#include <netperf/drops.h>
#include <netperf/pattern.h>
#include <netperf/process.h>
#include <netperf/report.h>
#include <netperf/stream.h>

/*
 * Divides the loss of @result, whose lost is set: by what both hosts dropped by their kernels'
 * reasons, if both totals are known and explain no more than was lost; else by @loss, the
 * receiver's account from its socket's counters, of which the sender's own drops, if known, are
 * taken from the path. NULL: no account. What nobody can give to a place is unattributed. If lost
 * is a lower bound and no copies came, what the receiver's host dropped raises it, and sent's.
 * @doubtful: a dropped message need not be a lost one, so the totals by reasons prove nothing.
 */
void np_result_attribute(struct np_result *result, const struct np_loss *loss,
			 const struct np_drops_total *sender_host,
			 const struct np_drops_total *receiver_host, bool doubtful);

#define NP_BLOCK_HEADERS 256

/* What the IP headers of packets said when they arrived, as far as the kernel tells. */
struct np_headers {
	/* Packets with the latest header; they are counted below when another comes. */
	uint64_t alike;
	uint8_t tos, hops;	    /* that header's */
	uint16_t bytes;		    /* of its largest fragment; 0: it came whole */
	uint8_t hops_min, hops_max; /* TTL or hop limit; 0: nothing is known of any packet */
	uint16_t fragment_bytes;    /* the largest fragment */
	uint64_t fragmented;	    /* packets that came in fragments */
	struct np_marks sent;	    /* by the sender's END */
	uint64_t ecn[4], dscp[64];  /* packets with each value */
};

/* Counts @alike ones in the fields below; before these are read. */
void np_headers_settle(struct np_headers *headers);

/* Counts the header of @packet for @count packets that share it. Hot. */
static inline void np_headers_count(struct np_headers *headers, const struct np_packet *packet,
				    uint64_t count)
{
	if (packet->hops != headers->hops || packet->tos != headers->tos ||
	    packet->fragment_bytes != headers->bytes) {
		np_headers_settle(headers);
		headers->tos = packet->tos;
		headers->hops = packet->hops;
		headers->bytes = packet->fragment_bytes;
	}
	headers->alike += count;
}

/*
 * What the path did to them, "DSCP EF arrived as CS0, CE on 1.2 %", as phrases parted by commas;
 * "": nothing, as far as it is known.
 */
void np_headers_format(const struct np_headers *headers, char text[NP_BLOCK_HEADERS]);

/* The object "headers" of @record. */
void np_headers_record(struct np_record *record, const struct np_headers *headers);

/* A receiver, publisher or member in the block's table. */
struct np_block_row {
	const char *name;
	struct np_result result;
	bool confirmed;		     /* false: it did not report, and only its name is printed */
	double received_bytes_per_s; /* below 0: unknown */
	struct np_histogram_figures delay; /* count 0: unknown */
	/* What the path did to its packets' headers, as phrases parted by commas; "": nothing. */
	char headers[NP_BLOCK_HEADERS];
};

/* TCP's own figures of the sender's connections. */
struct np_block_tcp {
	bool known;
	struct np_stream_tcp figures;
	char congestion[16]; /* the algorithm; "": unknown */
};

/* Who used a processor: the process of an end, or one that is both. */
enum { NP_BLOCK_SENDER, NP_BLOCK_RECEIVER, NP_BLOCK_PROCESS, NP_BLOCK_ENDS };
struct np_block_cpu {
	const struct np_usage *usage; /* NULL: unknown */
	np_time elapsed;	      /* of which that is a share */
};

/* What the block says; a line whose fact is missing is left out. */
struct np_block {
	const char *title; /* "ttcp: UDP a -> b, 512-byte messages, 10.00 s" */
	const char *unit;  /* "messages" or "packets" */
	bool bytes;	   /* --unit=bytes: MB/s in place of bit/s */
	bool interrupted;  /* a signal ended the run */
	struct np_result result;
	double sent_bytes_per_s, received_bytes_per_s; /* below 0: unknown */
	/* The part of the received bytes that began the time, and is not in the rate. */
	double head_share;
	/* What one sending brought to each of several rows; 0: one of its own. */
	uint64_t sent_each;
	const char *unconfirmed; /* why nothing is known of what arrived; NULL: it is known */
	bool repaired;		 /* by the transport: loss, order and copies are no lines */
	/* By kernel reason, of the host at NP_BLOCK_SENDER and NP_BLOCK_RECEIVER; NULL: unknown. */
	const struct np_drops_counts *dropped[NP_BLOCK_RECEIVER + 1];
	struct np_histogram_figures delay; /* one way; count 0: unknown */
	np_time delay_bound;		 /* how well the clocks were compared; below 0: one clock */
	struct np_histogram_figures rtt; /* count 0: none */
	struct np_block_tcp tcp;
	struct np_block_cpu cpu[NP_BLOCK_ENDS];
	const char *noun;	  /* of the rows: "receiver" */
	struct np_block_row *row; /* sorted in place, worst loss first */
	size_t rows;		  /* fewer than two: no table */
	/* For --report=full. */
	const struct np_block_full *full;      /* NULL: the block alone */
	struct np_histogram_figures delay_raw; /* by two clocks as they are; count 0: unknown */
	struct np_offset clock;		       /* the receiver's minus the sender's */
	/* What delay, rtt and delay_raw are called; NULL: "delay", "round trip", ... */
	const char *const *times;
};

/* A block with all figures unknown. */
struct np_block np_block_init(const char *title, const char *unit, bool bytes);

/* The sum of the rates of the confirmed rows; below 0 if one of them is unknown. */
double np_block_rate_sum(const struct np_block *block);

/*
 * Prints the block, and after it what --report=full adds, in this order: configuration, intervals,
 * transport, reasons, hosts, members, percentiles, clock offset, processor time. Lines of at most
 * 80 columns.
 */
void np_block_print(FILE *out, struct np_block *block);

/* Prints only what --report=full adds, for a program whose result has a layout of its own. */
void np_block_print_full(FILE *out, const struct np_block *block);

/* A line of such a layout; beyond 80 columns it goes on after @indent blanks. */
__attribute__((format(printf, 3, 4))) void np_block_line(FILE *out, size_t indent,
							 const char *format, ...);

/* Another: "p50 ..., p99 ..., max ..." after @name, and a @remark, unless @times has none. */
void np_block_times(FILE *out, const char *name, const struct np_histogram *times);
void np_block_figures(FILE *out, const char *name, const struct np_histogram_figures *times,
		      const char *remark);

/*
 * The number of bad sectors after @head, right-aligned in @width, their classes, and, but for
 * NP_REPORT_ORIGINAL, where they are: all that are listed for NP_REPORT_FULL, else the first ones.
 */
void np_block_damage(FILE *out, const char *head, int width, const struct np_damage *damage,
		     unsigned layout);

/* A line of a table of targets that were exercised together, or of the steps of a sweep. */
struct np_block_target {
	const char *name, *rate, *per_s; /* the rates as text: they may be unknown */
	uint64_t count, lost;
	struct np_histogram_figures delay; /* count 0: none */
	const char *rest;		   /* what else is to be said, or "" */
};

/*
 * Of the steps of a sweep the first whose rate is at least 97 % of the highest; a step with a rate
 * of 0 does not count. -1: none does.
 */
int np_block_knee(const double *rate, size_t count);

/* @noun: what is named; @unit: of the rate; @count, @lost: what is counted. */
void np_block_target_heading(FILE *out, const char *noun, const char *unit, const char *per_s,
			     const char *count, const char *lost);
void np_block_target(FILE *out, const struct np_block_target *target);

/* What a program collects during a run for --report=full; NULL collects nothing. */
void np_block_full_clear(struct np_block_full *full);

/* Facts that only the program knows: names and values, in the order in which they were added. */
enum np_block_part {
	NP_BLOCK_CONFIGURATION,
	NP_BLOCK_TRANSPORT, /* TCP's own figures, the batch, the overlay */
	NP_BLOCK_HOSTS,	    /* buffers, cards, backlogs */
	NP_BLOCK_MEMBERS,   /* of a group */
};

/* Adds "NAME  VALUE", the value with its unit. */
__attribute__((format(printf, 4, 5))) void np_block_full_say(struct np_block_full *full,
							     enum np_block_part part,
							     const char *name, const char *format,
							     ...);

/* The columns of @parts, a line for each, as "cwnd  10 segments"; @bytes: rates in MB/s. */
void np_block_full_columns(struct np_block_full *full, enum np_block_part part,
			   const struct np_column *columns, unsigned parts, const void *values,
			   bool bytes);

/* A row of the intervals. */
struct np_block_interval {
	np_time from, to; /* since the run's start */
	uint64_t count;	  /* received; at a sender, sent */
	double bytes_per_s;
	/* As int64_t: below 0 if some that were missing before came late. */
	struct np_count lost;
	struct np_histogram_figures delay; /* count 0: unknown */
};
void np_block_full_interval(struct np_block_full *full, const struct np_block_interval *interval);

/* The length of a run for a title: "10.00 s", "85.2 ms". */
struct np_text np_block_time(np_time elapsed);

/*
 * Which rate --find-rate tries next, and which one it found: the throughput of RFC 2544, by what
 * the other end reports of each trial; how that is printed and recorded. Rates are in bytes a
 * second. np_find_take, np_find_next and np_find_found are pure.
 */

/* The rate that is found has been tried this often. */
#define NP_FIND_REPEATS 3
/* The rate that is the limit has failed this often: one trial may have been disturbed. */
#define NP_FIND_FAILURES 2
#define NP_FIND_RATES	 64
/* A trial with fewer packets says little about loss. */
#define NP_FIND_PACKETS 100
/* The lowest rate to try: a trial of @duration has so many, and a burst to each peer. */
static inline double np_find_least(uint64_t burst, double bytes, np_time duration)
{
	return (double)(burst > NP_FIND_PACKETS ? burst : NP_FIND_PACKETS) * bytes /
	       np_clock_seconds(duration);
}
/* How long a trial takes unless told. */
#define NP_FIND_TRIAL (2 * NP_SECOND)

/*
 * Whether a run at one rate passed, or this host sent less than was asked for, or too much was
 * lost, or waited in a queue, so that it arrived more slowly than it was sent; stalled: one of the
 * last two after this host had fallen behind, whose burst then may have been what no queue of the
 * path had room for: that is no answer, and the rate is tried again.
 */
enum np_find_verdict {
	NP_FIND_PASSED,
	NP_FIND_BEHIND,
	NP_FIND_LOST,
	NP_FIND_QUEUED,
	NP_FIND_STALLED
};
/* So many times in a row; then it is the path. */
#define NP_FIND_STALLS 3

struct np_find_trial {
	double asked; /* 0: as fast as possible */
	double sent, received;
	np_time behind;	     /* how far sending fell behind at worst */
	double cpu;	     /* of this process, of one processor */
	double loss_percent; /* set by np_find_take, as is the next */
	enum np_find_verdict verdict;
	struct np_result result;
};

/* A rate that was tried: its trials, those since one that failed if it passed then; the newest. */
struct np_find_rate {
	double rate; /* asked for, or if that was as fast as possible, what was sent first */
	unsigned trials, failures;
	struct np_find_trial trial;
	/* The least sent, and the most that came, with what was lost: the lower one was found. */
	double sent, came;
	double low, high; /* received */
};

/* The first three are the owner's, the rest begins as zeros. */
struct np_find {
	double most;  /* the highest rate to try; 0: as fast as possible */
	double least; /* the lowest */
	double loss_percent;
	unsigned trials, count;
	unsigned stalls; /* the latest trials, at the rate ->stalled, which they do not count for */
	double stalled;
	struct np_find_rate rate[NP_FIND_RATES];
};

/* Judges a trial, and notes it. */
void np_find_take(struct np_find *find, struct np_find_trial *trial);

/* The rate to ask for in the next trial, 0: as fast as possible; or NP_FIND_OVER. */
#define NP_FIND_OVER (-1.0)
double np_find_next(const struct np_find *find);

/*
 * The rate that was found, or NULL: none, or the search is not over. *@limit: the lowest one above
 * it, which failed and so shows the limit; or NULL.
 */
const struct np_find_rate *np_find_found(const struct np_find *find,
					 const struct np_find_rate **limit);

/* Prints @trial, the last one; makes its record, of @noun "packets" or "messages". */
void np_find_print(FILE *out, const struct np_find *find, const struct np_find_trial *trial,
		   bool in_bytes);
struct np_record *np_find_record(const struct np_find *find, const struct np_find_trial *trial,
				 const char *noun);

/*
 * Prints what was found to @out, and adds it to @summary, each unless NULL. Returns the exit
 * status: 1 after a message if nothing was found, though @interrupted by nobody.
 */
int np_find_conclude(const struct np_find *find, FILE *out, struct np_record *summary,
		     const struct np_log *log, bool in_bytes, bool interrupted);
