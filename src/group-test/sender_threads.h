/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sender_threads: the threads that send, each one lane of the member, under the lock that all
 * share: ticket_lock, a fair lock on the member and its transport, is granted in the order of
 * asking. With a plain mutex, the thread that unlocks locks it again before another has woken: the
 * senders of --threads would starve the receiving thread, or it them.
 */
#ifndef GROUP_TEST_SENDER_THREADS_H
#define GROUP_TEST_SENDER_THREADS_H

#include "member/member.h"

#include <netperf/clock.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The most threads that share it: the lanes and the one that receives. */
#define TICKET_LOCK_THREADS (LANES_MAX + 1)

struct ticket_lock {
	pthread_mutex_t lock; /* protects the fields below, held only for moments */
	pthread_cond_t called[TICKET_LOCK_THREADS]; /* by the number that was drawn */
	uint64_t drawn, serving; /* the next number to draw, and the one that holds the lock */
	pthread_cond_t passed;	 /* signalled when something may have changed */
	uint64_t passes;

	/* Protected by the ticket lock: */
	bool over;	      /* the run is over: senders end */
	np_time asleep_until; /* the latest time at which the receiving thread wakes; a thread that
				 needs it sooner wakes it */
};

/* Returns 0 or -errno. */
int ticket_lock_open(struct ticket_lock *ticket_lock);
void ticket_lock_close(struct ticket_lock *ticket_lock);

/* Waits for the lock; releases it. */
void ticket_lock_take(struct ticket_lock *ticket_lock);
void ticket_lock_return(struct ticket_lock *ticket_lock);

/* Releases the lock and wakes all threads in ticket_lock_await. */
void ticket_lock_pass(struct ticket_lock *ticket_lock);

/*
 * Releases the lock until the next ticket_lock_pass, or until @when (NP_TIME_NEVER: no limit), then
 * takes it again.
 */
void ticket_lock_await(struct ticket_lock *ticket_lock, np_time when);

/* The most messages that a lane sends before it passes the lock on. */
#define LANES_BURST 64

struct sender_threads;

/*
 * Starts @count threads, 1..LANES_MAX; @busy_sleep: they poll the clock until a message is due;
 * @wake: eventfd, for when the receiving thread sleeps longer than the member allows. Returns 0, or
 * -errno with none running.
 */
int sender_threads_start(struct sender_threads **lanes, struct member *member,
			 struct ticket_lock *ticket_lock, unsigned count, bool busy_sleep,
			 int wake);

/*
 * Call it after ticket_lock.over was set and the lock passed: waits for the threads and frees. NULL
 * is allowed.
 */
void sender_threads_join(struct sender_threads *lanes);

#endif
