/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * stops: which stop signals are separate requests of the user, and which are echoes of the first.
 */
#ifndef STOPS_H
#define STOPS_H

#include <netperf/clock.h>
#include <stdbool.h>

/*
 * timeout(1) signals its child and then its group, a terminal and a supervisor may both signal: a
 * signal this soon after the first one is an echo.
 */
#define STOPS_ECHO (200 * NP_MILLISECOND)

/* Starts as zeros. One thread. */
struct stops {
	unsigned counted;
	np_time first; /* when the first one was received */
};

/*
 * Handles a stop signal received at @now and sent no earlier than @earliest. Returns whether it
 * counts: the first does, and each one sent for certain STOPS_ECHO after it.
 */
bool stops_count(struct stops *stops, np_time earliest, np_time now);

/* Whether a signal sent at @earliest or later must be a new request, not an echo. */
bool stops_settled(const struct stops *stops, np_time earliest);

#endif
