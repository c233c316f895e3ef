// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ticket_lock: hands out numbers and calls them in order. */
#include "ticket_lock.h"

#include <errno.h>
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
