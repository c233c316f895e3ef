/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* answer: what a frame from the target is, and what it adds to the result. Pure. */
#ifndef AOE_EXERCISE_ANSWER_H
#define AOE_EXERCISE_ANSWER_H

#include "recheck.h"
#include "result.h"
#include "target.h"
#include "window.h"

struct answers {
	const struct target *target;
	struct window *window;
	struct result *result;
	struct np_pattern pattern;
	bool write;
	bool is_paced;
	bool by_kernel;		 /* stamps tell what came too late, however late we look */
	struct recheck *recheck; /* takes what it asked for; NULL: nothing is checked */
	np_time timeout;
	np_time last;		  /* arrival of the last answer in time */
	np_time heard;		  /* arrival of any answer to us; the begin of the run at first */
	uint64_t lost_when_heard; /* tally.lost then */
	unsigned doubled;	  /* see answers_are_doubled */
};

/*
 * True when so many of the last answers came twice that it is no accident on the way: since no two
 * frames that we send have the same tag, a second target is there, or a path that doubles frames.
 */
bool answers_are_doubled(const struct answers *answers);

/* Takes @count frames; each is counted as exactly one thing. */
void answers_take(struct answers *answers, const struct np_frame *frames, unsigned count);

#endif
