// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of histogram: against sorted arrays, at the edges, and merged. */
#include <math.h>
#include <netperf/histogram.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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
	for (int thousandth = 0; thousandth <= 100000; thousandth += 7) {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(empty_is_all_zero, create, destroy),
		cmocka_unit_test_setup_teardown(small_numbers_are_exact, create, destroy),
		cmocka_unit_test_setup_teardown(a_mean_has_its_fraction, create, destroy),
		cmocka_unit_test_setup_teardown(ranks_are_not_one_too_far, create, destroy),
		cmocka_unit_test_setup_teardown(the_mean_of_large_values_is_exact, create, destroy),
		cmocka_unit_test_setup_teardown(values_outside_count_at_the_ends, create, destroy),
		cmocka_unit_test_setup_teardown(every_power_of_two_is_told_back, create, destroy),
		cmocka_unit_test_setup_teardown(random_values_agree_with_a_sorted_array, create,
						destroy),
		cmocka_unit_test_setup_teardown(moved, create, destroy),
		cmocka_unit_test_setup_teardown(moved_values_keep_their_mean, create, destroy),
		cmocka_unit_test_setup_teardown(moved_values_beyond_the_limit_keep_their_ends,
						create, destroy),
		cmocka_unit_test_setup_teardown(many_times_is_that_often, create, destroy),
		cmocka_unit_test_setup_teardown(figures_are_the_single_ones, create, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
