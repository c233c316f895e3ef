// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * histogram: log-linear buckets, 1024 for each doubling, beside exact sums; as a record, too. Of
 * delays the buckets count from a base near the smallest one; keeps the exchange that bounds the
 * other clock's offset best.
 */
#include <errno.h>
#include <float.h>
#include <netperf/flow.h>
#include <netperf/histogram.h>
#include <netperf/report.h>
#include <stdlib.h>
#include <string.h>

/*
 * Below 2048 a bucket is one value wide; from there each doubling has 1024 buckets of twice the
 * width, so that a bucket's width is under 1/1024 of the values in it.
 */
#define LINEAR_BITS 11
#define LIMIT_BITS  43
#define ROW	    (1u << (LINEAR_BITS - 1))
#define BUCKETS	    ((size_t)ROW * (LIMIT_BITS - LINEAR_BITS + 2))
#define BLOCK	    128 /* buckets that are allocated together */
#define BLOCKS	    (BUCKETS / BLOCK)
#define BLOCK_BYTES (BLOCK * sizeof(uint64_t))
/* Of how many buckets one in a record is made: 16 for each doubling, of 64 values at the start. */
#define GROUP (ROW / 16)

/* How far delays may fall below the first one, when the clocks' offset is unknown. */
#define MARGIN (10 * NP_MILLISECOND)

struct np_histogram {
	uint64_t count;
	int64_t min, max; /* INT64_MAX and INT64_MIN when empty */
	__int128 sum;
	int64_t base; /* the buckets count value - base: small numbers are resolved finely */
	bool based;   /* the base is settled */
	uint64_t *block[BLOCKS]; /* NULL: none of its buckets has counted */
};

static int64_t minus(int64_t a, int64_t b)
{
	return np_delay_between(b, a);
}

static size_t bucket_of(const struct np_histogram *histogram, int64_t value)
{
	const int64_t above = minus(value, histogram->base);
	const uint64_t least = above > 0 ? (uint64_t)above : 0;
	const uint64_t counted = least < NP_HISTOGRAM_LIMIT ? least : NP_HISTOGRAM_LIMIT;
	const unsigned int bits = 64 - (unsigned int)__builtin_clzll(counted | 1);
	const unsigned int shift = bits > LINEAR_BITS ? bits - LINEAR_BITS : 0;

	return (size_t)shift * ROW + (size_t)(counted >> shift);
}

/* The smallest value that bucket @i counts, less the base. */
static int64_t bucket_start(size_t i)
{
	const size_t shift = i < ROW ? 0 : i / ROW - 1;

	return (int64_t)((i - shift * ROW) << shift);
}

/* The largest one that it may have counted. */
static int64_t bucket_end(const struct np_histogram *histogram, size_t i)
{
	int64_t end;

	if (__builtin_add_overflow(bucket_start(i + 1) - 1, histogram->base, &end) ||
	    end > histogram->max)
		return histogram->max;
	return end;
}

static void free_blocks(struct np_histogram *histogram)
{
	for (size_t i = 0; i < BLOCKS; i++)
		free(histogram->block[i]);
}

int np_histogram_create(struct np_histogram **histogram)
{
	*histogram = calloc(1, sizeof(**histogram));
	if (!*histogram)
		return -ENOMEM;
	np_histogram_clear(*histogram);
	return 0;
}

void np_histogram_free(struct np_histogram *histogram)
{
	if (!histogram)
		return;
	free_blocks(histogram);
	free(histogram);
}

void np_histogram_clear(struct np_histogram *histogram)
{
	for (size_t i = 0; i < BLOCKS; i++) {
		if (histogram->block[i])
			memset(histogram->block[i], 0, BLOCK_BYTES);
	}
	histogram->count = 0;
	histogram->sum = 0;
	histogram->min = INT64_MAX;
	histogram->max = INT64_MIN;
	histogram->base = 0;
	histogram->based = false;
}

/* The first bucket from @from on that has counted; BUCKETS: there is none. */
static size_t next_bucket(const struct np_histogram *histogram, size_t from)
{
	while (from < BUCKETS) {
		const uint64_t *block = histogram->block[from / BLOCK];

		if (!block)
			from = (from / BLOCK + 1) * BLOCK;
		else if (block[from % BLOCK])
			return from;
		else
			from++;
	}
	return BUCKETS;
}

static uint64_t counted(const struct np_histogram *histogram, size_t bucket)
{
	return histogram->block[bucket / BLOCK][bucket % BLOCK];
}

/* Without memory it is missing in the percentiles. */
static inline void count(struct np_histogram *histogram, size_t bucket, uint64_t times)
{
	uint64_t **block = &histogram->block[bucket / BLOCK];

	if (!*block) {
		/* Not malloc: with the clearing the compiler would make a calloc of it. */
		*block = aligned_alloc(NP_CACHE_LINE, BLOCK_BYTES);
		if (!*block)
			return;
		memset(*block, 0, BLOCK_BYTES);
	}
	(*block)[bucket % BLOCK] += times;
}

/* @summed: what it is in the sum. Inline, so that for one alone nothing is multiplied. */
static inline void add(struct np_histogram *histogram, int64_t value, int64_t summed,
		       uint64_t times)
{
	if (value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count += times;
	histogram->sum += (__int128)summed * (__int128)times;
	count(histogram, bucket_of(histogram, value), times);
}

void np_histogram_add(struct np_histogram *histogram, int64_t value)
{
	if (value < 0)
		value = 0;
	add(histogram, value, value < NP_HISTOGRAM_LIMIT ? value : NP_HISTOGRAM_LIMIT, 1);
}

void np_delay_expect(struct np_histogram *delay, const struct np_offset *clock)
{
	const np_time bound = clock->bound;

	if (delay->count || !clock->known)
		return;
	delay->based = true;
	delay->base = clock->offset;
	/* An estimate is wrong by at most its bound; twice that allows for the clocks' drift. */
	if (bound)
		delay->base = minus(minus(minus(delay->base, bound), bound), NP_MICROSECOND);
}

void np_delay_add(struct np_histogram *delay, int64_t delay_ns, uint64_t times)
{
	if (!delay->based) {
		delay->based = true;
		delay->base = minus(delay_ns, MARGIN);
	}
	add(delay, delay_ns, delay_ns, times);
}

/* Counts in the buckets what @from has in its own, which may have another base. */
static void count_buckets(struct np_histogram *into, const struct np_histogram *from)
{
	for (size_t i = next_bucket(from, 0); i < BUCKETS; i = next_bucket(from, i + 1))
		count(into, bucket_of(into, bucket_end(from, i)), counted(from, i));
}

void np_histogram_merge(struct np_histogram *into, const struct np_histogram *from)
{
	if (!from->count)
		return;
	if (!into->count) {
		into->based = from->based;
		into->base = from->base;
	} else if (from->base < into->base) {
		/* Counts from the lower base from now on. */
		struct np_histogram old = *into;

		memset(into->block, 0, sizeof(into->block));
		into->base = from->base;
		count_buckets(into, &old);
		free_blocks(&old);
	}
	count_buckets(into, from);
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
}

int64_t np_histogram_percentile(const struct np_histogram *histogram, double percent)
{
	/*
	 * The nearest rank among the sorted values, from 1. 99.9 as a double is a little more than
	 * 99.9; but of 1000 values that is still the 999th.
	 */
	const long double all = (long double)histogram->count;
	const long double rank = (long double)percent / 100 * all * (1 - (long double)DBL_EPSILON);
	uint64_t passed = 0;

	if (!histogram->count)
		return 0;
	if (!(rank > 1))
		return histogram->min;
	if (rank > all - 1)
		return histogram->max;
	for (size_t i = next_bucket(histogram, 0); i < BUCKETS; i = next_bucket(histogram, i + 1)) {
		const int64_t end = bucket_end(histogram, i);

		passed += counted(histogram, i);
		if ((long double)passed >= rank)
			return end > histogram->min ? end : histogram->min;
	}
	/* Among those that no memory was left for. */
	return histogram->max;
}

void np_histogram_figures(const struct np_histogram *histogram,
			  struct np_histogram_figures *figures)
{
	*figures = (struct np_histogram_figures){.count = histogram ? histogram->count : 0};
	if (!figures->count)
		return;
	figures->min = histogram->min;
	figures->mean = (int64_t)(histogram->sum / (__int128)histogram->count);
	figures->p50 = np_histogram_percentile(histogram, 50);
	figures->p90 = np_histogram_percentile(histogram, 90);
	figures->p99 = np_histogram_percentile(histogram, 99);
	figures->p999 = np_histogram_percentile(histogram, 99.9);
	figures->max = histogram->max;
}

#define FIGURE(member)                                                                             \
	{                                                                                          \
		.name = #member, .offset = offsetof(struct np_histogram_figures, member),          \
		.kind = NP_COLUMN_SUM, .unit = ""                                                  \
	}

static const struct np_column columns[] = {
	FIGURE(min),  FIGURE(mean), FIGURE(p50),   FIGURE(p90),	   FIGURE(p99),
	FIGURE(p999), FIGURE(max),  FIGURE(count), {.name = NULL},
};

void np_record_histogram(struct np_record *record, const char *name,
			 const struct np_histogram *histogram, bool buckets)
{
	size_t i = buckets ? next_bucket(histogram, 0) : BUCKETS;
	struct np_histogram_figures figures;
	struct np_record *object, *bucket;
	double mean;

	np_histogram_figures(histogram, &figures);
	if (!figures.count)
		return;
	mean = (double)((long double)histogram->sum / (long double)histogram->count);
	object = np_record_object(record, name);
	np_schema_record(object, columns, 0, &figures, "");
	/* With its fraction, in the place of the truncated one. */
	np_record_number(object, "mean", mean);
	while (i < BUCKETS) {
		const size_t group = i / GROUP;
		uint64_t sum = 0;

		for (; i / GROUP == group; i = next_bucket(histogram, i + 1))
			sum += counted(histogram, i);
		bucket = np_record_append(object, "buckets");
		np_record_time(bucket, "from_ns", bucket_start(group * GROUP));
		np_record_count(bucket, "count", sum);
	}
}

void np_record_figures(struct np_record *record, const char *name,
		       const struct np_histogram_figures *figures)
{
	if (figures->count)
		np_schema_record(np_record_object(record, name), columns, 0, figures, "");
}

bool np_delay_correct(const struct np_histogram_figures *raw, const struct np_offset *clock,
		      struct np_histogram_figures *corrected)
{
	if (!raw->count || !clock->known)
		return false;
	*corrected = *raw;
	for (const struct np_column *c = columns; c->offset != offsetof(typeof(*raw), count); c++) {
		int64_t *value = (int64_t *)((char *)corrected + c->offset);

		*value = minus(*value, clock->offset);
	}
	return true;
}

#define DRIFT	   10000 /* one part in this many: 100 ppm, the worst of two crystals */
#define MOMENT_MAX (INT64_C(1) << 62)

/* The values may be anything; for two true times the difference is exact. */
static np_time apart(np_time a, np_time b)
{
	return (np_time)((uint64_t)a - (uint64_t)b);
}

np_time np_offset_bound(const struct np_offset *offset, np_time now)
{
	uint64_t since = now > offset->at ? (uint64_t)now - (uint64_t)offset->at : 0;

	return offset->bound + (np_time)(since / DRIFT);
}

bool np_offset_add(struct np_offset *offset, np_time t1, np_time t2, np_time t3, np_time t4)
{
	np_time away = apart(t4, t1), there = apart(t3, t2), under_way, bound;

	if (away < 0 || away > NP_OFFSET_EXCHANGE_MAX || there < 0 || there > away)
		return false;
	under_way = away - there;
	bound = (under_way + 1) / 2 + away / DRIFT;
	if (offset->known && bound > np_offset_bound(offset, t4))
		return false;
	/*
	 * t2 - t1 and t3 - t4 differ by the travel time: half the sum is the offset if both ways
	 * are equal.
	 */
	*offset = (struct np_offset){
		.known = true,
		.offset = apart(apart(t2, t1), under_way / 2),
		.bound = bound,
		.at = t4,
	};
	return true;
}

np_time np_offset_correct(const struct np_offset *offset, np_time theirs)
{
	np_time ours;

	if (__builtin_sub_overflow(theirs, offset->offset, &ours))
		return theirs < 0 ? -MOMENT_MAX : MOMENT_MAX;
	if (ours > MOMENT_MAX)
		return MOMENT_MAX;
	return ours < -MOMENT_MAX ? -MOMENT_MAX : ours;
}
