/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * mesh: what many ranks measure between each other: who sends to whom, the results of each pair,
 * and one report of all: a matrix with sums, the slowest and the lossiest pair.
 *
 * Pure, except np_mesh_check, np_mesh_address, and what writes to a stream or record.
 */
#pragma once

#include <netperf/drops.h>
#include <netperf/histogram.h>
#include <netperf/process.h>
#include <netperf/report.h>

/* The most ranks of a run. */
#define NP_MESH_RANKS_MAX 65536

/* The user's options; the rows below fill it. */
struct np_mesh_options {
	bool mesh;
	unsigned pattern; /* enum np_mesh_pattern */
	uint64_t sample;  /* 0: all */
	const char *interface;
	np_time limit; /* for ranks to start, and to answer after the run */
	uint32_t rank; /* set by np_mesh_check; only rank 0 writes results */
};

/*
 * --mesh, --interface, --rank-timeout. @member: the np_mesh_options, @mode: the program's mode with
 * --mesh, @what: a literal that says what the ranks do.
 */
#define NP_MESH_BASIC(member, mode, what)                                                          \
	NP_FLAG(MESH, "mesh", NULL, member.mesh,                                                   \
		what ", as ranks that mpirun or srun\nstarts; rank 0 reports",                     \
		.scope = {{NP_OPTION_ANY_MODE, NULL}}),                                            \
		NP_VALUE(MESH, TEXT, "interface", NULL, "NETIF", member.interface,                 \
			 "with --mesh: the address of this interface; or, as 10.1.0.0/16, in\n"    \
			 "this network",                                                           \
			 .scope = {{mode, "goes with --mesh"}}),                                   \
		NP_VALUE(MESH, TIME, "rank-timeout", NULL, "TIME", member.limit,                   \
			 "with --mesh: seconds to wait for all ranks to start and, after the\n"    \
			 "run, to answer; a rank that does not is left out",                       \
			 .initial = "30", .min = 1, .max = 86400 * UINT64_C(1000000000),           \
			 .scope = {{mode, "goes with --mesh"}})

/* How long a rank sends unless told; what the others wait for must have a limit. */
#define NP_MESH_DURATION (10 * NP_SECOND)

/* The same with --pattern and --sample, for programs with pairs. */
#define NP_MESH_OPTIONS(member, mode, what)                                                        \
	NP_MESH_BASIC(member, mode, what),                                                         \
		NP_VALUE(MESH, CHOICE, "pattern", NULL, "PATTERN", member.pattern,                 \
			 "with --mesh: who sends to whom: mesh (all to all), pairs, incast\n"      \
			 "(all to rank 0), outcast, ring, bisection (half to half)",               \
			 .initial = "mesh", .choices = np_mesh_patterns,                           \
			 .scope = {{mode, "goes with --mesh"}}),                                   \
		NP_VALUE(MESH, COUNT, "sample", NULL, "PEERS", member.sample,                      \
			 "with --mesh: send to this many of the ranks only; 0: all",               \
			 .initial = "0", .max = NP_MESH_RANKS_MAX,                                 \
			 .scope = {{mode, "goes with --mesh"}})

/*
 * The last check of --mesh: refuses the first of @others that was @given, or a --log or --csv that
 * each rank would write; finds the rank, and leaves JSON on standard output to rank 0. Returns -1,
 * or 2 after a message.
 */
int np_mesh_check(struct np_mesh_options *options, struct np_report_options *report,
		  const struct np_options_result *given, const struct np_option_clash *others);

/*
 * Chooses this rank's own address, at port 0: by --interface, or np_address_of_this_host; of
 * @family, AF_UNSPEC for any. Says which one if there are several, in rank 0 as information, else
 * as detail. Returns 0, or 2 after a message.
 */
int np_mesh_address(const struct np_mesh_options *options, int family, struct np_address *address,
		    const struct np_log *log);

enum np_mesh_pattern {
	NP_MESH_ALL,	   /* each rank to each other one */
	NP_MESH_PAIRS,	   /* 0 and 1, 2 and 3 ..., both ways; an odd last one idles */
	NP_MESH_INCAST,	   /* all to rank 0 */
	NP_MESH_OUTCAST,   /* rank 0 to all */
	NP_MESH_RING,	   /* each to the next one, the last to rank 0 */
	NP_MESH_BISECTION, /* r and r + n/2, both ways; an odd last one idles */
};

/* Their names, in this order; NULL-terminated. */
extern const char *const np_mesh_patterns[];

struct np_mesh_plan {
	enum np_mesh_pattern pattern;
	uint32_t ranks;
	/*
	 * The most peers that a rank sends to, evenly spread, and hears from (NP_MESH_ALL without
	 * @senders, NP_MESH_INCAST, NP_MESH_OUTCAST). 0: all.
	 */
	uint64_t sample;
	uint32_t senders; /* NP_MESH_ALL: only ranks below this one send, to all others; 0: all */
};

/*
 * A peer of the ranks that is no rank, such as a storage target. What such pairs are is neither
 * printed as a matrix nor sent to rank 0.
 */
#define NP_MESH_OUTSIDE UINT32_MAX

struct np_flow_counts;

/* Whose figures a pair has. */
enum {
	NP_MESH_FROM = 1, /* the sender's: @sent, @unsent, @dropped_from */
	NP_MESH_TO = 2,	  /* the receiver's: the others */
	/*
	 * With NP_MESH_TO: the receiver stopped counting before the end, so that later packets may
	 * have arrived uncounted: @lost is what it missed until then, and @exact is false.
	 */
	NP_MESH_CUT = 4,
};

/*
 * What is known of the path from one rank to another. Sender and receiver each report their part;
 * the mesh puts them together.
 */
struct np_mesh_pair {
	uint32_t from, to;
	unsigned parts;	   /* NP_MESH_ bits */
	bool exact;	   /* the receiver's counts are right to the packet */
	uint64_t sent;	   /* handed to the network, packets */
	uint64_t unsent;   /* given up after errors */
	uint64_t received; /* distinct packets */
	uint64_t lost;	   /* once settled: sent - received, if both parts are known */
	uint64_t duplicates;
	uint64_t reordered;
	uint64_t bytes;	     /* received */
	np_time elapsed;     /* in which @bytes arrived; 0: unknown: there is no rate */
	np_time first, last; /* arrivals, since all began together; equal: unknown */
	/* One way; or, if the program says so, round trip: p50, p99, max and count. */
	struct np_histogram_figures delay;
	np_time delay_bound; /* how wrong they may be */
	/* Of those sent, what the sender's host dropped, and the receiver's. */
	struct np_drops_total dropped_from, dropped_to;
};

/*
 * Sets the counts, bytes and times of @pair, the receiver's part, from its flow. @begun: when this
 * rank began, together with the others.
 */
void np_mesh_take_flow(struct np_mesh_pair *pair, const struct np_flow_counts *counts,
		       np_time begun);

/* The most ports at which a rank hears others. */
#define NP_MESH_PORTS_MAX 256

struct np_mesh;

/* What the report calls things; texts are not copied. */
struct np_mesh_words {
	const char *program;   /* what the title begins with; set by np_meet_run */
	const char *transport; /* "TCP" */
	uint64_t bytes;	       /* of a packet or message; 0: they differ */
	bool rates_in_bytes;   /* --unit=bytes: MB/s in place of bit/s */
	const char *unit;      /* what is counted: "packets", "messages" */
	const char *delay;     /* "delay" or "rtt"; NULL: the program knows none */
	const char *outside;   /* name of NP_MESH_OUTSIDE; NULL: pairs with it are refused */
};

/* Adds a part of a pair, measured in this process. Returns 0, -EINVAL or -ENOMEM. */
int np_mesh_add(struct np_mesh *mesh, const struct np_mesh_pair *pair);

/*
 * Adds what @rank's host dropped of the packets of its pairs, by reasons, or, if the counts are
 * unknown, why. A rank for which this is not called is not mentioned. Returns 0, -EINVAL
 * (twice for one rank) or -ENOMEM.
 */
int np_mesh_add_dropped(struct np_mesh *mesh, uint32_t rank, const struct np_drops_counts *counts);

/* What was added of @rank; NULL: nothing. Owned by @mesh. */
const struct np_drops_counts *np_mesh_dropped(const struct np_mesh *mesh, uint32_t rank);

/* Percent lost of what was sent; a negative number: unknown. */
double np_mesh_loss(const struct np_mesh_pair *pair);

/*
 * The pair with the highest loss in percent; NULL: none is known. Jain's index of the ranks'
 * sending rates, without ranks that have nothing to send or of which nothing is known: 1: all
 * equal, 1/n: one has all, a negative number: no rate is known. Both once all is added.
 */
const struct np_mesh_pair *np_mesh_lossiest(const struct np_mesh *mesh);
double np_mesh_fairness(const struct np_mesh *mesh);

/*
 * Prints what the ranks' hosts dropped: nothing if none dropped anything; and if packets were lost,
 * of how many hosts the drops are unknown, and why.
 */
void np_mesh_print_dropped(const struct np_mesh *mesh, FILE *out);

/* Adds the object "mesh" (pattern, sums, slowest, lossiest, fairness) to the summary's @record. */
void np_mesh_record(const struct np_mesh *mesh, struct np_record *record);
