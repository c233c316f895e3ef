// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * sender_threads: each thread sends its lane's messages when they are due, and waits for room or
 * for that moment; the lock that all share hands out numbers and calls them in order.
 */
#include "sender_threads.h"

#include <errno.h>
#include <netperf/wait.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

static int open_conditions(struct ticket_lock *ticket_lock, unsigned *opened)
{
	pthread_condattr_t attributes;
	int rc = pthread_condattr_init(&attributes);

	if (rc)
		return rc;
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	rc = pthread_cond_init(&ticket_lock->passed, &attributes);
	for (*opened = 0; !rc && *opened < TICKET_LOCK_THREADS; *opened += !rc)
		rc = pthread_cond_init(&ticket_lock->called[*opened], NULL);
	pthread_condattr_destroy(&attributes);
	return rc;
}

int ticket_lock_open(struct ticket_lock *ticket_lock)
{
	unsigned opened = 0;
	int rc;

	*ticket_lock = (struct ticket_lock){};
	rc = pthread_mutex_init(&ticket_lock->lock, NULL);
	if (rc)
		return -rc;
	rc = open_conditions(ticket_lock, &opened);
	if (!rc)
		return 0;
	while (opened)
		pthread_cond_destroy(&ticket_lock->called[--opened]);
	pthread_mutex_destroy(&ticket_lock->lock);
	return -rc;
}

void ticket_lock_close(struct ticket_lock *ticket_lock)
{
	for (unsigned i = 0; i < TICKET_LOCK_THREADS; i++)
		pthread_cond_destroy(&ticket_lock->called[i]);
	pthread_cond_destroy(&ticket_lock->passed);
	pthread_mutex_destroy(&ticket_lock->lock);
}

/* The caller of these three holds the mutex. */
static void draw_and_wait(struct ticket_lock *ticket_lock)
{
	uint64_t number = ticket_lock->drawn++;

	while (ticket_lock->serving != number)
		pthread_cond_wait(&ticket_lock->called[number % TICKET_LOCK_THREADS],
				  &ticket_lock->lock);
}

static void call_next(struct ticket_lock *ticket_lock)
{
	ticket_lock->serving++;
	if (ticket_lock->serving != ticket_lock->drawn)
		pthread_cond_signal(
			&ticket_lock->called[ticket_lock->serving % TICKET_LOCK_THREADS]);
}

static bool wait_for_pass(struct ticket_lock *ticket_lock, np_time when)
{
	const struct timespec until = {when / NP_SECOND, when % NP_SECOND};

	if (when != NP_TIME_NEVER)
		return pthread_cond_timedwait(&ticket_lock->passed, &ticket_lock->lock, &until) !=
		       ETIMEDOUT;
	return !pthread_cond_wait(&ticket_lock->passed, &ticket_lock->lock);
}

void ticket_lock_take(struct ticket_lock *ticket_lock)
{
	pthread_mutex_lock(&ticket_lock->lock);
	draw_and_wait(ticket_lock);
	pthread_mutex_unlock(&ticket_lock->lock);
}

void ticket_lock_return(struct ticket_lock *ticket_lock)
{
	pthread_mutex_lock(&ticket_lock->lock);
	call_next(ticket_lock);
	pthread_mutex_unlock(&ticket_lock->lock);
}

void ticket_lock_pass(struct ticket_lock *ticket_lock)
{
	pthread_mutex_lock(&ticket_lock->lock);
	ticket_lock->passes++;
	pthread_cond_broadcast(&ticket_lock->passed);
	call_next(ticket_lock);
	pthread_mutex_unlock(&ticket_lock->lock);
}

void ticket_lock_await(struct ticket_lock *ticket_lock, np_time when)
{
	uint64_t passes;

	pthread_mutex_lock(&ticket_lock->lock);
	passes = ticket_lock->passes;
	call_next(ticket_lock);
	while (ticket_lock->passes == passes && wait_for_pass(ticket_lock, when))
		;
	draw_and_wait(ticket_lock);
	pthread_mutex_unlock(&ticket_lock->lock);
}

struct lane {
	struct sender_threads *lanes;
	pthread_t thread;
	unsigned index;
};

struct sender_threads {
	struct member *member;
	struct ticket_lock *ticket_lock;
	bool busy_sleep;
	int wake;
	unsigned running;
	struct lane lane[];
};

/* Waits until the lane's moment or until something changed; holds the lock before and after. */
static void wait_for_moment(const struct sender_threads *p, np_time due, np_time now)
{
	if (due <= now)
		due = NP_TIME_NEVER; /* only room or credit is missing, and a turn of the transport
					brings that */
	if (due == NP_TIME_NEVER || !p->busy_sleep) {
		ticket_lock_await(p->ticket_lock, due);
		return;
	}
	ticket_lock_return(p->ticket_lock);
	/* Other threads may use the CPU in between. */
	while (np_clock_now() < due)
		sched_yield();
	ticket_lock_take(p->ticket_lock);
}

/* Sends as many messages as may go, at most a burst. */
static void send_some(const struct sender_threads *p, unsigned index)
{
	np_time now = np_clock_now();
	unsigned sent = member_pump(p->member, index, LANES_BURST, now);
	np_time due = member_pump_due(p->member, index);

	if (member_deadline(p->member) < p->ticket_lock->asleep_until) {
		p->ticket_lock->asleep_until = now;
		(void)eventfd_write(p->wake, 1);
	}
	if (sent && due <= now) {
		ticket_lock_return(p->ticket_lock);
		ticket_lock_take(p->ticket_lock);
	} else {
		wait_for_moment(p, due, now);
	}
}

static void *run(void *context)
{
	const struct lane *lane = context;
	const struct sender_threads *p = lane->lanes;

	np_wait_end_on_time();
	ticket_lock_take(p->ticket_lock);
	while (!p->ticket_lock->over)
		send_some(p, lane->index);
	ticket_lock_return(p->ticket_lock);
	return NULL;
}

int sender_threads_start(struct sender_threads **lanes, struct member *member,
			 struct ticket_lock *ticket_lock, unsigned count, bool busy_sleep, int wake)
{
	struct sender_threads *made = calloc(1, sizeof(*made) + count * sizeof(*made->lane));
	int rc = 0;

	*lanes = NULL;
	if (!made)
		return -ENOMEM;
	*made = (struct sender_threads){
		.member = member,
		.ticket_lock = ticket_lock,
		.busy_sleep = busy_sleep,
		.wake = wake,
	};
	for (unsigned i = 0; !rc && i < count; i++) {
		made->lane[i] = (struct lane){.lanes = made, .index = i};
		rc = pthread_create(&made->lane[i].thread, NULL, run, &made->lane[i]);
		made->running += !rc;
	}
	if (rc) {
		ticket_lock_take(ticket_lock);
		ticket_lock->over = true;
		ticket_lock_pass(ticket_lock);
		sender_threads_join(made);
		return -rc;
	}
	*lanes = made;
	return 0;
}

void sender_threads_join(struct sender_threads *lanes)
{
	if (!lanes)
		return;
	for (unsigned i = 0; i < lanes->running; i++)
		pthread_join(lanes->lane[i].thread, NULL);
	free(lanes);
}
