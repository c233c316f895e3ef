/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* process: its use of the processor, its privileges, and the signals that end it. */
#pragma once

#include <netperf/clock.h>

/* What the whole process used of this machine, and what disturbed it (getrusage(2)). */
struct np_usage {
	np_time user, system;
	uint64_t voluntary_switches, involuntary_switches;
};

/* Since the process started, or since @begin. */
struct np_usage np_usage_now(void);
struct np_usage np_usage_since(const struct np_usage *begin);

/* How much of one processor that is over @elapsed; below 0 if that is too short to tell. */
double np_usage_share(const struct np_usage *usage, np_time elapsed);

struct np_record;

/* Adds @usage to @record as the objects "cpu" {user_ns, system_ns} and "context_switches"
 * {voluntary, involuntary}. */
void np_record_usage(struct np_record *record, const struct np_usage *usage);

/*
 * Drops every capability of the process for good (capabilities(7), no_new_privs). Open raw sockets
 * keep working. Call it after the last privileged open, before the first byte from outside is
 * parsed, and before threads are started. Returns 0 or -errno.
 */
int np_privilege_drop(void);

/*
 * SIGINT, SIGTERM and SIGHUP (unless ignored, as under nohup) end a run, SIGUSR1 asks for a report
 * now. A thread waits for them, so that no handler and no global is needed and no system call is
 * interrupted. Open it before any thread is started: the signals are blocked in the whole process.
 */
enum {
	NP_SIGNALS_STOP = 1,
	NP_SIGNALS_REPORT = 2,
};

struct np_signals;

/* Blocks these signals, which wait until np_signals_start, and opens the descriptor. */
int np_signals_open(struct np_signals **signals);

/*
 * One that no signal reaches, but np_signals_tell: for a part of a program that runs in a thread of
 * its own, while another one receives the signals. Blocks nothing.
 */
int np_signals_open_told(struct np_signals **signals);

/* To one of np_signals_open_told, from any thread: adds NP_SIGNALS_ bits to what is pending. */
void np_signals_tell(struct np_signals *signals, unsigned bits);

/*
 * Sends this process a stop signal, which never counts as a second one, if np_signals_open is in
 * effect: for an output whose reader has gone. Any thread.
 */
void np_signals_stop_self(void);

/* For a poll set: readable when a signal is pending. */
int np_signals_fd(const struct np_signals *signals);

/*
 * The signals since the last call: NP_SIGNALS_ bits or 0. Stop signals within 200 ms of the first
 * one belong to it (timeout(1) sends two) and are dropped. Never blocks. One system call.
 */
unsigned np_signals_take(struct np_signals *signals);

/*
 * Starts the thread; call it after privileges are dropped, since each thread has its own. From now
 * on a second stop signal, 200 ms or more after the first, ends the process within a second by the
 * signal's default action, whatever blocks it (a pipe that nobody reads, a file system that hangs),
 * unless it reaches np_signals_free before. Returns 0 or -errno.
 */
int np_signals_start(struct np_signals *signals);

/* Drops pending signals and restores the signal mask. */
void np_signals_free(struct np_signals *signals);
