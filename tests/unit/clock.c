// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of clock: it runs forward, sleeps to a moment, and is read with the wall clock. */
#include "support/unit.h"

#include <netperf/clock.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

TEST(now_is_the_kernels_monotonic_clock)
{
	struct timespec kernel;
	const np_time first = np_clock_now();

	clock_gettime(CLOCK_MONOTONIC, &kernel);

	const np_time between = (np_time)kernel.tv_sec * NP_SECOND + kernel.tv_nsec;
	const np_time second = np_clock_now();

	assert_true(first <= between);
	assert_true(between <= second);
}

TEST(sleep_lasts_until_the_moment)
{
	const np_time when = np_clock_now() + 20 * NP_MILLISECOND;

	assert_int_equal(np_clock_sleep_until(when), 0);
	assert_true(np_clock_now() >= when);
}

TEST(sleep_to_the_past_returns_at_once)
{
	const np_time before = np_clock_now();

	assert_int_equal(np_clock_sleep_until(before - NP_SECOND), 0);
	assert_int_equal(np_clock_sleep_until(0), 0);
	assert_int_equal(np_clock_sleep_until(-5 * NP_SECOND - 1), 0);
	assert_int_equal(np_clock_sleep_until(INT64_MIN), 0);
	assert_true(np_clock_now() - before < 5 * NP_SECOND);
}

static void on_alarm(int signal)
{
	(void)signal;
}

TEST(a_signal_ends_the_sleep)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	/* It repeats: a first one that came before the sleep would be lost. */
	const struct itimerval timer = {{0, 10000}, {0, 10000}};
	const struct itimerval off = {{0, 0}, {0, 0}};
	struct sigaction old;

	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &timer, NULL);
	assert_int_equal(np_clock_sleep_until(np_clock_now() + 30 * NP_SECOND), -EINTR);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &old, NULL);
}

TEST(seconds_are_a_billion)
{
	assert_true(np_clock_seconds(1500 * NP_MILLISECOND) == 1.5);
	assert_true(np_clock_seconds(-NP_SECOND) == -1.0);
	assert_true(np_clock_seconds(0) == 0.0);
}

TEST(a_pair_is_close_to_both_clocks)
{
	const np_time before = np_clock_now();
	const struct np_clock_pair pair = np_clock_pair_read();
	const np_time after = np_clock_now();

	assert_true(pair.monotonic >= before);
	assert_true(pair.monotonic <= after);
	assert_true(pair.error >= 0);
	assert_true(pair.error <= (after - before + 1) / 2);
	assert_true(pair.realtime / NP_SECOND <= (np_time)time(NULL) + 1);
	assert_true(pair.realtime / NP_SECOND >= (np_time)time(NULL) - 60);
}
