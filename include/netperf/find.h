/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * find: which rate --find-rate tries next, and which one it found: the throughput of RFC 2544, by
 * what the other end reports of each trial; how that is printed and recorded. Rates are in bytes a
 * second. np_find_take, np_find_next and np_find_found are pure.
 */
#pragma once

#include <netperf/clock.h>
#include <netperf/flow.h>
#include <netperf/log.h>
#include <netperf/report.h>
#include <stdbool.h>
#include <stdio.h>

/* The rate that is found has been tried this often. */
#define NP_FIND_REPEATS 3
#define NP_FIND_RATES	64
/* A trial with fewer packets says little about loss. */
#define NP_FIND_PACKETS 100
/* How long a trial takes unless told. */
#define NP_FIND_TRIAL (2 * NP_SECOND)

/*
 * Whether a run at one rate passed, or this host sent less than was asked for, or too much was
 * lost; stalled: lost after this host had fallen behind, whose burst then may have been what no
 * queue of the path had room for: that is no answer, and the rate is tried again.
 */
enum np_find_verdict { NP_FIND_PASSED, NP_FIND_BEHIND, NP_FIND_LOST, NP_FIND_STALLED };
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

/* A rate that was tried: its trials, the newest of them or the one that failed, and what arrived.
 */
struct np_find_rate {
	double rate; /* asked for, or if that was as fast as possible, what was sent first */
	unsigned trials;
	struct np_find_trial trial;
	double low, high;
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
