// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of histogram, against sorted arrays, at the edges, and merged. */
#include "support/unit.h"

#include <netperf/histogram.h>

#define VALUES 20011
#define LIMIT  NP_HISTOGRAM_LIMIT

static struct np_histogram *create(void)
{
	struct np_histogram *histogram;

	assert_int_equal(np_histogram_create(&histogram), 0);
	return histogram;
}

static struct np_histogram_figures figures_of(const struct np_histogram *histogram)
{
	struct np_histogram_figures f;

	np_histogram_figures(histogram, &f);
	assert_true(f.max == np_histogram_percentile(histogram, 100));
	return f;
}

static void add_times(struct np_histogram *histogram, int64_t value, uint64_t times)
{
	for (; times; times--)
		np_histogram_add(histogram, value);
}

/* At the edges: values of which each is counted @times, and what is told of them. */
TEST(edges)
{
	static const struct {
		struct {
			int64_t value;
			uint64_t times;
		} counted[8];
		uint64_t count;
		int64_t f[6]; /* min, mean, p50, p90, p99, max */
	} rows[] = {
		{{{0, 0}}, 0, {0}},
		{{{2, 1}, {4, 3}, {5, 2}, {7, 1}, {9, 1}}, 8, {2, 5, 4, 9, 9, 9}},
		{{{1, 1}, {2, 2}}, 3, {1, 1, 2, 2, 2, 2}},
		/* Values outside count at the ends. */
		{{{INT64_MIN, 1}, {-1, 1}}, 2, {0}},
		{{{-1, 4}, {INT64_MAX, 6}},
		 10,
		 {0, (int64_t)(0.6L * LIMIT), LIMIT, LIMIT, INT64_MAX, INT64_MAX}},
		{{{LIMIT + 5, 1}, {LIMIT + 6, 1}, {LIMIT + 7, 1}},
		 3,
		 {LIMIT + 5, LIMIT, LIMIT + 5, LIMIT + 7, LIMIT + 7, LIMIT + 7}},
		/* The mean of large ones is exact. */
		{{{LIMIT - 1, 500000}, {LIMIT - 3, 500000}},
		 1000000,
		 {LIMIT - 3, LIMIT - 2, LIMIT - 1, LIMIT - 1, LIMIT - 1, LIMIT - 1}},
		/* No percentile is above the largest value, though its bucket reaches further. */
		{{{1000003, 3}}, 3, {1000003, 1000003, 1000003, 1000003, 1000003, 1000003}},
		/* A value beside the latest one, or two below it, is no repetition of it. */
		{{{200, 1}, {100, 1}, {98, 3}, {99, 2}}, 7, {98, 113, 99, 200, 200, 200}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct np_histogram *histogram = create();

		/* The second time after all was forgotten. */
		for (int turn = 0; turn < 2; turn++) {
			struct np_histogram_figures f;

			np_histogram_clear(histogram);
			for (int k = 0; k < 8; k++)
				add_times(histogram, rows[i].counted[k].value,
					  rows[i].counted[k].times);
			f = figures_of(histogram);
			assert_int_equal(f.count, rows[i].count);
			assert_memory_equal(
				((const int64_t[]){f.min, f.mean, f.p50, f.p90, f.p99, f.max}),
				rows[i].f, sizeof(rows[i].f));
		}
		np_histogram_free(histogram);
	}
	np_histogram_free(NULL);
}

TEST(ranks_are_not_one_too_far)
{
	struct np_histogram *histogram = create();

	for (int64_t value = 1; value <= 1000; value++)
		np_histogram_add(histogram, value);
	assert_int_equal(np_histogram_percentile(histogram, 0), 1);
	for (int tenth = 1; tenth <= 1000; tenth++)
		assert_int_equal(np_histogram_percentile(histogram, tenth / 10.0), tenth);
	np_histogram_free(histogram);
}

TEST(every_power_of_two_is_told_back)
{
	struct np_histogram *histogram = create();

	for (int bit = 0; bit < 43; bit++) {
		for (int64_t off = -1; off <= 1; off++) {
			const int64_t value = (INT64_C(1) << bit) + off;
			int64_t told;

			np_histogram_clear(histogram);
			np_histogram_add(histogram, 0);
			np_histogram_add(histogram, value);
			np_histogram_add(histogram, LIMIT);
			told = np_histogram_percentile(histogram, 50);
			assert_true(told >= value);
			assert_true(told - value <= (value < 2048 ? 0 : value / 1024));
		}
	}
	np_histogram_free(histogram);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void check_against_sorted(const struct np_histogram *histogram, const int64_t *sorted)
{
	const struct np_histogram_figures f = figures_of(histogram);
	int64_t sum = 0;

	for (size_t i = 0; i < VALUES; i++)
		sum += sorted[i];
	assert_true(f.count == VALUES && f.min == sorted[0] && f.max == sorted[VALUES - 1]);
	assert_int_equal(f.mean, sum / VALUES);
	for (int thousandth = 0; thousandth <= 100000; thousandth += 37) {
		/* Nearest rank in whole numbers: the ceiling of thousandth * count / 100000. */
		size_t rank = ((size_t)thousandth * VALUES + 99999) / 100000;
		const int64_t exact = sorted[rank ? rank - 1 : 0];
		const int64_t told = np_histogram_percentile(histogram, thousandth / 1000.0);

		assert_true(told >= exact);
		assert_true(told - exact <= exact / 1000);
	}
}

TEST(random_values_agree_with_a_sorted_array)
{
	static int64_t values[VALUES];
	uint64_t random = 88172645463325252;
	struct np_histogram *whole = create();
	struct np_histogram *half[] = {create(), create()};

	for (size_t i = 0; i < VALUES; i++) {
		/* All magnitudes alike. */
		values[i] = (int64_t)(next_random(&random) >> (21 + next_random(&random) % 43));
		np_histogram_add(whole, values[i]);
		np_histogram_add(half[i % 3 == 0], values[i]);
	}
	qsort(values, VALUES, sizeof(*values), compare);
	check_against_sorted(whole, values);
	np_histogram_merge(half[0], half[1]);
	check_against_sorted(half[0], values);
	np_histogram_clear(half[1]);
	np_histogram_merge(half[0], half[1]); /* an empty one changes nothing */
	check_against_sorted(half[0], values);
	np_histogram_merge(half[1], half[0]); /* into an empty one is a copy */
	check_against_sorted(half[1], values);
	np_histogram_free(whole);
	np_histogram_free(half[0]);
	np_histogram_free(half[1]);
}
