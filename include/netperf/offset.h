/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * offset: by how much another host's clock differs from ours, as far as exchanges of a question
 * and an answer can tell, and with which error. Source: RFC 5905 section 8 (on-wire protocol), its
 * clock filter reduced to the exchange with the smallest bound.
 *
 * Pure and thread-safe. Times of the other host may be anything: nothing overflows.
 */
#ifndef NETPERF_OFFSET_H
#define NETPERF_OFFSET_H

#include <netperf/clock.h>
#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Begins as {0}: nothing known. */
struct np_offset {
	bool known;
	np_time offset; /* the other clock minus ours */
	np_time bound;	/* of its error when it was measured */
	np_time at;	/* when that was, by our clock */
};

/* An exchange that takes longer is not used. */
#define NP_OFFSET_EXCHANGE_MAX (10 * NP_SECOND)

/*
 * One exchange: our question left at @t1 and the answer came at @t4 by our clock; by the other
 * one the question came at @t2 and the answer left at @t3. Kept, and true, when its bound is not
 * worse than the one of now: half the time under way, and the drift during the exchange. False,
 * too, for one that cannot be: no order in its times, or there longer than away.
 */
bool np_offset_add(struct np_offset *offset, np_time t1, np_time t2, np_time t3, np_time t4);

/* The largest error at @now: what it was, and a drift of 100 ppm since. */
np_time np_offset_bound(const struct np_offset *offset, np_time now);

/*
 * @theirs, a moment by the other clock, by ours; never beyond 2^62 ns (146 years) from zero, so
 * that a difference to a true moment is one, too. Delay there: correct(received) - sent, here:
 * received - correct(sent). Hot.
 */
np_time np_offset_correct(const struct np_offset *offset, np_time theirs);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
