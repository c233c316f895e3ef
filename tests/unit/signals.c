// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of signals: what comes is told once, and nothing is left behind. */
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
	raise(SIGTERM);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_STOP);
	raise(SIGUSR1);
	assert_int_equal(np_signals_take(signals), NP_SIGNALS_REPORT);
	assert_int_equal(np_signals_take(signals), 0);
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

/* What never takes a signal, and ignored them before, is ended by the second one all the same. */
static void a_second_one_ends_by_force(void **state)
{
	pid_t child = fork();
	int status = 0;

	(void)state;
	if (!child) {
		signal(SIGTERM, SIG_IGN);
		if (np_signals_insist(open_signals()))
			_exit(1);
		kill(getpid(), SIGTERM);
		usleep(100000);
		kill(getpid(), SIGTERM);
		sleep(20);
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* Also when so many came before that the watcher has no room left for it. */
static void it_ends_by_force_after_many_requests(void **state)
{
	pid_t child = fork();
	int status = 0;

	(void)state;
	if (!child) {
		struct np_signals *signals = open_signals();

		/* Each is taken by the watcher before the next, for equal ones are one. */
		if (np_signals_insist(signals))
			_exit(1);
		for (unsigned i = 0; i < 70000; i++) {
			sigset_t waiting;

			kill(getpid(), SIGUSR1);
			do {
				sched_yield();
				sigpending(&waiting);
			} while (sigismember(&waiting, SIGUSR1));
		}
		kill(getpid(), SIGTERM);
		usleep(100000);
		kill(getpid(), SIGTERM);
		sleep(20);
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_has_come_at_first),
		cmocka_unit_test(each_signal_has_its_meaning),
		cmocka_unit_test(all_that_waits_is_taken_at_once),
		cmocka_unit_test(ignored_signals_are_heard),
		cmocka_unit_test(the_mask_is_restored_and_nothing_bursts_out),
		cmocka_unit_test(freeing_nothing_is_allowed),
		cmocka_unit_test(a_watched_one_is_taken_alike),
		cmocka_unit_test(a_second_one_ends_by_force),
		cmocka_unit_test(it_ends_by_force_after_many_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
