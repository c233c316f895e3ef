// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of wait: what ends a sleep, and what is said of it. */
#include "support/unit.h"

#include <netperf/clock.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

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

static void note(int number)
{
	(void)number;
}

TEST(a_signal_ends_it_and_nothing_is_ready)
{
	const struct sigaction action = {.sa_handler = note};
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
