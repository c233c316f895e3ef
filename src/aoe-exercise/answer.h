/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* answer: classifies each frame from the target and adds it to the result. Pure. */
#ifndef AOE_EXERCISE_ANSWER_H
#define AOE_EXERCISE_ANSWER_H

#include "examine.h"
#include "result.h"
#include "window.h"

struct answers {
	const struct target *target;
	struct window *window;
	struct result *result;
	struct np_pattern pattern;
	bool write;
	bool is_paced;
	bool by_kernel; /* stamps tell which answers came too late, however late they are read */
	struct recheck
		*recheck; /* receives the answers to its questions; NULL: nothing is rechecked */
	np_time timeout;
	np_time last;		  /* arrival of the last answer in time */
	np_time heard;		  /* arrival of any answer to us; at first the start of the run */
	uint64_t lost_when_heard; /* tally.lost then */
	unsigned doubled;	  /* see answers_are_doubled */
};

/*
 * True when so many of the last answers came twice that chance cannot explain it: no two frames
 * that we send have the same tag, so there is a second target or a path that duplicates frames.
 */
bool answers_are_doubled(const struct answers *answers);

/* Takes @count frames; counts each of them in exactly one class. */
void answers_take(struct answers *answers, const struct np_frame *frames, unsigned count);

#endif
