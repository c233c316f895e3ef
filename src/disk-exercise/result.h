/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* result: what a run measured, independent of how it is printed. */
#ifndef RESULT_H
#define RESULT_H

#include <netperf/netperf.h>

/* Counts that exist for the whole run and for the time since the last report. */
struct tally {
	uint64_t bytes; /* transferred by the operation asked for */
	uint64_t operations;
	uint64_t io_errors;	 /* only in a difference; otherwise see failures */
	uint64_t errors_sectors; /* only in a difference; otherwise see damage */
};

/* Failed I/Os, which no other figure includes. */
struct failures {
	uint64_t count;
	int error; /* of the first one: -errno */
	bool write;
	uint64_t offset_bytes;
	uint64_t given_up_after; /* this many failures in a row ended the run; else 0 */
};

struct result {
	struct tally total;
	struct tally mark;	   /* total at the last report */
	uint64_t verified_bytes;   /* read back and compared */
	uint64_t checked_sectors;  /* warm-up included, as in damage */
	uint64_t short_operations; /* I/Os in which the kernel transferred less than asked; the rest
				      became a new I/O */
	struct np_histogram *latency;  /* submission to completion of the operation */
	struct np_histogram *recent;   /* the same, since the last report */
	struct np_histogram *intended; /* with a rate: since the moment it was due; else NULL */
	struct np_histogram *verify;   /* latency of reading back; NULL except for verified-write */
	struct np_damage damage;
	struct failures failures;
	np_time begin; /* of the first batch that counts; 0: none yet */
	np_time end;   /* the last completion, failures included, or the end of the sync */
	np_time sync_ns;
	int sync_error;
	bool cut; /* the file was made shorter while it was written, which ended the run */
	uint64_t cut_bytes;   /* its size at the end */
	bool replaced;	      /* its path led to another file, or to none, when the run ended */
	np_time worst_behind; /* how far the run fell behind its rate */
	uint64_t passes;
	struct np_usage usage;
	bool interrupted;
	int engine_error; /* -errno of the engine itself */
};

/* Returns 0 or -ENOMEM; result_free in any case. */
int result_create(struct result *result, bool paced, bool verifies);
void result_free(struct result *result);

/* The time over which the rate is computed. */
np_time result_elapsed(const struct result *result);

/*
 * Whether the bytes over that time are a rate. With --rate a single I/O has none, and n I/Os take n
 * intervals.
 */
bool result_rate_known(const struct result *result);

/* The counts since the last report. */
struct tally result_recent(const struct result *result);

/* Starts the next span of result_recent. */
void result_mark(struct result *result);

/* True when no sector that was read carries test data, so that its data errors are no damage. */
bool result_is_no_test_data(const struct result *result);

/* True when the run failed or found damage that counts. */
bool result_bad(const struct result *result, bool damage_counts);

#endif
