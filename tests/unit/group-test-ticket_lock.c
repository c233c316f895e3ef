// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-ticket_lock: the receiving thread gets its turn among busy senders; waits end when
 * due. */
#include "../../src/group-test/sender_threads.h"
#include "support/unit.h"

#include <unistd.h>

#define SENDERS 3
#define TURNS	600

struct crowd {
	struct ticket_lock ticket_lock;
	uint64_t turns; /* of all senders */
};

/* As a lane that always has something to send, which takes a moment. */
static void *busy(void *context)
{
	struct crowd *c = context;

	ticket_lock_take(&c->ticket_lock);
	while (!c->ticket_lock.over) {
		c->turns++;
		usleep(100);
		ticket_lock_return(&c->ticket_lock);
		ticket_lock_take(&c->ticket_lock);
	}
	ticket_lock_return(&c->ticket_lock);
	return NULL;
}

/* As a lane without credit. */
static void *blocked(void *context)
{
	struct crowd *c = context;

	ticket_lock_take(&c->ticket_lock);
	while (!c->ticket_lock.over) {
		c->turns++;
		ticket_lock_await(&c->ticket_lock, NP_TIME_NEVER);
	}
	ticket_lock_return(&c->ticket_lock);
	return NULL;
}

/* The receiver's turns until the senders have had TURNS of theirs. */
static uint64_t take_turns(void *(*sender)(void *), struct crowd *c)
{
	np_time limit = np_clock_now() + 20 * NP_SECOND;
	pthread_t thread[SENDERS];
	uint64_t own = 0;
	bool enough;

	assert_int_equal(ticket_lock_open(&c->ticket_lock), 0);
	for (unsigned i = 0; i < SENDERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, sender, c), 0);
	do {
		ticket_lock_take(&c->ticket_lock);
		enough = c->turns >= TURNS;
		c->ticket_lock.over = enough || np_clock_now() > limit;
		own++;
		ticket_lock_pass(&c->ticket_lock);
	} while (!c->ticket_lock.over);
	for (unsigned i = 0; i < SENDERS; i++)
		pthread_join(thread[i], NULL);
	ticket_lock_close(&c->ticket_lock);
	assert_true(enough);
	return own;
}

TEST(the_receiver_is_not_starved)
{
	struct crowd c = {};

	assert_true(take_turns(busy, &c) >= TURNS / SENDERS / 2);
}

TEST(blocked_senders_wake_and_go_home)
{
	struct crowd c = {};

	assert_true(take_turns(blocked, &c) >= TURNS / SENDERS);
}

TEST(waits_end_when_due)
{
	struct crowd c = {};
	np_time begin = np_clock_now();

	assert_int_equal(ticket_lock_open(&c.ticket_lock), 0);
	ticket_lock_take(&c.ticket_lock);
	ticket_lock_await(&c.ticket_lock, begin + 20 * NP_MILLISECOND);
	assert_true(np_clock_now() - begin >= 20 * NP_MILLISECOND);
	ticket_lock_return(&c.ticket_lock);
	ticket_lock_close(&c.ticket_lock);
}
