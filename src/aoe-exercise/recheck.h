/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * recheck: examines a target again that was silent while it is written, and holds the writes until
 * that is done: another disk may have taken its place meanwhile.
 */
#ifndef AOE_EXERCISE_RECHECK_H
#define AOE_EXERCISE_RECHECK_H

#include "examine.h"

struct recheck {
	struct examination *examination;
	np_time silence; /* one that is longer needs a round */
	np_time heard;	 /* the latest answer, or the end of the latest round */
	bool doubted;	 /* another target may have ended a silence */
	bool holds;	 /* a round is running; no write may be sent before it ends */
	np_time held_since;
	uint64_t rounds; /* rounds completed */
	np_time held;	 /* total time that writes were held */
	int error;	 /* -errno for examination_explain: no more may be written; 0: none */
};

/*
 * The first round of @examination is complete; the caller owns @examination. A request of the run
 * is lost after @timeout.
 */
void recheck_start(struct recheck *recheck, struct examination *examination, np_time timeout);

/*
 * Before a measured exchange: examines again if the target has been silent for long. Returns 0 or
 * -errno.
 */
int recheck_before(struct recheck *recheck);

/*
 * Called once per loop iteration, before writes are sent at @now: starts a round if one is needed,
 * and sends the questions that are due, with @room places of the window free. Returns 0 or -errno
 * of the link; a fault of the target is in @recheck->error.
 */
int recheck_step(struct recheck *recheck, np_time now, unsigned room);

/* Ends the running round, since nothing more will be sent. */
void recheck_stop(struct recheck *recheck, np_time now);

/* Takes a frame from the target: true when it answers a question. */
bool recheck_take(struct recheck *recheck, const struct np_aoe_header *header,
		  const struct np_frame *frame);

/* A write was answered @at. */
void recheck_heard(struct recheck *recheck, np_time at);

/* True when the round failed because this host accepted no frame: the target was asked nothing. */
bool recheck_is_unsent(const struct recheck *recheck);

/* True when the round that failed had no answer at all: the target is dead, not replaced. */
bool recheck_is_silent(const struct recheck *recheck);

/* When recheck_step next has something to do; NP_TIME_NEVER when no round is running. */
np_time recheck_due(const struct recheck *recheck);

#endif
