// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* signals: what the user wants of a running program, read from a signalfd. */
#include <netperf/signals.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Each of the three can wait once for the process and once for the thread. */
#define WAITING_MAX 6

struct np_signals {
	int fd;
	sigset_t mask_before;
};

int np_signals_open(struct np_signals **signals)
{
	struct np_signals *opened = calloc(1, sizeof(*opened));
	sigset_t wanted;
	int error;

	*signals = NULL;
	if (!opened)
		return -ENOMEM;
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGUSR1);
	opened->fd = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
	if (opened->fd < 0) {
		error = errno;
		goto no_fd;
	}
	/* A blocked signal is queued even if it is ignored, as a shell does for "program &". */
	error = pthread_sigmask(SIG_BLOCK, &wanted, &opened->mask_before);
	if (error)
		goto no_mask;
	*signals = opened;
	return 0;
no_mask:
	close(opened->fd);
no_fd:
	free(opened);
	return -error;
}

int np_signals_fd(const struct np_signals *signals)
{
	return signals->fd;
}

unsigned np_signals_take(struct np_signals *signals)
{
	struct signalfd_siginfo waiting[WAITING_MAX];
	ssize_t bytes = read(signals->fd, waiting, sizeof(waiting));
	unsigned came = 0;

	for (ssize_t i = 0; i < bytes / (ssize_t)sizeof(waiting[0]); i++)
		came |= waiting[i].ssi_signo == SIGUSR1 ? NP_SIGNALS_REPORT : NP_SIGNALS_STOP;
	return came;
}

void np_signals_free(struct np_signals *signals)
{
	if (!signals)
		return;
	/* What nobody took must not end the program when the mask is lifted. */
	np_signals_take(signals);
	pthread_sigmask(SIG_SETMASK, &signals->mask_before, NULL);
	close(signals->fd);
	free(signals);
}
