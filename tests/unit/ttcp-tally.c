// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a receiver counts of a stream, its delays by clocks apart, and the sums of streams and runs.
 */
#include "../../src/ttcp/conversation/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES  512u
#define MS     NP_MILLISECOND
#define US     NP_MICROSECOND
#define BEGIN  (INT64_C(1154730964371) * MS) /* 2006, the receiver's clock */
#define OFFSET (INT64_C(81567) * MS)	     /* the receiver's clock is ahead */

static int create(void **state)
{
	return tally_create((struct tally **)state);
}

static int destroy(void **state)
{
	tally_free(*state);
	tally_free(NULL);
	return 0;
}

/* Message @number, sent at its number in ms, arrives after @delay. */
static enum np_sequence_class arrive(struct tally *tally, uint64_t number, np_time delay)
{
	const np_time sent = BEGIN + (np_time)number * MS;

	return tally_data(tally, number, BYTES, sent - OFFSET, sent + delay);
}

static void all_came(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 100, NULL);
	assert_false(tally_complete(tally));
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(arrive(tally, i, MS), NP_SEQUENCE_NEXT);
	assert_true(tally_complete(tally));
	assert_true(tally_ended(tally));
	tally_life(tally, &f);
	assert_int_equal(f.sent, 100);
	assert_true(f.sent_known);
	assert_int_equal(f.received, 100);
	assert_int_equal(f.lost, 0);
	assert_int_equal(f.bytes, 100 * BYTES);
	assert_true(f.first == BEGIN + MS && f.last == BEGIN + 100 * MS);
	assert_true(f.elapsed == 99 * MS);
	tally_end(tally, 100, 0);
	tally_end(tally, 100, 0);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 100);
	assert_int_equal(f.lost, 0);
}

/* Head, middle and tail lost, one doubled, one late, some damaged. */
static void losses(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 1024, NULL);
	for (uint64_t i = 10; i < 1000; i++) {
		if (i != 500 && i != 600)
			arrive(tally, i, MS);
	}
	assert_int_equal(arrive(tally, 600, MS), NP_SEQUENCE_REORDERED);
	assert_int_equal(arrive(tally, 700, MS), NP_SEQUENCE_DUPLICATE);
	tally_damaged(tally);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 1024);
	assert_false(f.sent_known);
	assert_int_equal(f.lost, 35);
	assert_false(tally_ended(tally));
	tally_end(tally, 1024, 0);
	assert_true(tally_ended(tally));
	assert_false(tally_complete(tally));
	tally_life(tally, &f);
	assert_int_equal(f.sent, 1024);
	assert_true(f.sent_known);
	assert_int_equal(f.received, 989);
	assert_int_equal(f.lost, 35);
	assert_int_equal(f.duplicates, 1);
	assert_int_equal(f.reordered, 1);
	assert_int_equal(f.damaged, 1);
	assert_int_equal(f.bytes, 989 * BYTES);
	assert_int_equal(f.sent, f.received + f.lost + f.late);
	assert_int_equal(tally_delay(tally)->count, 989);
}

/* A sender that was interrupted ends with fewer than it announced. */
static void fewer_than_announced(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 1024, NULL);
	arrive(tally, 0, MS);
	arrive(tally, 1, MS);
	tally_end(tally, 3, 0);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 3);
	assert_int_equal(f.lost, 1);
	assert_true(f.sent_known);
	tally_begin(tally, 1024, NULL);
	tally_end(tally, 0, 0);
	assert_true(tally_complete(tally));
	tally_life(tally, &f);
	assert_int_equal(f.sent, 0);
	assert_int_equal(f.lost, 0);
	assert_true(f.elapsed == 0 && f.first == 0);
}

/* What the sender's own host refused is neither sent nor lost; one that came for all that is there.
 */
static void never_left(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 10, NULL);
	for (uint64_t i = 0; i < 6; i++)
		arrive(tally, i, MS);
	tally_end(tally, 10, 3);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 7);
	assert_int_equal(f.lost, 1);
	assert_false(tally_complete(tally));
	arrive(tally, 6, MS);
	assert_true(tally_complete(tally));
	arrive(tally, 7, MS);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 8);
	assert_int_equal(f.lost, 0);
}

/* Nothing at all came, and END did. */
static void all_lost(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 0, NULL);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 0);
	assert_false(f.sent_known);
	assert_false(tally_complete(tally));
	tally_end(tally, 1024, 0);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 1024);
	assert_int_equal(f.lost, 1024);
	assert_false(tally_complete(tally));
}

/* Without START and END what is known is up to the highest. */
static void neither_start_nor_end(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 0, NULL);
	arrive(tally, 5, MS);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 6);
	assert_int_equal(f.lost, 5);
	assert_false(f.sent_known);
	assert_false(tally_ended(tally));
}

static void numbers_that_cannot_be(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 10, NULL);
	assert_int_equal(arrive(tally, 10, MS), NP_SEQUENCE_OUTSIDE);
	tally_begin(tally, 0, NULL);
	arrive(tally, 0, MS);
	assert_int_equal(tally_data(tally, UINT64_MAX, BYTES, 0, BEGIN), NP_SEQUENCE_OUTSIDE);
	tally_end(tally, UINT64_MAX, 0);
	assert_false(tally_ended(tally));
	tally_end(tally, 2, 0);
	assert_int_equal(arrive(tally, 2, MS), NP_SEQUENCE_OUTSIDE);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 2);
	assert_int_equal(f.received, 1);
	assert_int_equal(f.damaged, 1);
}

static void raw(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 0, NULL);
	tally_raw(tally, 3, 1500, BEGIN);
	tally_raw(tally, 1, 500, BEGIN + 10 * MS);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 4);
	assert_int_equal(f.received, 4);
	assert_int_equal(f.lost, 0);
	assert_int_equal(f.bytes, 2000);
	assert_false(f.sent_known);
	assert_true(f.elapsed == 10 * MS);
	assert_int_equal(tally_delay(tally)->count, 0);
}

/* Rows are differences: one that comes late takes back a loss, and their sum is the life. */
static void intervals(void **state)
{
	struct tally *tally = *state;
	struct tally_figures mark, f;

	tally_begin(tally, 100, NULL);
	tally_so_far(tally, &f);
	assert_true(tally_figures_empty(&f));
	for (uint64_t i = 0; i < 10; i++) {
		if (i != 4)
			arrive(tally, i, 0);
	}
	tally_so_far(tally, &mark);
	assert_int_equal(mark.received, 9);
	assert_int_equal(mark.lost, 1);
	assert_int_equal(mark.sent, 10);
	assert_int_equal(mark.bytes, 9 * BYTES);
	arrive(tally, 4, 7 * MS);
	for (uint64_t i = 10; i < 15; i++)
		arrive(tally, i, 0);
	tally_so_far(tally, &f);
	tally_figures_since(&f, &mark);
	assert_int_equal(f.received, 6);
	assert_int_equal((int64_t)f.lost, -1);
	assert_int_equal(f.bytes, 6 * BYTES);
	assert_false(tally_figures_empty(&f));
	/* What START announced and nobody sent is lost at the end only. */
	tally_life(tally, &f);
	assert_int_equal(f.sent, 100);
	assert_int_equal(f.lost, 85);
	tally_end(tally, 16, 0);
	tally_life(tally, &f);
	assert_int_equal(f.received, 15);
	assert_int_equal(f.lost, 1);
	assert_int_equal(f.bytes, 15 * BYTES);
}

static void begins_anew(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;

	tally_begin(tally, 5, NULL);
	for (uint64_t i = 0; i < 5; i++)
		arrive(tally, i, MS);
	tally_end(tally, 5, 0);
	tally_damaged(tally);
	tally_begin(tally, 0, NULL);
	tally_life(tally, &f);
	assert_int_equal(f.sent + f.received + f.lost + f.bytes + f.damaged, 0);
	assert_int_equal(tally_delay(tally)->count, 0);
	assert_false(tally_ended(tally));
	assert_int_equal(arrive(tally, 0, MS), NP_SEQUENCE_NEXT);
	tally_so_far(tally, &f);
	assert_int_equal(f.received, 1);
}

/* Delays of 100 us to 100.1 ms, clocks 81 s apart. */
static void spread_delays(struct tally *tally)
{
	for (uint64_t i = 0; i < 1001; i++)
		arrive(tally, i, 100 * US + (np_time)i * 100 * US);
}

static void check_delays(const struct delay *delay, int64_t offset)
{
	const struct message_clock clock = {.known = true, .offset = offset, .bound = 20 * US};
	struct np_histogram_figures raw_figures, f;

	delay_figures(delay, &raw_figures);
	assert_true(delay_correct(&raw_figures, &clock, &f));
	assert_int_equal(f.count, 1001);
	assert_true(f.min == 100 * US && f.max == 100100 * US && f.mean == 50100 * US);
	assert_in_range(f.p50, 50050 * US, 50150 * US);
	assert_in_range(f.p90, 90000 * US, 90200 * US);
	assert_in_range(f.p99, 99000 * US, 99200 * US);
	assert_in_range(f.p999, 99900 * US, 100100 * US);
}

static void corrected_delays(void **state)
{
	struct tally *tally = *state;
	/* What is known at first is a little wrong. */
	const struct message_clock clock = {
		.known = true, .offset = OFFSET + 30 * US, .bound = 50 * US};
	struct np_histogram_figures f;

	tally_begin(tally, 1001, &clock);
	spread_delays(tally);
	check_delays(tally_delay(tally), OFFSET);
	tally_begin(tally, 1001, NULL);
	delay_figures(tally_delay(tally), &f);
	assert_int_equal(f.count, 0);
	assert_false(delay_correct(&f, &clock, &f));
	spread_delays(tally);
	check_delays(tally_delay(tally), OFFSET);
	delay_figures(tally_delay(tally), &f);
	assert_false(delay_correct(&f, &(struct message_clock){0}, &f));
	assert_true(f.min == OFFSET + 100 * US);
}

/* A clock that was far off at first: the exact figures are right, percentiles within the ends. */
static void wrong_clock(void **state)
{
	struct tally *tally = *state;
	const struct message_clock clock = {.known = true, .offset = OFFSET + 20 * MS, .bound = US};
	struct np_histogram_figures f;

	tally_begin(tally, 1001, &clock);
	spread_delays(tally);
	delay_figures(tally_delay(tally), &f);
	assert_true(f.min == OFFSET + 100 * US && f.max == OFFSET + 100100 * US);
	assert_true(f.p50 >= OFFSET + 50050 * US && f.p50 <= OFFSET + 50150 * US);
}

static void hostile_times(void **state)
{
	struct tally *tally = *state;
	struct np_histogram_figures f;

	tally_begin(tally, 0, NULL);
	tally_data(tally, 0, BYTES, INT64_MIN, BEGIN);
	tally_data(tally, 1, BYTES, INT64_MAX, BEGIN);
	tally_data(tally, 2, BYTES, INT64_MIN, BEGIN);
	delay_figures(tally_delay(tally), &f);
	assert_int_equal(f.count, 3);
	assert_true(f.max == INT64_MAX && f.min == BEGIN - INT64_MAX);
}

static void assert_same_figures(const struct tally *a, const struct tally *b)
{
	struct tally_figures x, y;
	struct np_histogram_figures p, q;

	tally_life(a, &x);
	tally_life(b, &y);
	assert_memory_equal(&x, &y, sizeof(x));
	tally_so_far(a, &x);
	tally_so_far(b, &y);
	assert_memory_equal(&x, &y, sizeof(x));
	delay_figures(tally_delay(a), &p);
	delay_figures(tally_delay(b), &q);
	assert_memory_equal(&p, &q, sizeof(p));
}

/* A run is what its messages are one by one: in order, again, behind gaps, beyond the end.
 */
static void runs(void **state)
{
	static const struct {
		uint64_t number, count;
	} steps[] = {
		{0, 44},  {44, 1},    {45, 0},	{45, 44},   {89, 3},   {92, 10},
		{80, 20}, {110, 20},  {100, 5}, {103, 10},  {130, 40}, {165, 44},
		{50, 5},  {209, 500}, {709, 4}, {900, 200},
	};
	struct tally *one = *state, *by_one;

	assert_int_equal(tally_create(&by_one), 0);
	tally_begin(one, 1000, NULL);
	tally_begin(by_one, 1000, NULL);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const np_time sent = BEGIN + (np_time)i * MS, at = sent + (np_time)(i % 3) * US;

		tally_run(one, steps[i].number, steps[i].count, BYTES, sent - OFFSET, at);
		for (uint64_t j = 0; j < steps[i].count; j++)
			tally_data(by_one, steps[i].number + j, BYTES, sent - OFFSET, at);
		assert_same_figures(one, by_one);
	}
	tally_end(one, 950, 0);
	tally_end(by_one, 950, 0);
	tally_run(one, 940, 20, BYTES, BEGIN, BEGIN);
	for (uint64_t j = 0; j < 20; j++)
		tally_data(by_one, 940 + j, BYTES, BEGIN, BEGIN);
	assert_same_figures(one, by_one);
	tally_free(by_one);
}

static void sums(void **state)
{
	struct tally *tally = *state;
	struct tally_figures a, b, sum;

	tally_begin(tally, 10, NULL);
	for (uint64_t i = 0; i < 10; i++)
		arrive(tally, i, MS);
	tally_life(tally, &a);
	tally_begin(tally, 10, NULL);
	for (uint64_t i = 3; i < 8; i++)
		arrive(tally, i, 5 * MS);
	tally_life(tally, &b);
	sum = a;
	tally_figures_add(&sum, &b);
	assert_int_equal(sum.sent, 20);
	assert_false(sum.sent_known);
	assert_int_equal(sum.received, 15);
	assert_int_equal(sum.lost, 5);
	assert_int_equal(sum.bytes, 15 * BYTES);
	assert_true(sum.elapsed == 11 * MS);
	sum = a;
	tally_figures_append(&sum, &b);
	assert_true(sum.elapsed == 13 * MS);
}

static void merged_delays(void **state)
{
	const struct message_clock clock = {.known = true, .offset = OFFSET, .bound = US};
	struct tally *tally = *state, *other;
	struct delay sum;

	assert_int_equal(tally_create(&other), 0);
	assert_int_equal(delay_create(&sum), 0);
	tally_begin(tally, 0, &clock);
	tally_begin(other, 0, NULL);
	for (uint64_t i = 0; i < 1001; i++)
		arrive(i % 2 ? tally : other, i, 100 * US + (np_time)i * 100 * US);
	for (int i = 0; i < 2; i++) {
		delay_clear(&sum);
		delay_merge(&sum, tally_delay(i ? tally : other));
		delay_merge(&sum, tally_delay(i ? other : tally));
		check_delays(&sum, OFFSET);
	}
	delay_free(&sum);
	tally_free(other);
}

/* Who came in the middle says of what was before it neither that it was lost nor that it came. */
static void came_late(void **state)
{
	struct tally *tally = *state;
	struct message_report r;
	struct tally_figures f;

	tally_begin_late(tally);
	for (uint64_t i = 600; i < 1000; i++)
		if (i != 700)
			arrive(tally, i, MS);
	tally_so_far(tally, &f);
	assert_true(f.sent == 400 && f.received == 399 && f.lost == 1 && f.missed_before == 600);
	tally_end(tally, 1010, 4);
	tally_life(tally, &f);
	assert_true(f.sent == 406 && f.received == 399 && f.lost == 7 && f.missed_before == 600);
	assert_true(f.sent_known);
	tally_report(&f, tally_delay(tally), &r);
	assert_true(!r.exact && r.lost == 7 && r.missed_before == 600);
	/* Only END came. */
	tally_begin_late(tally);
	tally_end(tally, 50, 0);
	tally_life(tally, &f);
	assert_true(f.sent == 0 && f.lost == 0 && f.missed_before == 50);
	/* Who heard START saw all of it. */
	tally_begin(tally, 1000, NULL);
	arrive(tally, 600, MS);
	tally_end(tally, 1000, 0);
	tally_life(tally, &f);
	assert_true(f.sent == 1000 && f.lost == 999 && f.missed_before == 0);
}

static void reported(void **state)
{
	struct tally *tally = *state;
	struct tally_figures f;
	struct message_report r;

	tally_begin(tally, 1001, NULL);
	spread_delays(tally);
	tally_damaged(tally);
	tally_life(tally, &f);
	tally_report(&f, tally_delay(tally), &r);
	assert_true(r.exact);
	assert_int_equal(r.received, 1001);
	assert_int_equal(r.damaged, 1);
	assert_int_equal(r.bytes, 1001 * BYTES);
	assert_true(r.first == f.first && r.last == f.last);
	assert_int_equal(r.delays.count, 1001);
}

/* What a forged START or END says of the clocks is as far off as numbers go. */
static void clocks_beyond_all_bounds(void **state)
{
	const int64_t ends[] = {INT64_MIN, -1, 0, INT64_MAX};
	struct delay delay;

	(void)state;
	assert_int_equal(delay_create(&delay), 0);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		const struct message_clock clock = {true, ends[i], INT64_MAX};
		struct np_histogram_figures raw, corrected;

		delay_clear(&delay);
		delay_expect(&delay, &clock);
		assert_true(delay.base <= INT64_MIN + NP_MICROSECOND + 1 || ends[i] == INT64_MAX);
		assert_true(delay.base < 0);
		for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++)
			delay_add(&delay, ends[k], 1);
		delay_figures(&delay, &raw);
		assert_true(raw.min == INT64_MIN && raw.max == INT64_MAX);
		assert_true(delay_correct(&raw, &clock, &corrected));
	}
	delay_free(&delay);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_beyond_all_bounds),
		cmocka_unit_test_setup_teardown(came_late, create, destroy),
		cmocka_unit_test_setup_teardown(all_came, create, destroy),
		cmocka_unit_test_setup_teardown(losses, create, destroy),
		cmocka_unit_test_setup_teardown(fewer_than_announced, create, destroy),
		cmocka_unit_test_setup_teardown(never_left, create, destroy),
		cmocka_unit_test_setup_teardown(all_lost, create, destroy),
		cmocka_unit_test_setup_teardown(neither_start_nor_end, create, destroy),
		cmocka_unit_test_setup_teardown(numbers_that_cannot_be, create, destroy),
		cmocka_unit_test_setup_teardown(raw, create, destroy),
		cmocka_unit_test_setup_teardown(intervals, create, destroy),
		cmocka_unit_test_setup_teardown(begins_anew, create, destroy),
		cmocka_unit_test_setup_teardown(corrected_delays, create, destroy),
		cmocka_unit_test_setup_teardown(wrong_clock, create, destroy),
		cmocka_unit_test_setup_teardown(hostile_times, create, destroy),
		cmocka_unit_test_setup_teardown(runs, create, destroy),
		cmocka_unit_test_setup_teardown(sums, create, destroy),
		cmocka_unit_test_setup_teardown(merged_delays, create, destroy),
		cmocka_unit_test_setup_teardown(reported, create, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
