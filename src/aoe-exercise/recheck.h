/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * recheck: while a target is written, examines it again and again, and holds the writes when it
 * was silent: what is written must be the disk that was examined before the run.
 */
#ifndef AOE_EXERCISE_RECHECK_H
#define AOE_EXERCISE_RECHECK_H

#include "examine.h"
#include "lapse.h"

struct recheck {
	struct examination *examination; /* NULL: the target is only read, nothing is checked */
	struct lapse lapse;
	bool active;   /* a round is under way, */
	bool holds;    /* and no write may go before it is over; */
	bool whole;    /* it is over all that was examined */
	np_time begin; /* of the round */
	np_time held_since;
	uint32_t begun;	 /* rounds */
	uint64_t rounds; /* that were completed */
	np_time held;	 /* so long the writes were held */
	int error;	 /* -errno for examination_explain: nothing more may be written; 0: none */
};

/* For the run; the examination's first round is over, and the examination the caller's. */
void recheck_start(struct recheck *recheck, struct examination *examination);

/* Before a measured exchange: examines in whole when nothing was heard for long. 0 or -errno. */
int recheck_before(struct recheck *recheck);

/*
 * Once a turn, before writes are sent at @now: begins a round when one is needed, and asks what is
 * to be asked, with @room places of the window free. @tag: for the questions of a new round.
 * Returns 0 or -errno of the link; what the target did wrong is in @recheck->error.
 */
int recheck_turn(struct recheck *recheck, np_time now, unsigned room, uint32_t tag, uint64_t lost);

/* How far ahead of the requests' tags those of a new round are to be; no two rounds share any. */
uint32_t recheck_tag(const struct recheck *recheck);

/* Ends the round that is under way, since nothing more will be sent. */
void recheck_stop(struct recheck *recheck, np_time now);

/* Takes a frame of the target's: true when it answers a question. */
bool recheck_take(struct recheck *recheck, const struct np_aoe_header *header,
		  const struct np_frame *frame);

/*
 * A write was answered, after @rtt. When it went before the silence for which the writes are held,
 * they go on, and a round that had answers does so beside them; after a long silence they wait for
 * all of it.
 */
void recheck_heard(struct recheck *recheck, const struct np_frame *frame, np_time rtt);

/* True when the round that failed had no answer at all: the target is dead, not another one. */
bool recheck_is_silent(const struct recheck *recheck);

/* Places of the window that questions have. */
unsigned recheck_in_flight(const struct recheck *recheck);

/* When recheck_turn has something to do; NP_TIME_NEVER outside of a round. */
np_time recheck_due(const struct recheck *recheck);

#endif
