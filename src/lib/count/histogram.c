// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* histogram: log-linear buckets, 1024 for each doubling, beside exact sums; as a record, too. */
#include "histogram.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <netperf/histogram.h>
#include <netperf/report.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE   64
#define LINEAR_BITS  HISTOGRAM_LINEAR_BITS
#define BUCKETS_EACH HISTOGRAM_ROW
#define BUCKETS	     HISTOGRAM_BUCKETS
/* Of how many buckets one in a record is made: 16 for each doubling, of 64 values at the start. */
#define GROUP (BUCKETS_EACH / 16)

typedef unsigned __int128 wide;

struct np_histogram {
	uint64_t count;
	int64_t min;
	int64_t max;
	wide sum;	  /* of the values up to the limit */
	uint64_t *bucket; /* all of them; NULL: those that have counted are in @packed */
	bool sparse;	  /* as it was made */
	/* Many values in a row are of one bucket: of a sparse one the last, plus 1, and what to
	 * add. */
	size_t last;
	uint64_t pending;
	struct histogram_packed packed;
};

static size_t bucket_of(uint64_t value)
{
	const unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);
	const unsigned int shift = bits > LINEAR_BITS ? bits - LINEAR_BITS : 0;

	return (size_t)shift * BUCKETS_EACH + (size_t)(value >> shift);
}

/* The largest value that bucket @i counts. */
static int64_t bucket_end(size_t i)
{
	const size_t shift = i < BUCKETS_EACH ? 0 : i / BUCKETS_EACH - 1;
	const uint64_t step = i - shift * BUCKETS_EACH;

	return (int64_t)(((step + 1) << shift) - 1);
}

/* All buckets, touched: without the clearing they would be so in the first additions. */
static uint64_t *all_buckets(void)
{
	const size_t bytes = BUCKETS * sizeof(uint64_t);
	/* Not malloc: with the clearing the compiler would make a calloc of it. */
	uint64_t *bucket = aligned_alloc(CACHE_LINE, bytes);

	if (bucket)
		memset(bucket, 0, bytes);
	return bucket;
}

int np_histogram_create_sparse(struct np_histogram **histogram)
{
	*histogram = calloc(1, sizeof(**histogram));
	if (!*histogram)
		return -ENOMEM;
	(*histogram)->sparse = true;
	(*histogram)->min = INT64_MAX;
	return 0;
}

int np_histogram_create(struct np_histogram **histogram)
{
	uint64_t *bucket = all_buckets();
	int rc = bucket ? np_histogram_create_sparse(histogram) : -ENOMEM;

	if (rc) {
		*histogram = NULL;
		free(bucket);
		return rc;
	}
	(*histogram)->sparse = false;
	(*histogram)->bucket = bucket;
	return 0;
}

void np_histogram_free(struct np_histogram *histogram)
{
	if (!histogram)
		return;
	histogram_packed_clear(&histogram->packed);
	free(histogram->bucket);
	free(histogram);
}

void np_histogram_clear(struct np_histogram *histogram)
{
	histogram_packed_clear(&histogram->packed);
	if (histogram->sparse) {
		free(histogram->bucket);
		histogram->bucket = NULL;
	} else {
		memset(histogram->bucket, 0, BUCKETS * sizeof(*histogram->bucket));
	}
	histogram->last = 0;
	histogram->pending = 0;
	histogram->count = 0;
	histogram->sum = 0;
	histogram->max = 0;
	histogram->min = INT64_MAX;
}

/* The first bucket from @from on that has counted, and its count; false: there is none. */
static bool next_bucket(const struct np_histogram *histogram, size_t from, size_t *bucket,
			uint64_t *count)
{
	if (!histogram->bucket) {
		if (!histogram_packed_next(&histogram->packed, from, bucket, count))
			return false;
		*count += *bucket + 1 == histogram->last ? histogram->pending : 0;
		return true;
	}
	for (size_t i = from; i < BUCKETS; i++) {
		if (!histogram->bucket[i])
			continue;
		*bucket = i;
		*count = histogram->bucket[i];
		return true;
	}
	return false;
}

/* From packed ones to all buckets. False: there is no memory. */
static bool unpack(struct np_histogram *histogram)
{
	uint64_t *all = all_buckets();
	uint64_t times;

	if (!all)
		return false;
	for (size_t i = 0; next_bucket(histogram, i, &i, &times); i++)
		all[i] = times;
	histogram_packed_clear(&histogram->packed);
	histogram->last = 0;
	histogram->pending = 0;
	histogram->bucket = all;
	return true;
}

/* Of another bucket than the last one, whose pending ones are laid down before. */
static void count_other(struct np_histogram *histogram, size_t bucket, uint64_t times)
{
	struct histogram_packed *packed = &histogram->packed;
	int rc = 0;

	if (histogram->pending)
		rc = histogram_packed_add(packed, histogram->last - 1, histogram->pending);
	if (!rc) {
		histogram->pending = 0;
		rc = histogram_packed_add(packed, bucket, times);
	}
	if (!rc)
		histogram->last = bucket + 1;
	else if (rc == -EOVERFLOW && unpack(histogram))
		histogram->bucket[bucket] += times;
}

static inline void count(struct np_histogram *histogram, size_t bucket, uint64_t times)
{
	if (bucket + 1 == histogram->last)
		histogram->pending += times;
	else if (histogram->bucket)
		histogram->bucket[bucket] += times;
	else
		count_other(histogram, bucket, times);
}

/* Inline, as add is, so that for one alone nothing is multiplied. */
static inline void count_in_bucket(struct np_histogram *histogram, int64_t value, uint64_t times)
{
	const uint64_t counted =
		(uint64_t)(value < NP_HISTOGRAM_LIMIT ? value : NP_HISTOGRAM_LIMIT);

	histogram->count += times;
	histogram->sum += (wide)counted * times;
	count(histogram, bucket_of(counted), times);
}

static inline void add(struct np_histogram *histogram, int64_t value, uint64_t times)
{
	if (value < 0)
		value = 0;
	if (value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	count_in_bucket(histogram, value, times);
}

void np_histogram_add(struct np_histogram *histogram, int64_t value)
{
	add(histogram, value, 1);
}

void np_histogram_add_times(struct np_histogram *histogram, int64_t value, uint64_t times)
{
	if (times == 1)
		add(histogram, value, 1);
	else if (times)
		add(histogram, value, times);
}

void np_histogram_merge(struct np_histogram *into, const struct np_histogram *from)
{
	uint64_t times;

	into->count += from->count;
	into->sum += from->sum;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	for (size_t i = 0; next_bucket(from, i, &i, &times); i++)
		count(into, i, times);
}

/* Shifts @value, which is not negative, within the limit. */
static int64_t move(int64_t value, int64_t by)
{
	int64_t moved;

	if (__builtin_add_overflow(value, by, &moved))
		return INT64_MAX;
	return moved > 0 ? moved : 0;
}

void np_histogram_merge_moved(struct np_histogram *into, const struct np_histogram *from,
			      int64_t by)
{
	if (!from->count)
		return;

	const int64_t min = move(from->min, by), max = move(from->max, by);
	uint64_t times;

	for (size_t i = 0; next_bucket(from, i, &i, &times); i++) {
		const int64_t end = bucket_end(i);

		count_in_bucket(into, move(end < from->max ? end : from->max, by), times);
	}
	if (min < into->min)
		into->min = min;
	if (max > into->max)
		into->max = max;
}

uint64_t np_histogram_count(const struct np_histogram *histogram)
{
	return histogram->count;
}

int64_t np_histogram_max(const struct np_histogram *histogram)
{
	return histogram->max;
}

/* Exact, with its fraction. */
static double mean_of(const struct np_histogram *histogram)
{
	if (!histogram->count)
		return 0.0;
	return (double)((long double)histogram->sum / (long double)histogram->count);
}

/* The rank of @percent among the sorted values, from 1. */
static uint64_t nearest_rank(uint64_t count, double percent)
{
	/*
	 * 99.9 as a double is a little more than 99.9; but of 1000 values that is still the 999th.
	 */
	const long double rank =
		(long double)percent / 100 * (long double)count * (1 - (long double)DBL_EPSILON);

	if (!(rank > 1))
		return 1;
	if (rank >= (long double)count)
		return count;
	return (uint64_t)rank + (rank > (long double)(uint64_t)rank);
}

/* Where the value of that rank counts; BUCKETS: among those that no memory was left for. */
static size_t bucket_of_rank(const struct np_histogram *histogram, uint64_t rank)
{
	uint64_t passed = 0, times;

	for (size_t i = 0; next_bucket(histogram, i, &i, &times); i++) {
		passed += times;
		if (passed >= rank)
			return i;
	}
	return BUCKETS;
}

int64_t np_histogram_percentile(const struct np_histogram *histogram, double percent)
{
	if (!histogram->count)
		return 0;

	const uint64_t rank = nearest_rank(histogram->count, percent);

	if (rank == 1)
		return histogram->min;
	if (rank == histogram->count)
		return histogram->max;

	const size_t bucket = bucket_of_rank(histogram, rank);

	if (bucket == BUCKETS || bucket_end(bucket) > histogram->max)
		return histogram->max;
	return bucket_end(bucket) > histogram->min ? bucket_end(bucket) : histogram->min;
}

void np_histogram_figures(const struct np_histogram *histogram,
			  struct np_histogram_figures *figures)
{
	*figures = (struct np_histogram_figures){
		.count = histogram->count,
		.min = histogram->count ? histogram->min : 0,
		.mean = (int64_t)mean_of(histogram),
		.p50 = np_histogram_percentile(histogram, 50),
		.p90 = np_histogram_percentile(histogram, 90),
		.p99 = np_histogram_percentile(histogram, 99),
		.p999 = np_histogram_percentile(histogram, 99.9),
		.max = np_histogram_max(histogram),
	};
}

/* @mean: with its fraction, or NULL: as in the figures. */
static struct np_record *add_object(struct np_record *record, const char *name,
				    const struct np_histogram_figures *figures, const double *mean)
{
	struct np_record *object = np_record_object(record, name);

	np_record_time(object, "min", figures->min);
	if (mean)
		np_record_number(object, "mean", *mean);
	else
		np_record_time(object, "mean", figures->mean);
	np_record_time(object, "p50", figures->p50);
	np_record_time(object, "p90", figures->p90);
	np_record_time(object, "p99", figures->p99);
	np_record_time(object, "p999", figures->p999);
	np_record_time(object, "max", figures->max);
	np_record_count(object, "count", figures->count);
	return object;
}

/* The smallest value that bucket @i counts. */
static int64_t bucket_start(size_t i)
{
	const size_t shift = i < BUCKETS_EACH ? 0 : i / BUCKETS_EACH - 1;

	return (int64_t)((i - shift * BUCKETS_EACH) << shift);
}

static void add_bucket(struct np_record *record, size_t group, uint64_t count)
{
	struct np_record *bucket = count ? np_record_append(record, "buckets") : NULL;

	if (!bucket)
		return;
	np_record_time(bucket, "from_ns", bucket_start(group * GROUP));
	np_record_count(bucket, "count", count);
}

static void add_buckets(struct np_record *record, const struct np_histogram *histogram)
{
	uint64_t times, sum = 0;
	size_t group = 0;

	for (size_t i = 0; next_bucket(histogram, i, &i, &times); i++) {
		if (i / GROUP != group) {
			add_bucket(record, group, sum);
			group = i / GROUP;
			sum = 0;
		}
		sum += times;
	}
	add_bucket(record, group, sum);
}

void np_record_histogram(struct np_record *record, const char *name,
			 const struct np_histogram *histogram, bool buckets)
{
	const double mean = mean_of(histogram);
	struct np_histogram_figures figures;

	np_histogram_figures(histogram, &figures);
	if (!figures.count)
		return;

	struct np_record *object = add_object(record, name, &figures, &mean);

	if (buckets)
		add_buckets(object, histogram);
}

void np_record_figures(struct np_record *record, const char *name,
		       const struct np_histogram_figures *figures)
{
	if (figures->count)
		add_object(record, name, figures, NULL);
}
