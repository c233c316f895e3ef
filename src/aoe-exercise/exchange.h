/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * exchange: the measured run: sends requests as the window allows, takes the answers, counts both.
 */
#ifndef AOE_EXERCISE_EXCHANGE_H
#define AOE_EXERCISE_EXCHANGE_H

#include "guard.h"
#include "result.h"
#include "window.h"

/*
 * Called when an interval ends or SIGUSR1 asks, and once at the end. @length is the time since the
 * last call; @life holds the counts since the start of the run. NULL: not called.
 */
struct exchange_observer {
	void (*interval)(void *owner, const struct result *life, np_time length, bool asked);
	void (*rest)(void *owner, const struct result *life, np_time length);
	void *owner;
};

struct exchange_plan {
	const struct options *options;
	const struct target *target;
	struct examination *examination; /* of a target that is written; else NULL */
	struct np_drops *drops;		 /* watches what goes to the target, and its answers */
	unsigned window;
	np_time duration;      /* 0: until the packet count or a signal */
	uint64_t packet_count; /* requests */
	np_time interval;      /* between calls of the observer; 0: only on SIGUSR1 */
	struct exchange_observer observer;
};

/*
 * Runs the plan into @result, which was just created. Returns 0, also when the run ended early
 * (see result->ending), or -ENOMEM, or -errno when no packet could be sent at all.
 */
int exchange_run(struct channel *channel, const struct exchange_plan *plan, struct result *result);

/* answer: classifies each frame from the target and adds it to the result. Pure. */
struct answers {
	const struct target *target;
	struct window *window;
	struct result *result;
	struct np_pattern pattern;
	bool write;
	bool is_paced;
	bool by_kernel; /* stamps tell which answers came too late, however late they are read */
	struct examination *examination; /* receives the answers to its questions; or NULL */
	np_time timeout;
	np_time last;		  /* arrival of the last answer in time */
	np_time heard;		  /* arrival of any answer to us; at first the start of the run */
	uint64_t lost_when_heard; /* tally.lost then */
};

/* Takes @count frames; counts each of them in exactly one class. */
void answers_take(struct answers *answers, const struct np_frame *frames, unsigned count);

#endif
