/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * search: which rate --find-rate tries next, and which one it found: the throughput of RFC 2544, by
 * what the listeners report of each trial. Pure. Rates are in bytes a second.
 */
#pragma once

#include <netperf/clock.h>
#include <netperf/flow.h>

/* The rate that is found has been tried this often. */
#define SEARCH_REPEATS 3
#define SEARCH_RATES   64

/* Whether a run at one rate passed, or this host sent less than was asked for, or too much was
 * lost. */
enum trial_verdict { TRIAL_PASSED, TRIAL_BEHIND, TRIAL_LOST };

struct trial {
	double asked; /* 0: as fast as possible */
	double sent, received;
	np_time behind;	     /* how far sending fell behind at worst */
	double cpu;	     /* of this process, of one processor */
	double loss_percent; /* set by search_take, as is the next */
	enum trial_verdict verdict;
	struct np_result result;
};

/* A rate that was tried: its trials, the newest of them or the one that failed, and what arrived.
 */
struct search_rate {
	double rate; /* asked for, or if that was as fast as possible, what was sent first */
	unsigned trials;
	struct trial trial;
	double low, high;
};

struct search {
	double most;  /* the highest rate to try; 0: as fast as possible */
	double least; /* the lowest */
	double loss_percent;
	unsigned trials, count;
	struct search_rate rate[SEARCH_RATES];
};

/* Judges a trial, and notes it. */
void search_take(struct search *search, struct trial *trial);

/* The rate to ask for in the next trial, 0: as fast as possible; or SEARCH_OVER. */
#define SEARCH_OVER (-1.0)
double search_next(const struct search *search);

/*
 * The rate that was found, or NULL: none, or the search is not over. *@limit: the lowest one above
 * it, which failed and so shows the limit; or NULL.
 */
const struct search_rate *search_found(const struct search *search,
				       const struct search_rate **limit);
