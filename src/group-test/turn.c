// SPDX-License-Identifier: GPL-2.0-or-later
/* turn: a mutex, and a condition that senders wait at while the receiver wants it. */
#include "turn.h"

#include <time.h>

int turn_open(struct turn *turn)
{
	pthread_condattr_t attributes;
	int rc = pthread_mutex_init(&turn->lock, NULL);

	atomic_init(&turn->wanted, false);
	turn->over = false;
	if (rc)
		return -rc;
	rc = pthread_condattr_init(&attributes);
	if (!rc) {
		pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
		rc = pthread_cond_init(&turn->passed, &attributes);
		pthread_condattr_destroy(&attributes);
	}
	if (rc)
		pthread_mutex_destroy(&turn->lock);
	return -rc;
}

void turn_close(struct turn *turn)
{
	pthread_cond_destroy(&turn->passed);
	pthread_mutex_destroy(&turn->lock);
}

void turn_take(struct turn *turn)
{
	atomic_store(&turn->wanted, true);
	pthread_mutex_lock(&turn->lock);
	atomic_store(&turn->wanted, false);
}

void turn_pass(struct turn *turn)
{
	pthread_cond_broadcast(&turn->passed);
	pthread_mutex_unlock(&turn->lock);
}

void turn_borrow(struct turn *turn)
{
	pthread_mutex_lock(&turn->lock);
	while (atomic_load(&turn->wanted))
		pthread_cond_wait(&turn->passed, &turn->lock);
}

void turn_return(struct turn *turn)
{
	pthread_mutex_unlock(&turn->lock);
}

void turn_await(struct turn *turn, np_time when)
{
	const struct timespec until = {when / NP_SECOND, when % NP_SECOND};

	if (when == NP_TIME_NEVER)
		pthread_cond_wait(&turn->passed, &turn->lock);
	else
		pthread_cond_timedwait(&turn->passed, &turn->lock, &until);
}

void turn_end(struct turn *turn)
{
	turn->over = true;
	turn_pass(turn);
}
