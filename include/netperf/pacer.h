/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * pacer: the intended moments of a paced series of events. Pure: the clock is an argument. Event k
 * is due at begin + k/rate, computed from k, so that rounding errors never accumulate. A pacer that
 * falls behind keeps its schedule and reports how far it fell behind; it never changes the rate,
 * and latency can be measured from the intended moment.
 */
#ifndef NETPERF_PACER_H
#define NETPERF_PACER_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

struct np_pacer {
	double rate_per_s; /* events, or bytes, per second; 0: not paced */
	np_time begin;
	uint64_t count;	      /* events (or bytes) so far */
	np_time worst_behind; /* the longest that an event was later than intended */
};

void np_pacer_start(struct np_pacer *pacer, double rate_per_s, np_time now);

/* The moment at which the next event is due; always @begin when not paced. */
np_time np_pacer_next(const struct np_pacer *pacer);

/*
 * How many events may happen at @now, at most @limit; @limit when not paced. Does not count them.
 */
uint64_t np_pacer_allowed(const struct np_pacer *pacer, np_time now, uint64_t limit);

/* Counts @events that happened at @now. */
void np_pacer_took(struct np_pacer *pacer, np_time now, uint64_t events);

/*
 * Whether a series that was @behind its schedule at worst did not keep its rate of @rate_per_s
 * events: up to 10 ms, or the time of one event, is jitter.
 */
bool np_pacer_fell_behind(np_time behind, double rate_per_s);

#include <netperf/bits/end.h>
#endif
