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

static struct np_histogram_figures delays_of(const struct tally *tally)
{
	struct np_histogram_figures f;
	struct np_delay *delay;

	assert_int_equal(np_delay_create(&delay), 0);
	tally_delays(tally, delay);
	np_delay_figures(delay, &f);
	np_delay_free(delay);
	return f;
}

static void report_of(const struct tally *tally, const struct np_flow_counts *f,
		      struct message_report *r)
{
	struct np_delay *delay;

	assert_int_equal(np_delay_create(&delay), 0);
	tally_delays(tally, delay);
	tally_report(f, delay, r);
	np_delay_free(delay);
}

static uint64_t received_of(const struct tally *tally)
{
	struct np_flow_counts f;

	tally_so_far(tally, &f);
	return f.received;
}

/* Message @number, sent at its number in ms, arrives after @delay. Whether it came before. */
static bool arrive(struct tally *tally, uint64_t number, np_time delay)
{
	const np_time sent = BEGIN + (np_time)number * MS;
	const uint64_t before = received_of(tally);

	tally_add(tally, number, 1, BYTES, sent - OFFSET, sent + delay);
	return received_of(tally) == before;
}

static void all_came(void **state)
{
	struct tally *tally = *state;
	struct np_flow_counts f;

	tally_begin(tally, 100, NULL);
	assert_false(tally_complete(tally));
	for (uint64_t i = 0; i < 100; i++)
		assert_false(arrive(tally, i, MS));
	assert_true(tally_complete(tally));
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
	struct np_flow_counts f;

	tally_begin(tally, 1024, NULL);
	for (uint64_t i = 10; i < 1000; i++) {
		if (i != 500 && i != 600)
			arrive(tally, i, MS);
	}
	assert_false(arrive(tally, 600, MS));
	assert_true(arrive(tally, 700, MS));
	tally_damaged(tally);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 1024);
	assert_false(f.sent_known);
	assert_int_equal(f.lost, 35);
	tally_end(tally, 1024, 0);
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
	assert_int_equal(delays_of(tally).count, 989);
}

/* A sender that was interrupted ends with fewer than it announced. */
static void fewer_than_announced(void **state)
{
	struct tally *tally = *state;
	struct np_flow_counts f;

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
	struct np_flow_counts f;

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
	struct np_flow_counts f;

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
	struct np_flow_counts f;

	tally_begin(tally, 0, NULL);
	arrive(tally, 5, MS);
	tally_life(tally, &f);
	assert_int_equal(f.sent, 6);
	assert_int_equal(f.lost, 5);
	assert_false(f.sent_known);
}

static void numbers_that_cannot_be(void **state)
{
	struct tally *tally = *state;
	struct np_flow_counts f;
	struct message_report r;

	tally_begin(tally, 10, NULL);
	assert_true(arrive(tally, 10, MS));
	tally_begin(tally, 0, NULL);
	arrive(tally, 0, MS);
	tally_add(tally, UINT64_MAX, 1, BYTES, 0, BEGIN);
	tally_end(tally, UINT64_MAX, 0);
	tally_end(tally, 2, 0);
	assert_true(arrive(tally, 2, MS));
	tally_life(tally, &f);
	assert_int_equal(f.sent, 2);
	assert_int_equal(f.received, 1);
	assert_int_equal(f.stray, 2);
	assert_int_equal(f.damaged, 0);
	tally_damaged(tally);
	tally_life(tally, &f);
	report_of(tally, &f, &r);
	assert_int_equal(r.damaged, 3);
}

static void raw(void **state)
{
	struct tally *tally = *state;
	struct np_flow_counts f;

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
	assert_int_equal(delays_of(tally).count, 0);
}

/* Rows are differences: one that comes late takes back a loss, and their sum is the life. */
static void intervals(void **state)
{
	struct tally *tally = *state;
	struct np_flow_counts mark, f;

	tally_begin(tally, 100, NULL);
	tally_so_far(tally, &f);
	assert_true(np_flow_counts_empty(&f));
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
	np_flow_counts_since(&f, &mark);
	assert_int_equal(f.received, 6);
	assert_int_equal((int64_t)f.lost, -1);
	assert_int_equal(f.bytes, 6 * BYTES);
	assert_false(np_flow_counts_empty(&f));
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
	struct np_flow_counts f;

	tally_begin(tally, 5, NULL);
	for (uint64_t i = 0; i < 5; i++)
		arrive(tally, i, MS);
	tally_end(tally, 5, 0);
	tally_damaged(tally);
	tally_begin(tally, 0, NULL);
	tally_life(tally, &f);
	assert_int_equal(f.sent + f.received + f.lost + f.bytes + f.damaged, 0);
	assert_int_equal(delays_of(tally).count, 0);
	assert_false(arrive(tally, 0, MS));
	tally_so_far(tally, &f);
	assert_int_equal(f.received, 1);
}

/* Delays of 100 us to 100.1 ms, clocks 81 s apart. */
static void spread_delays(struct tally *tally)
{
	for (uint64_t i = 0; i < 1001; i++)
		arrive(tally, i, 100 * US + (np_time)i * 100 * US);
}

static void check_delays(const struct tally *tally, int64_t offset)
{
	const struct message_clock clock = {.known = true, .offset = offset, .bound = 20 * US};
	const struct np_histogram_figures raw_figures = delays_of(tally);
	struct np_histogram_figures f;

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
	check_delays(tally, OFFSET);
	tally_begin(tally, 1001, NULL);
	f = delays_of(tally);
	assert_int_equal(f.count, 0);
	assert_false(delay_correct(&f, &clock, &f));
	spread_delays(tally);
	check_delays(tally, OFFSET);
	f = delays_of(tally);
	assert_false(delay_correct(&f, &(struct message_clock){0}, &f));
	assert_true(f.min == OFFSET + 100 * US);
}

/* The delays of intervals: each has its own, and the run has all. */
static void delays_of_intervals(void **state)
{
	struct tally *tally = *state;
	const struct message_clock clock = {.known = true, .offset = OFFSET, .bound = 50 * US};
	struct np_histogram_figures f;
	struct np_delay *delay;

	tally_begin(tally, 3003, &clock);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(np_delay_create(&delay), 0);
		tally_add(tally, i, 1, 100, MS, MS + OFFSET + (i + 1) * MS);
		tally_cut_delays(tally, &clock, delay);
		np_delay_figures(delay, &f);
		assert_int_equal(f.count, 1);
		assert_int_equal(f.p99, OFFSET + (i + 1) * MS);
		tally_cut_delays(tally, &clock, delay);
		np_delay_figures(delay, &f);
		assert_int_equal(f.count, 1);
		np_delay_free(delay);
	}
	f = delays_of(tally);
	assert_int_equal(f.count, 3);
	assert_true(f.min == OFFSET + MS && f.max == OFFSET + 3 * MS);
	tally_begin(tally, 1001, &clock);
	assert_int_equal(delays_of(tally).count, 0);
	spread_delays(tally);
	check_delays(tally, OFFSET);
}

/* A clock that was far off at first: the exact figures are right, percentiles within the ends. */
static void wrong_clock(void **state)
{
	struct tally *tally = *state;
	const struct message_clock clock = {.known = true, .offset = OFFSET + 20 * MS, .bound = US};
	struct np_histogram_figures f;

	tally_begin(tally, 1001, &clock);
	spread_delays(tally);
	f = delays_of(tally);
	assert_true(f.min == OFFSET + 100 * US && f.max == OFFSET + 100100 * US);
	assert_true(f.p50 >= OFFSET + 50050 * US && f.p50 <= OFFSET + 50150 * US);
}

static void hostile_times(void **state)
{
	struct tally *tally = *state;
	struct np_histogram_figures f;

	tally_begin(tally, 0, NULL);
	tally_add(tally, 0, 1, BYTES, INT64_MIN, BEGIN);
	tally_add(tally, 1, 1, BYTES, INT64_MAX, BEGIN);
	tally_add(tally, 2, 1, BYTES, INT64_MIN, BEGIN);
	f = delays_of(tally);
	assert_int_equal(f.count, 3);
	assert_true(f.max == INT64_MAX && f.min == BEGIN - INT64_MAX);
}

static void sums(void **state)
{
	struct tally *tally = *state;
	struct np_flow_counts a, b, sum;

	tally_begin(tally, 10, NULL);
	for (uint64_t i = 0; i < 10; i++)
		arrive(tally, i, MS);
	tally_life(tally, &a);
	tally_begin(tally, 10, NULL);
	for (uint64_t i = 3; i < 8; i++)
		arrive(tally, i, 5 * MS);
	tally_life(tally, &b);
	sum = a;
	np_flow_counts_add(&sum, &b);
	assert_int_equal(sum.sent, 20);
	assert_false(sum.sent_known);
	assert_int_equal(sum.received, 15);
	assert_int_equal(sum.lost, 5);
	assert_int_equal(sum.bytes, 15 * BYTES);
	assert_true(sum.elapsed == 11 * MS);
	sum = a;
	np_flow_counts_append(&sum, &b);
	assert_true(sum.elapsed == 13 * MS);
}

/* Who came in the middle says of what was before it neither that it was lost nor that it came. */
static void came_late(void **state)
{
	struct tally *tally = *state;
	struct message_report r;
	struct np_flow_counts f;

	tally_begin_late(tally);
	for (uint64_t i = 600; i < 1000; i++)
		if (i != 700)
			arrive(tally, i, MS);
	tally_so_far(tally, &f);
	assert_true(f.sent == 400 && f.received == 399 && f.lost == 1 && f.missed_before == 600);
	tally_end(tally, 1010, 4);
	tally_life(tally, &f);
	assert_true(f.sent == 410 && f.received == 399 && f.lost == 11 && f.missed_before == 600);
	assert_true(f.sent_known);
	report_of(tally, &f, &r);
	assert_true(!r.exact && r.lost == 11 && r.missed_before == 600);
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
	struct np_flow_counts f;
	struct message_report r;

	tally_begin(tally, 1001, NULL);
	spread_delays(tally);
	tally_damaged(tally);
	tally_life(tally, &f);
	report_of(tally, &f, &r);
	assert_true(r.exact);
	assert_int_equal(r.received, 1001);
	assert_int_equal(r.damaged, 1);
	assert_int_equal(r.bytes, 1001 * BYTES);
	assert_true(r.first == f.first && r.last == f.last);
	assert_int_equal(r.delays.count, 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		cmocka_unit_test_setup_teardown(delays_of_intervals, create, destroy),
		cmocka_unit_test_setup_teardown(wrong_clock, create, destroy),
		cmocka_unit_test_setup_teardown(hostile_times, create, destroy),
		cmocka_unit_test_setup_teardown(sums, create, destroy),
		cmocka_unit_test_setup_teardown(reported, create, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
