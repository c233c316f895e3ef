// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a sequence still knows below its window and on both sides of its mark. */
#include "sequence_made.h"
#include "support/unit.h"

#include <errno.h>

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
