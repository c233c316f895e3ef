// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * process: reads its use of the processor; drops all capabilities for good; has a thread that waits
 * for the user's requests and passes them on through a pipe.
 */
#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <netperf/process.h>
#include <netperf/report.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* The kernel may count in ticks of 10 ms. */
#define SHORTEST (100 * NP_MILLISECOND)

static np_time from_timeval(const struct timeval *time)
{
	return time->tv_sec * NP_SECOND + time->tv_usec * NP_MICROSECOND;
}

struct np_usage np_usage_now(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_SELF, &usage);
	return (struct np_usage){
		.user = from_timeval(&usage.ru_utime),
		.system = from_timeval(&usage.ru_stime),
		.voluntary_switches = (uint64_t)usage.ru_nvcsw,
		.involuntary_switches = (uint64_t)usage.ru_nivcsw,
	};
}

struct np_usage np_usage_since(const struct np_usage *begin)
{
	struct np_usage usage = np_usage_now();

	usage.user -= begin->user;
	usage.system -= begin->system;
	usage.voluntary_switches -= begin->voluntary_switches;
	usage.involuntary_switches -= begin->involuntary_switches;
	return usage;
}

double np_usage_share(const struct np_usage *usage, np_time elapsed)
{
	if (elapsed < SHORTEST)
		return -1;
	return (double)(usage->user + usage->system) / (double)elapsed;
}

void np_record_usage(struct np_record *record, const struct np_usage *usage)
{
	struct np_record *cpu = np_record_object(record, "cpu");
	struct np_record *switches = np_record_object(record, "context_switches");

	np_record_time(cpu, "user_ns", usage->user);
	np_record_time(cpu, "system_ns", usage->system);
	np_record_count(switches, "voluntary", usage->voluntary_switches);
	np_record_count(switches, "involuntary", usage->involuntary_switches);
}

int np_privilege_drop(void)
{
	/* Without CAP_SETPCAP the bounding set cannot be reduced, but grants nothing any more. */
	const capng_select_t reduced = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP)
					       ? CAPNG_SELECT_BOTH
					       : CAPNG_SELECT_CAPS;

	/*
	 * Done first, since it needs no privilege: after it even root regains nothing by an exec.
	 */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	capng_clear(CAPNG_SELECT_BOTH);
	if (capng_apply(reduced) < 0 || capng_get_caps_process() < 0 ||
	    capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return -EPERM;
	return 0;
}

/*
 * timeout(1) signals its child and then its group, a terminal and a supervisor may both signal: a
 * stop signal this soon after the first one is an echo of it.
 */
#define ECHO_TIME (200 * NP_MILLISECOND)

/* From the second stop signal to the forced end. */
#define FORCE_AFTER (700 * NP_MILLISECOND)

struct np_signals {
	int pipe[2]; /* one byte for each signal that counts */
	bool told;   /* by np_signals_tell, in place of signals */
	bool watched;
	atomic_bool quit;
	pthread_t watcher;
	sigset_t wanted, mask_before;
};

int np_signals_open_told(struct np_signals **signals)
{
	int rc;

	*signals = calloc(1, sizeof(**signals));
	if (!*signals)
		return -ENOMEM;
	(*signals)->told = true;
	if (!pipe2((*signals)->pipe, O_NONBLOCK | O_CLOEXEC))
		return 0;
	rc = -errno;
	free(*signals);
	*signals = NULL;
	return rc;
}

int np_signals_open(struct np_signals **signals)
{
	struct sigaction hangup;
	sigset_t *wanted;
	const int rc = np_signals_open_told(signals);

	if (!*signals)
		return rc;
	(*signals)->told = false;
	wanted = &(*signals)->wanted;
	sigemptyset(wanted);
	sigaddset(wanted, SIGINT);
	sigaddset(wanted, SIGTERM);
	/* nohup(1) ignores it on purpose; a shell ignores only SIGINT for "program &". */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(wanted, SIGHUP);
	sigaddset(wanted, SIGUSR1);
	/* A blocked signal is queued even if it is ignored, as in a shell's "program &". */
	pthread_sigmask(SIG_BLOCK, wanted, &(*signals)->mask_before);
	return 0;
}

static void put(const struct np_signals *signals, int number)
{
	const uint8_t byte = (uint8_t)number;

	/* A full pipe holds enough of them. */
	(void)!write(signals->pipe[1], &byte, 1);
}

void np_signals_tell(struct np_signals *signals, unsigned bits)
{
	if (bits & NP_SIGNALS_STOP)
		put(signals, SIGTERM);
	if (bits & NP_SIGNALS_REPORT)
		put(signals, SIGUSR1);
}

void np_signals_stop_self(void)
{
	sigset_t blocked;

	/* Who has not opened signals would be killed. */
	if (!pthread_sigmask(SIG_BLOCK, NULL, &blocked) && sigismember(&blocked, SIGTERM) == 1)
		sigqueue(getpid(), SIGTERM, (union sigval){0});
}

int np_signals_fd(const struct np_signals *signals)
{
	return signals->pipe[0];
}

unsigned np_signals_take(struct np_signals *signals)
{
	uint8_t numbers[16];
	unsigned came = 0;
	ssize_t count = read(signals->pipe[0], numbers, sizeof(numbers));

	for (ssize_t i = 0; i < count; i++)
		came |= numbers[i] == SIGUSR1 ? NP_SIGNALS_REPORT : NP_SIGNALS_STOP;
	return came;
}

static void *watch(void *signals)
{
	struct np_signals *s = signals;
	np_time now = np_clock_now(), first = 0, force = NP_TIME_NEVER;
	sigset_t one;
	int second = 0;

	for (;;) {
		const np_time left = force > now ? force - now : 0;
		const struct timespec limit = {left / NP_SECOND, left % NP_SECOND};
		siginfo_t info;
		const int number = sigtimedwait(&s->wanted, &info, second ? &limit : NULL);

		now = np_clock_now();

		const bool again = first && number != SIGUSR1;

		if (atomic_load(&s->quit))
			return NULL;
		if (now >= force) {
			signal(second, SIG_DFL);
			sigemptyset(&one);
			sigaddset(&one, second);
			pthread_sigmask(SIG_UNBLOCK, &one, NULL);
			raise(second);
		}
		/* That of np_signals_stop_self is no user who insists. */
		if (number < 0 || (again && (now - first < ECHO_TIME || (info.si_code == SI_QUEUE &&
									 info.si_pid == getpid()))))
			continue;
		put(s, number);
		if (again && !second) {
			second = number;
			force = now + FORCE_AFTER;
		} else if (!first && number != SIGUSR1) {
			first = now;
		}
	}
}

int np_signals_start(struct np_signals *signals)
{
	const int error = -pthread_create(&signals->watcher, NULL, watch, signals);

	signals->watched = !error;
	return error;
}

void np_signals_free(struct np_signals *signals)
{
	const struct timespec none = {0};

	if (!signals)
		return;
	if (signals->watched) {
		atomic_store(&signals->quit, true);
		pthread_kill(signals->watcher, SIGUSR1);
		pthread_join(signals->watcher, NULL);
	}
	/* Signals that nobody took must not end the program when the mask is lifted. */
	while (!signals->told && sigtimedwait(&signals->wanted, NULL, &none) > 0)
		;
	if (!signals->told)
		pthread_sigmask(SIG_SETMASK, &signals->mask_before, NULL);
	close(signals->pipe[0]);
	close(signals->pipe[1]);
	free(signals);
}
