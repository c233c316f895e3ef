/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * lull: what a receiver does that found nothing: it looks again, or it sleeps. When messages come
 * so dense that several are near, to stay awake for a rest costs less than to sleep and be woken
 * by the sender, whose time that takes, too. So does each look at the queue, whose lock is the
 * sender's, too: one at the end of the rest.
 */
#ifndef NETPERF_LULL_H
#define NETPERF_LULL_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define NP_LULL_DENSE                                                                              \
	(5 * NP_MICROSECOND) /* a message each so long, or less, since the last lull */
#define NP_LULL_REST (20 * NP_MICROSECOND)

/* Begins as {.since = now}. */
struct np_lull {
	uint64_t messages;
	np_time since;
};

/* @count messages came. Hot. */
static inline void np_lull_came(struct np_lull *lull, unsigned count)
{
	lull->messages += count;
}

/*
 * Nothing was there at @now. True when messages came dense since the last time: look again, at the
 * end of a np_lull_rest; false: sleep. Pure.
 */
bool np_lull_dense(struct np_lull *lull, np_time now);

/* Stays awake NP_LULL_REST from @now on: to sleep so short is to sleep longer. */
void np_lull_rest(np_time now);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
