// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of histogram, of both kinds: against sorted arrays, at the edges, and merged. */
#include <math.h>
#include <netperf/histogram.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VALUES 20011

static int create(void **state)
{
	struct np_histogram *histogram;

	if (np_histogram_create(&histogram))
		return -1;
	*state = histogram;
	return 0;
}

static int create_sparse(void **state)
{
	struct np_histogram *histogram;

	if (np_histogram_create_sparse(&histogram))
		return -1;
	*state = histogram;
	return 0;
}

static int destroy(void **state)
{
	np_histogram_free(*state);
	return 0;
}

static void empty_is_all_zero(void **state)
{
	const struct np_histogram_figures zero = {0};
	struct np_histogram *histogram = *state;
	struct np_histogram_figures figures;

	assert_int_equal(np_histogram_count(histogram), 0);
	assert_int_equal(np_histogram_min(histogram), 0);
	assert_int_equal(np_histogram_max(histogram), 0);
	assert_true(np_histogram_mean(histogram) == 0.0);
	assert_int_equal(np_histogram_percentile(histogram, 99), 0);
	np_histogram_figures(histogram, &figures);
	assert_memory_equal(&figures, &zero, sizeof(zero));
	np_histogram_free(NULL);
}

static void small_numbers_are_exact(void **state)
{
	struct np_histogram *histogram = *state;

	static const int64_t values[] = {2, 4, 4, 4, 5, 5, 7, 9};

	for (size_t i = 0; i < 8; i++)
		np_histogram_add(histogram, values[i]);
	assert_int_equal(np_histogram_count(histogram), 8);
	assert_int_equal(np_histogram_min(histogram), 2);
	assert_int_equal(np_histogram_max(histogram), 9);
	assert_true(np_histogram_mean(histogram) == 5.0);
	assert_int_equal(np_histogram_percentile(histogram, 0), 2);
	assert_int_equal(np_histogram_percentile(histogram, 12.5), 2);
	assert_int_equal(np_histogram_percentile(histogram, 12.6), 4);
	assert_int_equal(np_histogram_percentile(histogram, 50), 4);
	assert_int_equal(np_histogram_percentile(histogram, 50.1), 5);
	assert_int_equal(np_histogram_percentile(histogram, 87.5), 7);
	assert_int_equal(np_histogram_percentile(histogram, 100), 9);
}

static void a_mean_has_its_fraction(void **state)
{
	struct np_histogram *histogram = *state;

	np_histogram_add(histogram, 1);
	np_histogram_add_times(histogram, 2, 2);
	assert_true(fabs(np_histogram_mean(histogram) - 5.0 / 3) < 1e-12);
}

static void ranks_are_not_one_too_far(void **state)
{
	struct np_histogram *histogram = *state;

	for (int64_t value = 1; value <= 1000; value++)
		np_histogram_add(histogram, value);
	for (int tenth = 1; tenth <= 1000; tenth++)
		assert_int_equal(np_histogram_percentile(histogram, tenth / 10.0), tenth);
}

static void the_mean_of_large_values_is_exact(void **state)
{
	struct np_histogram *histogram = *state;

	for (int i = 0; i < 1000000; i++)
		np_histogram_add(histogram, NP_HISTOGRAM_LIMIT - 1 - (i % 2) * 2);
	assert_true(np_histogram_mean(histogram) == (double)(NP_HISTOGRAM_LIMIT - 2));
}

static void values_outside_count_at_the_ends(void **state)
{
	struct np_histogram *histogram = *state;

	np_histogram_add(histogram, INT64_MIN);
	np_histogram_add(histogram, -1);
	assert_int_equal(np_histogram_min(histogram), 0);
	assert_int_equal(np_histogram_max(histogram), 0);
	for (int i = 0; i < 3; i++)
		np_histogram_add(histogram, INT64_MAX);
	assert_true(np_histogram_max(histogram) == INT64_MAX);
	assert_true(np_histogram_percentile(histogram, 60) == NP_HISTOGRAM_LIMIT);
	assert_true(np_histogram_percentile(histogram, 100) == INT64_MAX);
	assert_int_equal(np_histogram_percentile(histogram, 40), 0);
	np_histogram_clear(histogram);
	for (int i = 0; i < 3; i++)
		np_histogram_add(histogram, NP_HISTOGRAM_LIMIT + 5 + i);
	assert_true(np_histogram_percentile(histogram, 50) == NP_HISTOGRAM_LIMIT + 5);
}

static void every_power_of_two_is_told_back(void **state)
{
	struct np_histogram *histogram = *state;

	for (int bit = 0; bit < 43; bit++) {
		for (int64_t off = -1; off <= 1; off++) {
			const int64_t value = (INT64_C(1) << bit) + off;

			np_histogram_clear(histogram);
			np_histogram_add(histogram, 0);
			np_histogram_add(histogram, value);
			np_histogram_add(histogram, NP_HISTOGRAM_LIMIT);

			const int64_t told = np_histogram_percentile(histogram, 50);

			assert_true(told >= value);
			assert_true(told - value <= value / 1024);
			if (value < 2048)
				assert_true(told == value);
		}
	}
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

static void check_against_sorted(const struct np_histogram *histogram, const int64_t *sorted,
				 size_t count)
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (long double)sorted[i];

	const long double mean = sum / (long double)count;

	assert_int_equal(np_histogram_count(histogram), count);
	assert_true(np_histogram_min(histogram) == sorted[0]);
	assert_true(np_histogram_max(histogram) == sorted[count - 1]);
	assert_true(fabs(np_histogram_mean(histogram) - (double)mean) <= (double)mean * 1e-12);
	for (int thousandth = 0; thousandth <= 100000; thousandth += 37) {
		/* Nearest rank in whole numbers: the ceiling of thousandth * count / 100000. */
		size_t rank = ((size_t)thousandth * count + 99999) / 100000;
		const int64_t exact = sorted[rank ? rank - 1 : 0];
		const int64_t told = np_histogram_percentile(histogram, thousandth / 1000.0);

		assert_true(told >= exact);
		assert_true(told - exact <= exact / 1000);
	}
}

static void random_values_agree_with_a_sorted_array(void **state)
{
	struct np_histogram *histogram = *state;
	struct np_histogram *half[2];
	int64_t *values = calloc(VALUES, sizeof(*values));
	uint64_t random = 88172645463325252;

	assert_non_null(values);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(np_histogram_create(&half[i]), 0);
	for (size_t i = 0; i < VALUES; i++) {
		/* All magnitudes alike. */
		values[i] = (int64_t)(next_random(&random) >> (21 + next_random(&random) % 43));
		np_histogram_add(histogram, values[i]);
		np_histogram_add(half[i % 3 == 0], values[i]);
	}
	qsort(values, VALUES, sizeof(*values), compare);
	check_against_sorted(histogram, values, VALUES);
	np_histogram_merge(half[0], half[1]);
	check_against_sorted(half[0], values, VALUES);

	np_histogram_clear(half[1]);
	np_histogram_merge(half[0], half[1]); /* an empty one changes nothing */
	check_against_sorted(half[0], values, VALUES);
	np_histogram_merge(half[1], half[0]); /* into an empty one is a copy */
	check_against_sorted(half[1], values, VALUES);
	for (size_t i = 0; i < 2; i++)
		np_histogram_free(half[i]);
	free(values);
}

static void moved(void **state)
{
	struct np_histogram *histogram = *state, *into;

	assert_int_equal(np_histogram_create(&into), 0);
	np_histogram_merge_moved(into, histogram, 5); /* an empty one changes nothing */
	assert_int_equal(np_histogram_count(into), 0);
	assert_int_equal(np_histogram_max(into), 0);
	for (int64_t value = 1; value <= 1000; value++)
		np_histogram_add(histogram, value);
	np_histogram_merge_moved(into, histogram, -500);
	np_histogram_merge_moved(into, histogram, 500);
	assert_int_equal(np_histogram_count(into), 2000);
	assert_int_equal(np_histogram_min(into), 0);
	assert_int_equal(np_histogram_max(into), 1500);
	assert_int_equal(np_histogram_percentile(into, 25), 0);
	assert_int_equal(np_histogram_percentile(into, 37.5), 250);
	assert_int_equal(np_histogram_percentile(into, 75), 1000);
	np_histogram_merge_moved(into, histogram, INT64_MAX);
	assert_int_equal(np_histogram_max(into), INT64_MAX);
	assert_int_equal(np_histogram_percentile(into, 66), 1480);
	np_histogram_clear(into);
	np_histogram_merge_moved(into, histogram, 1000000);
	assert_int_equal(np_histogram_min(into), 1000001);
	assert_in_range(np_histogram_percentile(into, 50), 1000500, 1001500);
	np_histogram_free(into);
}

/* 0, 2, 2 and 6 moved by 10: nothing is lost of small numbers, nor of 0. */
static void moved_values_keep_their_mean(void **state)
{
	struct np_histogram *histogram = *state, *into;
	struct np_histogram_figures figures;

	assert_int_equal(np_histogram_create(&into), 0);
	np_histogram_add(histogram, 0);
	np_histogram_add_times(histogram, 2, 2);
	np_histogram_add(histogram, 6);
	np_histogram_merge_moved(into, histogram, 10);
	np_histogram_figures(into, &figures);
	assert_int_equal(figures.count, 4);
	assert_int_equal(figures.min, 10);
	assert_int_equal(figures.p50, 12);
	assert_int_equal(figures.max, 16);
	assert_true(np_histogram_mean(into) == 12.5);
	np_histogram_free(into);
}

/* Beyond the limit values are not told apart, but the smallest and the largest are exact still. */
static void moved_values_beyond_the_limit_keep_their_ends(void **state)
{
	struct np_histogram *histogram = *state, *into;

	assert_int_equal(np_histogram_create(&into), 0);
	np_histogram_add(histogram, NP_HISTOGRAM_LIMIT + 5);
	np_histogram_add(histogram, NP_HISTOGRAM_LIMIT + 9);
	np_histogram_merge_moved(into, histogram, 0);
	assert_true(np_histogram_min(into) == NP_HISTOGRAM_LIMIT + 5);
	assert_true(np_histogram_max(into) == NP_HISTOGRAM_LIMIT + 9);
	np_histogram_free(into);
}

static void many_times_is_that_often(void **state)
{
	static const int64_t values[] = {-5, 0, 7, 123456, NP_HISTOGRAM_LIMIT + 5};
	struct np_histogram *histogram = *state, *singly;
	struct np_histogram_figures a, b;

	assert_int_equal(np_histogram_create(&singly), 0);
	np_histogram_add_times(histogram, 1, 0);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		np_histogram_add_times(histogram, values[i], 10 * i);
		for (size_t j = 0; j < 10 * i; j++)
			np_histogram_add(singly, values[i]);
	}
	np_histogram_figures(histogram, &a);
	np_histogram_figures(singly, &b);
	assert_memory_equal(&a, &b, sizeof(a));
	np_histogram_free(singly);
}

static void figures_are_the_single_ones(void **state)
{
	struct np_histogram *histogram = *state;
	struct np_histogram_figures f;

	for (int64_t value = 1; value <= 1000; value++)
		np_histogram_add(histogram, value);
	np_histogram_figures(histogram, &f);
	assert_int_equal(f.count, 1000);
	assert_int_equal(f.min, 1);
	assert_int_equal(f.mean, 500);
	assert_int_equal(f.p50, 500);
	assert_int_equal(f.p90, 900);
	assert_int_equal(f.p99, 990);
	assert_int_equal(f.p999, 999);
	assert_int_equal(f.max, 1000);
}

/* What a histogram tells, to the bit. */
static void assert_same(const struct np_histogram *a, const struct np_histogram *b)
{
	const double means[] = {np_histogram_mean(a), np_histogram_mean(b)};

	assert_int_equal(np_histogram_count(a), np_histogram_count(b));
	assert_int_equal(np_histogram_min(a), np_histogram_min(b));
	assert_int_equal(np_histogram_max(a), np_histogram_max(b));
	assert_memory_equal(&means[0], &means[1], sizeof(means[0]));
	for (int thousandth = 0; thousandth <= 100000; thousandth += 2777)
		assert_int_equal(np_histogram_percentile(a, thousandth / 1000.0),
				 np_histogram_percentile(b, thousandth / 1000.0));
}

/* Values of one kind of path: how many, how far apart, how often at once. */
struct load {
	unsigned values, bits;
	int64_t from;
	uint64_t times;
};

static void count_load(const struct load *load, struct np_histogram *into[2])
{
	uint64_t random = 88172645463325252 + load->bits;

	for (unsigned i = 0; i < load->values; i++) {
		const uint64_t draw = next_random(&random);
		const int64_t value = load->from + (int64_t)(draw >> (64 - load->bits + draw % 3));

		for (int k = 0; k < 2; k++)
			np_histogram_add_times(into[k], value, load->times);
	}
}

/* Few of them, more than one, two and four bytes count, and more than can be packed. */
static const struct load loads[] = {
	{1, 10, 0, 1},
	{100, 20, 50000, 1},
	{3000, 18, 20000, 1},
	{20000, 8, 1000, 1},
	{20000, 9, 1000000, 40},
	{200, 12, 3, 70000},
	{20, 5, 0, 3000000000u},
	{20000, 42, 0, 1},
	{60000, 25, 10000000, 3},
	{5, 60, 0, 1},
	{2, 3, 0, UINT64_C(1) << 40},
};

static void a_sparse_one_tells_the_same_to_the_bit(void **state)
{
	struct np_histogram *pair[2];

	(void)state;
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		assert_int_equal(np_histogram_create(&pair[0]), 0);
		assert_int_equal(np_histogram_create_sparse(&pair[1]), 0);
		count_load(&loads[i], pair);
		assert_same(pair[0], pair[1]);
		/* Forgets all, and begins anew. */
		np_histogram_clear(pair[0]);
		np_histogram_clear(pair[1]);
		assert_same(pair[0], pair[1]);
		count_load(&loads[i], pair);
		assert_same(pair[0], pair[1]);
		np_histogram_free(pair[0]);
		np_histogram_free(pair[1]);
	}
}

/* One value again and again: as many as there may be, and none is forgotten when another comes. */
static void runs_of_one_value_are_counted(void **state)
{
	static const uint64_t times[] = {1, 2, 254, 65000, UINT32_MAX, UINT64_C(1) << 40};
	struct np_histogram *pair[2];

	(void)state;
	for (size_t most = 1; most <= sizeof(times) / sizeof(times[0]); most++) {
		assert_int_equal(np_histogram_create(&pair[0]), 0);
		assert_int_equal(np_histogram_create_sparse(&pair[1]), 0);
		for (size_t i = 0; i < 4 * most; i++) {
			for (int k = 0; k < 2; k++) {
				np_histogram_add_times(pair[k], (int64_t)(i / 2 % 3), times[i / 4]);
				np_histogram_add(pair[k], (int64_t)(i % 5));
			}
			assert_same(pair[0], pair[1]);
		}
		np_histogram_free(pair[0]);
		np_histogram_free(pair[1]);
	}
}

/* A value beside the latest one, or two below it, is no repetition of it. */
static void neighbours_are_told_apart(void **state)
{
	static const int64_t values[] = {200, 100, 98, 98, 98, 99, 99};
	struct np_histogram *histogram = *state;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		np_histogram_add(histogram, values[i]);
		if (i == 4)
			assert_int_equal(np_histogram_percentile(histogram, 40), 98);
	}
	assert_int_equal(np_histogram_percentile(histogram, 40), 98);
	assert_int_equal(np_histogram_percentile(histogram, 70), 99);
	assert_int_equal(np_histogram_percentile(histogram, 80), 100);
}

/* No percentile is above the largest value, though its bucket reaches further. */
static void percentiles_end_at_the_largest(void **state)
{
	struct np_histogram *histogram = *state;

	np_histogram_add_times(histogram, 1000003, 3);
	assert_int_equal(np_histogram_percentile(histogram, 50), 1000003);
	np_histogram_clear(histogram);
	assert_int_equal(np_histogram_max(histogram), 0);
	np_histogram_add_times(histogram, 5, 3);
	assert_int_equal(np_histogram_max(histogram), 5);
}

static struct np_histogram *create_kind(bool sparse)
{
	struct np_histogram *histogram;

	assert_int_equal(sparse ? np_histogram_create_sparse(&histogram)
				: np_histogram_create(&histogram),
			 0);
	return histogram;
}

/* Of sparse ones, others, and both ways: what a merge gives is the same. */
static void merges_of_both_kinds_are_the_same(void **state)
{
	const size_t count = sizeof(loads) / sizeof(loads[0]);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		struct np_histogram *from[] = {create_kind(false), create_kind(true)};
		struct np_histogram *into[4], *first[2];

		count_load(&loads[i], from);
		for (int k = 0; k < 4; k++)
			into[k] = create_kind(k & 1);
		for (int k = 0; k < 4; k += 2) {
			memcpy(first, &into[k], sizeof(first));
			count_load(&loads[count - 1 - i], first);
		}
		for (int k = 0; k < 4; k++) {
			np_histogram_merge(into[k], from[k / 2]);
			np_histogram_merge_moved(into[k], from[k / 2], -1000);
			assert_same(into[0], into[k]);
		}
		for (int k = 0; k < 4; k++)
			np_histogram_free(into[k]);
		np_histogram_free(from[0]);
		np_histogram_free(from[1]);
	}
}

#define BOTH(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, create, destroy),                                    \
	{                                                                                          \
#name " (sparse)", name, create_sparse, destroy, NULL                              \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(empty_is_all_zero),
		BOTH(small_numbers_are_exact),
		BOTH(a_mean_has_its_fraction),
		BOTH(ranks_are_not_one_too_far),
		BOTH(the_mean_of_large_values_is_exact),
		BOTH(values_outside_count_at_the_ends),
		BOTH(every_power_of_two_is_told_back),
		BOTH(random_values_agree_with_a_sorted_array),
		BOTH(moved),
		BOTH(moved_values_keep_their_mean),
		BOTH(moved_values_beyond_the_limit_keep_their_ends),
		BOTH(many_times_is_that_often),
		BOTH(figures_are_the_single_ones),
		BOTH(neighbours_are_told_apart),
		BOTH(percentiles_end_at_the_largest),
		cmocka_unit_test(a_sparse_one_tells_the_same_to_the_bit),
		cmocka_unit_test(runs_of_one_value_are_counted),
		cmocka_unit_test(merges_of_both_kinds_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
