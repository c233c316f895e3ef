/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * signals: SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) end a run, SIGUSR1
 * asks for a report now. Taken by a signalfd, so that no handler and no global is needed and no
 * system call is interrupted.
 *
 * Open before any thread is started: the signals are blocked in the whole process.
 */
#ifndef NETPERF_SIGNALS_H
#define NETPERF_SIGNALS_H

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum {
	NP_SIGNALS_STOP = 1,
	NP_SIGNALS_REPORT = 2,
};

struct np_signals;

/* Blocks these signals and opens the descriptor. Returns 0 or -errno. */
int np_signals_open(struct np_signals **signals);

/* Readable when a signal waits: for a poll set. */
int np_signals_fd(const struct np_signals *signals);

/*
 * What came since the last call: NP_SIGNALS_ bits or 0. Stop signals that come within 200 ms of the
 * first belong to it (timeout(1) sends two) and are dropped. Never blocks. One system call.
 */
unsigned np_signals_take(struct np_signals *signals);

/*
 * From now on a second stop signal, 200 ms or more after the first, ends the process within a
 * second, whatever it is busy with - a pipe that nobody reads, a file system that hangs - by the
 * signal's own action, unless it has come to np_signals_free by itself. By a thread of its own:
 * call it after privileges are dropped, for each thread has its own. Returns 0 or -errno; then all
 * is as before.
 */
int np_signals_insist(struct np_signals *signals);

/* Drops what nobody took and restores the signal mask. NULL is allowed. */
void np_signals_free(struct np_signals *signals);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
