// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* histogram: log-linear buckets, 1024 for each doubling, beside exact sums. */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <netperf/histogram.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64

/*
 * Below 2048 a bucket is one value wide; from there each doubling has 1024 buckets of twice the
 * width, so that a bucket's width is under 1/1024 of the values in it.
 */
#define LINEAR_BITS  11
#define LIMIT_BITS   43
#define BUCKETS_EACH (1u << (LINEAR_BITS - 1))
#define BUCKETS	     (BUCKETS_EACH * (LIMIT_BITS - LINEAR_BITS + 2))

typedef unsigned __int128 wide;

struct np_histogram {
	uint64_t count;
	int64_t min;
	int64_t max;
	wide sum; /* of the values up to the limit */
	uint64_t bucket[BUCKETS];
};

static unsigned int bucket_shift(uint64_t value)
{
	const unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);

	return bits > LINEAR_BITS ? bits - LINEAR_BITS : 0;
}

static size_t bucket_of(uint64_t value)
{
	const unsigned int shift = bucket_shift(value);

	return (size_t)shift * BUCKETS_EACH + (size_t)(value >> shift);
}

/* The largest value that counts in bucket @i. */
static int64_t bucket_end(size_t i)
{
	const size_t shift = i < BUCKETS_EACH ? 0 : i / BUCKETS_EACH - 1;
	const uint64_t step = i - shift * BUCKETS_EACH;

	return (int64_t)(((step + 1) << shift) - 1);
}

int np_histogram_create(struct np_histogram **histogram)
{
	const size_t bytes = (sizeof(**histogram) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;

	/* Not malloc: with the clearing the compiler would make a calloc of it, touching nothing.
	 */
	*histogram = aligned_alloc(CACHE_LINE, bytes);
	if (!*histogram)
		return -ENOMEM;
	np_histogram_clear(*histogram);
	return 0;
}

void np_histogram_free(struct np_histogram *histogram)
{
	free(histogram);
}

void np_histogram_clear(struct np_histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min = INT64_MAX;
}

/* Inline, as add is, so that for one alone nothing is multiplied. */
static inline void count_in_bucket(struct np_histogram *histogram, int64_t value, uint64_t times)
{
	const uint64_t counted =
		(uint64_t)(value < NP_HISTOGRAM_LIMIT ? value : NP_HISTOGRAM_LIMIT);

	histogram->count += times;
	histogram->sum += (wide)counted * times;
	histogram->bucket[bucket_of(counted)] += times;
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
	into->count += from->count;
	into->sum += from->sum;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	for (size_t i = 0; i < BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

/* @value, not negative, up to the limit. */
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

	for (size_t i = 0; i < BUCKETS; i++) {
		const int64_t end = bucket_end(i);

		if (from->bucket[i])
			count_in_bucket(into, move(end < from->max ? end : from->max, by),
					from->bucket[i]);
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

int64_t np_histogram_min(const struct np_histogram *histogram)
{
	return histogram->count ? histogram->min : 0;
}

int64_t np_histogram_max(const struct np_histogram *histogram)
{
	return histogram->max;
}

double np_histogram_mean(const struct np_histogram *histogram)
{
	if (!histogram->count)
		return 0.0;
	return (double)((long double)histogram->sum / (long double)histogram->count);
}

/* Which of the sorted values, from 1, is at @percent. */
static uint64_t nearest_rank(uint64_t count, double percent)
{
	/* 99.9 as a double is a little more than 99.9; of 1000 values that is the 999th still. */
	const long double rank =
		(long double)percent / 100 * (long double)count * (1 - (long double)DBL_EPSILON);

	if (!(rank > 1))
		return 1;
	if (rank >= (long double)count)
		return count;
	return (uint64_t)rank + (rank > (long double)(uint64_t)rank);
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

	size_t i = 0;

	for (uint64_t passed = histogram->bucket[0]; passed < rank; passed += histogram->bucket[i])
		i++;

	const int64_t end = bucket_end(i);

	if (end < histogram->min)
		return histogram->min;
	return end < histogram->max ? end : histogram->max;
}

void np_histogram_figures(const struct np_histogram *histogram,
			  struct np_histogram_figures *figures)
{
	*figures = (struct np_histogram_figures){
		.count = histogram->count,
		.min = np_histogram_min(histogram),
		.mean = (int64_t)np_histogram_mean(histogram),
		.p50 = np_histogram_percentile(histogram, 50),
		.p90 = np_histogram_percentile(histogram, 90),
		.p99 = np_histogram_percentile(histogram, 99),
		.p999 = np_histogram_percentile(histogram, 99.9),
		.max = np_histogram_max(histogram),
	};
}
