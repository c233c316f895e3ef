// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* signals: reads the user's requests to a running program from a signalfd. */
#include <netperf/signals.h>

#include "src/lib/stops.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Each of the four signals can be pending once for the process and once for the thread. */
#define WAITING_MAX 8

/* The time from the second stop signal to the forced end. */
#define FORCE_AFTER_MS 700

struct np_signals {
	int fd;	     /* the signalfd */
	int face;    /* readable when a signal can be read: an epoll of fd, or of from[0] */
	int from[2]; /* signals that the watcher has read: a pipe, one byte each */
	int quit;    /* tells the watcher to end */
	bool watched;
	bool told;	    /* by np_signals_tell, in place of signals */
	struct stops stops; /* owned by the watcher, once it runs */
	pthread_t watcher;
	sigset_t mask_before;
};

static int watch_fd(struct np_signals *signals, int fd, int what)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(signals->face, what, fd, &event) < 0 ? -errno : 0;
}

static void close_all(struct np_signals *signals)
{
	const int fds[] = {signals->fd, signals->face, signals->from[0], signals->from[1],
			   signals->quit};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* nohup(1) ignores SIGHUP on purpose; a shell ignores only SIGINT for "program &". */
static bool ends_by_hangup(void)
{
	struct sigaction now;

	return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler != SIG_IGN;
}

int np_signals_open(struct np_signals **signals)
{
	struct np_signals *opened = calloc(1, sizeof(*opened));
	sigset_t wanted;
	int error;

	*signals = NULL;
	if (!opened)
		return -ENOMEM;
	opened->from[0] = opened->from[1] = opened->quit = -1;
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	if (ends_by_hangup())
		sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGUSR1);
	opened->fd = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
	opened->face = epoll_create1(EPOLL_CLOEXEC);
	error = opened->fd < 0 || opened->face < 0 ? -errno
						   : watch_fd(opened, opened->fd, EPOLL_CTL_ADD);
	/* A blocked signal is queued even if it is ignored, as in a shell's "program &". */
	if (!error)
		error = -pthread_sigmask(SIG_BLOCK, &wanted, &opened->mask_before);
	if (!error) {
		*signals = opened;
		return 0;
	}
	close_all(opened);
	free(opened);
	return error;
}

int np_signals_open_told(struct np_signals **signals)
{
	struct np_signals *opened = calloc(1, sizeof(*opened));
	int error;

	*signals = NULL;
	if (!opened)
		return -ENOMEM;
	opened->told = true;
	opened->fd = opened->quit = opened->from[0] = opened->from[1] = -1;
	opened->face = epoll_create1(EPOLL_CLOEXEC);
	error = opened->face < 0 || pipe2(opened->from, O_NONBLOCK | O_CLOEXEC) < 0 ? -errno : 0;
	if (!error)
		error = watch_fd(opened, opened->from[0], EPOLL_CTL_ADD);
	if (!error) {
		*signals = opened;
		return 0;
	}
	close_all(opened);
	free(opened);
	return error;
}

void np_signals_tell(struct np_signals *signals, unsigned bits)
{
	static const uint8_t stop = SIGTERM, report = SIGUSR1;

	/* A full pipe holds enough of them. */
	if (bits & NP_SIGNALS_STOP)
		(void)!write(signals->from[1], &stop, 1);
	if (bits & NP_SIGNALS_REPORT)
		(void)!write(signals->from[1], &report, 1);
}

int np_signals_fd(const struct np_signals *signals)
{
	return signals->face;
}

/*
 * Reads the pending signals that count, none of which was sent before @earliest, into @numbers;
 * returns how many.
 */
static unsigned take_waiting(struct np_signals *signals, np_time earliest,
			     uint8_t numbers[WAITING_MAX])
{
	struct signalfd_siginfo waiting[WAITING_MAX];
	np_time now = np_clock_now();
	ssize_t bytes = read(signals->fd, waiting, sizeof(waiting));
	size_t came = bytes > 0 ? (size_t)bytes / sizeof(*waiting) : 0;
	unsigned count = 0;

	for (size_t i = 0; i < came; i++) {
		uint8_t number = (uint8_t)waiting[i].ssi_signo;

		if (number == SIGUSR1 || stops_count(&signals->stops, earliest, now))
			numbers[count++] = number;
	}
	return count;
}

unsigned np_signals_take(struct np_signals *signals)
{
	uint8_t numbers[WAITING_MAX];
	unsigned came = 0;
	ssize_t count = signals->watched || signals->told
				? read(signals->from[0], numbers, sizeof(numbers))
				: (ssize_t)take_waiting(signals, np_clock_now(), numbers);

	for (ssize_t i = 0; i < count; i++)
		came |= numbers[i] == SIGUSR1 ? NP_SIGNALS_REPORT : NP_SIGNALS_STOP;
	return came;
}

static void end_by(int number)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, number);
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
}

enum sleep_end { SLEEP_QUIT, SLEEP_SIGNAL, SLEEP_QUIET };

/*
 * Sleeps up to @limit_ms (-1: no limit), until a signal is pending on @fd (-1: none) or the watcher
 * must end.
 */
static enum sleep_end sleep_on(const struct np_signals *s, int fd, int limit_ms)
{
	struct pollfd fds[] = {{.fd = s->quit, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	int ready = poll(fds, 2, limit_ms);

	if (fds[0].revents)
		return SLEEP_QUIT;
	return ready == 0 ? SLEEP_QUIET : SLEEP_SIGNAL;
}

/* Passes on the pending signals that count; ends the process if the user insists. */
static void pass_on(struct np_signals *s, np_time quiet)
{
	uint8_t numbers[WAITING_MAX];
	unsigned count = take_waiting(s, quiet, numbers);
	int last = 0;

	for (unsigned i = 0; i < count; i++)
		last = numbers[i] != SIGUSR1 ? numbers[i] : last;
	/* A full pipe holds enough of them. */
	(void)!write(s->from[1], numbers, count);
	if (last && s->stops.counted > 1 && sleep_on(s, -1, FORCE_AFTER_MS) != SLEEP_QUIT)
		end_by(last);
}

/*
 * A signal carries no time. On a busy machine one that is read late may have been sent with the
 * first: it counts only if none was pending at the end of the echo's time.
 */
static void *watch(void *signals)
{
	struct np_signals *s = signals;
	np_time quiet = 0;

	for (;;) {
		bool settled = stops_settled(&s->stops, quiet);
		np_time left = s->stops.first + STOPS_ECHO - np_clock_now();
		int limit_ms = left > 0 ? (int)(left / NP_MILLISECOND) + 1 : 0;

		switch (sleep_on(s, s->fd, settled ? -1 : limit_ms)) {
		case SLEEP_QUIT: return NULL;
		case SLEEP_QUIET: quiet = np_clock_now(); break;
		case SLEEP_SIGNAL: pass_on(s, quiet); break;
		}
	}
}

int np_signals_insist(struct np_signals *signals)
{
	int error;

	if (pipe2(signals->from, O_NONBLOCK | O_CLOEXEC) < 0)
		return -errno;
	signals->quit = eventfd(0, EFD_CLOEXEC);
	if (signals->quit < 0)
		return -errno;
	error = watch_fd(signals, signals->from[0], EPOLL_CTL_ADD);
	if (!error)
		error = -pthread_create(&signals->watcher, NULL, watch, signals);
	if (error)
		return error;
	signals->watched = true;
	return watch_fd(signals, signals->fd, EPOLL_CTL_DEL);
}

void np_signals_free(struct np_signals *signals)
{
	const uint64_t one = 1;
	uint8_t numbers[WAITING_MAX];

	if (!signals)
		return;
	if (signals->told) {
		close_all(signals);
		free(signals);
		return;
	}
	if (signals->watched && write(signals->quit, &one, sizeof(one)) > 0)
		pthread_join(signals->watcher, NULL);
	/* Signals that nobody read must not end the program when the mask is lifted. */
	take_waiting(signals, np_clock_now(), numbers);
	pthread_sigmask(SIG_SETMASK, &signals->mask_before, NULL);
	close_all(signals);
	free(signals);
}
