// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of signals: what comes is told once, and nothing is left behind. */
#include "src/lib/stops.h"

#include <netperf/signals.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct np_signals *open_signals(void)
{
	struct np_signals *signals;

	assert_int_equal(np_signals_open(&signals), 0);
	return signals;
}

static void nothing_has_come_at_first(void **state)
{
	struct np_signals *signals = open_signals();
	struct pollfd wait = {.fd = np_signals_fd(signals), .events = POLLIN};

	(void)state;
	assert_int_equal(poll(&wait, 1, 0), 0);
	assert_int_equal(np_signals_take(signals), 0);
	np_signals_free(signals);
}

static void each_signal_has_its_meaning(void **state)
{
	struct np_signals *signals = open_signals();
	struct pollfd wait = {.fd = np_signals_fd(signals), .events = POLLIN};

	(void)state;
	raise(SIGINT);
	assert_int_equal(poll(&wait, 1, 0), 1);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
	np_signals_free(signals);
	signals = open_signals();
	raise(SIGTERM);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
	raise(SIGUSR1);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_REPORT);
	assert_int_equal(np_signals_take(signals), 0);
	np_signals_free(signals);
}

static void one_that_is_told_hears_no_signal(void **state)
{
	struct np_signals *signals = open_signals(), *told;
	struct pollfd wait = {.events = POLLIN};

	(void)state;
	assert_int_equal(np_signals_open_told(&told), 0);
	wait.fd = np_signals_fd(told);
	raise(SIGTERM);
	assert_int_equal(poll(&wait, 1, 0), 0);
	assert_int_equal(np_signals_take(told), 0);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
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

static void all_that_waits_is_taken_at_once(void **state)
{
	struct np_signals *signals = open_signals();

	(void)state;
	raise(SIGUSR1);
	raise(SIGINT);
	raise(SIGTERM);
	raise(SIGUSR1);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP | NP_SIGNALS_REPORT);
	assert_int_equal(np_signals_take(signals), 0);
	np_signals_free(signals);
}

static void ignored_signals_are_heard(void **state)
{
	void (*before)(int) = signal(SIGINT, SIG_IGN);
	struct np_signals *signals = open_signals();

	(void)state;
	raise(SIGINT);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
	np_signals_free(signals);
	signal(SIGINT, before);
}

static void the_mask_is_restored_and_nothing_bursts_out(void **state)
{
	struct np_signals *signals;
	sigset_t before;
	sigset_t after;

	(void)state;
	sigprocmask(SIG_BLOCK, NULL, &before);
	signals = open_signals();
	sigprocmask(SIG_BLOCK, NULL, &after);
	assert_int_equal(sigismember(&after, SIGTERM), 1);
	raise(SIGTERM);
	np_signals_free(signals);
	sigprocmask(SIG_BLOCK, NULL, &after);
	for (int i = 1; i < NSIG; i++)
		assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

static void freeing_nothing_is_allowed(void **state)
{
	(void)state;
	np_signals_free(NULL);
}

static void a_watched_one_is_taken_alike(void **state)
{
	struct np_signals *signals = open_signals();
	struct pollfd wait = {.fd = np_signals_fd(signals), .events = POLLIN};

	(void)state;
	assert_int_equal(np_signals_insist(signals), 0);
	assert_int_equal(poll(&wait, 1, 0), 0);
	kill(getpid(), SIGUSR1);
	assert_int_equal(poll(&wait, 1, 5000), 1);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_REPORT);
	kill(getpid(), SIGINT);
	assert_int_equal(poll(&wait, 1, 5000), 1);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
	assert_int_equal(np_signals_take(signals), 0);
	np_signals_free(signals);
}

static void what_comes_with_the_first_is_no_second(void **state)
{
	const np_time first = 7 * NP_SECOND;
	struct stops stops = {0};

	(void)state;
	assert_true(stops_settled(&stops, first));
	assert_true(stops_count(&stops, first - NP_SECOND, first));
	assert_false(stops_count(&stops, first, first));
	assert_false(stops_count(&stops, first + NP_MILLISECOND, first + NP_MILLISECOND));
	assert_false(stops_count(&stops, first + STOPS_ECHO - 1, first + STOPS_ECHO - 1));
	assert_false(stops_settled(&stops, first + STOPS_ECHO - 1));
	assert_true(stops_settled(&stops, first + STOPS_ECHO));
	assert_int_equal(stops.counted, 1);
	/* Found late, it may have come early. */
	assert_false(stops_count(&stops, first + NP_MILLISECOND, first + 9 * NP_SECOND));
	/* Those dropped put nothing off. */
	assert_true(stops_count(&stops, first + STOPS_ECHO, first + STOPS_ECHO));
	assert_true(stops_count(&stops, first + STOPS_ECHO, first + STOPS_ECHO));
	assert_int_equal(stops.counted, 3);
	assert_int_equal(STOPS_ECHO, 200000000);
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

static void an_echo_of_the_first_is_dropped(void **state)
{
	unsigned came;
	np_time begin;

	(void)state;
	/* Again if this process had to wait so long that the second one was right to count. */
	do {
		struct np_signals *signals = open_signals();

		begin = np_clock_now();
		raise(SIGINT);
		assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
		raise(SIGTERM);
		raise(SIGUSR1);
		came = np_signals_take(signals);
		np_signals_free(signals);
	} while (np_clock_now() - begin >= STOPS_ECHO);
	assert_int_equal(came, NP_SIGNALS_REPORT);
}

/* Both wait when the watcher begins; for one that counts them it is the user who insists. */
static void an_echo_does_not_end_by_force(void **state)
{
	struct np_signals *signals = open_signals();
	struct pollfd wait = {.fd = np_signals_fd(signals), .events = POLLIN};

	(void)state;
	kill(getpid(), SIGINT);
	kill(getpid(), SIGTERM);
	assert_int_equal(np_signals_insist(signals), 0);
	assert_int_equal(poll(&wait, 1, 5000), 1);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
	usleep(1000000);
	assert_int_equal(np_signals_take(signals), 0);
	np_signals_free(signals);
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

/* What never takes a signal, and ignored them before, is ended by the second one all the same. */
static void never_take_one(void)
{
	signal(SIGTERM, SIG_IGN);
	if (np_signals_insist(open_signals()))
		_exit(1);
	insist();
}

static void a_second_one_ends_by_force(void **state)
{
	(void)state;
	expect_end_by_force(never_take_one);
}

/* Also when so many came before that the watcher has no room left for it. */
static void take_none_of_many(void)
{
	/* Each is taken by the watcher before the next, for equal ones are one. */
	if (np_signals_insist(open_signals()))
		_exit(1);
	for (unsigned i = 0; i < 70000; i++) {
		sigset_t waiting;

		kill(getpid(), SIGUSR1);
		do {
			sched_yield();
			sigpending(&waiting);
		} while (sigismember(&waiting, SIGUSR1));
	}
	insist();
}

static void it_ends_by_force_after_many_requests(void **state)
{
	(void)state;
	expect_end_by_force(take_none_of_many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_has_come_at_first),
		cmocka_unit_test(each_signal_has_its_meaning),
		cmocka_unit_test(one_that_is_told_hears_no_signal),
		cmocka_unit_test(all_that_waits_is_taken_at_once),
		cmocka_unit_test(ignored_signals_are_heard),
		cmocka_unit_test(the_mask_is_restored_and_nothing_bursts_out),
		cmocka_unit_test(freeing_nothing_is_allowed),
		cmocka_unit_test(a_watched_one_is_taken_alike),
		cmocka_unit_test(what_comes_with_the_first_is_no_second),
		cmocka_unit_test(an_echo_of_the_first_is_dropped),
		cmocka_unit_test(an_echo_does_not_end_by_force),
		cmocka_unit_test(a_second_one_ends_by_force),
		cmocka_unit_test(it_ends_by_force_after_many_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
