/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * pace: waits for the moments at which packets are due. Sleeps until a little before the moment,
 * then spins. How long it spins follows the measured wake-up delay, within a fixed share of the
 * time between two moments, so that spinning never takes more of a CPU than that.
 */
#ifndef DATAGRAM_TEST_PACE_H
#define DATAGRAM_TEST_PACE_H

#include <netperf/pacer.h>
#include <stdatomic.h>

/* The most of a CPU that spinning may take, in percent, and the longest spin. */
#define PACE_SPIN_PERCENT 8
#define PACE_SPIN_MAX	  (50 * NP_MICROSECOND)

struct pace {
	struct np_pacer pacer; /* counts bytes as events */
	np_time worst_behind;  /* the furthest behind since pace_open */
	np_time spin;	       /* how long before a moment the sleep ends */
	np_time spin_limit;
};

/* Sets the calling thread's timer slack to 1 ns. */
void pace_open(struct pace *pace);

/* Starts a series now. @rate_bytes_per_s 0: no waiting. @bytes: sent at each moment. */
void pace_start(struct pace *pace, double rate_bytes_per_s, uint64_t bytes, np_time now);

/*
 * Waits until @bytes may be sent, and counts them; or until @deadline, or until @*phase is not 0.
 * Returns the time at the end of the wait.
 */
np_time pace_wait(struct pace *pace, uint64_t bytes, np_time deadline, const _Atomic int *phase);

#endif
