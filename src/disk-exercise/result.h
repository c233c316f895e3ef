/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* result: what a run measured; nothing in it depends on how it will be printed. */
#ifndef RESULT_H
#define RESULT_H

#include <netperf/netperf.h>

/* What is told both of the whole run and since the last report. */
struct tally {
	uint64_t bytes; /* done, of the operation asked for */
	uint64_t operations;
	uint64_t io_errors;	 /* in a difference; else see failures */
	uint64_t errors_sectors; /* in a difference; else see damage */
};

/* A failed I/O is in none of the other figures. */
struct failures {
	uint64_t count;
	int error; /* of the first: -errno */
	bool write;
	uint64_t offset_bytes;
	uint64_t given_up_after; /* failed in a row, when that ended the run; else 0 */
};

struct result {
	struct tally total;
	struct tally mark;	       /* total at the last report */
	uint64_t verified_bytes;       /* read back and compared */
	uint64_t checked_sectors;      /* warm-up included, as in damage */
	uint64_t short_operations;     /* the kernel did less than asked; continued behind */
	struct np_histogram *latency;  /* submission to completion of the operation */
	struct np_histogram *recent;   /* the same, since the last report */
	struct np_histogram *intended; /* with a rate: from the moment it was due; else NULL */
	struct np_histogram *verify;   /* of reading back; NULL but for verified-write */
	struct np_damage damage;
	struct failures failures;
	np_time begin; /* first submission that counts; 0: none yet */
	np_time end;   /* last completion, of the sync if there is one */
	np_time sync_ns;
	int sync_error;
	bool cut;	    /* the file became shorter while it was written, which ended the run */
	uint64_t cut_bytes; /* its size at the end */
	int cut_error;	    /* -errno: why that may be more than it was cut to */
	np_time worst_behind; /* the rate */
	uint64_t passes;
	struct np_usage usage;
	bool interrupted;
	int engine_error; /* the engine itself failed: -errno */
};

/* Returns 0 or -ENOMEM; free in any case. */
int result_create(struct result *result, bool paced, bool verifies);
void result_free(struct result *result);

/* The time that the rate is over. */
np_time result_elapsed(const struct result *result);

/*
 * Whether what was done over that time is a rate. At a rate of its own one I/O has none; n take n
 * intervals.
 */
bool result_rate_known(const struct result *result);

/* What was counted since the last report. */
struct tally result_recent(const struct result *result);

/* Begins the next span of result_recent. */
void result_turn(struct result *result);

/* True when nothing that was read carries test data, so that its data errors are no damage. */
bool result_is_no_test_data(const struct result *result);

/* True when the run failed or found damage that counts. */
bool result_bad(const struct result *result, bool damage_counts);

#endif
