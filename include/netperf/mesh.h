/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * mesh: what many ranks measure between each other: who sends to whom, the results of each pair,
 * and one report of all: a matrix with sums, a heat map, the slowest and the lossiest pair.
 *
 * Pure, except np_mesh_check, np_mesh_address, np_mesh_end, and what writes to a stream or report.
 */
#pragma once

#include <netperf/drops.h>
#include <netperf/histogram.h>
#include <netperf/launch.h>
#include <netperf/log.h>
#include <netperf/options.h>
#include <netperf/process.h>
#include <netperf/report.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
	NP_FLAG(NP_GROUP_MESH, "mesh", NULL, member.mesh,                                          \
		what ", as ranks that mpirun or srun\nstarts; rank 0 reports",                     \
		.scope = {{NP_OPTION_ANY_MODE, NULL}}),                                            \
		NP_VALUE(NP_GROUP_MESH, NP_OPTION_TEXT, "interface", NULL, "NETIF",                \
			 member.interface,                                                         \
			 "with --mesh: the address of this interface; or, as 10.1.0.0/16, in\n"    \
			 "this network",                                                           \
			 .scope = {{mode, "goes with --mesh"}}),                                   \
		NP_VALUE(NP_GROUP_MESH, NP_OPTION_TIME, "rank-timeout", NULL, "TIME",              \
			 member.limit,                                                             \
			 "with --mesh: seconds to wait for all ranks to start and, after the\n"    \
			 "run, to answer; a rank that does not is left out",                       \
			 .initial = "30", .min = 1, .max = 86400 * UINT64_C(1000000000),           \
			 .scope = {{mode, "goes with --mesh"}})

/* The same with --pattern and --sample, for programs with pairs. */
#define NP_MESH_OPTIONS(member, mode, what)                                                        \
	NP_MESH_BASIC(member, mode, what),                                                         \
		NP_VALUE(NP_GROUP_MESH, NP_OPTION_CHOICE, "pattern", NULL, "PATTERN",              \
			 member.pattern,                                                           \
			 "with --mesh: who sends to whom: mesh (all to all), pairs, incast\n"      \
			 "(all to rank 0), outcast, ring, bisection (half to half)",               \
			 .initial = "mesh", .choices = np_mesh_patterns,                           \
			 .scope = {{mode, "goes with --mesh"}}),                                   \
		NP_VALUE(NP_GROUP_MESH, NP_OPTION_COUNT, "sample", NULL, "PEERS", member.sample,   \
			 "with --mesh: send to this many of the ranks only; 0: all",               \
			 .initial = "0", .max = NP_LAUNCH_RANKS_MAX,                               \
			 .scope = {{mode, "goes with --mesh"}})

/*
 * With --mesh: finds the rank, and leaves JSON on standard output to rank 0. Returns -1, or 2 after
 * a message.
 */
int np_mesh_check(struct np_mesh_options *options, struct np_report_options *report,
		  const struct np_log *log);

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
 * The ranks that @rank sends to, or hears from, in ascending order, into @peers, which has room for
 * @plan->ranks. Returns how many.
 */
size_t np_mesh_targets(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers);
size_t np_mesh_sources(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers);

/*
 * A peer of the ranks that is no rank, such as a storage target. What such pairs are is neither
 * printed as a matrix nor sent to rank 0 by np_mesh_pack.
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

/* Bytes of a pair in a piece of results, and how many fit into one. */
#define NP_MESH_PAIR_BYTES  152
#define NP_MESH_PIECE_PAIRS (NP_LAUNCH_PIECE_MAX / NP_MESH_PAIR_BYTES)

/* Writes @count pairs to @piece; returns the bytes. */
size_t np_mesh_pack(const struct np_mesh_pair *pairs, size_t count, void *piece);

struct np_mesh;

/* What the report calls things; texts are not copied. */
struct np_mesh_words {
	const char *program;   /* what the title begins with; NULL: there is none */
	const char *transport; /* "TCP" */
	uint64_t bytes;	       /* of a packet or message; 0: they differ */
	bool rates_in_bytes;   /* --unit=bytes: MB/s in place of bit/s */
	const char *unit;      /* what is counted: "packets", "messages" */
	const char *delay;     /* "delay" or "rtt"; NULL: the program knows none */
	const char *outside;   /* name of NP_MESH_OUTSIDE; NULL: pairs with it are refused */
};

int np_mesh_create(struct np_mesh **mesh, const struct np_mesh_plan *plan,
		   const struct np_mesh_words *words);
void np_mesh_free(struct np_mesh *mesh);

/* Adds a part of a pair, measured in this process. Returns 0, -EINVAL or -ENOMEM. */
int np_mesh_add(struct np_mesh *mesh, const struct np_mesh_pair *pair);

/*
 * Adds the content of a piece that @rank sent: pairs, or what its host dropped. The bytes need not
 * be trusted: each field is checked, a rank may report only its own part of a pair, and its host's
 * drops only once. Returns 0, -EBADMSG (the pairs before the bad one are added), or -ENOMEM. An
 * np_launch_take, whose context is the struct np_mesh.
 */
int np_mesh_take(void *mesh, uint32_t rank, const void *piece, size_t bytes);

/*
 * Adds what @rank's host dropped of the packets of its pairs, by reasons, or, if the counts are
 * unknown, why. A rank for which this is not called is not mentioned. Returns 0, -EINVAL
 * (twice for one rank) or -ENOMEM.
 */
int np_mesh_add_dropped(struct np_mesh *mesh, uint32_t rank, const struct np_drops_counts *counts);

/* The same as a piece for np_mesh_take, of at most this many bytes; returns the bytes. */
#define NP_MESH_DROPPED_BYTES 3152
size_t np_mesh_pack_dropped(const struct np_drops_counts *counts, void *piece);

/* Whether a piece that a rank sent is one of these, and not of pairs. */
bool np_mesh_is_dropped(const void *piece, size_t bytes);

/* What was added of @rank; false: nothing. Its texts are owned by @mesh. */
bool np_mesh_dropped(const struct np_mesh *mesh, uint32_t rank, struct np_drops_counts *counts);

/*
 * Puts the two parts of each pair together: @lost becomes sent less received (0, and not exact, if
 * more was received than sent). Sorts the pairs by @from and @to, and adds, without parts, those of
 * the plan that no rank reported. Call it when all is added; idempotent. A part that was added
 * twice counts once. Returns 0 or -ENOMEM.
 */
int np_mesh_settle(struct np_mesh *mesh);

/* Bytes a second; 0: unknown, or nothing came. */
double np_mesh_rate(const struct np_mesh_pair *pair);

/* Percent lost of what was sent; a negative number: unknown. */
double np_mesh_loss(const struct np_mesh_pair *pair);

/*
 * The sums of a set of pairs: of those of which both sides are known. What is known of the others
 * is apart.
 */
struct np_mesh_sum {
	uint64_t pairs;	  /* of the plan; each is at most one of the next three */
	uint64_t unknown; /* not both sides are known; of these: */
	uint64_t unknown_sent, unknown_received;
	uint64_t silent;  /* np_mesh_silent */
	uint64_t unrated; /* something was received, at an unknown rate */
	uint64_t sent, received, lost, duplicates, bytes;
	np_time first, last;	       /* of the first and the last arrival, since all began */
	double pair_rates_bytes_per_s; /* the sum of the pairs' rates */
	bool exact;		       /* of every pair all counts are known and exact */
	struct np_drops_total dropped_from, dropped_to; /* known if they are of every pair */
};

/* Of all pairs. */
struct np_mesh_sum np_mesh_total(const struct np_mesh *mesh);

/* Whether the sender of a pair reports that nothing was sent. */
bool np_mesh_silent(const struct np_mesh_pair *pair);

/*
 * The pair with the lowest rate, which is 0 if nothing of what was sent arrived; the one with the
 * highest loss in percent. NULL: none is known.
 */
const struct np_mesh_pair *np_mesh_slowest(const struct np_mesh *mesh);
const struct np_mesh_pair *np_mesh_lossiest(const struct np_mesh *mesh);

/* Whether the slowest pair has less than nine tenths of the mean of the rates; less is noise. */
bool np_mesh_is_slow(const struct np_mesh *mesh, const struct np_mesh_pair *slowest);

/*
 * Jain's index of the ranks' sending rates, without ranks that have nothing to send or of which
 * nothing is known: 1: all equal, 1/n: one has all. A negative number: no rate is known.
 */
double np_mesh_fairness(const struct np_mesh *mesh);

/*
 * Prints the report: matrices of rate, loss and delay, each with sums, the slowest and the lossiest
 * pair, the heat map. No line is longer than @columns (0: those of @out's terminal, or 100): if
 * there are too many ranks for that, they are grouped. @launch names hosts and missing ranks; NULL:
 * neither is known.
 */
void np_mesh_print(const struct np_mesh *mesh, const struct np_launch *launch, unsigned columns,
		   FILE *out);

/*
 * Prints the part of that report on what the ranks' hosts dropped: nothing if none dropped
 * anything; and if packets were lost, of how many hosts the drops are unknown, and why.
 */
void np_mesh_print_dropped(const struct np_mesh *mesh, const struct np_launch *launch, FILE *out);

/* Adds the object "mesh" (pattern, sums, slowest, lossiest, fairness) to the summary's @record. */
void np_mesh_record(const struct np_mesh *mesh, const struct np_launch *launch,
		    struct np_record *record);

/* How a program ends its part of a mesh. */
struct np_mesh_ending {
	FILE *text;		 /* for np_mesh_print; NULL: none */
	double max_loss_percent; /* more lost of all pairs together is a failure */
	bool each_pair;		 /* the limit is that of each pair instead */
	bool lossless;		 /* the transport loses nothing: each loss is a failure */
	bool interrupted;	 /* a signal ended the run */
	const struct np_log *log;
	struct np_report *report;     /* for the records of rank 0; NULL: none */
	struct np_record *start;      /* the first of them; np_mesh_end frees it; NULL: none */
	const struct np_usage *usage; /* when the run began */
};

/*
 * Gathers the results until @deadline. Then rank 0 reports on all: text, records and, on the
 * log, missing ranks, and pairs that sent nothing or whose results are incomplete; the other ranks
 * report nothing. If rank 0 is gone (@connected is false, or it turns out here), each rank prints
 * its own results as text. Returns the exit status: 0, or 1 if something was logged or rank 0 is
 * gone, or for a loss above the limit.
 */
int np_mesh_end(struct np_mesh *mesh, struct np_launch *launch, bool connected, np_time deadline,
		const struct np_mesh_ending *how);
