/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * histogram: log-linear counts of non-negative values, any value told back within one part in
 * a thousand, in fixed memory (about 280 KiB) or in as little as they need. Values are ns in these
 * programs, but need not be.
 *
 * One thread at a time for each histogram; merge after join.
 */
#ifndef NETPERF_HISTOGRAM_H
#define NETPERF_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

struct np_histogram;

/* Larger values count as this one (2^43 - 1: 2.4 hours in ns). */
#define NP_HISTOGRAM_LIMIT ((INT64_C(1) << 43) - 1)

/* Returns 0 or -ENOMEM. Touches the memory here, not in the first additions. */
int np_histogram_create(struct np_histogram **histogram);

/*
 * One that begins with 250 bytes and grows with the values that differ: by 1 to 4 bytes for each
 * bucket that counts, and by 16 for each 64 of these that lie together. Where that would be more
 * than 128 KiB, or more than 2^32 - 1 values are in one bucket, it takes its 280 KiB. All figures
 * are the same to the bit. A value that finds no memory is missing in the percentiles alone, which
 * are too high then, or right. Returns 0 or -ENOMEM.
 */
int np_histogram_create_sparse(struct np_histogram **histogram);

/* NULL is allowed. */
void np_histogram_free(struct np_histogram *histogram);

/* Resets it. */
void np_histogram_clear(struct np_histogram *histogram);

/* Counts @value once; a negative one as 0. A handful of instructions, of a sparse one some more. */
void np_histogram_add(struct np_histogram *histogram, int64_t value);

/* Counts @value @times at once. */
void np_histogram_add_times(struct np_histogram *histogram, int64_t value, uint64_t times);

/* Adds all counts of @from to @into. */
void np_histogram_merge(struct np_histogram *into, const struct np_histogram *from);

/*
 * The same with each value of @from shifted by @by, and those below 0 set to 0: for values that
 * were counted from another origin. Shifted values are accurate to one part in a thousand of their
 * old value, and so are the mean and the deviation.
 */
void np_histogram_merge_moved(struct np_histogram *into, const struct np_histogram *from,
			      int64_t by);

uint64_t np_histogram_count(const struct np_histogram *histogram);

/* The exact minimum and maximum; 0 when empty. */
int64_t np_histogram_min(const struct np_histogram *histogram);
int64_t np_histogram_max(const struct np_histogram *histogram);

/* The exact mean, with values above NP_HISTOGRAM_LIMIT counted as that; 0 when empty. */
double np_histogram_mean(const struct np_histogram *histogram);

/*
 * The smallest value v such that at least @percent of all values are <= v (nearest rank), to three
 * digits, within the exact minimum and maximum. @percent is 0..100. 0 when empty.
 */
int64_t np_histogram_percentile(const struct np_histogram *histogram, double percent);

/* The figures of a histogram that are reported and sent. @count 0: all others are invalid. */
struct np_histogram_figures {
	uint64_t count;
	int64_t min, mean, p50, p90, p99, p999, max;
};

/* All 0 when it is empty; the mean is truncated. */
void np_histogram_figures(const struct np_histogram *histogram,
			  struct np_histogram_figures *figures);

struct np_record;

/*
 * Adds the object @name {min, mean, p50, p90, p99, p999, max, count}; nothing when empty. With
 * @buckets also these: objects {from_ns, count}, of which each counts the values up to the next,
 * 16 for each doubling, or 64 ns wide at the start.
 */
void np_record_histogram(struct np_record *record, const char *name,
			 const struct np_histogram *histogram, bool buckets);

/* The same, from figures. */
void np_record_figures(struct np_record *record, const char *name,
		       const struct np_histogram_figures *figures);

#include <netperf/bits/end.h>
#endif
