/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * recheck: examines a target again and again while it is written, and holds the writes after a
 * silence: the disk that is written must be the one that was examined before the run.
 */
#ifndef AOE_EXERCISE_RECHECK_H
#define AOE_EXERCISE_RECHECK_H

#include "examine.h"
#include "lapse.h"

struct recheck {
	struct examination *examination; /* NULL: the target is only read, nothing is checked */
	struct lapse lapse;
	bool active;   /* a round is running, */
	bool holds;    /* and no write may be sent before it ends; */
	bool whole;    /* it covers everything that was examined */
	np_time begin; /* when the round began */
	np_time held_since;
	uint32_t begun;	 /* rounds started */
	uint64_t rounds; /* rounds completed */
	np_time held;	 /* total time that writes were held */
	int error;	 /* -errno for examination_explain: no more may be written; 0: none */
};

/* For one run. The first round of @examination is complete; the caller owns @examination. */
void recheck_start(struct recheck *recheck, struct examination *examination);

/*
 * Before a measured exchange: examines again if the target has been silent for long. Returns 0 or
 * -errno.
 */
int recheck_before(struct recheck *recheck, const struct channel *channel);

/*
 * Called once per loop iteration, before writes are sent at @now: starts a round if one is needed,
 * and sends the questions that are due, with @room places of the window free. A new round uses tags
 * from @tag on. Returns 0 or -errno of the link; a fault of the target is in @recheck->error.
 */
int recheck_step(struct recheck *recheck, np_time now, unsigned room, uint32_t tag, uint64_t lost);

/* The first tag of a new round. */
uint32_t recheck_tag(const struct recheck *recheck, const struct tags *tags);

/* Ends the running round, since nothing more will be sent. */
void recheck_stop(struct recheck *recheck, np_time now);

/* Takes a frame from the target: true when it answers a question. */
bool recheck_take(struct recheck *recheck, const struct np_aoe_header *header,
		  const struct np_frame *frame);

/*
 * A write was answered after @rtt. If it was sent before the silence for which writes are held,
 * writes go on and a round that has had answers continues beside them; after a long silence, writes
 * wait for the complete round.
 */
void recheck_heard(struct recheck *recheck, const struct np_frame *frame, np_time rtt);

/* True when the round failed because this host accepted no frame: the target was asked nothing. */
bool recheck_is_unsent(const struct recheck *recheck);

/* True when the round that failed had no answer at all: the target is dead, not replaced. */
bool recheck_is_silent(const struct recheck *recheck);

/* Places of the window that questions take. */
unsigned recheck_in_flight(const struct recheck *recheck);

/* When recheck_step next has something to do; NP_TIME_NEVER when no round is running. */
np_time recheck_due(const struct recheck *recheck);

#endif
