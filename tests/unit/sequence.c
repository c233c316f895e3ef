// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of sequence: small flows worked out by hand. */
#include <errno.h>
#include <netperf/sequence.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct np_sequence *create(uint64_t window)
{
	struct np_sequence *sequence;

	assert_int_equal(np_sequence_create(&sequence, window), 0);
	return sequence;
}

static struct np_sequence_counts life_of(const struct np_sequence *sequence)
{
	struct np_sequence_counts counts;

	np_sequence_life(sequence, &counts);
	assert_true(counts.spanned == counts.received + counts.missing + counts.old);
	return counts;
}

static struct np_sequence_counts now_of(const struct np_sequence *sequence)
{
	struct np_sequence_counts counts;

	np_sequence_now(sequence, &counts);
	assert_true(counts.spanned == counts.received + counts.missing + counts.old);
	return counts;
}

static void add_range(struct np_sequence *sequence, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last; i++)
		np_sequence_add(sequence, i, (np_time)i);
}

#define ADD(sequence, ...)                                                                         \
	do {                                                                                       \
		const uint64_t numbers[] = {__VA_ARGS__};                                          \
		for (size_t i = 0; i < COUNT_OF(numbers); i++)                                     \
			np_sequence_add(sequence, numbers[i], (np_time)i);                         \
	} while (0)

static uint64_t mean(uint64_t sum, uint64_t count)
{
	return count ? sum / count : 0;
}

/* The runs of the Java original; where numbers came twice, distinct packets are counted. */
static void figures_of_the_original(void **state)
{
	(void)state;
	static const struct {
		uint64_t numbers[7];
		size_t count;
		uint64_t received, spanned, missing, duplicates, reordered, offset, gaps, gap;
	} runs[] = {
		{{1, 4, 6, 2}, 4, 4, 6, 2, 0, 1, 2, 2, 1},
		{{1, 2, 2, 3}, 4, 3, 3, 0, 1, 0, 0, 0, 0},
		{{5, 4, 3, 2, 1}, 5, 5, 5, 0, 0, 4, 2, 0, 0},
		{{10, 20, 11, 12, 13, 30, 14}, 7, 7, 21, 14, 0, 4, 1, 2, 9},
	};

	for (size_t i = 0; i < COUNT_OF(runs); i++) {
		struct np_sequence *sequence = create(NP_SEQUENCE_WINDOW);

		for (size_t j = 0; j < runs[i].count; j++)
			np_sequence_add(sequence, runs[i].numbers[j], 0);

		const struct np_sequence_counts counts = life_of(sequence);

		assert_int_equal(counts.received, runs[i].received);
		assert_int_equal(counts.spanned, runs[i].spanned);
		assert_int_equal(counts.missing, runs[i].missing);
		assert_int_equal(counts.duplicates, runs[i].duplicates);
		assert_int_equal(counts.reordered, runs[i].reordered);
		assert_int_equal(mean(counts.offset_sum, counts.reordered), runs[i].offset);
		assert_int_equal(counts.gaps, runs[i].gaps);
		assert_int_equal(mean(counts.gap_packets, counts.gaps), runs[i].gap);
		np_sequence_free(sequence);
	}
}

static void a_run_in_order_has_nothing_to_report(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	add_range(sequence, 1, 3000);

	const struct np_sequence_counts counts = life_of(sequence);

	assert_int_equal(counts.received, 3000);
	assert_int_equal(counts.spanned, 3000);
	assert_int_equal(counts.missing, 0);
	assert_int_equal(counts.reordered + counts.gaps + counts.duplicates, 0);
	assert_int_equal(np_sequence_lowest(sequence), 1);
	assert_int_equal(np_sequence_highest(sequence), 3000);
	np_sequence_free(sequence);
}

static void a_restart_of_the_same_numbers_is_duplicates(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	add_range(sequence, 1, 50);
	add_range(sequence, 1, 50);
	assert_int_equal(life_of(sequence).received, 50);
	assert_int_equal(life_of(sequence).duplicates, 50);
	assert_int_equal(life_of(sequence).reordered, 0);
	np_sequence_free(sequence);
}

static void every_class_is_told(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	np_sequence_expect(sequence, 10);
	assert_int_equal(np_sequence_add(sequence, 9, 0), NP_SEQUENCE_OUTSIDE);
	assert_int_equal(np_sequence_add(sequence, 10, 1), NP_SEQUENCE_NEXT);
	assert_int_equal(np_sequence_add(sequence, 13, 4), NP_SEQUENCE_GAP);
	assert_int_equal(np_sequence_add(sequence, 12, 5), NP_SEQUENCE_REORDERED);
	assert_int_equal(np_sequence_add(sequence, 12, 6), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(np_sequence_add(sequence, 14, 7), NP_SEQUENCE_NEXT);
	assert_int_equal(np_sequence_add(sequence, 500, 9), NP_SEQUENCE_GAP);
	assert_int_equal(np_sequence_add(sequence, 12, 10), NP_SEQUENCE_OLD);
	assert_int_equal(np_sequence_add(sequence, UINT64_MAX, 11), NP_SEQUENCE_OUTSIDE);

	const struct np_sequence_counts counts = life_of(sequence);

	assert_int_equal(counts.received, 5);
	assert_int_equal(counts.spanned, 491);
	assert_int_equal(counts.gaps, 2);
	assert_int_equal(counts.gap_packets, 2 + 485);
	assert_int_equal(counts.gap_time, 3 + 2);
	assert_int_equal(counts.old, 1);
	assert_int_equal(counts.outside, 2);
	np_sequence_free(sequence);
}

/* RFC 4737, table 1, and more of the kind. */
static void extents(void **state)
{
	(void)state;
	static const struct {
		uint64_t numbers[10];
		uint64_t reordered, sum, max;
	} runs[] = {
		{{1, 2, 3, 5, 6, 7, 8, 4, 9, 10}, 1, 4, 4},
		/* 2: since 3, 1 arrival; 4: since 6, 3; 5: since 6, 4 */
		{{1, 3, 2, 6, 7, 8, 4, 5, 9, 10}, 3, 1 + 3 + 4, 4},
		/* duplicates are no arrivals: 2 since 3 */
		{{1, 3, 3, 3, 3, 2, 2, 4, 5, 6}, 1, 1, 1},
		/* below the first: since that one */
		{{8, 9, 10, 5, 7, 11, 12, 13, 14, 15}, 2, 3 + 4, 4},
		/* through three gaps: 9 since 10, 5 since 6, 2 since 3 */
		{{1, 3, 4, 6, 7, 8, 10, 9, 5, 2}, 3, 1 + 5 + 8, 8},
	};

	for (size_t i = 0; i < COUNT_OF(runs); i++) {
		struct np_sequence *sequence = create(NP_SEQUENCE_WINDOW);

		for (size_t j = 0; j < COUNT_OF(runs[i].numbers); j++)
			np_sequence_add(sequence, runs[i].numbers[j], 0);

		const struct np_sequence_counts counts = life_of(sequence);

		assert_int_equal(counts.reordered, runs[i].reordered);
		assert_int_equal(counts.extent_sum, runs[i].sum);
		assert_int_equal(counts.extent_max, runs[i].max);
		assert_true(counts.extent_exact);
		np_sequence_free(sequence);
	}
}

static void an_extent_through_too_many_gaps_is_said_to_be_inexact(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(NP_SEQUENCE_WINDOW);

	for (uint64_t i = 1; i <= 2 * 5000 + 1; i += 2)
		np_sequence_add(sequence, i, 0);
	/* Of 5000 gaps the last 4095 are told apart: the first of them leads to 2 * 906 + 1. */
	np_sequence_add(sequence, 2 * 906, 0);
	assert_true(life_of(sequence).extent_exact);
	assert_int_equal(life_of(sequence).extent_max, 5001 + 1 - 907);
	np_sequence_add(sequence, 2, 0);
	assert_false(life_of(sequence).extent_exact);
	assert_int_equal(life_of(sequence).extent_max, 5001 + 2 - 906);
	np_sequence_free(sequence);
}

static void head_and_tail_are_missing_too(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	np_sequence_expect(sequence, 1);
	assert_int_equal(life_of(sequence).spanned, 0);
	assert_int_equal(np_sequence_highest(sequence), 0);
	np_sequence_end(sequence, 1000);
	assert_int_equal(life_of(sequence).missing, 1000);
	assert_int_equal(life_of(sequence).missing_head, 0);
	assert_int_equal(life_of(sequence).missing_tail, 1000);
	add_range(sequence, 301, 900);
	np_sequence_add(sequence, 300, 0);
	np_sequence_end(sequence, 999);

	const struct np_sequence_counts counts = life_of(sequence);

	assert_int_equal(counts.received, 601);
	assert_int_equal(counts.missing, 399);
	assert_int_equal(counts.missing_head, 299);
	assert_int_equal(counts.missing_tail, 100);
	assert_int_equal(counts.gaps, 0);
	assert_int_equal(np_sequence_lowest(sequence), 1);
	assert_int_equal(np_sequence_highest(sequence), 1000);
	np_sequence_expect(sequence, 500);
	assert_int_equal(np_sequence_lowest(sequence), 1);
	np_sequence_free(sequence);
}

static void the_end_is_unknown_before_the_begin(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	np_sequence_end(sequence, 10);
	assert_int_equal(life_of(sequence).spanned, 0);
	np_sequence_add(sequence, 4, 0);
	assert_int_equal(life_of(sequence).spanned, 7);
	assert_int_equal(life_of(sequence).missing, 6);
	np_sequence_free(sequence);
}

static void the_highest_end_that_is_a_number_counts(void **state)
{
	(void)state;
	const uint64_t last = (UINT64_C(1) << 63) - 1;
	struct np_sequence *sequence = create(64);

	np_sequence_add(sequence, 1, 0);
	np_sequence_end(sequence, 9);
	np_sequence_end(sequence, 10);
	np_sequence_end(sequence, 9);
	assert_int_equal(np_sequence_highest(sequence), 10);
	np_sequence_end(sequence, last + 1);
	assert_int_equal(np_sequence_highest(sequence), 10);
	np_sequence_end(sequence, last);
	assert_true(np_sequence_highest(sequence) == last);
	np_sequence_free(sequence);
}

static void what_is_no_number_is_not_expected(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	np_sequence_expect(sequence, UINT64_C(1) << 63);
	assert_int_equal(np_sequence_add(sequence, 4, 0), NP_SEQUENCE_NEXT);
	assert_int_equal(np_sequence_lowest(sequence), 4);
	np_sequence_free(sequence);
}

/* Nothing is missing below the window: what comes from there came before. */
static void below_the_window_the_certain_is_told(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	add_range(sequence, 100, 1000);
	assert_int_equal(np_sequence_add(sequence, 200, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(np_sequence_add(sequence, 100, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(np_sequence_add(sequence, 98, 0), NP_SEQUENCE_REORDERED);
	/* 99 is missing now, and the only one. */
	assert_int_equal(life_of(sequence).missing, 1);
	assert_int_equal(np_sequence_add(sequence, 98, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(np_sequence_add(sequence, 99, 0), NP_SEQUENCE_OLD);
	assert_int_equal(life_of(sequence).missing, 0);
	assert_int_equal(np_sequence_add(sequence, 99, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(life_of(sequence).missing, 0);
	np_sequence_free(sequence);
}

/* One missing below the mark must not make one above it old, nor now negative. */
static void old_packets_count_on_their_side_of_the_mark(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	add_range(sequence, 1, 4);
	add_range(sequence, 6, 10);
	np_sequence_mark(sequence);
	add_range(sequence, 11, 200);
	assert_int_equal(np_sequence_add(sequence, 20, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(np_sequence_add(sequence, 7, 0), NP_SEQUENCE_OLD);
	assert_int_equal(np_sequence_add(sequence, 8, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(now_of(sequence).received, 190);
	assert_int_equal(now_of(sequence).duplicates, 1);
	assert_int_equal(now_of(sequence).old, 0);
	assert_int_equal(life_of(sequence).duplicates, 2);
	assert_int_equal(life_of(sequence).old, 1);
	assert_int_equal(life_of(sequence).missing, 0);
	/* The one taken for 5 is none of those above the mark. */
	assert_int_equal(np_sequence_add(sequence, 20, 0), NP_SEQUENCE_DUPLICATE);
	np_sequence_free(sequence);
}

/* The window reaches below the mark: what is below both came before, and is known to have. */
static void below_the_mark_the_certain_is_told_too(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	add_range(sequence, 100, 199);
	np_sequence_add(sequence, 201, 0);
	np_sequence_mark(sequence);
	assert_int_equal(np_sequence_add(sequence, 120, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(np_sequence_add(sequence, 100, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(life_of(sequence).missing, 1);
	np_sequence_free(sequence);
}

/* A gap that ends at the first bit of a word of the bitmap, where another number's was set. */
static void a_gap_forgets_what_leaves_the_window(void **state)
{
	(void)state;

	for (uint64_t to = 152; to < 215; to++) {
		struct np_sequence *sequence = create(64);

		add_range(sequence, 0, 150);
		assert_int_equal(np_sequence_add(sequence, to, 0), NP_SEQUENCE_GAP);
		/* All below the window came, hence this one, too. */
		assert_int_equal(np_sequence_add(sequence, 50, 0), NP_SEQUENCE_DUPLICATE);
		assert_int_equal(np_sequence_add(sequence, 151, 0), NP_SEQUENCE_REORDERED);
		np_sequence_free(sequence);
	}
}

/* What a gap pushes out of the window is not forgotten: one is missing there, no more. */
static void gaps_move_the_window_too(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	add_range(sequence, 1, 100);
	add_range(sequence, 102, 300);
	assert_int_equal(np_sequence_add(sequence, 101, 0), NP_SEQUENCE_OLD);
	assert_int_equal(np_sequence_add(sequence, 50, 0), NP_SEQUENCE_DUPLICATE);
	np_sequence_add(sequence, 1000, 0);
	add_range(sequence, 1001, 1063);
	assert_int_equal(life_of(sequence).missing, 699);
	for (uint64_t i = 301; i < 1000; i++)
		assert_int_equal(np_sequence_add(sequence, i, 0), NP_SEQUENCE_OLD);
	assert_int_equal(np_sequence_add(sequence, 301, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(life_of(sequence).missing, 0);
	np_sequence_free(sequence);
}

/* One missing above the mark must not make one below it old. */
static void the_missing_count_on_their_side_of_the_mark(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	add_range(sequence, 1, 100);
	np_sequence_mark(sequence);
	add_range(sequence, 103, 300);
	assert_int_equal(np_sequence_add(sequence, 20, 0), NP_SEQUENCE_DUPLICATE);
	/* None above the mark came before 103. */
	assert_int_equal(np_sequence_add(sequence, 102, 0), NP_SEQUENCE_REORDERED);
	assert_int_equal(np_sequence_add(sequence, 150, 0), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(now_of(sequence).missing, 1);
	np_sequence_free(sequence);
}

static void now_spans_what_is_above_the_mark(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(NP_SEQUENCE_WINDOW);

	ADD(sequence, 1, 2, 5);
	assert_int_equal(now_of(sequence).missing, 2);
	np_sequence_mark(sequence);
	assert_int_equal(np_sequence_marked(sequence), 5);
	assert_int_equal(now_of(sequence).spanned, 0);
	ADD(sequence, 4, 7, 4, 8, 6, 8);

	struct np_sequence_counts now = now_of(sequence);

	assert_int_equal(now.spanned, 3);
	assert_int_equal(now.received, 3);
	assert_int_equal(now.missing, 0);
	assert_int_equal(now.duplicates, 1);
	assert_int_equal(now.reordered, 1);
	assert_int_equal(now.gaps, 1);
	assert_int_equal(now.extent_max, 2);
	/* 6 is the third of now and its lowest: |3 - 1|. */
	assert_int_equal(now.offset_sum, 2);

	const struct np_sequence_counts life = life_of(sequence);

	assert_int_equal(life.spanned, 8);
	assert_int_equal(life.received, 7);
	assert_int_equal(life.missing, 1);
	assert_int_equal(life.duplicates, 2);
	assert_int_equal(life.reordered, 2);
	np_sequence_mark(sequence);
	now = now_of(sequence);
	assert_int_equal(now.spanned + now.received + now.offset_sum + now.extent_max, 0);
	np_sequence_free(sequence);
}

/* One beyond all numbers is above every mark, one before the first below it. */
static void outside_counts_on_its_side_of_the_mark(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	np_sequence_expect(sequence, 10);
	ADD(sequence, 10, 9, UINT64_MAX);
	assert_int_equal(now_of(sequence).outside, 2);
	np_sequence_mark(sequence);
	assert_int_equal(now_of(sequence).outside, 0);
	ADD(sequence, 8, UINT64_MAX);
	assert_int_equal(now_of(sequence).outside, 1);
	assert_int_equal(life_of(sequence).outside, 4);
	np_sequence_free(sequence);
}

static void now_after_the_end_is_empty(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	np_sequence_expect(sequence, 1);
	np_sequence_mark(sequence);
	assert_int_equal(np_sequence_marked(sequence), 0);
	add_range(sequence, 1, 90);
	np_sequence_end(sequence, 100);
	assert_int_equal(now_of(sequence).missing, 10);
	assert_int_equal(now_of(sequence).missing_tail, 10);
	np_sequence_mark(sequence);
	assert_int_equal(now_of(sequence).missing, 0);
	assert_int_equal(np_sequence_add(sequence, 91, 0), NP_SEQUENCE_NEXT);
	assert_int_equal(now_of(sequence).received, 0);
	assert_int_equal(life_of(sequence).missing, 9);
	/* Beyond the end after all. */
	assert_int_equal(np_sequence_add(sequence, 103, 0), NP_SEQUENCE_GAP);
	assert_int_equal(now_of(sequence).spanned, 3);
	assert_int_equal(now_of(sequence).missing, 2);
	np_sequence_free(sequence);
}

static void numbers_unwrap_to_the_nearest(void **state)
{
	(void)state;
	const uint64_t turn = UINT64_C(1) << 32;
	struct np_sequence *sequence = create(64);

	assert_true(np_sequence_unwrap(sequence, 0xFFFFFFFF) == turn + 0xFFFFFFFF);
	np_sequence_add(sequence, turn + 0xFFFFFFFE, 0);
	assert_true(np_sequence_unwrap(sequence, 0xFFFFFFFF) == turn + 0xFFFFFFFF);
	assert_true(np_sequence_unwrap(sequence, 0) == 2 * turn);
	assert_true(np_sequence_unwrap(sequence, 0x7FFFFFFD) == 2 * turn + 0x7FFFFFFD);
	assert_true(np_sequence_unwrap(sequence, 0x7FFFFFFF) == turn + 0x7FFFFFFF);
	assert_true(np_sequence_unwrap(sequence, 0x80000000) == turn + 0x80000000);

	np_sequence_clear(sequence);
	np_sequence_expect(sequence, 1);
	assert_true(np_sequence_unwrap(sequence, 1) == 1);
	assert_true(np_sequence_unwrap(sequence, 0x90000000) == 0x90000000);
	np_sequence_add(sequence, 1, 0);
	assert_true(np_sequence_unwrap(sequence, 0) == 0);
	assert_int_equal(np_sequence_add(sequence, np_sequence_unwrap(sequence, 0xFFFFFFFF), 0),
			 NP_SEQUENCE_OUTSIDE);
	np_sequence_free(sequence);
}

static void the_last_number_there_is(void **state)
{
	(void)state;
	const uint64_t last = (UINT64_C(1) << 63) - 1;
	struct np_sequence *sequence = create(64);

	assert_int_equal(np_sequence_add(sequence, 0, 0), NP_SEQUENCE_NEXT);
	assert_int_equal(np_sequence_add(sequence, last, 0), NP_SEQUENCE_GAP);
	assert_int_equal(np_sequence_add(sequence, last + 1, 0), NP_SEQUENCE_OUTSIDE);
	assert_true(life_of(sequence).spanned == last + 1);
	assert_true(life_of(sequence).missing == last - 1);
	assert_true(np_sequence_highest(sequence) == last);
	np_sequence_free(sequence);
}

/* All of them or none. */
static void many_at_once_are_the_next_ones(void **state)
{
	(void)state;
	const uint64_t last = (UINT64_C(1) << 63) - 1;
	struct np_sequence *sequence = create(64);

	/* Nobody knows yet which one is next. */
	assert_false(np_sequence_add_next(sequence, 5, 1, 0));
	np_sequence_expect(sequence, 5);
	assert_false(np_sequence_add_next(sequence, 4, 2, 0));
	assert_false(np_sequence_add_next(sequence, 6, 1, 0));
	assert_false(np_sequence_add_next(sequence, 5, 65, 0));
	assert_false(np_sequence_add_next(sequence, 5, UINT64_MAX, 0));
	assert_int_equal(life_of(sequence).received, 0);
	assert_true(np_sequence_add_next(sequence, 5, 0, 0));
	assert_true(np_sequence_add_next(sequence, 5, 64, 10));
	assert_true(np_sequence_add_next(sequence, 69, 30, 20));
	assert_false(np_sequence_add_next(sequence, 98, 2, 20));
	assert_int_equal(life_of(sequence).received, 94);
	for (uint64_t number = 35; number < 99; number++)
		assert_int_equal(np_sequence_add(sequence, number, 20), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(np_sequence_add(sequence, 34, 20), NP_SEQUENCE_DUPLICATE);
	assert_int_equal(np_sequence_add(sequence, 100, 30), NP_SEQUENCE_GAP);
	assert_true(life_of(sequence).gap_time == 10);
	assert_true(np_sequence_add_next(sequence, 101, 64, 30));
	assert_int_equal(life_of(sequence).missing, 1);
	/* The first above the mark is the next one, too. */
	np_sequence_mark(sequence);
	assert_true(np_sequence_add_next(sequence, 165, 2, 30));
	assert_int_equal(now_of(sequence).received, 2);
	np_sequence_add(sequence, last - 2, 0);
	assert_false(np_sequence_add_next(sequence, last - 1, 3, 0));
	assert_true(np_sequence_add_next(sequence, last - 1, 2, 0));
	assert_false(np_sequence_add_next(sequence, last + 1, 1, 0));
	np_sequence_free(sequence);
}

static void clearing_forgets_all(void **state)
{
	(void)state;
	struct np_sequence *sequence = create(64);

	np_sequence_expect(sequence, 1);
	ADD(sequence, 1, 2, 9, 4, 4);
	np_sequence_mark(sequence);
	np_sequence_end(sequence, 70);
	np_sequence_clear(sequence);
	assert_int_equal(life_of(sequence).spanned, 0);
	assert_int_equal(np_sequence_lowest(sequence), 0);
	assert_int_equal(np_sequence_highest(sequence), 0);
	assert_int_equal(np_sequence_marked(sequence), 0);
	ADD(sequence, 9, 4, 2, 1);
	assert_int_equal(life_of(sequence).received, 4);
	assert_int_equal(life_of(sequence).duplicates, 0);
	np_sequence_free(sequence);
}

static void windows_are_powers_of_two(void **state)
{
	(void)state;
	static const struct {
		uint64_t asked, is;
	} windows[] = {{0, 64}, {64, 64}, {65, 128}, {1000, 1024}, {1 << 20, 1 << 20}};
	struct np_sequence *sequence;

	for (size_t i = 0; i < COUNT_OF(windows); i++) {
		sequence = create(windows[i].asked);
		assert_int_equal(np_sequence_window(sequence), windows[i].is);
		np_sequence_free(sequence);
	}
	assert_int_equal(np_sequence_create(&sequence, UINT64_MAX), -EINVAL);
	assert_int_equal(np_sequence_create(&sequence, (UINT64_C(1) << 32) + 1), -EINVAL);
	assert_null(sequence);
	/* The widest is not refused, but there may be no memory for it. */
	assert_int_not_equal(np_sequence_create(&sequence, UINT64_C(1) << 32), -EINVAL);
	np_sequence_free(sequence);
	np_sequence_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_the_original),
		cmocka_unit_test(a_run_in_order_has_nothing_to_report),
		cmocka_unit_test(a_restart_of_the_same_numbers_is_duplicates),
		cmocka_unit_test(every_class_is_told),
		cmocka_unit_test(extents),
		cmocka_unit_test(an_extent_through_too_many_gaps_is_said_to_be_inexact),
		cmocka_unit_test(head_and_tail_are_missing_too),
		cmocka_unit_test(the_end_is_unknown_before_the_begin),
		cmocka_unit_test(the_highest_end_that_is_a_number_counts),
		cmocka_unit_test(what_is_no_number_is_not_expected),
		cmocka_unit_test(below_the_window_the_certain_is_told),
		cmocka_unit_test(old_packets_count_on_their_side_of_the_mark),
		cmocka_unit_test(below_the_mark_the_certain_is_told_too),
		cmocka_unit_test(a_gap_forgets_what_leaves_the_window),
		cmocka_unit_test(gaps_move_the_window_too),
		cmocka_unit_test(the_missing_count_on_their_side_of_the_mark),
		cmocka_unit_test(now_spans_what_is_above_the_mark),
		cmocka_unit_test(outside_counts_on_its_side_of_the_mark),
		cmocka_unit_test(now_after_the_end_is_empty),
		cmocka_unit_test(numbers_unwrap_to_the_nearest),
		cmocka_unit_test(the_last_number_there_is),
		cmocka_unit_test(many_at_once_are_the_next_ones),
		cmocka_unit_test(clearing_forgets_all),
		cmocka_unit_test(windows_are_powers_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
