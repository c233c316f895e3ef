/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * offset: by how much another host's clock differs from ours, as far as exchanges of a request and
 * a reply can show, and with which error. Source: RFC 5905 section 8 (on-wire protocol), with its
 * clock filter reduced to the exchange with the smallest bound.
 *
 * Pure and thread-safe. The other host's times may have any value: nothing overflows.
 */
#ifndef NETPERF_OFFSET_H
#define NETPERF_OFFSET_H

#include <netperf/clock.h>
#include <stdbool.h>

#include <netperf/bits/begin.h>

/* Starts as {0}: nothing is known. */
struct np_offset {
	bool known;
	np_time offset; /* the other clock minus ours */
	np_time bound;	/* the largest possible error at the time of the measurement */
	np_time at;	/* the time of the measurement, by our clock */
};

/* An exchange that takes longer is not used. */
#define NP_OFFSET_EXCHANGE_MAX (10 * NP_SECOND)

/*
 * Adds one exchange: by our clock the request left at @t1 and the reply arrived at @t4; by the
 * other clock the request arrived at @t2 and the reply left at @t3. Keeps it and returns true when
 * its bound (half the travel time, and the drift during the exchange) is not worse than the present
 * one. Returns false otherwise, and for impossible times: out of order, or longer there than away.
 */
bool np_offset_add(struct np_offset *offset, np_time t1, np_time t2, np_time t3, np_time t4);

/* The largest error at @now: that of the measurement, plus a drift of 100 ppm since. */
np_time np_offset_bound(const struct np_offset *offset, np_time now);

/*
 * Converts @theirs, a moment by the other clock, to our clock; never beyond 2^62 ns (146 years)
 * from zero, so that its difference from a true moment does not overflow. Delay there:
 * correct(received) - sent, here: received - correct(sent). Hot.
 */
np_time np_offset_correct(const struct np_offset *offset, np_time theirs);

#include <netperf/bits/end.h>
#endif
