// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* How each number of a sequence is classed and counted, in small flows worked out by hand. */
#include "sequence_made.h"
#include "support/unit.h"

static uint64_t mean(uint64_t sum, uint64_t count)
{
	return count ? sum / count : 0;
}

/* The runs of the Java original; where numbers came twice, distinct packets are counted. */
TEST(figures_of_the_original)
{
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
		struct sequence *sequence = create(NP_FLOW_WINDOW);

		for (size_t j = 0; j < runs[i].count; j++)
			sequence_add(sequence, runs[i].numbers[j], 0);

		const struct sequence_counts counts = life_of(sequence);

		assert_int_equal(counts.received, runs[i].received);
		assert_int_equal(counts.spanned, runs[i].spanned);
		assert_int_equal(counts.missing, runs[i].missing);
		assert_int_equal(counts.duplicates, runs[i].duplicates);
		assert_int_equal(counts.reordered, runs[i].reordered);
		assert_int_equal(mean(counts.order.offset_sum, counts.reordered), runs[i].offset);
		assert_int_equal(counts.order.gaps, runs[i].gaps);
		assert_int_equal(mean(counts.order.gap_packets, counts.order.gaps), runs[i].gap);
		sequence_free(sequence);
	}
}

TEST(a_run_in_order_has_nothing_to_report)
{
	struct sequence *sequence = create(64);

	add_range(sequence, 1, 3000);

	const struct sequence_counts counts = life_of(sequence);

	assert_int_equal(counts.received, 3000);
	assert_int_equal(counts.spanned, 3000);
	assert_int_equal(counts.missing, 0);
	assert_int_equal(counts.reordered + counts.order.gaps + counts.duplicates, 0);
	assert_int_equal(sequence_lowest(sequence), 1);
	assert_int_equal(sequence_highest(sequence), 3000);
	sequence_free(sequence);
}

TEST(a_restart_of_the_same_numbers_is_duplicates)
{
	struct sequence *sequence = create(64);

	add_range(sequence, 1, 50);
	add_range(sequence, 1, 50);
	assert_int_equal(life_of(sequence).received, 50);
	assert_int_equal(life_of(sequence).duplicates, 50);
	assert_int_equal(life_of(sequence).reordered, 0);
	sequence_free(sequence);
}

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

/* RFC 4737, table 1, and more of the kind. */
TEST(extents)
{
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
		struct sequence *sequence = create(NP_FLOW_WINDOW);

		for (size_t j = 0; j < COUNT_OF(runs[i].numbers); j++)
			sequence_add(sequence, runs[i].numbers[j], 0);

		const struct sequence_counts counts = life_of(sequence);

		assert_int_equal(counts.reordered, runs[i].reordered);
		assert_int_equal(counts.order.extent_sum, runs[i].sum);
		assert_int_equal(counts.order.extent_max, runs[i].max);
		assert_true(counts.order.extent_exact);
		sequence_free(sequence);
	}
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
