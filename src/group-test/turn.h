/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * turn: whose turn it is at the member and its transport: a lock that is given in the order of
 * asking. With a plain mutex who lets go takes it again before another has woken: the senders of
 * --threads would starve the thread that receives, or that one them.
 */
#ifndef GROUP_TEST_TURN_H
#define GROUP_TEST_TURN_H

#include "member.h"

#include <netperf/clock.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Most threads at one turn: the lanes and the one that receives. */
#define TURN_THREADS (LANES_MAX + 1)

struct turn {
	pthread_mutex_t lock;		     /* of what follows, held for moments only */
	pthread_cond_t called[TURN_THREADS]; /* by the number that was drawn */
	uint64_t drawn, serving;	     /* numbers: the next to draw, whose turn it is */
	pthread_cond_t passed;		     /* something may have changed */
	uint64_t passes;

	/* For who has the turn. */
	bool over;	      /* the run is: senders go home */
	np_time asleep_until; /* the receiving thread, at most; who needs it sooner wakes it */
};

/* Returns 0 or -errno. */
int turn_open(struct turn *turn);
void turn_close(struct turn *turn);

/* Waits for the turn, and lets go. */
void turn_take(struct turn *turn);
void turn_return(struct turn *turn);

/* The receiving thread lets go, and all who wait for a change look again. */
void turn_pass(struct turn *turn);

/* Lets go until the next turn_pass, or until @when (NP_TIME_NEVER: no limit), then has it again. */
void turn_await(struct turn *turn, np_time when);

#endif
