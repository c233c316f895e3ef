// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-lapse: a silence in which a disk may have been replaced calls for a look at it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/aoe-exercise/lapse.h"

#include <cmocka.h>

#define MS  NP_MILLISECOND
#define RTT (50 * NP_MICROSECOND)

/* Answers came for a second, the last one at 1 s. */
static struct lapse running(void)
{
	struct lapse lapse;

	lapse_start(&lapse, RTT);
	for (np_time at = MS; at <= NP_SECOND; at += MS) {
		lapse_sent(&lapse, at - RTT);
		lapse_heard(&lapse, at, RTT);
	}
	lapse_examined(&lapse, NP_SECOND, MS, 0);
	return lapse;
}

static void the_first_write_waits(void **state)
{
	struct lapse lapse;

	(void)state;
	lapse_start(&lapse, RTT);
	assert_int_equal(lapse_need(&lapse, NP_SECOND, 0), LAPSE_FEW);
}

static void what_is_answered_at_once_needs_nothing(void **state)
{
	struct lapse lapse = running();

	(void)state;
	lapse_sent(&lapse, NP_SECOND);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + MS, 0), LAPSE_NONE);
}

static void a_silence_holds_the_writes(void **state)
{
	struct lapse lapse = running();

	(void)state;
	lapse_sent(&lapse, NP_SECOND);
	lapse_sent(&lapse, NP_SECOND + MS); /* it counts from the first one */
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 19 * MS, 0), LAPSE_NONE); /* a busy disk */
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 20 * MS, 0), LAPSE_FEW);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 99 * MS, 0), LAPSE_FEW);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 100 * MS, 0), LAPSE_ALL);
	lapse_heard(&lapse, NP_SECOND + 100 * MS, 100 * MS);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 100 * MS, 0), LAPSE_BESIDE);
}

static void where_answers_take_long_no_silence_is_long(void **state)
{
	struct lapse lapse;

	(void)state;
	lapse_start(&lapse, NP_SECOND);
	for (np_time at = NP_SECOND; at <= 100 * NP_SECOND; at += NP_SECOND) {
		lapse_sent(&lapse, at - NP_SECOND);
		lapse_heard(&lapse, at, NP_SECOND);
	}
	lapse_examined(&lapse, 100 * NP_SECOND, 10 * NP_SECOND, 0);
	lapse_sent(&lapse, 100 * NP_SECOND);
	assert_int_equal(lapse_need(&lapse, 100 * NP_SECOND + 900 * MS, 0), LAPSE_NONE);
	assert_int_equal(lapse_need(&lapse, 100 * NP_SECOND + 1100 * MS, 0), LAPSE_FEW);
	assert_int_equal(lapse_need(&lapse, 105 * NP_SECOND, 0), LAPSE_ALL);
}

static void a_pause_between_paced_writes_is_a_silence(void **state)
{
	struct lapse lapse = running();

	(void)state;
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 39 * MS, 0), LAPSE_NONE);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 41 * MS, 0), LAPSE_FEW);
}

/* Questions beside the writes take a hundredth of the time, a tenth when packets were lost. */
static void beside_the_writes_it_is_looked_at_now_and_then(void **state)
{
	struct lapse lapse = running();

	(void)state;
	lapse_examined(&lapse, NP_SECOND, 10 * MS, 7);
	for (np_time at = NP_SECOND; at < 2 * NP_SECOND; at += MS) {
		lapse_heard(&lapse, at, RTT);
		assert_int_equal(lapse_need(&lapse, at, 7), LAPSE_NONE);
		assert_int_equal(lapse_need(&lapse, at, 8),
				 at < NP_SECOND + 100 * MS ? LAPSE_NONE : LAPSE_BESIDE);
	}
	lapse_heard(&lapse, 2 * NP_SECOND, RTT);
	assert_int_equal(lapse_need(&lapse, 2 * NP_SECOND, 7), LAPSE_BESIDE);
}

/* What was sent before the silence is answered by who was there before it. */
static void an_old_write_that_is_answered_proves_the_target(void **state)
{
	struct lapse lapse = running();

	(void)state;
	lapse_sent(&lapse, NP_SECOND + MS);
	lapse_sent(&lapse, NP_SECOND + 2 * MS);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 30 * MS, 0), LAPSE_FEW);
	lapse_hold(&lapse, NP_SECOND + 30 * MS);
	/* A question, or a write of the time of the silence, proves nothing. */
	lapse_spoke(&lapse, NP_SECOND + 31 * MS);
	assert_false(lapse_heard(&lapse, NP_SECOND + 32 * MS, 30 * MS));
	assert_true(lapse_heard(&lapse, NP_SECOND + 33 * MS, 32 * MS));
	assert_false(lapse_heard(&lapse, NP_SECOND + 34 * MS, 40 * MS)); /* once is enough */
	/* When nothing was to be sent, one that was sent before the last answer. */
	lapse_hold(&lapse, NP_SECOND + 90 * MS);
	assert_false(lapse_heard(&lapse, NP_SECOND + 95 * MS, 60 * MS));
	assert_true(lapse_heard(&lapse, NP_SECOND + 95 * MS, 61 * MS));
	/* The examination that is over leaves nothing to prove. */
	lapse_hold(&lapse, NP_SECOND + 200 * MS);
	lapse_examined(&lapse, NP_SECOND + 210 * MS, MS, 0);
	assert_false(lapse_heard(&lapse, NP_SECOND + 211 * MS, 200 * MS));
}

/* A silence that is over before anybody looks is no less a silence. */
static void a_silence_that_another_may_have_ended_is_doubted(void **state)
{
	struct lapse lapse = running();

	(void)state;
	lapse_sent(&lapse, NP_SECOND + MS);
	lapse_sent(&lapse, NP_SECOND + 15 * MS);
	lapse_heard(&lapse, NP_SECOND + 25 * MS, 10 * MS);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 25 * MS, 0), LAPSE_FEW);
	lapse_heard(&lapse, NP_SECOND + 26 * MS, RTT);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 26 * MS, 0), LAPSE_FEW);
	lapse_examined(&lapse, NP_SECOND + 30 * MS, MS, 0);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 30 * MS, 0), LAPSE_NONE);
	lapse = running();
	lapse_sent(&lapse, NP_SECOND + MS);
	lapse_heard(&lapse, NP_SECOND + 40 * MS, 39 * MS);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 40 * MS, 0), LAPSE_NONE);
}

/* An answer that is faster than usual by some time makes the next less usual, as a slower one. */
static void a_fast_answer_is_as_unusual_as_a_slow_one(void **state)
{
	struct lapse lapse;

	(void)state;
	lapse_start(&lapse, 40 * MS);
	lapse_heard(&lapse, NP_SECOND, 20 * MS);
	assert_int_equal(lapse.deviation, 20 * MS);
	assert_int_equal(lapse.srtt, 40 * MS - 20 * MS / 8);
	lapse_start(&lapse, 40 * MS);
	lapse_heard(&lapse, NP_SECOND, 64 * MS);
	assert_int_equal(lapse.deviation, 21 * MS);
	assert_int_equal(lapse.srtt, 43 * MS);
}

/* Before anything was sent or heard the silence begins where it is noticed. */
static void a_silence_from_the_start(void **state)
{
	struct lapse lapse;

	(void)state;
	lapse_start(&lapse, RTT);
	lapse_hold(&lapse, NP_SECOND);
	assert_false(lapse_heard(&lapse, NP_SECOND + 2 * MS, MS));
	assert_true(lapse_heard(&lapse, NP_SECOND + 3 * MS, 4 * MS));
	/* It is over: who was asked before is no longer looked for. */
	assert_false(lapse_heard(&lapse, NP_SECOND + 4 * MS, NP_SECOND + 4 * MS));
}

/* An examination is as good as an answer: the pause is counted from there on. */
static void an_examination_ends_a_pause(void **state)
{
	struct lapse lapse = running();

	(void)state;
	lapse_examined(&lapse, NP_SECOND + 60 * MS, 0, 0);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 99 * MS, 0), LAPSE_NONE);
	assert_int_equal(lapse_need(&lapse, NP_SECOND + 101 * MS, 0), LAPSE_FEW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_write_waits),
		cmocka_unit_test(what_is_answered_at_once_needs_nothing),
		cmocka_unit_test(a_silence_holds_the_writes),
		cmocka_unit_test(where_answers_take_long_no_silence_is_long),
		cmocka_unit_test(a_pause_between_paced_writes_is_a_silence),
		cmocka_unit_test(an_old_write_that_is_answered_proves_the_target),
		cmocka_unit_test(a_silence_that_another_may_have_ended_is_doubted),
		cmocka_unit_test(beside_the_writes_it_is_looked_at_now_and_then),
		cmocka_unit_test(a_fast_answer_is_as_unusual_as_a_slow_one),
		cmocka_unit_test(a_silence_from_the_start),
		cmocka_unit_test(an_examination_ends_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
