/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* session: a whole run of the program, from the open link to the exit status. */
#ifndef AOE_EXERCISE_SESSION_H
#define AOE_EXERCISE_SESSION_H

#include "exchange.h"
#include "report.h"

struct session {
	struct np_run *run;
	const struct options *options; /* of the run, or of this rank of a mesh */
	const struct np_log *log;
	struct channel channel;
	struct target target;
	struct examination *examination; /* NULL: the target is only read */
	struct reporter reporter;
	struct sweep sweep; /* the windows to try */
	struct sweep_step steps[SWEEP_STEPS_MAX];
	struct result *results[SWEEP_STEPS_MAX]; /* of each step */
	size_t step_count;
	bool errors; /* in any of the steps */
	bool damage;
};

/* The functions of np_tool. */
int session_open(struct np_run *run);
int session_work(struct np_run *run);
int session_close(struct np_run *run, int status);

/*
 * Finds and identifies the target, checks the limits, and counts drops from here on. Returns 0, or
 * 2 after a message.
 */
int session_find_target(struct session *s);

/*
 * Judges whether it may be written. Keeps the examination to compare with it during the run.
 * Returns 0, or 2 after a message.
 */
int session_examine(struct session *s);

/*
 * No two requests are in flight on one place: a window larger than the number of places would never
 * fill.
 */
void session_bound_windows(struct session *s);

/* Runs the warm-up, if one is asked for. Returns 0, or -errno after a message. */
int session_warm_up(struct session *s, unsigned window);

/*
 * Runs one exchange; without an observer it is a warm-up or a mesh's, and not reported. Returns 0,
 * or -errno after a message.
 */
int session_exchange(struct session *s, unsigned window, bool warm_up, struct result **result);

/* Covers the whole session: another host may have answered in any part of it. */
void session_report_others(struct session *s, enum ending ending);

#endif
