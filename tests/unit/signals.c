// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of signals: what comes is told once, and nothing is left behind. */
#include "support/unit.h"

#include <fcntl.h>
#include <netperf/process.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#define ECHO_TIME (200 * NP_MILLISECOND)

static struct np_signals *open_signals(void)
{
	struct np_signals *signals;

	assert_int_equal(np_signals_open(&signals), 0);
	assert_int_equal(np_signals_start(signals), 0);
	return signals;
}

/* Sends @number, and expects @bits of it. */
static void expect(struct np_signals *signals, int number, unsigned bits)
{
	struct pollfd wait = {.fd = np_signals_fd(signals), .events = POLLIN};

	kill(getpid(), number);
	assert_int_equal(poll(&wait, 1, 5000), 1);
	assert_int_equal(np_signals_take(signals), bits);
	assert_int_equal(np_signals_take(signals), 0);
}

TEST(each_signal_has_its_meaning)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

	for (unsigned i = 0; i < 3; i++) {
		struct np_signals *signals = open_signals();

		expect(signals, SIGUSR1, NP_SIGNALS_REPORT);
		expect(signals, stops[i], NP_SIGNALS_STOP);
		expect(signals, SIGUSR1, NP_SIGNALS_REPORT);
		np_signals_free(signals);
	}
	np_signals_free(NULL);
}

TEST(one_that_is_told_hears_no_signal)
{
	struct np_signals *signals = open_signals(), *told;
	struct pollfd wait = {.events = POLLIN};

	assert_int_equal(np_signals_open_told(&told), 0);
	wait.fd = np_signals_fd(told);
	expect(signals, SIGTERM, NP_SIGNALS_STOP);
	assert_int_equal(poll(&wait, 1, 0), 0);
	assert_int_equal(np_signals_take(told), 0);
	np_signals_tell(told, NP_SIGNALS_STOP);
	assert_int_equal(poll(&wait, 1, 0), 1);
	assert_int_equal(np_signals_take(told), NP_SIGNALS_STOP);
	np_signals_tell(told, NP_SIGNALS_STOP | NP_SIGNALS_REPORT);
	assert_int_equal(np_signals_take(told), NP_SIGNALS_STOP | NP_SIGNALS_REPORT);
	assert_int_equal(np_signals_take(told), 0);
	assert_int_equal(np_signals_take(signals), 0);
	np_signals_free(told);
	np_signals_free(signals);
}

/* What came before the thread was there is not lost. */
TEST(what_waits_at_the_start_is_told)
{
	struct np_signals *signals;
	struct pollfd wait = {.events = POLLIN};
	unsigned came = 0;

	assert_int_equal(np_signals_open(&signals), 0);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGINT);
	kill(getpid(), SIGTERM);
	assert_int_equal(np_signals_take(signals), 0);
	assert_int_equal(np_signals_start(signals), 0);
	wait.fd = np_signals_fd(signals);
	while (came != (NP_SIGNALS_STOP | NP_SIGNALS_REPORT)) {
		assert_int_equal(poll(&wait, 1, 5000), 1);
		came |= np_signals_take(signals);
	}
	/* The second one was an echo: nobody is ended by force. */
	usleep(1000000);
	assert_int_equal(np_signals_take(signals), 0);
	np_signals_free(signals);
}

TEST(ignored_signals_are_heard)
{
	void (*before)(int) = signal(SIGINT, SIG_IGN);
	struct np_signals *signals = open_signals();

	expect(signals, SIGINT, NP_SIGNALS_STOP);
	np_signals_free(signals);
	signal(SIGINT, before);
}

TEST(the_mask_is_restored_and_nothing_bursts_out)
{
	sigset_t before;
	sigset_t after;

	sigprocmask(SIG_BLOCK, NULL, &before);
	for (unsigned started = 0; started < 2; started++) {
		struct np_signals *signals;

		assert_int_equal(np_signals_open(&signals), 0);
		sigprocmask(SIG_BLOCK, NULL, &after);
		assert_int_equal(sigismember(&after, SIGTERM), 1);
		if (started)
			assert_int_equal(np_signals_start(signals), 0);
		kill(getpid(), SIGTERM);
		np_signals_free(signals);
		sigprocmask(SIG_BLOCK, NULL, &after);
		for (int i = 1; i < NSIG; i++)
			assert_int_equal(sigismember(&before, i), sigismember(&after, i));
	}
}

/* Insists until it is ended, for on a busy machine one of them may pass for an echo of the first.
 */
static void insist(void)
{
	for (unsigned i = 0; i < 60; i++) {
		kill(getpid(), SIGTERM);
		usleep(300000);
	}
	_exit(0);
}

TEST(an_echo_of_the_first_is_dropped)
{
	unsigned came;
	np_time begin;

	/* Again if this process had to wait so long that the second one was right to count. */
	do {
		struct np_signals *signals = open_signals();

		begin = np_clock_now();
		expect(signals, SIGINT, NP_SIGNALS_STOP);
		kill(getpid(), SIGTERM);
		usleep(50000);
		came = np_signals_take(signals);
		np_signals_free(signals);
	} while (np_clock_now() - begin >= ECHO_TIME);
	assert_int_equal(came, 0);
}

/* A later one counts, and ends nobody who is through within 700 ms. */
TEST(a_second_one_is_told)
{
	struct np_signals *signals = open_signals();

	expect(signals, SIGINT, NP_SIGNALS_STOP);
	usleep((useconds_t)(ECHO_TIME / NP_MICROSECOND) + 50000);
	expect(signals, SIGINT, NP_SIGNALS_STOP);
	np_signals_free(signals);
}

/* The first one of its own ends a run, a later one says nothing new. */
TEST(its_own_is_never_a_second)
{
	struct np_signals *signals = open_signals();
	struct pollfd wait = {.fd = np_signals_fd(signals), .events = POLLIN};

	np_signals_stop_self();
	assert_int_equal(poll(&wait, 1, 5000), 1);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
	usleep((useconds_t)(ECHO_TIME / NP_MICROSECOND) + 50000);
	np_signals_stop_self();
	usleep(50000);
	assert_int_equal(np_signals_take(signals), 0);
	np_signals_free(signals);
	np_signals_stop_self(); /* would end the test if it were sent */
}

/* A child that insists on its own end is ended by that signal. */
static void expect_end_by_force(void (*stubborn)(void))
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		stubborn();
		_exit(1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/*
 * What never takes a signal, and ignored them before, is ended by the second one all the same, even
 * when so many came before that the watcher has no room left for it.
 */
static void take_none_of_many(void)
{
	const int room = 4096; /* the least that a pipe can have */

	signal(SIGTERM, SIG_IGN);
	if (fcntl(np_signals_fd(open_signals()), F_SETPIPE_SZ, room) != room)
		_exit(1);
	/* Each is taken by the watcher before the next, for equal ones are one. */
	for (int i = 0; i < room + 100; i++) {
		sigset_t waiting;

		kill(getpid(), SIGUSR1);
		do {
			sched_yield();
			sigpending(&waiting);
		} while (sigismember(&waiting, SIGUSR1));
	}
	insist();
}

TEST(a_second_one_ends_by_force)
{
	expect_end_by_force(take_none_of_many);
}
