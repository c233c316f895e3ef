// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* One sender's messages as they are counted: in order, lost, twice, late, stray; delays. */
#include "../../src/group-test/member/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct tally *tally_of(uint64_t expected)
{
	struct tally *tally;

	assert_int_equal(tally_create(&tally, &(struct tally_plan){true, expected}), 0);
	return tally;
}

static void count(struct tally *tally, uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n <= to; n++)
		tally_count(tally, n, 0, (np_time)(1000 + n), 10);
}

static struct result_row row_of(const struct tally *tally)
{
	struct result_row row = {.sender.port = {1, 2}};

	tally_row(tally, &row);
	assert_int_equal(row.sender.port[1], 2);
	return row;
}

static void all_in_order(void **state)
{
	struct tally *tally = tally_of(100);
	struct result_row row;

	(void)state;
	count(tally, 1, 100);
	assert_false(tally_complete(tally));
	tally_end(tally, 100);
	assert_true(tally_complete(tally) && tally->ended);
	row = row_of(tally);
	assert_int_equal(row.counts.sent, 100);
	assert_int_equal(row.counts.received, 100);
	assert_int_equal(row.counts.lost, 0);
	assert_int_equal(row.counts.bytes, 1000);
	assert_int_equal(row.counts.first, 1001);
	assert_int_equal(row.counts.last, 1100);
	assert_int_equal(row.delay.count, 0);
	assert_true(row.exact && row.ended);
	tally_free(tally);
}

static void lost_at_both_ends_and_between(void **state)
{
	struct tally *tally = tally_of(100);
	struct result_row row;

	(void)state;
	count(tally, 3, 50);
	count(tally, 52, 97);
	tally_end(tally, 100);
	assert_false(tally_complete(tally));
	row = row_of(tally);
	assert_int_equal(row.counts.lost, 2 + 1 + 3);
	assert_int_equal(row.counts.received + row.counts.lost, row.counts.sent);
	assert_true(row.exact);
	tally_free(tally);
}

static void twice_and_late_and_stray(void **state)
{
	struct tally *tally = tally_of(100);
	struct result_row row;

	(void)state;
	count(tally, 1, 40);
	count(tally, 42, 100);
	count(tally, 41, 41);
	count(tally, 100, 100);
	count(tally, 101, 102);
	tally_count(tally, 0, 0, 5000, 10);
	tally_count(tally, UINT64_MAX, 0, 5000, 10);
	np_flow_stray(tally->flow, 1);
	tally_end(tally, 100);
	row = row_of(tally);
	assert_int_equal(row.counts.received, 100);
	assert_int_equal(row.counts.bytes, 1000);
	assert_int_equal(row.counts.reordered, 1);
	assert_int_equal(row.counts.duplicates, 1);
	assert_int_equal(row.counts.stray, 5);
	assert_int_equal(row.counts.last, 1100);
	assert_true(tally_complete(tally) && row.exact);
	tally_free(tally);
}

/* --duration: nobody announced how many. */
static void unknown_until_the_end(void **state)
{
	struct tally *tally = tally_of(0);
	struct result_row row;

	(void)state;
	count(tally, 1, 7);
	tally_count(tally, UINT64_C(1) << 40, 0, 5000, 10);
	row = row_of(tally);
	assert_int_equal(row.counts.sent, 7);
	assert_int_equal(row.counts.stray, 1);
	assert_false(row.exact || row.ended);
	tally_end(tally, 9);
	row = row_of(tally);
	assert_int_equal(row.counts.sent, 9);
	assert_int_equal(row.counts.lost, 2);
	count(tally, 10, 10);
	assert_int_equal(row_of(tally).counts.stray, 2);
	tally_free(tally);
}

/* A killed sender: what it announced is expected, what is known to be missing is lost. */
static void an_end_that_never_came(void **state)
{
	struct tally *tally = tally_of(100);
	struct result_row row;

	(void)state;
	count(tally, 1, 10);
	count(tally, 13, 20);
	row = row_of(tally);
	assert_int_equal(row.counts.sent, 100);
	assert_int_equal(row.counts.received, 18);
	assert_int_equal(row.counts.lost, 2);
	assert_false(row.exact || row.ended);
	tally_free(tally);
}

static void an_impossible_end_is_none(void **state)
{
	struct tally *tally = tally_of(100);

	(void)state;
	count(tally, 1, 10);
	tally_end(tally, 101);
	assert_false(tally->ended);
	tally_end(tally, 5);
	assert_true(tally->ended);
	assert_false(row_of(tally).exact);
	tally_free(tally);
}

/* A number far ahead that the sender never wrote: what lies between is not lost. */
static void a_forged_jump_loses_nothing(void **state)
{
	struct tally *tally = tally_of(20000);
	struct result_row row;

	(void)state;
	count(tally, 1, 90);
	count(tally, 19000, 19000);
	tally_end(tally, 100);
	row = row_of(tally);
	assert_int_equal(row.counts.sent, 100);
	assert_int_equal(row.counts.received, 91);
	assert_int_equal(row.counts.lost, 9);
	assert_false(row.exact);
	tally_clear(tally);
	count(tally, 1, 90);
	count(tally, 19000, 19020);
	tally_end(tally, 100);
	assert_int_equal(row_of(tally).counts.lost, 0);
	tally_free(tally);
}

static void nothing_sent_is_complete(void **state)
{
	struct tally *tally = tally_of(100);
	struct result_row row;

	(void)state;
	tally_end(tally, 0);
	assert_true(tally_complete(tally));
	row = row_of(tally);
	assert_int_equal(row.counts.sent, 0);
	assert_int_equal(row.counts.lost, 0);
	assert_int_equal(row.counts.first, 0);
	assert_true(row.exact);
	tally_free(tally);
}

static void all_lost(void **state)
{
	struct tally *tally = tally_of(100);

	(void)state;
	tally_end(tally, 100);
	assert_int_equal(row_of(tally).counts.lost, 100);
	tally_free(tally);
}

static void the_next_run_begins_at_nothing(void **state)
{
	struct tally *tally = tally_of(100);
	struct result_row row;

	(void)state;
	count(tally, 1, 90);
	tally_end(tally, 100);
	tally_clear(tally);
	row = row_of(tally);
	assert_int_equal(row.counts.received + row.counts.lost + row.counts.bytes, 0);
	assert_int_equal(row.counts.first, 0);
	assert_false(row.ended);
	count(tally, 1, 100);
	tally_end(tally, 100);
	assert_true(tally_complete(tally));
	assert_int_equal(row_of(tally).counts.lost, 0);
	tally_free(tally);
}

static void delays_by_the_senders_clock(void **state)
{
	const struct np_offset ahead = {.known = true, .offset = 1000000, .bound = 50, .at = 0};
	struct tally *tally = tally_of(100);
	struct result_row row;

	(void)state;
	tally_count(tally, 1, 1000000, 10, 1);
	assert_int_equal(row_of(tally).delay.count, 0);
	np_flow_set_clock(tally->flow, &ahead);
	tally_count(tally, 2, 1000100, 300, 1);
	tally_count(tally, 3, 1000100, 500, 1);
	/* Neither twice nor stray. */
	tally_count(tally, 3, 1000100, 9000, 1);
	tally_count(tally, 500, 1000100, 9000, 1);
	row = row_of(tally);
	assert_int_equal(row.delay.count, 2);
	assert_int_equal(row.delay.min, 200);
	assert_int_equal(row.delay.max, 400);
	assert_int_equal(row.delay.mean, 300);
	assert_in_range(row.delay_bound, 50, 51);
	tally_free(tally);
}

/* perf.Test's carry no number: as many as announced are all. */
static void counted_only(void **state)
{
	struct tally *tally;
	struct result_row row;

	(void)state;
	assert_int_equal(tally_create(&tally, &(struct tally_plan){false, 3}), 0);
	tally_count(tally, 0, 0, 50, 10);
	tally_count(tally, 0, 0, 60, 10);
	assert_false(tally_complete(tally));
	tally_end(tally, 3);
	row = row_of(tally);
	assert_int_equal(row.counts.received, 2);
	assert_int_equal(row.counts.lost, 1);
	assert_false(row.exact);
	tally_count(tally, 0, 0, 70, 10);
	assert_true(tally_complete(tally));
	assert_int_equal(row_of(tally).counts.last, 70);
	tally_free(tally);
	tally_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_in_order),
		cmocka_unit_test(lost_at_both_ends_and_between),
		cmocka_unit_test(twice_and_late_and_stray),
		cmocka_unit_test(unknown_until_the_end),
		cmocka_unit_test(an_end_that_never_came),
		cmocka_unit_test(an_impossible_end_is_none),
		cmocka_unit_test(a_forged_jump_loses_nothing),
		cmocka_unit_test(nothing_sent_is_complete),
		cmocka_unit_test(all_lost),
		cmocka_unit_test(the_next_run_begins_at_nothing),
		cmocka_unit_test(delays_by_the_senders_clock),
		cmocka_unit_test(counted_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
