// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of lull: what is dense, and for how long. */
#include <netperf/lull.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void dense_is_a_message_each_few_microseconds(void **state)
{
	struct np_lull lull = {.since = NP_SECOND};
	np_time now = NP_SECOND + 100 * NP_LULL_DENSE;

	(void)state;
	np_lull_came(&lull, 60);
	np_lull_came(&lull, 41);
	assert_true(np_lull_dense(&lull, now));
	/* Each lull is judged by what came behind the last one. */
	assert_false(np_lull_dense(&lull, now + NP_MICROSECOND));
	now += NP_MICROSECOND;
	np_lull_came(&lull, 100);
	assert_false(np_lull_dense(&lull, now + 100 * NP_LULL_DENSE));
	now += 100 * NP_LULL_DENSE;
	np_lull_came(&lull, 1024);
	assert_false(np_lull_dense(&lull, now + NP_SECOND));
}

static void a_rest_is_no_shorter_than_told(void **state)
{
	np_time begin = np_clock_now();

	(void)state;
	np_lull_rest(begin);
	assert_true(np_clock_now() - begin >= NP_LULL_REST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dense_is_a_message_each_few_microseconds),
		cmocka_unit_test(a_rest_is_no_shorter_than_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
