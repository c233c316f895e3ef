/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * busy_poll: whether a receiver that found its queue empty sleeps, or polls again after a short
 * spin. When messages arrive every few microseconds, a spin costs less than a sleep, which the
 * sender must end by waking the receiver. Each look at the queue takes the lock that the sender
 * needs, so there is only one, at the end of the spin.
 *
 * Thread rule: a struct np_busy_poll belongs to one thread; there is nothing to free.
 */
#ifndef NETPERF_BUSY_POLL_H
#define NETPERF_BUSY_POLL_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

/* Messages arrive densely when there is, on average, one in this time or less. */
#define NP_BUSY_POLL_DENSE (5 * NP_MICROSECOND)
#define NP_BUSY_POLL_SPIN  (20 * NP_MICROSECOND)

/* What arrived since the queue was last empty. Starts as {.since = now}. */
struct np_busy_poll {
	uint64_t messages;
	np_time since;
};

/* @count messages were received. Hot. */
static inline void np_busy_poll_received(struct np_busy_poll *busy, unsigned count)
{
	busy->messages += count;
}

/*
 * The queue is empty at @now. Returns true if messages have arrived densely since it was last
 * empty: spin, then poll again; false: sleep. The next span starts at @now. Pure.
 */
bool np_busy_poll_pays(struct np_busy_poll *busy, np_time now);

/* Spins until NP_BUSY_POLL_SPIN after @now: a sleep this short would last longer. */
void np_busy_poll_spin(np_time now);

#include <netperf/bits/end.h>
#endif
