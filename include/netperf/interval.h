/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * interval: when the next report is due, and which span it covers: the run's whole life, or the
 * time since the last report ("now"); and the row that each span has in CSV. Pure: the clock is an
 * argument. Reports stay on the grid that starts with the run; a report that was missed is not made
 * up for.
 */
#pragma once

#include <netperf/flow.h>

struct np_interval {
	np_time begin;	/* start of the run */
	np_time mark;	/* start of the current interval */
	np_time period; /* 0: reports only on demand */
	np_time due;	/* NP_TIME_NEVER when @period is 0 */
};

void np_interval_start(struct np_interval *interval, np_time now, np_time period);

static inline bool np_interval_due(const struct np_interval *interval, np_time now)
{
	return now >= interval->due;
}

/* Ends the current interval at @now and starts the next one. Returns its true length. */
np_time np_interval_next(struct np_interval *interval, np_time now);

struct np_record;

/*
 * Adds from_ns and to_ns, since the start of the measured run, to @record, an interval, and makes
 * it a row of the CSV, whose layout all programs share: netperf-json(5). Its other columns are
 * members of the record; @flow, which is copied, is what it is about where there may be several, or
 * NULL; @unit is that of the counts: "messages", "packets" or "operations".
 */
void np_record_interval(struct np_record *record, np_time from, np_time to, const char *flow,
			const char *unit);

/*
 * The intended moments of a paced series of events. Event k is due at begin + k/rate, computed from
 * k, so that rounding errors never accumulate. A pacer that falls behind keeps its schedule and
 * reports how far it fell behind; it never changes the rate, and latency can be measured from the
 * intended moment. Pure: the clock is an argument.
 */
struct np_pacer {
	double rate_per_s; /* events, or bytes, per second; 0: not paced */
	np_time begin;
	uint64_t count;	      /* events (or bytes) so far */
	np_time worst_behind; /* the longest that an event was later than intended */
};

void np_pacer_start(struct np_pacer *pacer, double rate_per_s, np_time now);

/* The moment at which the next event is due; always @begin when not paced. */
np_time np_pacer_next(const struct np_pacer *pacer);

/* How many events may happen at @now, at most @limit; @limit when not paced. Counts none. */
uint64_t np_pacer_allowed(const struct np_pacer *pacer, np_time now, uint64_t limit);

/* Counts @events that happened at @now. */
void np_pacer_took(struct np_pacer *pacer, np_time now, uint64_t events);

/*
 * At @now no more events happen, since @end has passed: one that was due before @end is late by
 * now. Without it, a series that stood still to the end would seem to have kept its rate.
 */
void np_pacer_missed(struct np_pacer *pacer, np_time end, np_time now);

/*
 * Whether a series that was @behind its schedule at worst did not keep its rate of @rate_per_s
 * events: up to 10 ms, or the time of one event, is jitter.
 */
bool np_pacer_fell_behind(np_time behind, double rate_per_s);
