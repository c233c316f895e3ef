// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How each number of a sequence is classed at the limits of numbers, gaps, ends, windows and marks;
 * sequence_ledger has all counts of ordinary flows.
 */
#include "../../src/lib/count/sequence.h"
#include "support/unit.h"

#include <errno.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static inline struct sequence *create(uint64_t window)
{
	struct sequence *sequence;

	assert_int_equal(sequence_create(&sequence, window), 0);
	return sequence;
}

static inline struct sequence_counts life_of(const struct sequence *sequence)
{
	struct sequence_counts counts;

	sequence_life(sequence, &counts);
	assert_true(counts.spanned == counts.received + counts.missing + counts.old);
	return counts;
}

static inline struct sequence_counts now_of(const struct sequence *sequence)
{
	struct sequence_counts counts;

	sequence_now(sequence, &counts);
	assert_true(counts.spanned == counts.received + counts.missing + counts.old);
	return counts;
}

static inline void add_range(struct sequence *sequence, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last; i++)
		sequence_add(sequence, i, (np_time)i);
}

/* Adds the given numbers, the first at 0, each a nanosecond after the other. */
#define ADD(sequence, ...)                                                                         \
	do {                                                                                       \
		const uint64_t numbers[] = {__VA_ARGS__};                                          \
		for (size_t i = 0; i < COUNT_OF(numbers); i++)                                     \
			sequence_add(sequence, numbers[i], (np_time)i);                            \
	} while (0)

TEST(every_class_is_told)
{
	struct sequence *sequence = create(64);

	sequence_expect(sequence, 10);
	assert_int_equal(sequence_add(sequence, 9, 0), SEQUENCE_OUTSIDE);
	assert_int_equal(sequence_add(sequence, 10, 1), SEQUENCE_NEXT);
	assert_int_equal(sequence_add(sequence, 13, 4), SEQUENCE_GAP);
	assert_int_equal(sequence_add(sequence, 12, 5), SEQUENCE_REORDERED);
	assert_int_equal(sequence_add(sequence, 12, 6), SEQUENCE_DUPLICATE);
	assert_int_equal(sequence_add(sequence, 14, 7), SEQUENCE_NEXT);
	assert_int_equal(sequence_add(sequence, 500, 9), SEQUENCE_GAP);
	assert_int_equal(sequence_add(sequence, 12, 10), SEQUENCE_OLD);
	assert_int_equal(sequence_add(sequence, UINT64_MAX, 11), SEQUENCE_OUTSIDE);

	const struct sequence_counts counts = life_of(sequence);

	assert_int_equal(counts.received, 5);
	assert_int_equal(counts.spanned, 491);
	assert_int_equal(counts.order.gaps, 2);
	assert_int_equal(counts.order.gap_packets, 2 + 485);
	assert_int_equal(counts.order.gap_time, 3 + 2);
	assert_int_equal(counts.old, 1);
	assert_int_equal(counts.outside, 2);
	sequence_free(sequence);
}

TEST(an_extent_through_too_many_gaps_is_said_to_be_inexact)
{
	struct sequence *sequence = create(NP_FLOW_WINDOW);

	for (uint64_t i = 1; i <= 2 * 5000 + 1; i += 2)
		sequence_add(sequence, i, 0);
	/* Of 5000 gaps the last 4095 are told apart: the first of them leads to 2 * 906 + 1. */
	sequence_add(sequence, 2 * 906, 0);
	assert_true(life_of(sequence).order.extent_exact);
	assert_int_equal(life_of(sequence).order.extent_max, 5001 + 1 - 907);
	sequence_add(sequence, 2, 0);
	assert_false(life_of(sequence).order.extent_exact);
	assert_int_equal(life_of(sequence).order.extent_max, 5001 + 2 - 906);
	sequence_free(sequence);
}

TEST(head_and_tail_are_missing_too)
{
	struct sequence *sequence = create(64);

	sequence_expect(sequence, 1);
	assert_int_equal(life_of(sequence).spanned, 0);
	assert_int_equal(sequence_highest(sequence), 0);
	sequence_end(sequence, 1000);
	assert_int_equal(life_of(sequence).missing, 1000);
	add_range(sequence, 301, 900);
	sequence_add(sequence, 300, 0);
	sequence_end(sequence, 999);

	const struct sequence_counts counts = life_of(sequence);

	assert_int_equal(counts.received, 601);
	assert_int_equal(counts.missing, 399);
	assert_int_equal(counts.order.gaps, 0);
	assert_int_equal(sequence_lowest(sequence), 1);
	assert_int_equal(sequence_highest(sequence), 1000);
	sequence_expect(sequence, 500);
	assert_int_equal(sequence_lowest(sequence), 1);
	sequence_free(sequence);
}

TEST(the_end_is_unknown_before_the_start)
{
	struct sequence *sequence = create(64);

	sequence_end(sequence, 10);
	assert_int_equal(life_of(sequence).spanned, 0);
	sequence_add(sequence, 4, 0);
	assert_int_equal(life_of(sequence).spanned, 7);
	assert_int_equal(life_of(sequence).missing, 6);
	sequence_free(sequence);
}

TEST(the_highest_end_that_is_a_number_counts)
{
	const uint64_t last = (UINT64_C(1) << 63) - 1;
	struct sequence *sequence = create(64);

	sequence_add(sequence, 1, 0);
	sequence_end(sequence, 9);
	sequence_end(sequence, 10);
	sequence_end(sequence, 9);
	assert_int_equal(sequence_highest(sequence), 10);
	sequence_end(sequence, last + 1);
	assert_int_equal(sequence_highest(sequence), 10);
	sequence_end(sequence, last);
	assert_true(sequence_highest(sequence) == last);
	sequence_free(sequence);
}

TEST(what_is_no_number_is_not_expected)
{
	struct sequence *sequence = create(64);

	sequence_expect(sequence, UINT64_C(1) << 63);
	assert_int_equal(sequence_add(sequence, 4, 0), SEQUENCE_NEXT);
	assert_int_equal(sequence_lowest(sequence), 4);
	sequence_free(sequence);
}

TEST(numbers_unwrap_to_the_nearest)
{
	const uint64_t turn = UINT64_C(1) << 32;
	struct sequence *sequence = create(64);

	assert_true(sequence_unwrap(sequence, 0xFFFFFFFF) == turn + 0xFFFFFFFF);
	sequence_add(sequence, turn + 0xFFFFFFFE, 0);
	assert_true(sequence_unwrap(sequence, 0xFFFFFFFF) == turn + 0xFFFFFFFF);
	assert_true(sequence_unwrap(sequence, 0) == 2 * turn);
	assert_true(sequence_unwrap(sequence, 0x7FFFFFFD) == 2 * turn + 0x7FFFFFFD);
	assert_true(sequence_unwrap(sequence, 0x7FFFFFFF) == turn + 0x7FFFFFFF);
	assert_true(sequence_unwrap(sequence, 0x80000000) == turn + 0x80000000);

	sequence_clear(sequence);
	sequence_expect(sequence, 1);
	assert_true(sequence_unwrap(sequence, 1) == 1);
	assert_true(sequence_unwrap(sequence, 0x90000000) == 0x90000000);
	sequence_add(sequence, 1, 0);
	assert_true(sequence_unwrap(sequence, 0) == 0);
	assert_int_equal(sequence_add(sequence, sequence_unwrap(sequence, 0xFFFFFFFF), 0),
			 SEQUENCE_OUTSIDE);
	sequence_free(sequence);
}

TEST(the_last_number_there_is)
{
	const uint64_t last = (UINT64_C(1) << 63) - 1;
	struct sequence *sequence = create(64);

	assert_int_equal(sequence_add(sequence, 0, 0), SEQUENCE_NEXT);
	assert_int_equal(sequence_add(sequence, last, 0), SEQUENCE_GAP);
	assert_int_equal(sequence_add(sequence, last + 1, 0), SEQUENCE_OUTSIDE);
	assert_true(life_of(sequence).spanned == last + 1);
	assert_true(life_of(sequence).missing == last - 1);
	assert_true(sequence_highest(sequence) == last);
	sequence_free(sequence);
}

/* All of them or none. */
TEST(many_at_once_are_the_next_ones)
{
	const uint64_t last = (UINT64_C(1) << 63) - 1;
	struct sequence *sequence = create(64);

	/* Nobody knows yet which one is next. */
	assert_false(sequence_add_next(sequence, 5, 1, 0));
	sequence_expect(sequence, 5);
	assert_false(sequence_add_next(sequence, 4, 2, 0));
	assert_false(sequence_add_next(sequence, 6, 1, 0));
	assert_false(sequence_add_next(sequence, 5, 65, 0));
	assert_false(sequence_add_next(sequence, 5, UINT64_MAX, 0));
	assert_int_equal(life_of(sequence).received, 0);
	assert_true(sequence_add_next(sequence, 5, 0, 0));
	assert_true(sequence_add_next(sequence, 5, 64, 10));
	assert_true(sequence_add_next(sequence, 69, 30, 20));
	assert_false(sequence_add_next(sequence, 98, 2, 20));
	assert_int_equal(life_of(sequence).received, 94);
	for (uint64_t number = 35; number < 99; number++)
		assert_int_equal(sequence_add(sequence, number, 20), SEQUENCE_DUPLICATE);
	assert_int_equal(sequence_add(sequence, 34, 20), SEQUENCE_DUPLICATE);
	assert_int_equal(sequence_add(sequence, 100, 30), SEQUENCE_GAP);
	assert_true(life_of(sequence).order.gap_time == 10);
	assert_true(sequence_add_next(sequence, 101, 64, 30));
	assert_int_equal(life_of(sequence).missing, 1);
	/* The first above the mark is the next one, too. */
	sequence_mark(sequence);
	assert_true(sequence_add_next(sequence, 165, 2, 30));
	assert_int_equal(now_of(sequence).received, 2);
	sequence_add(sequence, last - 2, 0);
	assert_false(sequence_add_next(sequence, last - 1, 3, 0));
	assert_true(sequence_add_next(sequence, last - 1, 2, 0));
	assert_false(sequence_add_next(sequence, last + 1, 1, 0));
	sequence_free(sequence);
}

TEST(clearing_forgets_all)
{
	struct sequence *sequence = create(64);

	sequence_expect(sequence, 1);
	ADD(sequence, 1, 2, 9, 4, 4);
	sequence_mark(sequence);
	sequence_end(sequence, 70);
	sequence_clear(sequence);
	assert_int_equal(life_of(sequence).spanned, 0);
	assert_int_equal(sequence_lowest(sequence), 0);
	assert_int_equal(sequence_highest(sequence), 0);
	assert_int_equal(sequence_now_begin(sequence), 0);
	ADD(sequence, 9, 4, 2, 1);
	assert_int_equal(life_of(sequence).received, 4);
	assert_int_equal(life_of(sequence).duplicates, 0);
	sequence_free(sequence);
}

/* Nothing is missing below the window: what comes from there came before. */
TEST(below_the_window_the_certain_is_told)
{
	struct sequence *sequence = create(64);

	add_range(sequence, 100, 1000);
	assert_int_equal(sequence_add(sequence, 200, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(sequence_add(sequence, 100, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(sequence_add(sequence, 98, 0), SEQUENCE_REORDERED);
	/* 99 is missing now, and the only one. */
	assert_int_equal(life_of(sequence).missing, 1);
	assert_int_equal(sequence_add(sequence, 98, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(sequence_add(sequence, 99, 0), SEQUENCE_OLD);
	assert_int_equal(life_of(sequence).missing, 0);
	assert_int_equal(sequence_add(sequence, 99, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(life_of(sequence).missing, 0);
	sequence_free(sequence);
}

/* A gap that ends at the first bit of a word of the bitmap, where another number's was set. */
TEST(a_gap_forgets_what_leaves_the_window)
{
	for (uint64_t to = 152; to < 215; to++) {
		struct sequence *sequence = create(64);

		add_range(sequence, 0, 150);
		assert_int_equal(sequence_add(sequence, to, 0), SEQUENCE_GAP);
		/* All below the window came, hence this one, too. */
		assert_int_equal(sequence_add(sequence, 50, 0), SEQUENCE_DUPLICATE);
		assert_int_equal(sequence_add(sequence, 151, 0), SEQUENCE_REORDERED);
		sequence_free(sequence);
	}
}

/* What a gap pushes out of the window is not forgotten: one is missing there, no more. */
TEST(gaps_move_the_window_too)
{
	struct sequence *sequence = create(64);

	add_range(sequence, 1, 100);
	add_range(sequence, 102, 300);
	assert_int_equal(sequence_add(sequence, 101, 0), SEQUENCE_OLD);
	assert_int_equal(sequence_add(sequence, 50, 0), SEQUENCE_DUPLICATE);
	sequence_add(sequence, 1000, 0);
	add_range(sequence, 1001, 1063);
	assert_int_equal(life_of(sequence).missing, 699);
	for (uint64_t i = 301; i < 1000; i++)
		assert_int_equal(sequence_add(sequence, i, 0), SEQUENCE_OLD);
	assert_int_equal(sequence_add(sequence, 301, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(life_of(sequence).missing, 0);
	sequence_free(sequence);
}

TEST(windows_are_powers_of_two)
{
	static const struct {
		uint64_t asked, is;
	} windows[] = {{0, 64}, {64, 64}, {65, 128}, {1000, 1024}, {1 << 20, 1 << 20}};
	struct sequence *sequence;

	for (size_t i = 0; i < COUNT_OF(windows); i++) {
		const uint64_t number = 2 * windows[i].is;

		sequence = create(windows[i].asked);
		sequence_add(sequence, 0, 0);
		sequence_add(sequence, number, 0);
		assert_int_equal(sequence_add(sequence, number - windows[i].is + 1, 0),
				 SEQUENCE_REORDERED);
		assert_int_equal(sequence_add(sequence, number - windows[i].is, 0), SEQUENCE_OLD);
		sequence_free(sequence);
	}
	assert_int_equal(sequence_create(&sequence, UINT64_MAX), -EINVAL);
	assert_int_equal(sequence_create(&sequence, (UINT64_C(1) << 32) + 1), -EINVAL);
	assert_null(sequence);
	/* The widest is not refused, but there may be no memory for it. */
	assert_int_not_equal(sequence_create(&sequence, UINT64_C(1) << 32), -EINVAL);
	sequence_free(sequence);
	sequence_free(NULL);
}

/* One missing below the mark must not make one above it old, nor now negative. */
TEST(old_packets_count_on_their_side_of_the_mark)
{
	struct sequence *sequence = create(64);

	add_range(sequence, 1, 4);
	add_range(sequence, 6, 10);
	sequence_mark(sequence);
	add_range(sequence, 11, 200);
	assert_int_equal(sequence_add(sequence, 20, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(sequence_add(sequence, 7, 0), SEQUENCE_OLD);
	assert_int_equal(sequence_add(sequence, 8, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(now_of(sequence).received, 190);
	assert_int_equal(now_of(sequence).duplicates, 1);
	assert_int_equal(now_of(sequence).old, 0);
	assert_int_equal(life_of(sequence).duplicates, 2);
	assert_int_equal(life_of(sequence).old, 1);
	assert_int_equal(life_of(sequence).missing, 0);
	/* The one taken for 5 is none of those above the mark. */
	assert_int_equal(sequence_add(sequence, 20, 0), SEQUENCE_DUPLICATE);
	sequence_free(sequence);
}

/* The window reaches below the mark: what is below both came before, and is known to have. */
TEST(below_the_mark_the_certain_is_told_too)
{
	struct sequence *sequence = create(64);

	add_range(sequence, 100, 199);
	sequence_add(sequence, 201, 0);
	sequence_mark(sequence);
	assert_int_equal(sequence_add(sequence, 120, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(sequence_add(sequence, 100, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(life_of(sequence).missing, 1);
	sequence_free(sequence);
}

/* One missing above the mark must not make one below it old. */
TEST(the_missing_count_on_their_side_of_the_mark)
{
	struct sequence *sequence = create(64);

	add_range(sequence, 1, 100);
	sequence_mark(sequence);
	add_range(sequence, 103, 300);
	assert_int_equal(sequence_add(sequence, 20, 0), SEQUENCE_DUPLICATE);
	/* None above the mark came before 103. */
	assert_int_equal(sequence_add(sequence, 102, 0), SEQUENCE_REORDERED);
	assert_int_equal(sequence_add(sequence, 150, 0), SEQUENCE_DUPLICATE);
	assert_int_equal(now_of(sequence).missing, 1);
	sequence_free(sequence);
}

TEST(now_spans_what_is_above_the_mark)
{
	struct sequence *sequence = create(NP_FLOW_WINDOW);

	ADD(sequence, 1, 2, 5);
	assert_int_equal(now_of(sequence).missing, 2);
	sequence_mark(sequence);
	assert_int_equal(sequence_now_begin(sequence), 6);
	assert_int_equal(now_of(sequence).spanned, 0);
	ADD(sequence, 4, 7, 4, 8, 6, 8);

	struct sequence_counts now = now_of(sequence);

	assert_int_equal(now.spanned, 3);
	assert_int_equal(now.received, 3);
	assert_int_equal(now.missing, 0);
	assert_int_equal(now.duplicates, 1);
	assert_int_equal(now.reordered, 1);
	assert_int_equal(now.order.gaps, 1);
	assert_int_equal(now.order.extent_max, 2);
	/* 6 is the third of now and its lowest: |3 - 1|. */
	assert_int_equal(now.order.offset_sum, 2);

	const struct sequence_counts life = life_of(sequence);

	assert_int_equal(life.spanned, 8);
	assert_int_equal(life.received, 7);
	assert_int_equal(life.missing, 1);
	assert_int_equal(life.duplicates, 2);
	assert_int_equal(life.reordered, 2);
	sequence_mark(sequence);
	now = now_of(sequence);
	assert_int_equal(now.spanned + now.received + now.order.offset_sum + now.order.extent_max,
			 0);
	sequence_free(sequence);
}

/* One beyond all numbers is above every mark, one before the first below it. */
TEST(outside_counts_on_its_side_of_the_mark)
{
	struct sequence *sequence = create(64);

	sequence_expect(sequence, 10);
	ADD(sequence, 10, 9, UINT64_MAX);
	assert_int_equal(now_of(sequence).outside, 2);
	sequence_mark(sequence);
	assert_int_equal(now_of(sequence).outside, 0);
	ADD(sequence, 8, UINT64_MAX);
	assert_int_equal(now_of(sequence).outside, 1);
	assert_int_equal(life_of(sequence).outside, 4);
	sequence_free(sequence);
}

TEST(now_after_the_end_is_empty)
{
	struct sequence *sequence = create(64);

	sequence_expect(sequence, 1);
	sequence_mark(sequence);
	assert_int_equal(sequence_now_begin(sequence), 1);
	add_range(sequence, 1, 90);
	sequence_end(sequence, 100);
	assert_int_equal(now_of(sequence).missing, 10);
	sequence_mark(sequence);
	assert_int_equal(now_of(sequence).missing, 0);
	assert_int_equal(sequence_add(sequence, 91, 0), SEQUENCE_NEXT);
	assert_int_equal(now_of(sequence).received, 0);
	assert_int_equal(life_of(sequence).missing, 9);
	/* Beyond the end after all. */
	assert_int_equal(sequence_add(sequence, 103, 0), SEQUENCE_GAP);
	assert_int_equal(now_of(sequence).spanned, 3);
	assert_int_equal(now_of(sequence).missing, 2);
	sequence_free(sequence);
}
