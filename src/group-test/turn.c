// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* turn: numbers are drawn and called, as in a waiting room. */
#include "turn.h"

#include <errno.h>
#include <time.h>

static int open_conditions(struct turn *turn, unsigned *opened)
{
	pthread_condattr_t attributes;
	int rc = pthread_condattr_init(&attributes);

	if (rc)
		return rc;
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	rc = pthread_cond_init(&turn->passed, &attributes);
	for (*opened = 0; !rc && *opened < TURN_THREADS; *opened += !rc)
		rc = pthread_cond_init(&turn->called[*opened], NULL);
	pthread_condattr_destroy(&attributes);
	return rc;
}

int turn_open(struct turn *turn)
{
	unsigned opened = 0;
	int rc;

	*turn = (struct turn){};
	rc = pthread_mutex_init(&turn->lock, NULL);
	if (rc)
		return -rc;
	rc = open_conditions(turn, &opened);
	if (!rc)
		return 0;
	while (opened)
		pthread_cond_destroy(&turn->called[--opened]);
	pthread_mutex_destroy(&turn->lock);
	return -rc;
}

void turn_close(struct turn *turn)
{
	for (unsigned i = 0; i < TURN_THREADS; i++)
		pthread_cond_destroy(&turn->called[i]);
	pthread_cond_destroy(&turn->passed);
	pthread_mutex_destroy(&turn->lock);
}

/* These three have the lock. */
static void draw_and_wait(struct turn *turn)
{
	uint64_t number = turn->drawn++;

	while (turn->serving != number)
		pthread_cond_wait(&turn->called[number % TURN_THREADS], &turn->lock);
}

static void call_next(struct turn *turn)
{
	turn->serving++;
	if (turn->serving != turn->drawn)
		pthread_cond_signal(&turn->called[turn->serving % TURN_THREADS]);
}

static bool wait_for_pass(struct turn *turn, np_time when)
{
	const struct timespec until = {when / NP_SECOND, when % NP_SECOND};

	if (when != NP_TIME_NEVER)
		return pthread_cond_timedwait(&turn->passed, &turn->lock, &until) != ETIMEDOUT;
	return !pthread_cond_wait(&turn->passed, &turn->lock);
}

void turn_take(struct turn *turn)
{
	pthread_mutex_lock(&turn->lock);
	draw_and_wait(turn);
	pthread_mutex_unlock(&turn->lock);
}

void turn_return(struct turn *turn)
{
	pthread_mutex_lock(&turn->lock);
	call_next(turn);
	pthread_mutex_unlock(&turn->lock);
}

void turn_pass(struct turn *turn)
{
	pthread_mutex_lock(&turn->lock);
	turn->passes++;
	pthread_cond_broadcast(&turn->passed);
	call_next(turn);
	pthread_mutex_unlock(&turn->lock);
}

void turn_await(struct turn *turn, np_time when)
{
	uint64_t passes;

	pthread_mutex_lock(&turn->lock);
	passes = turn->passes;
	call_next(turn);
	while (turn->passes == passes && wait_for_pass(turn, when))
		;
	draw_and_wait(turn);
	pthread_mutex_unlock(&turn->lock);
}
