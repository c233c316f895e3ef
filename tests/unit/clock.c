// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of clock: it runs forward, sleeps to a moment; what ends a wait; when a spin pays. */
#include "support/unit.h"

#include <netperf/clock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

TEST(a_ready_descriptor_ends_the_sleep)
{
	int ends[2];
	struct pollfd fds[] = {{.fd = -1, .events = POLLIN}, {.events = POLLIN}};

	assert_int_equal(pipe(ends), 0);
	fds[1].fd = ends[0];
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(np_wait_ready(fds, 2, NP_TIME_NEVER), 1);
	assert_int_equal(fds[0].revents, 0);
	assert_int_equal(fds[1].revents, POLLIN);
	/* Also one whose deadline has passed long ago. */
	assert_int_equal(np_wait_ready(fds, 2, np_clock_now() - 3600 * NP_SECOND), 1);
	assert_int_equal(np_wait_ready(fds, 2, 0), 1);
	close(ends[0]);
	close(ends[1]);
}

TEST(the_deadline_ends_it_and_not_before)
{
	const np_time deadline = np_clock_now() + 20 * NP_MILLISECOND;
	struct pollfd none = {.fd = -1, .events = POLLIN};

	assert_int_equal(np_wait_ready(&none, 1, deadline), 0);
	assert_true(np_clock_now() >= deadline);
	assert_int_equal(np_wait_ready(&none, 1, deadline), 0);
	assert_int_equal(np_wait_ready(NULL, 0, deadline), 0);
}

TEST(a_signal_ends_it_and_nothing_is_ready)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	/* Again and again: the first one may come before the sleep. */
	const struct itimerval soon = {{0, 20000}, {0, 20000}}, never = {0};
	struct sigaction before;
	struct pollfd none = {.fd = -1, .events = POLLIN, .revents = POLLIN};

	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_int_equal(np_wait_ready(&none, 1, NP_TIME_NEVER), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	assert_int_equal(none.revents, 0);
}

TEST(what_cannot_be_waited_for_is_an_error)
{
	struct pollfd none = {.fd = -1};
	struct rlimit before, few;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 0; /* fewer descriptors than are waited for */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(np_wait_ready(&none, 1, 0), -EINVAL);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(the_slack_is_the_least_there_is)
{
	np_wait_end_on_time();
	assert_int_equal(prctl(PR_GET_TIMERSLACK), 1);
}

TEST(dense_is_a_message_each_few_microseconds)
{
	struct np_busy_poll busy = {.since = NP_SECOND};
	np_time now = NP_SECOND + 100 * NP_BUSY_POLL_DENSE;

	busy.messages += 60;
	busy.messages += 41;
	assert_true(np_busy_poll_spin(&busy, now));
	/* Only what arrived since the queue was last empty counts. */
	assert_false(np_busy_poll_spin(&busy, now + NP_MICROSECOND));
	now += NP_MICROSECOND;
	busy.messages += 100;
	assert_false(np_busy_poll_spin(&busy, now + 100 * NP_BUSY_POLL_DENSE));
	now += 100 * NP_BUSY_POLL_DENSE;
	busy.messages += 1024;
	assert_false(np_busy_poll_spin(&busy, now + NP_SECOND));
}

TEST(a_spin_is_no_shorter_than_told)
{
	np_time begin = np_clock_now();
	struct np_busy_poll busy = {.messages = 1, .since = begin};

	assert_true(np_busy_poll_spin(&busy, begin));
	assert_true(np_clock_now() - begin >= NP_BUSY_POLL_SPIN);
}
