/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turn: whose turn it is at the member and its transport: a lock that is fair to the one thread
 * that receives. The senders of --threads would else take it again before that one has woken.
 */
#ifndef GROUP_TEST_TURN_H
#define GROUP_TEST_TURN_H

#include <netperf/clock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct turn {
	pthread_mutex_t lock;
	pthread_cond_t passed; /* the receiving thread has had its turn, things may have changed */
	atomic_bool wanted;    /* by the receiving thread: nobody else takes it first */
	bool over;	       /* the run is: senders go home */
	np_time asleep_until;  /* the receiving thread, at most; who needs it sooner wakes it */
};

/* Returns 0 or -errno. */
int turn_open(struct turn *turn);
void turn_close(struct turn *turn);

/* For the receiving thread. turn_pass wakes all who wait for a change. */
void turn_take(struct turn *turn);
void turn_pass(struct turn *turn);

/* For the senders; over may be read in between. */
void turn_borrow(struct turn *turn);
void turn_return(struct turn *turn);

/* Lets go until turn_pass, or until @when (NP_TIME_NEVER: no limit), then has it again. */
void turn_await(struct turn *turn, np_time when);

/* The receiving thread has it: no more turns for anybody else. */
void turn_end(struct turn *turn);

#endif
