// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How a flow classes each number at the limits of numbers, gaps, ends, windows and marks;
 * flow-ledger has all counts of ordinary flows.
 */
#include "support/counted_flow.h"
#include "support/unit.h"

#define LAST ((UINT64_C(1) << 63) - 1) /* the highest number */

TEST(classes)
{
	/* first 0: of a flow that may have begun before. */
	static const struct {
		uint64_t first, window;
		const char *script;
		/* In the end sent, received, late and duplicates, of the life and of now. */
		uint64_t counts[8];
	} rows[] = {
		{10,
		 64,
		 "9s 10n 13g 12r 12d 14n 500g 12l 9223372036854775808s",
		 {491, 5, 1, 1, 491, 5, 1, 1}},
		/* Head and tail are missing; an end before the start. */
		{1, 64, "E1000 301n 302-900n 300r", {1000, 601, 0, 0, 1000, 601, 0, 0}},
		{0, 64, "E10 4n", {7, 1, 0, 0, 7, 1, 0, 0}},
		/* Nothing is missing below the window: what comes from there came before. */
		{0, 64, "100-1000n 200d 100d 98r 98d 99l 99d", {903, 902, 1, 4, 903, 902, 1, 4}},
		/* What a gap pushes out of the window is not forgotten: one is missing, no more. */
		{0,
		 64,
		 "1-100n 102g 103-300n 101l 50d 1000g 1001-1063n 301-999l 301d",
		 {1063, 363, 700, 2, 1063, 363, 700, 2}},
		/* One missing below the mark makes none above it old, nor now negative. */
		{0, 64, "1-4n 6g 7-10n M 11-200n 20d 7l 8d 20d", {200, 199, 1, 3, 190, 190, 0, 2}},
		/* Certain below the mark; missing on its side of it; now is above it, or nothing.
		 */
		{0, 64, "100-199n 201g M 120d 100d", {102, 101, 0, 2}},
		{0, 64, "1-100n M 103g 104-300n 20d 102r 150d", {300, 299, 0, 2, 200, 199, 0, 1}},
		{0, NP_FLOW_WINDOW, "1n 2n 5g M 4r 7g 4d 8n 6r 8d", {8, 7, 0, 2, 3, 3, 0, 1}},
		{0, 64, "1n 2n 5g M", {5, 3}},
		{1, 64, "M 1-90n E100 M 91n", {100, 91}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct np_flow *flow;

		assert_int_equal(np_flow_create(&flow, rows[i].window), 0);
		/* The second time as the first. */
		for (int turn = 0; turn < 2; turn++) {
			struct np_flow_counts life, now;

			start(flow, &(struct np_flow_plan){.first = rows[i].first,
							   .late = !rows[i].first});
			play(flow, rows[i].script);
			life = life_of(flow);
			now = now_of(flow);
			if (memcmp(rows[i].counts,
				   ((const uint64_t[]){life.sent, life.received, life.late,
						       life.duplicates, now.sent, now.received,
						       now.late, now.duplicates}),
				   sizeof(rows[i].counts)) != 0)
				fail_msg("%s", rows[i].script);
		}
		np_flow_free(flow);
	}
}

FLOW_TEST(no_number_is_expected)
{
	for (int turn = 0; turn < 2; turn++) {
		start(flow, &(struct np_flow_plan){.first = LAST + 1});
		assert_int_equal(np_flow_add(flow, 4, 1, BYTES, 0, 1), 1);
		assert_int_equal(np_flow_lowest(flow), 4);
	}
}

/* Of 5000 gaps the last 4095 are told apart: the first of them leads to 2 * 906 + 1. */
TEST(an_extent_through_too_many_gaps_is_inexact)
{
	struct np_flow *flow;

	assert_int_equal(np_flow_create(&flow, NP_FLOW_WINDOW), 0);
	start(flow, &(struct np_flow_plan){.late = true});
	for (uint64_t i = 1; i <= 2 * 5000 + 1; i += 2)
		np_flow_add(flow, i, 1, BYTES, 0, 1);
	np_flow_add(flow, 2 * 906, 1, BYTES, 0, 1);
	assert_true(life_of(flow).order.extent_exact);
	assert_int_equal(life_of(flow).order.extent_max, 5001 + 1 - 907);
	np_flow_add(flow, 2, 1, BYTES, 0, 1);
	assert_false(life_of(flow).order.extent_exact);
	assert_int_equal(life_of(flow).order.extent_max, 5001 + 2 - 906);
	np_flow_free(flow);
}

FLOW_TEST(the_last_number_there_is)
{
	start(flow, &(struct np_flow_plan){.late = true});
	play(flow, "0n 9223372036854775807g 9223372036854775808s");
	assert_true(life_of(flow).sent == LAST + 1 && life_of(flow).lost == LAST - 1);
	assert_true(np_flow_highest(flow) == LAST);
	assert_true(np_flow_end(flow, LAST + 1, 0));
	assert_true(np_flow_highest(flow) == LAST);
}

FLOW_TEST(numbers_unwrap_to_the_nearest)
{
	const uint64_t turn = UINT64_C(1) << 32;

	start(flow, &(struct np_flow_plan){.late = true});
	assert_true(np_flow_unwrap(flow, 0xFFFFFFFF) == turn + 0xFFFFFFFF);
	np_flow_add(flow, turn + 0xFFFFFFFE, 1, BYTES, 0, 1);
	assert_true(np_flow_unwrap(flow, 0xFFFFFFFF) == turn + 0xFFFFFFFF);
	assert_true(np_flow_unwrap(flow, 0) == 2 * turn);
	assert_true(np_flow_unwrap(flow, 0x7FFFFFFD) == 2 * turn + 0x7FFFFFFD);
	assert_true(np_flow_unwrap(flow, 0x7FFFFFFF) == turn + 0x7FFFFFFF);
	assert_true(np_flow_unwrap(flow, 0x80000000) == turn + 0x80000000);
	start(flow, &(struct np_flow_plan){.first = 1});
	assert_true(np_flow_unwrap(flow, 1) == 1);
	assert_true(np_flow_unwrap(flow, 0x90000000) == 0x90000000);
	np_flow_add(flow, 1, 1, BYTES, 0, 1);
	assert_true(np_flow_unwrap(flow, 0) == 0);
	assert_int_equal(np_flow_add(flow, np_flow_unwrap(flow, 0xFFFFFFFF), 1, BYTES, 0, 1), 0);
	assert_int_equal(life_of(flow).stray, 1);
}

/* Above a mark, and up to the last number. */
FLOW_TEST(many_at_once)
{
	start(flow, &(struct np_flow_plan){.first = 5});
	assert_int_equal(np_flow_add(flow, 5, 0, BYTES, 0, 1), 0);
	assert_int_equal(np_flow_add(flow, 5, 1100, BYTES, 0, 1), 1100);
	play(flow, "5-1104d 1106g");
	np_flow_mark(flow, 2);
	assert_int_equal(np_flow_add(flow, 1107, 2, BYTES, 0, 3), 2);
	assert_int_equal(now_of(flow).received, 2);
	np_flow_add(flow, LAST - 2, 1, BYTES, 0, 1);
	assert_int_equal(np_flow_add(flow, LAST - 1, 3, BYTES, 0, 1), 2);
	assert_int_equal(life_of(flow).stray, 1);
}

/* A gap that ends at the first bit of a word of the bitmap, where another number's was set. */
TEST(a_gap_forgets_what_leaves_the_window)
{
	struct np_flow *flow;

	assert_int_equal(np_flow_create(&flow, 64), 0);
	for (uint64_t to = 152; to < 215; to++) {
		start(flow, &(struct np_flow_plan){.late = true});
		play(flow, "0-150n");
		np_flow_add(flow, to, 1, BYTES, 0, 1);
		/* All below the window came, hence this one, too. */
		play(flow, "50d 151r");
	}
	np_flow_free(flow);
}

TEST(windows_are_powers_of_two)
{
	static const struct {
		uint64_t asked, is;
	} windows[] = {{0, 64}, {64, 64}, {65, 128}, {1000, 1024}, {1 << 20, 1 << 20}};
	struct np_flow *flow;

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		const uint64_t number = 2 * windows[i].is;

		assert_int_equal(np_flow_create(&flow, windows[i].asked), 0);
		start(flow, &(struct np_flow_plan){.late = true});
		np_flow_add(flow, 0, 1, BYTES, 0, 1);
		np_flow_add(flow, number, 1, BYTES, 0, 1);
		np_flow_add(flow, number - windows[i].is + 1, 1, BYTES, 0, 1);
		assert_true(life_of(flow).reordered == 1 && life_of(flow).late == 0);
		np_flow_add(flow, number - windows[i].is, 1, BYTES, 0, 1);
		assert_int_equal(life_of(flow).late, 1);
		np_flow_free(flow);
	}
	assert_int_equal(np_flow_create(&flow, (UINT64_C(1) << 32) + 1), -EINVAL);
	assert_null(flow);
	/* The widest is not refused, but there may be no memory for it. */
	assert_int_not_equal(np_flow_create(&flow, UINT64_C(1) << 32), -EINVAL);
	np_flow_free(flow);
}

/* One beyond all numbers is above every mark, one before the first below it. */
FLOW_TEST(stray_on_its_side_of_the_mark)
{
	start(flow, &(struct np_flow_plan){.first = 10});
	play(flow, "10n 9s 9223372036854775808s");
	assert_int_equal(now_of(flow).stray, 2);
	play(flow, "M 8s 9223372036854775808s");
	assert_int_equal(now_of(flow).stray, 1);
	assert_int_equal(life_of(flow).stray, 4);
}

/* 6 is the third since the mark and the lowest: |3 - 1|. */
FLOW_TEST(order_since_the_mark)
{
	play(flow, "1n 2n 5g M 4r 7g 4d 8n 6r 8d");
	assert_int_equal(now_of(flow).order.offset_sum, 2);
	assert_true(now_of(flow).reordered == 1 && now_of(flow).order.extent_max == 2);
	assert_true(life_of(flow).reordered == 2 && now_of(flow).order.gaps == 1);
}
