/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * ticket_lock: whose turn it is at the member and its transport: a lock that is given in the order
 * of asking. With a plain mutex who lets go takes it again before another has woken: the senders of
 * --threads would starve the thread that receives, or that one them.
 */
#ifndef GROUP_TEST_TICKET_LOCK_H
#define GROUP_TEST_TICKET_LOCK_H

#include "member/member.h"

#include <netperf/clock.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Most threads at one turn: the lanes and the one that receives. */
#define TICKET_LOCK_THREADS (LANES_MAX + 1)

struct ticket_lock {
	pthread_mutex_t lock;			    /* of what follows, held for moments only */
	pthread_cond_t called[TICKET_LOCK_THREADS]; /* by the number that was drawn */
	uint64_t drawn, serving; /* numbers: the next to draw, whose turn it is */
	pthread_cond_t passed;	 /* something may have changed */
	uint64_t passes;

	/* For who has the turn. */
	bool over;	      /* the run is: senders go home */
	np_time asleep_until; /* the receiving thread, at most; who needs it sooner wakes it */
};

/* Returns 0 or -errno. */
int ticket_lock_open(struct ticket_lock *ticket_lock);
void ticket_lock_close(struct ticket_lock *ticket_lock);

/* Waits for the turn, and lets go. */
void ticket_lock_take(struct ticket_lock *ticket_lock);
void ticket_lock_return(struct ticket_lock *ticket_lock);

/* The receiving thread lets go, and all who wait for a change look again. */
void ticket_lock_pass(struct ticket_lock *ticket_lock);

/* Lets go until the next ticket_lock_pass, or until @when (NP_TIME_NEVER: no limit), then has it
 * again. */
void ticket_lock_await(struct ticket_lock *ticket_lock, np_time when);

#endif
