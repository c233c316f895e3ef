/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * pace: waits for the moments at which packets are due. Sleeps to an absolute moment a little
 * before, then spins; how much before follows the measured delay of waking up, within a share of
 * the time between two moments, so that spinning never takes more of a CPU than that.
 */
#ifndef DATAGRAM_TEST_PACE_H
#define DATAGRAM_TEST_PACE_H

#include <netperf/pacer.h>
#include <stdatomic.h>

/* Most of a CPU that spinning may take, in percent, and the longest spin. */
#define PACE_SPIN_PERCENT 8
#define PACE_SPIN_MAX	  (50 * NP_MICROSECOND)

struct pace {
	struct np_pacer pacer; /* its events are bytes */
	np_time worst_behind;  /* of all that was paced since pace_open */
	np_time spin;	       /* how long before a moment the sleep ends */
	np_time spin_limit;
};

/* For the calling thread: timer slack 1 ns. */
void pace_open(struct pace *pace);

/* The series begins now. @rate 0: no waiting. @bytes: of one turn. */
void pace_start(struct pace *pace, double rate_bytes_per_s, uint64_t bytes, np_time now);

/*
 * Waits until @bytes may go, and counts them; or until @deadline, or @*phase is not 0. Returns the
 * moment it is then.
 */
np_time pace_wait(struct pace *pace, uint64_t bytes, np_time deadline, const _Atomic int *phase);

#endif
